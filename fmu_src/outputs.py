"""Outputs of a reduced model as one vector, in the order of the output variables of `variables.py`.

Per coordinate q, qd, qdd (all q first, then all qd, all qdd); per element measure, rate, force; per marker position,
velocity, angular velocity, roll-pitch-yaw and, where the marker has a spin axis, steer and camber; then energies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from .dynamics import Mechanics, Runtime, acceleration_at, energies_at, mechanics_and_markers
from .laws import force_only
from .reduced_model import Array, MarkerInfo


def outputs(runtime: Runtime, z: Array, zd: Array, parameters: Sequence[float], inputs: Array) -> list[float]:
    """All outputs.  One reading of the tables.

    Args:
        runtime: the model.
        z: (nz,) coordinates.
        zd: (nz,) rates.
        parameters: values of all model parameters.
        inputs: (nz + 6 np,) see `dynamics`.

    Raises:
        TableRangeError: z has left the table.
        StepError: the acceleration cannot be found.
    """
    at, value, slopes = mechanics_and_markers(runtime, z)
    zdd = acceleration_at(runtime, at, zd, parameters, inputs)
    result = [*z.tolist(), *zd.tolist(), *zdd.tolist(), *_elements(runtime, at, zd, parameters)]
    width = 12 + 3 * runtime.nz
    values, rates = value.reshape(-1, width), (zd @ slopes).reshape(-1, width)
    for i, marker in enumerate(runtime.model.markers):
        result += _marker(marker, values[i], rates[i], zd)
    energy = energies_at(runtime, at, zd, parameters)
    return [*result, energy.kinetic, energy.gravity + energy.spring, energy.total]


def _elements(runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float]) -> list[float]:
    """Measure, rate and force of each element."""
    result: list[float] = []
    measures = zip(runtime.model.elements, at.s.tolist(), (zd @ at.ds).tolist(), strict=True)
    for element, s, sdot in measures:
        result += (s, sdot, force_only(element, parameters, s, sdot))
    return result


def _marker(marker: MarkerInfo, value: Array, rate: Array, zd: Array) -> list[float]:
    """Outputs of one marker from its columns r (3), R (9), A (3 nz) and their rates."""
    R = value[3:12].reshape(3, 3)
    w = value[12:].reshape(3, -1) @ zd
    result = [*value[:3].tolist(), *rate[:3].tolist(), *w.tolist(), *roll_pitch_yaw(R)]
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
