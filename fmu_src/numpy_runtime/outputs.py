"""Outputs of a reduced model as one vector, in the order of the output variables of `output_variables.py`.

Per coordinate q, qd, qdd (all q first, stiff ones last, then all qd, then qdd without the stiff ones) and the forces of
the drives; per element measure, rate, force; per marker position, velocity, angular velocity, roll-pitch-yaw and, where
the marker has a spin axis, steer and camber; force and moment on a moving ground; then energies, whether all is in
range, and the number of the chart where there are several.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..model.laws import forces
from ..model.reduced_model import Array, MarkerInfo
from ..model.rows import POSITION, ROTATION, MarkerRows
from .dynamics import Mechanics, Runtime, drive_force, energies_at, mechanics_of, moving_force, solve_motion
from .ground import Ground, chassis_wrench, cross
from .quasistatic import relax, relaxed_acceleration
from .reading import read
from .state import State
from .validity import departure


class Instant(NamedTuple):
    """The motion at one instant."""

    at: Mechanics  # of all rows
    zd: Array  # (nz,)
    u: Array  # (nz,) rates of the coordinates that have inertia
    zdd: Array  # (nz,) zero for the others
    drive: Array  # (nd,) forces of the drives


def outputs(charts: Sequence[Runtime], state: State, parameters: Sequence[float], inputs: Array) -> list[float]:
    """All outputs.  One reading of the tables.

    Args:
        charts: the model.
        state: of its motion.
        parameters: values of all model parameters.
        inputs: see `inputs`.

    Raises:
        TableRangeError: z has left the table.
        StepError: the acceleration cannot be found.
    """
    runtime = charts[state.chart]
    now = _instant(runtime, state, parameters, inputs)
    at, zd = now.at, now.zd
    result = [*_coordinates(runtime, now, state.lap), *now.drive.tolist(), *_elements(runtime, at, zd, parameters)]
    rates = zd @ at.slopes
    for marker, rows in zip(runtime.model.markers, runtime.rows.markers, strict=True):
        result += _marker(marker, rows, at.value, rates, zd)
    if at.ground is not None:
        result += _chassis(runtime, now, at.ground, parameters, inputs)
    energy = energies_at(runtime, at, now.u, parameters)
    result += [energy.kinetic, energy.gravity + energy.spring, energy.total]
    result.append(float(departure(runtime, at.z) is None))
    return [*result, state.chart + 1.0] if len(charts) > 1 else result


def _instant(runtime: Runtime, state: State, parameters: Sequence[float], inputs: Array) -> Instant:
    zd = u = state.zd
    if runtime.model.quasistatic:
        relaxed = relax(runtime, runtime.everything, state.z, state.zd, parameters, inputs)
        at, zd, u = relaxed
        zdd, force = relaxed_acceleration(runtime, relaxed, parameters, inputs)
    else:
        at = mechanics_of(runtime, state.z, *read(runtime.everything, state.z), state.lap)
        force = moving_force(runtime, at, zd, parameters, inputs)
        zdd = solve_motion(runtime, at, zd, force, inputs)
    drive = drive_force(runtime, at, zdd, force)
    return Instant(at, zd, u, np.concatenate((zdd, np.zeros(runtime.nz - zdd.size))), drive)


def _chassis(runtime: Runtime, now: Instant, ground: Ground, parameters: Sequence[float], inputs: Array) -> list[float]:
    """Force (3) and moment (3) on the chassis."""
    slots, model = runtime.slots, runtime.model
    gravity = np.array([parameters[i] for i in model.gravity])
    moment, force = cross(ground.S, gravity), ground.mass * gravity
    for rows, wrench in zip(runtime.ports.reshape(-1, 3), inputs[slots.loads].reshape(-1, 2, 3), strict=True):
        force = force + wrench[0]
        moment = moment + wrench[1] + cross(now.at.value[rows], wrench[0])
    external = np.concatenate((moment, force))
    V, Vd = inputs[slots.twist], inputs[slots.twist_rate]
    on_chassis = chassis_wrench(ground, V, Vd, now.zd, now.u, now.zdd, external).tolist()
    return [*on_chassis[3:], *on_chassis[:3]]


def _coordinates(runtime: Runtime, now: Instant, lap: int) -> list[float]:
    """The model's coordinates with rates and accelerations: the chart's own, or rows c and G of the chart.

    cd = G zd,   cdd = G zdd + (dG/dt) zd
    """
    nz, rows, zd, at = runtime.nz, runtime.rows, now.zd, now.at
    if at.G is None:
        return [*at.z.tolist(), *zd.tolist(), *now.zdd[: runtime.nf].tolist()]
    Gd = (zd @ at.slopes[:, rows.G : rows.G + nz * nz]).reshape(nz, nz)
    laps = np.array([coordinate.lap for coordinate in runtime.model.coordinates])
    c = at.value[rows.c : rows.c + nz] + lap * laps
    return [*c.tolist(), *(at.G @ zd).tolist(), *(at.G @ now.zdd + Gd @ zd).tolist()]


def _elements(runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float]) -> list[float]:
    """Measure, rate and force of each element."""
    s, sdot = at.s.tolist(), (zd @ at.ds).tolist()
    found = forces(runtime.model, parameters, s, sdot)
    return [number for three in zip(s, sdot, found, strict=True) for number in three]


def _marker(marker: MarkerInfo, rows: MarkerRows, value: Array, rate: Array, zd: Array) -> list[float]:
    """Outputs of one marker from all rows (nr,) and their rates."""
    r, R = slice(rows.r, rows.r + POSITION), value[rows.R : rows.R + ROTATION].reshape(3, 3)
    w = value[rows.A : rows.A + 3 * zd.size].reshape(3, -1) @ zd
    result = [*value[r].tolist(), *rate[r].tolist(), *w.tolist(), *roll_pitch_yaw(R)]
    if marker.spin_axis is not None and marker.spin_design is not None:
        result += steer_camber(R @ marker.spin_axis, marker.spin_design)
    return result


def roll_pitch_yaw(R: Array) -> tuple[float, float, float]:
    """Angles [rad] of R = Rz(yaw) Ry(pitch) Rx(roll).

    Only ratios of entries are used, so an R that is orthogonal to table accuracy gives angles of that accuracy, and
    a pitch of +-90 deg gives numbers (roll and yaw then share one rotation) rather than an error.
    """
    return (
        math.atan2(R[2, 1], R[2, 2]),
        math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0])),
        math.atan2(R[1, 0], R[0, 0]),
    )


def steer_camber(u: Array, design: Sequence[float]) -> tuple[float, float]:
    """Steer and camber of a wheel from its spin axis.

        steer  = heading of u about z, relative to the heading at design
        camber = -asin(u_z), positive with the top of the wheel outboard

    Args:
        u: (3,) spin axis in ground axes (x forward, y left, z up), pointing outboard.
        design: the same at design.

    Returns:
        Steer and camber [rad].
    """
    ux, uy, uz = u.tolist()
    ax, ay, _ = design
    return math.atan2(ax * uy - ay * ux, ax * ux + ay * uy), -math.atan2(uz, math.hypot(ux, uy))
