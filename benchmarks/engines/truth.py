"""The right answer: the independent full model, from rest through the manoeuvre."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.optimize import root

from engines.common import HOLD, MECHANISMS, MILLISECONDS, STATIC, Motion, forces
from precompute.arrays import Array
from precompute.mechanism import GROUND, Mechanism
from precompute.mechanism_file import load
from precompute.reference import (
    FullModel,
    FullState,
    Loads,
    accelerations,
    assemble,
    coordinate_values,
    equilibrium,
    full_model,
)
from precompute.reference.inputs import Inputs
from precompute.reference.recording import marker_motions
from precompute.reference.simulation import advanced
from precompute.spatial import Transform

TIGHT = 1e-10  # relative tolerance of the integrator
AT_REST = 1e-12  # relative tolerance of the coordinates at rest
PORT = "wheel"  # port, and its marker


@dataclass(frozen=True, eq=False)
class Truth:
    """A mechanism, the pose in which it rests under the static wheel load, and its motion from there."""

    mechanism: Mechanism
    milliseconds: int  # length of the manoeuvre
    start: dict[str, Transform]  # X_GB of every body; at design all are the identity
    motion: Motion


@cache
def truth(name: str, milliseconds: int = MILLISECONDS, rtol: float = TIGHT) -> Truth:
    """The full model of a file in `benchmarks/mechanisms`, run through the manoeuvre."""
    mechanism = load(MECHANISMS / f"{name}.toml")
    model = full_model(mechanism)
    rest = resting(model)
    states = [rest]
    for k, force in enumerate(forces(milliseconds)):
        inputs = held(force)
        states.append(advanced(model, states[-1], HOLD * k, HOLD * (k + 1), inputs, rtol))
    wheel, marker = marker_motions(model, states)[PORT], mechanism.marker(PORT)
    return Truth(mechanism, milliseconds, poses(model, rest), Motion(wheel.p, wheel.R @ marker.spin_axis))


def resting(model: FullModel) -> FullState:
    """The state of rest under the static wheel load."""
    load = pushed(STATIC)
    if model.mechanism.stiff_coordinates:
        return equilibrium(model, assemble(model, {}), load)
    names = [c.name for c in model.coordinates]

    def accelerate(q: Array) -> list[float]:
        found = accelerations(model, assemble(model, dict(zip(names, q.tolist(), strict=True))), loads=lambda _: load)
        return [found.coordinates[name] for name in names]

    q = root(accelerate, coordinate_values(model, model.design), tol=AT_REST).x
    return assemble(model, dict(zip(names, q.tolist(), strict=True)))


def pushed(force: Array) -> Loads:
    """A force on the wheel."""
    return Loads({PORT: (force, np.zeros(3))})


def held(force: Array) -> Inputs:
    """The same at all times."""
    load = pushed(force)
    return Inputs(lambda _: load)


def poses(model: FullModel, state: FullState) -> dict[str, Transform]:
    """X_GB of every body of the mechanism and of the ground."""
    found = {GROUND: Transform(np.eye(3), np.zeros(3))}
    for body in model.mechanism.bodies:
        i = model.bodies.index(body.name)
        found[body.name] = Transform(state.R[i], state.r[i] - state.R[i] @ body.com)
    return found
