"""Samples of a motion in balance: deflections that carry what acts, elements with formulas along the whole motion.

Deflections are sought sample by sample, forces of elements over all samples; one after the other until they agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.kinematics.continuation import follow
from precompute.loading.acting import Along, along
from precompute.loading.devices import History, Moved, history
from precompute.loading.motion import LoadMotion
from precompute.loading.ready import Ready
from precompute.model.mechanism import Mechanism
from precompute.reduction.exact_loads import Acting

ITERATIONS = 40
"""Until deflections are in equilibrium; five are usual."""


AT_REST = 1e-10
"""The last step of deflections, over the reference length."""


LARGEST_STEP = 0.1
"""Of a deflection at once, over the reference length."""


TURNS = 30
"""Of forces of elements and deflections, until they agree; six are usual."""


AGREE = 1e-8
"""The last change of a force, over the largest of its kind."""


@dataclass(frozen=True, eq=False)
class Sampled:
    """Some samples of a motion, with their deflections and all that acts."""

    motion: LoadMotion
    q: Array  # (n, nq)
    z: Array  # (n, nz)
    at: Along


def sampled(ready: Ready, motion: LoadMotion, q: Array, forces: Array | None = None) -> Sampled:
    """Some samples from configurations (n, nq), deflected or not; under forces (n, elements) of devices besides."""
    closure, nf, names = ready.closure, len(ready.coordinates.free), ready.coordinates.names
    zd, zdd = (np.zeros((len(q), len(closure.coordinates))) for _ in range(2))
    for order, out in ((1, zd), (2, zdd)):
        out[:, :nf] = np.stack([motion.coordinates.motions[name][order] for name in names], axis=-1)
    acting = started(ready.mechanism, motion, zd, zdd)
    return Sampled(motion, *deflected(ready, q, acting, motion, forces))


def with_devices(
    ready: Ready, motion: LoadMotion, samples: Sequence[Sampled]
) -> tuple[History | None, Sequence[Sampled]]:
    """What devices do along the whole motion, and its samples under their forces.

    Raises:
        PrecomputeError: their forces and the deflections do not agree in the end.
    """
    if ready.devices is None:
        return None, samples
    stiff, before, ends = bool(ready.coordinates.stiff), None, np.cumsum([len(part.q) for part in samples])
    for _ in range(TURNS):
        moved = Moved.of(ready.devices, [part.at for part in samples], stiff, motion.time)
        own = history(ready.devices, motion, moved)
        forces = np.split(own.forces, ends[:-1])
        if not stiff:
            return own, [
                replace(part, at=part.at.pushed(f, ready.laws)) for part, f in zip(samples, forces, strict=True)
            ]
        samples = [sampled(ready, part.motion, part.q, f) for part, f in zip(samples, forces, strict=True)]
        change = np.inf if before is None else np.abs(own.forces - before).max(axis=0)
        if (change <= AGREE * np.maximum(np.abs(own.forces).max(axis=0), 1.0)).all():
            return own, samples
        before = own.forces
    raise PrecomputeError(
        f"{motion.source}: forces of elements and deflections of rubber do not agree: the one changes the other by "
        f"{np.max(change):.3g} N or N m still. Elements act on rubber as fast as samples follow each other; give "
        "smoother samples farther apart, or let an FMU be led: kinetab loads X.fmu"
    )


def started(mechanism: Mechanism, motion: LoadMotion, zd: Array, zdd: Array) -> Acting:
    """What acts, before forces of elements and wrenches are known."""
    n, moving = len(zd), mechanism.chassis == "moving"
    return Acting(
        rates=zd,
        accelerations=zdd,
        gravity=motion.vectors("gravity") if moving else np.tile(mechanism.gravity, (n, 1)),
        forces=np.zeros((n, 0)),
        wrenches=np.zeros((n, 0, 2, 3)),
        twist=motion.vectors("chassis.w", "chassis.v") if moving else None,
        twist_rate=motion.vectors("chassis.wd", "chassis.vd") if moving else None,
    )


def deflected(
    ready: Ready, q: Array, acting: Acting, motion: LoadMotion, forces: Array | None = None
) -> tuple[Array, Array, Along]:
    """Configurations (n, nq) with the deflections at which nothing is left to be supplied along them, z, and forces.

    Args:
        ready: the mechanism.
        q: where to begin.
        acting: the motion.
        motion: the same, with what is given.
        forces: (n, elements) of devices, which act besides.

    Raises:
        PrecomputeError: there are none; says when, and which force is left.
    """
    closure, nf = ready.closure, len(ready.coordinates.free)
    z = closure.values(closure.poses(q))
    stiff = slice(nf, None)
    for _ in range(ITERATIONS):
        at = along(closure, ready.laws, q, acting, motion)
        at = at if forces is None else at.pushed(forces, ready.laws)
        if nf == z.shape[1]:
            return q, z, at
        dz = np.zeros(z.shape)
        try:
            dz[:, stiff] = np.linalg.solve(at.rest.K[:, stiff, stiff], -at.needed[:, stiff, None])[..., 0]
        except np.linalg.LinAlgError:
            break
        size = np.abs(dz * closure.coordinate_weight).max(axis=1) / closure.length
        if (size < AT_REST).all():
            return q, z, at
        share = np.minimum(1.0, LARGEST_STEP / np.maximum(size, 1e-300))
        done = follow(closure, q, z, z + share[:, None] * dz)
        if not done.reached.all():
            break
        q, z = done.q, done.z
    raise PrecomputeError(f"{motion.source}: {not_balanced(ready, at, motion.time)}")


def not_balanced(ready: Ready, at: Along, t: Array) -> str:
    """Where rubber finds no equilibrium: the force that is left, where it is largest."""
    m, nf, closure = ready.mechanism, len(ready.coordinates.free), ready.closure
    left = np.abs(at.needed[:, nf:] / closure.coordinate_weight[nf:])
    sample, k = np.unravel_index(int(np.argmax(left)), left.shape)
    force = m.units.shown_effort(float(at.needed[sample, nf + k]), closure.coordinates[nf + k].is_angle(m), 4)
    name = ready.coordinates.all_names[nf + k]
    return (
        f"no deflection of '{name}' carries what acts at {t[sample]:.6g} s: {force} is left. Check bushings, the "
        "forces of ports and wheels, and the accelerations of the motion"
    )
