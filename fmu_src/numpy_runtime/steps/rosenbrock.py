"""One step of a linearly implicit method for stiff motion, of order 3 with two evaluations: Rosenbrock.

For ydot = f(y) with y = (z, zd) and a matrix A near df/dy, u_i are stages; the first ones use f at the start of the
step, the others at one later point,

    (1 / (gamma h) - A) u_i = f_i + 1/h sum_{j<i} c_ij u_j                                            (1)
    f_i = f(y) or f(y + sum_j a_j u_j),   y1 = y + sum_i m_i u_i                                      (2)

With A from M zdd = -C zd - K z and u_i = (p_i, w_i), the positions are eliminated:

    P_i = 1/h sum_{j<i} c_ij p_j,   W_i = 1/h sum_{j<i} c_ij w_j,   p_i = gamma h (zd_i + P_i + w_i)  (3)
    (M + gamma h C + gamma^2 h^2 K) w_i = gamma h (M (zdd_i + W_i) - gamma h K (zd_i + P_i))          (4)

so all stages share one matrix of the size of M, and those of the first kind need no inverse of M: M zdd is the force.

A differs from df/dy by some E, here the curvature of the tables.  The conditions of order 3 are met whatever E is but
for one, that for E E f, which two evaluations cannot meet; it is zero where E changes accelerations with positions and
time only.  So K may be anything, C must be right, and time enters through the stages.

Reference: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.7 (W-methods, and the form with u_i)
and VI.4 (index 1); the coefficients are our own, see `tests/test_rosenbrock.py` for the conditions that they meet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...errors import StepError
from ...model.reduced_model import Array
from ..tangent import LinearMotion


@dataclass(frozen=True)
class RosenbrockTableau:
    """Coefficients of equations (1) and (2)."""

    gamma: float
    time: float  # of the later evaluation, in steps
    a: tuple[float, ...]  # as many entries as there are stages that use the first evaluation
    c: tuple[tuple[float, ...], ...]  # row i has i entries
    m: tuple[float, ...]
    order: int


TWO_EVALUATIONS = RosenbrockTableau(
    gamma=0.5,
    time=2.0 / 3.0,
    a=(4 / 3, 4 / 9),
    c=((), (-2.0,), (0.0, -32 / 9), (0.0, -22 / 9, -1 / 2), (4 / 9, -110 / 81, 0.0, -8 / 9)),
    m=(0.0, 11 / 4, 0.0, 0.0, 9 / 4),
    order=3,
)
"""L-stable; of order 4 for linear motion."""

Acceleration = Callable[[float, Array, Array], Array]


def rosenbrock_step(
    acceleration: Acceleration,
    first: Array,
    linear: LinearMotion,
    z: Array,
    zd: Array,
    h: float,
    tableau: RosenbrockTableau = TWO_EVALUATIONS,
) -> tuple[Array, Array]:
    """One step.

    Args:
        acceleration: zdd (nz,) from the time after the start of the step [s], z and zd.
        first: (nz,) the same at the start.
        linear: the motion near the start.
        z: (nz,) at the start.
        zd: (nz,) at the start.
        h: step [s].
        tableau: the method.

    Returns:
        z and zd at the end.

    Raises:
        StepError: the matrix of the step is singular.
    """
    M, C, K = linear
    g, a, m = tableau.gamma * h, np.array(tableau.a), np.array(tableau.m)
    matrix = M + g * C + g**2 * K
    p, w = np.zeros((m.size, z.size)), np.zeros((m.size, z.size))
    v, zdd = zd, first
    for i, row in enumerate(tableau.c):
        if i == a.size:
            v, zdd = zd + a @ w[:i], acceleration(h * tableau.time, z + a @ p[:i], zd + a @ w[:i])  # (2)
        c = np.array(row) / h
        P, W = c @ p[:i], c @ w[:i]
        w[i] = solve(matrix, g * (M @ (zdd + W) - g * (K @ (v + P))))  # (4)
        p[i] = g * (v + P + w[i])  # (3)
    return z + m @ p, zd + m @ w


def solve(matrix: Array, right: Array) -> Array:
    """Solve the equations of an implicit step.

    Raises:
        StepError: the matrix is singular.
    """
    try:
        return np.asarray(np.linalg.solve(matrix, right), dtype=float)
    except np.linalg.LinAlgError:
        raise StepError(
            "the matrix of an implicit step is singular: a stiffness or damping is negative or not finite; "
            "check the parameters of the springs and bushings"
        ) from None
