"""Outputs of a reduced model as one vector, in the order of the output variables of `variables.py`.

Per coordinate q, qd, qdd (all q first, then all qd, all qdd); per element measure, rate, force; per marker position,
velocity, angular velocity, roll-pitch-yaw and, where the marker has a spin axis, steer and camber; then energies, and
the number of the chart where there are several.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .dynamics import Mechanics, Runtime, acceleration_at, energies_at, mechanics_of
from .laws import force_only
from .reading import read
from .reduced_model import Array, MarkerInfo
from .state import State


def outputs(charts: Sequence[Runtime], state: State, parameters: Sequence[float], inputs: Array) -> list[float]:
    """All outputs.  One reading of the tables.

    Args:
        charts: the model.
        state: of its motion.
        parameters: values of all model parameters.
        inputs: (nz + 6 np,) see `dynamics`.

    Raises:
        TableRangeError: z has left the table.
        StepError: the acceleration cannot be found.
    """
    runtime, zd = charts[state.chart], state.zd
    value, slopes = read(runtime.everything, state.z)
    at = mechanics_of(runtime, state.z, value, slopes, state.lap)
    zdd = acceleration_at(runtime, at, zd, parameters, inputs)
    result = [*_coordinates(runtime, state, value, slopes, zdd), *_elements(runtime, at, zd, parameters)]
    size, rates = runtime.rows.marker_size, zd @ slopes
    for i, marker in enumerate(runtime.model.markers):
        first = runtime.rows.marker(i)
        result += _marker(marker, value[first : first + size], rates[first : first + size], zd)
    energy = energies_at(runtime, at, zd, parameters)
    result += [energy.kinetic, energy.gravity + energy.spring, energy.total]
    return [*result, state.chart + 1.0] if len(charts) > 1 else result


def _coordinates(runtime: Runtime, state: State, value: Array, slopes: Array, zdd: Array) -> list[float]:
    """The model's coordinates with rates and accelerations: the chart's own, or rows c and G of the chart.

    cd = G zd,   cdd = G zdd + (dG/dt) zd
    """
    nz, rows, zd = runtime.nz, runtime.rows, state.zd
    if len(runtime.model.charts) == 1:
        return [*state.z.tolist(), *zd.tolist(), *zdd.tolist()]
    G = value[rows.slopes].reshape(nz, nz)
    Gd = (zd @ slopes[:, rows.slopes]).reshape(nz, nz)
    lap = np.array([coordinate.lap for coordinate in runtime.model.coordinates])
    c = value[rows.coordinates] + state.lap * lap
    return [*c.tolist(), *(G @ zd).tolist(), *(G @ zdd + Gd @ zd).tolist()]


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
