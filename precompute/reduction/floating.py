"""Stiff coordinates that float: a film holds them, which bears nothing at rest, so that they have no equilibrium.

At a mechanism at rest let K and C be the stiffness of laws and devices, and the damping of devices, on measures between
the two bodies of a joint.  A stiff coordinate k of that joint floats if devices damp it and nothing there holds it,

    C_kk > 0,   K_lk = 0 for all l                                                         (1)

whatever acts on it from elsewhere, as the spring of a plunger on the film of its roller.  It stays where it starts.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fmu_src.errors import StepError
from fmu_src.model.reduced_model import ReducedModel
from fmu_src.numpy_runtime.dynamics import Mechanics, Runtime, mechanics, prepare
from fmu_src.numpy_runtime.tangent import device_motion, law_tangents
from precompute.model.mechanism import JointCoordinate, Mechanism
from precompute.reduction.statics import StaticsError, start_inputs


def with_floats(mechanism: Mechanism, model: ReducedModel) -> ReducedModel:
    """The model with its floating coordinates marked.

    Raises:
        StaticsError: one floats that has no inertia, so that forces would tell where it is.
    """
    if not (model.stiff and model.devices):
        return model
    runtime = prepare(model)[0]
    at = mechanics(runtime, np.array([start.value for start in model.starts]))
    stiff = tuple(
        replace(info, floats=_floats(mechanism, runtime, at, number)) for number, info in enumerate(model.stiff)
    )
    names = ", ".join(f"'{s.name}'" for s in stiff if s.floats)
    if model.quasistatic and names:
        raise StaticsError(
            f"{names}: an element damps it and nothing holds it, so it does not follow the forces at once as "
            '`tables.stiff = "quasistatic"` has it; take "dynamic", or give it a stiffness'
        )
    return replace(model, stiff=stiff)


def _floats(mechanism: Mechanism, runtime: Runtime, at: Mechanics, number: int) -> bool:
    """Whether a stiff coordinate floats, by (1)."""
    k = runtime.nf + number
    across = _across(mechanism, mechanism.stiff_coordinates[number])
    own = at._replace(ds=np.where(across, at.ds, 0.0))
    still, model = np.zeros(runtime.nz), runtime.model
    parameters = [p.value for p in model.parameters]
    try:
        devices = device_motion(runtime, own, still, parameters, start_inputs(model))
    except StepError:  # a formula has no value at the start, which is told where the motion begins
        return False
    K = law_tangents(runtime, own, still, parameters)[0] + devices.K
    return bool(devices.C[k, k] > 0.0 and not K[:, k].any() and not devices.D[k].any())


def _across(mechanism: Mechanism, stiff: JointCoordinate) -> list[bool]:
    """(ne,) which elements are on measures between the bodies of a stiff coordinate's joint."""
    bodies = {*stiff.bodies(mechanism)}
    return [{*on.bodies(mechanism)} == bodies for on in mechanism.acting]
