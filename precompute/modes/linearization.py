"""A mechanism about a state of rest as a linear system.

    d/dt X = A X + B U,   Y = C X + D U,   X = [z; zd; x]                                    (1)

z are the coordinates that are not held, x the states of elements; all count from rest.  With (1) of `matrices`, and
the velocities v_k along z of what an input k pushes,

    A = [0 1 0; -M^-1 K  -M^-1 C  M^-1 D; R],   B = [0; M^-1 v^T; R_u]                       (2)

An output is a gradient on z, or an acceleration: the same gradient on zdd, since at rest nothing else is of first
order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from precompute.arrays import Array
from precompute.errors import SingularityError
from precompute.model.contact_problems import refuse_contact
from precompute.model.mechanism import Mechanism
from precompute.modes.matrices import Matrices, matrices
from precompute.modes.resting import Ground, Resting, resting
from precompute.modes.signals import Signal, coordinate_units, felt, pushed, seen
from precompute.threads import one_thread

NO_INERTIA = 1e-13
"""Share of the largest inertia below which a motion has none: rounding."""


@dataclass(frozen=True, eq=False)
class Linear:
    """(1), in SI units."""

    at: Resting
    parts: Matrices
    states: tuple[str, ...]  # 2 n + nx
    inputs: tuple[str, ...]  # m
    outputs: tuple[str, ...]  # p
    units: dict[str, str]  # of all of them
    A: Array  # (2 n + nx, 2 n + nx)
    B: Array  # (2 n + nx, m)
    C: Array  # (p, 2 n + nx)
    D: Array  # (p, m)

    def response(self, frequency: float) -> Array:
        """(p, m) complex: outputs per input at a frequency [Hz]."""
        s = 2j * np.pi * frequency * np.eye(len(self.A))
        return np.asarray(self.C @ np.linalg.solve(s - self.A, self.B.astype(complex)) + self.D)


@one_thread
def linearize(mechanism: Mechanism, axle: str | None = None, on: Ground | None = None) -> Linear:
    """A mechanism about its state of rest, by exact kinematics.

    Args:
        mechanism: any.  A suspension stands on the rig with its wheels at design height; what steers it is held.
        axle: which one stands there, where there are several; None for the first.
        on: "tyre", where the file has tyre rates (the default then), or "load": pads that keep their forces.

    Raises:
        PrecomputeError: it cannot be assembled, there is no equilibrium, or something moves without inertia.
    """
    refuse_contact(mechanism, "looking for small motions about a state of rest")
    at = resting(mechanism, axle, on)
    parts = matrices(at)
    own, nx = at.moving, parts.x.size
    M_inverse, names = inverse_inertia(at, parts), named(at)
    zdd = M_inverse @ np.hstack([-parts.K[np.ix_(own, own)], -parts.C[np.ix_(own, own)], parts.D[own]])
    push, see, feel = ([*signals(at, parts)] for signals in (pushed, seen, felt))
    on_zdd = M_inverse @ np.hstack([rows(push, own).T, parts.on_inputs[own]])
    moved, faster, n = rows(see, own), rows(feel, own), len(own)
    on_rates = np.hstack([np.zeros((nx, len(push))), parts.rate_on_inputs])
    return Linear(
        at=at,
        parts=parts,
        states=(*names.coordinates, *names.rates, *names.states),
        inputs=(*(signal.name for signal in push), *names.inputs),
        outputs=tuple(signal.name for signal in (*see, *feel)),
        units=names.units | {signal.name: signal.unit for signal in (*push, *see, *feel)},
        A=np.vstack([np.eye(n, 2 * n + nx, n), zdd, parts.R[:, reduced_columns(at, nx)]]),  # (2)
        B=np.vstack([np.zeros((n, on_zdd.shape[1])), on_zdd, on_rates]),  # (2)
        C=np.vstack([np.hstack([moved, np.zeros((len(see), n + nx))]), faster @ zdd]),
        D=np.vstack([np.zeros((len(see), on_zdd.shape[1])), faster @ on_zdd]),
    )


def rows(signals: Sequence[Signal], own: list[int]) -> Array:
    """(k, n) gradients of signals along the coordinates that move."""
    return np.array([signal.row[own] for signal in signals]).reshape(len(signals), len(own))


def reduced_columns(at: Resting, nx: int) -> list[int]:
    """Which of z, zd and x are states."""
    nz = len(at.names)
    return [*at.moving, *(nz + k for k in at.moving), *range(2 * nz, 2 * nz + nx)]


def inverse_inertia(at: Resting, parts: Matrices) -> Array:
    """(n, n) of the coordinates that move.

    Raises:
        SingularityError: something moves that has no inertia.
    """
    own, weight = at.moving, at.closure.coordinate_weight
    M = parts.M[np.ix_(own, own)] / weight[own][:, None] / weight[own]
    values, vectors = np.linalg.eigh(0.5 * (M + M.T))
    if values.size and values[0] <= NO_INERTIA * values[-1]:
        worst = at.names[own[int(np.argmax(np.abs(vectors[:, 0])))]]
        raise SingularityError(
            f"'{at.mechanism.name}' cannot be linearized: '{worst}' moves without inertia. Give what it moves a mass, "
            "or hold it."
        )
    return np.asarray(np.linalg.inv(M) / weight[own][:, None] / weight[own])


class Names(NamedTuple):
    """Of states and of inputs of elements."""

    coordinates: tuple[str, ...]
    rates: tuple[str, ...]
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    units: dict[str, str]


def named(at: Resting) -> Names:
    """All of them, with their units."""
    units = coordinate_units(at)
    own = {f"q.{at.names[k]}": units[k] for k in at.moving}
    rates = {f"qd.{at.names[k]}": f"{units[k]}/s" for k in at.moving}
    devices = at.laws.at_rest.devices if at.laws.at_rest else ()
    states = {f"element.{x.name}": x.unit for device in devices for x in device.states}
    inputs = {f"element.{i.name}": i.unit for device in devices for i in device.inputs}
    return Names(tuple(own), tuple(rates), tuple(states), tuple(inputs), own | rates | states | inputs)
