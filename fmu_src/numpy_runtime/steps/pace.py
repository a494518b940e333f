"""The longest step that makes sense for a motion: how far it may go in one, and how fast it may swing.

A step should not go farther than a part of a cell of the tables along any axis: cells are as long as a polynomial of
degree 5 follows the mechanism, and so is what a step can follow.  Explicit steps must besides be short against the
fastest motion by itself.  With inertia M, damping C and stiffness K of the laws at a place, every eigenvalue x of
x^2 M + x C + K is bounded through those of M^-1 C and M^-1 K alone,

    |x| <= c/2 + sqrt(c^2/4 + k),   c = max |eig(M^-1 C)|,   k = max |eig(M^-1 K)|                    (1)

and it is 1/T for a coordinate that follows its drive through a filter.  Quasi-static deflections follow the axes by
d = D z_f, with D = -K_ss^-1 K_sf, so with T = [1; D] the matrices are M_ff, T^T C T and T^T K T.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...errors import StepError
from ...interface.variables import SHORTEST_STEP
from ...model.reduced_model import Array
from ...model.rows import Need
from ..dynamics import Runtime, mechanics
from ..tangent import law_tangents
from .step_error import order

SHARES = {4: 1 / 4, 3: 1 / 8, 2: 1 / 8}
"""Order of a method: how much of a cell a step should go at most."""

SWINGS = {"rk4": 1.0, "midpoint": 0.2}
"""Of an explicit method: largest step times eigenvalue; stable, and accurate to a per cent or so of what decays."""

SLACK = 1e-9
"""A step that is too long by rounding is not."""

EPSILON = float(np.finfo(float).eps)

LEAST_DIGITS = 1e-9
"""Of a turn or a table: a start value whose last digit is worth more has lost too many."""


class Pace(NamedTuple):
    """What limits the step of a motion."""

    step: float  # [s] longest that makes sense, infinite for what is at rest
    coordinate: int  # that moves so fast, -1 if it is what swings by itself
    rate: float  # [1/s] of the coordinate, or the eigenvalue


def cells(runtime: Runtime) -> list[float]:
    """(nf) length of the cells of the finest table along each axis; what is read on request moves nothing."""
    spans, end = [1] * runtime.nf, runtime.chart.rows.ends[Need.POSES]
    for block in (block for block in runtime.chart.blocks if (block.cells[:, 0] < end).any()):
        for axis, knots in zip(block.axes, block.knots, strict=True):
            inner = knots[block.degree : knots.size - block.degree]  # borders of cams are in it several times
            spans[axis] = max(spans[axis], int((np.diff(inner) > 0.0).sum()))
    return [(axis.upper - axis.lower) / n for axis, n in zip(runtime.chart.axes, spans, strict=True)]


def strides(runtime: Runtime) -> list[float]:
    """(nf) how far a step should go at most along each axis."""
    share = SHARES[order(runtime.model)]
    return [share * cell for cell in cells(runtime)]


def pace(runtime: Runtime, z: Array, zd: Array, parameters: Sequence[float], of_devices: float = 0.0) -> Pace:
    """What limits the step at a state z (nz,), zd (nz,); with what devices ask for besides, of `limiting_device`."""
    found = [
        Pace(cell / abs(rate), k, rate)
        for k, (cell, rate) in enumerate(zip(strides(runtime), zd.tolist(), strict=False))
        if rate
    ]
    swing = max(fastest(runtime, z, zd, parameters), of_devices)
    if swing > 0.0:
        found.append(Pace(SWINGS[runtime.model.method] / swing, -1, swing))
    return min(found, default=Pace(math.inf, -1, 0.0))


def fastest(runtime: Runtime, z: Array, zd: Array, parameters: Sequence[float]) -> float:
    """Bound (1) of the eigenvalues [1/s] at a state; zero where steps are implicit."""
    model, nf = runtime.model, runtime.nf
    if model.stiff and not model.quasistatic:
        return 0.0
    at = mechanics(runtime, z)
    K, C = law_tangents(runtime, at, zd, parameters)
    if model.quasistatic and np.linalg.matrix_rank(K[nf:, nf:]) < len(model.stiff):
        return 0.0
    if model.quasistatic:
        T = np.vstack((np.eye(nf), -np.linalg.solve(K[nf:, nf:], K[nf:, :nf])))
        K, C = T.T @ K @ T, T.T @ C @ T
    free = [i for i in range(nf) if i not in runtime.driven]
    own = np.ix_(free, free)
    filters = [1.0 / drive.filter_time for drive in runtime.slots.drives if drive.filter_time]
    if not free:
        return max(filters, default=0.0)
    inverse = np.linalg.inv(np.linalg.cholesky(at.J[own]))
    c, k = (float(np.abs(np.linalg.eigvalsh(inverse @ matrix[own] @ inverse.T)).max()) for matrix in (C, K))
    return max(0.5 * c + math.sqrt(0.25 * c * c + k), *filters, 0.0)


def rounded_down(step: float) -> float:
    """The largest of 1, 2 or 5 times a power of ten that is not above a step [s], nor below the shortest."""
    most = step * (1.0 + SLACK)
    power = math.floor(math.log10(most))
    choices = [n * 10.0**power if power >= 0 else n / 10.0**-power for n in (1.0, 2.0, 5.0)]
    return max(SHORTEST_STEP, *(choice for choice in choices if choice <= most))


def reason(runtime: Runtime, found: Pace) -> str:
    """Why a step should not be longer, in words."""
    k = found.coordinate
    if k < 0:
        return f"the mechanism by itself moves with up to {found.rate:.6g} 1/s, for which explicit steps must be short"
    axis, share = runtime.chart.axes[k], SHARES[order(runtime.model)]
    return (
        f"'{axis.name}' moves at {axis.words.text(found.rate)}/s, and a step should not go farther than {share:g} of "
        f"a cell of its table, {axis.words.text(strides(runtime)[k])}"
    )


def check_starts(runtime: Runtime, z: Array, zd: Array) -> None:
    """Refuse start values z (nz,) and rates zd (nz,) that no step can go on from.

    Raises:
        StepError: a value has lost the digits that matter, or a rate leaves the table in the shortest step.
    """
    for axis, x, rate in zip(runtime.chart.axes, z.tolist(), zd.tolist(), strict=False):
        length, words = axis.upper - axis.lower, axis.words
        if abs(x) * EPSILON > LEAST_DIGITS * length:
            raise StepError(
                f"'{axis.name}' starts at {words.text(x)}, where the last digit of a number is worth "
                f"{words.text(abs(x) * EPSILON, 3)}; start within {LEAST_DIGITS / EPSILON:.3g} times "
                f"{words.text(length)}"
            )
        if abs(rate) * SHORTEST_STEP > length:
            raise StepError(
                f"'{axis.name}' starts at a rate of {words.text(rate)}/s, by which it moves by more than "
                f"{words.text(length)} in the shortest step, {SHORTEST_STEP:g} s; start more slowly"
            )
