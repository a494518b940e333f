"""What becomes of the energy: the work of tyres and steering is stored by the car or taken up by its dampers.

A force held over a step does the work force x way of its point; what is read at both ends acts with its mean:

    work = sum F_n . (C_n+1 - C_n) + sum h (rho_n+1 x F_n) . w_n+1/2 + sum h (f q')_n+1/2                           (1)
    lost = -sum h (f s')_n+1/2,     stored(t) - stored(0) = work - lost                                             (2)

C is the centre of a wheel, w the angular velocity of its carrier, rho from the centre to the contact as it is over the
step: all of a tyre's force reaches the carrier, since a brake holds what the bearing would let go.  What is left over
is the error of the coupling; it falls with the communication step.  For cars with rigid joints: rubber has losses of
its own.

Elements with formulas act by their forces on their measures as dampers do.  What actuators give counts as work; what
monotubes and friction take counts as lost, though oil, gas, top mounts and the bristles of friction store a part of it,
some joules, and give that back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from corners.car import CHASSIS, CORNERS, GRAVITY, QUARTER
from coupling.system import Record
from numpy.typing import NDArray

from fmu_src.model.reduced_model import ReducedModel
from fmu_src.numpy_runtime.dynamics import mechanics, prepare
from fmu_src.numpy_runtime.ground import momentum

Array = NDArray[np.floating]
XYZ = (1, 2, 3)


@dataclass(frozen=True, eq=False)
class Balance:
    """Energies at some communication points, (n,) each [J], zero at the start."""

    work: Array
    lost: Array
    stored: Array

    @property
    def residual(self) -> float:
        """Largest gap of equation (2), relative to the largest change of what is stored."""
        return float(np.abs(self.stored - self.work + self.lost).max() / np.abs(self.stored).max())


def quarter_car_balance(record: Record, mass: float, carried: float) -> Balance:
    """Of the quarter car, at every communication point.

    The kinetic energy of a suspension on a chassis that rises with V is T + V p - 1/2 m V^2, with T that of the
    relative motion and p its whole vertical momentum, which the forces on it make: p' = N - F - m g.

    Args:
        record: with `quarter_car.RECORDED`.
        mass: the sprung mass [kg].
        carried: mass of the suspension [kg].
    """
    z, V, force = record["mass.z"], record["mass.v"], record["suspension.chassis.F[3]"]
    centre = columns(record, "suspension.marker.wheel.r")
    held = columns(record, "tyre.F")[:-1]
    way = np.diff(centre + np.outer(z, [0.0, 0.0, 1.0]), axis=0)
    work = summed(np.sum(held * way, axis=1))
    work += turned(record, "suspension", QUARTER, held, columns(record, "suspension.marker.wheel.w"))

    p = summed(np.diff(record.time) * (held[:, 2] - middle(force) - carried * GRAVITY))
    kinetic = record["suspension.energy.kinetic"] + V * p - 0.5 * carried * V**2 + 0.5 * mass * V**2
    stored = kinetic + record["suspension.energy.potential"] + (mass + carried) * GRAVITY * z
    return Balance(work, -supplied(record, ["suspension.damper.shock.force"]), stored - stored[0])


def full_car_balance(record: Record, models: Mapping[str, ReducedModel], every: int = 20) -> Balance:
    """Of the full car, at every so many communication points.

    Args:
        record: with `full_car.RECORDED`, `ENERGY`, and `DAMPERS` or `ELEMENTS`.
        models: tables of the corners, for the kinetic energy that their masses have by the motion of the chassis.
        every: points are left out between, since this is slow.
    """
    R, p = attitudes(record), columns(record, "chassis.p")
    work = supplied(record, ending(record, "drive.pitman.force", "element.roll.force.s"))
    for name in CORNERS:
        held = columns(record, f"tyre_{name}.F")[:-1]
        place = p + np.einsum("tij,tj->ti", R, columns(record, f"{name}.marker.wheel.r"))
        work += summed(np.einsum("tij,tj,ti->t", middle(R), held, np.diff(place, axis=0)))
        w = columns(record, "chassis.w") + columns(record, f"{name}.marker.wheel.w")
        work += turned(record, name, name, held, w)
    lost = -supplied(record, ending(record, "damper.shock.force", "element.damper.force.s", "element.friction.force.s"))
    stored = chassis_energy(record, R)[::every]
    for name, model in models.items():
        stored = stored + corner_energy(record, name, model, every)
    return Balance(work[::every], lost[::every], stored - stored[0])


def turned(record: Record, instance: str, wheel: str, held: Array, w: Array) -> Array:
    """Work of forces (nt - 1, 3) at the contact of a wheel on the rotation of its carrier, w (nt, 3)."""
    arm = columns(record, f"{instance}.wheel.{wheel}.contact.r") - columns(record, f"{instance}.marker.wheel.r")
    return summed(np.diff(record.time) * np.sum(np.cross(arm[1:], held) * middle(w), axis=1))


def chassis_energy(record: Record, R: Array) -> Array:
    """Of the sprung body."""
    w = columns(record, "chassis.w")
    u = columns(record, "chassis.v") + np.cross(w, CHASSIS.com)
    height = record["chassis.p[3]"] + R[:, 2] @ np.array(CHASSIS.com)
    turning = 0.5 * w**2 @ np.array(CHASSIS.inertia)
    return turning + CHASSIS.mass * (0.5 * np.sum(u**2, axis=1) + GRAVITY * height)


def corner_energy(record: Record, name: str, model: ReducedModel, every: int) -> Array:
    """Of a suspension: T + 1/2 V (M V + 2 N z') + potential, M and N its inertia and momentum by the tables."""
    names = [*(c.name for c in model.coordinates), *(s.name for s in model.stiff)]
    q, qd = (np.array([record[f"{name}.{what}.{n}"] for n in names]).T[::every] for what in ("q", "qd"))
    V = np.hstack([columns(record, "chassis.w"), columns(record, "chassis.v")])[::every]
    runtime = prepare(model)[0]
    carried = np.empty(len(V))
    for i, twist in enumerate(V):
        g = mechanics(runtime, q[i]).ground
        assert g is not None
        still = momentum(g.mass, g.S, g.tensor, g.N, twist, np.zeros(len(names)))
        carried[i] = 0.5 * twist @ still + twist @ g.N @ qd[i]
        mass = g.mass
    own = (
        record[f"{name}.energy.kinetic"] + record[f"{name}.energy.potential"] + mass * GRAVITY * record["chassis.p[3]"]
    )
    return carried + own[::every]


def supplied(record: Record, forces: Iterable[str]) -> Array:
    """Work of forces of drives, dampers and elements on their own rates."""
    power = np.zeros(len(record.time))
    for force in forces:
        if force.endswith(".force.s"):
            rate = force.replace(".force.s", ".s_rate")
        elif ".drive." in force:
            rate = force.replace(".drive.", ".qd.").removesuffix(".force")
        else:
            rate = f"{force.removesuffix('force')}rate"
        power += record[force] * record[rate]
    return summed(np.diff(record.time) * middle(power))


def ending(record: Record, *ends: str) -> list[str]:
    """Recorded variables of all corners whose names end so."""
    return [name for name in record.values if name.endswith(ends)]


def columns(record: Record, name: str) -> Array:
    """(nt, 3) of a vector."""
    return np.array([record[f"{name}[{i}]"] for i in XYZ]).T


def attitudes(record: Record) -> Array:
    """(nt, 3, 3) from chassis to road axes."""
    a, b, c, d = (record[f"chassis.e[{i}]"] for i in (1, 2, 3, 4))
    rows = [
        [1 - 2 * (c * c + d * d), 2 * (b * c - a * d), 2 * (b * d + a * c)],
        [2 * (b * c + a * d), 1 - 2 * (b * b + d * d), 2 * (c * d - a * b)],
        [2 * (b * d - a * c), 2 * (c * d + a * b), 1 - 2 * (b * b + c * c)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def middle(x: Array) -> Array:
    """Means of neighbours."""
    return 0.5 * (x[1:] + x[:-1])


def summed(parts: Array) -> Array:
    """Running sum from 0."""
    return np.concatenate([[0.0], np.cumsum(parts)])
