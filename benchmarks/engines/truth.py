"""The right answer: the independent full model, from rest through the manoeuvre."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.optimize import root

from engines.common import BUILD, HOLD, MECHANISMS, MILLISECONDS, STATIC, Motion, forces, kept_file
from precompute.arrays import Array
from precompute.geometry.spatial import Transform
from precompute.mechanism_file import load, source_hash
from precompute.model.mechanism import GROUND, Mechanism
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

    @property
    def wheel(self) -> tuple[str, Array, Array]:
        """Body, centre and spin axis of the wheel, at design in G."""
        return wheel_of(self.mechanism)


@cache
def truth(name: str, milliseconds: int = MILLISECONDS, rtol: float = TIGHT) -> Truth:
    """The full model of a file in `benchmarks/mechanisms`, run through the manoeuvre.

    It takes one or two minutes; what it found is kept in build/ until mechanism or manoeuvre change.
    """
    mechanism = load(MECHANISMS / f"{name}.toml")
    force = forces(milliseconds)
    key = hashlib.sha256(f"{source_hash(mechanism)} {rtol} {force.tolist()}".encode()).hexdigest()[:12]
    path = BUILD / f"truth_{name}_{key}.npz"
    if not path.exists():
        with kept_file(path) as unfinished:
            np.savez(unfinished, allow_pickle=False, **computed(mechanism, force, rtol))
    with np.load(path) as found:
        names = [GROUND, *(b.name for b in mechanism.bodies)]
        start = {b: Transform(R, p) for b, R, p in zip(names, found["start_R"], found["start_p"], strict=True)}
        return Truth(mechanism, milliseconds, start, Motion(found["r"], found["axis"]))


def computed(mechanism: Mechanism, force: Array, rtol: float) -> dict[str, Array]:
    """Poses (nb + 1) of ground and bodies at rest, and motion of the wheel under forces (n, 3), one per millisecond."""
    model = full_model(mechanism)
    states = [resting(model)]
    for k, f in enumerate(force):
        states.append(advanced(model, states[-1], HOLD * k, HOLD * (k + 1), held(f), rtol))
    wheel, axis, start = marker_motions(model, states)[PORT], wheel_of(mechanism)[2], poses(model, states[0])
    return {
        "start_R": np.array([X.R for X in start]),
        "start_p": np.array([X.p for X in start]),
        "r": wheel.p,
        "axis": wheel.R @ axis,
    }


def wheel_of(mechanism: Mechanism) -> tuple[str, Array, Array]:
    """Body, centre and spin axis of the wheel, at design in G."""
    marker = mechanism.marker(PORT)
    assert marker.spin_axis is not None
    return marker.body, marker.p, marker.spin_axis


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


def poses(model: FullModel, state: FullState) -> list[Transform]:
    """X_GB of the ground and of every body of the mechanism."""
    found = [Transform(np.eye(3), np.zeros(3))]
    for body in model.mechanism.bodies:
        i = model.bodies.index(body.name)
        found.append(Transform(state.R[i], state.r[i] - state.R[i] @ body.com))
    return found
