"""One step of a linearly implicit method for stiff motion, of order 3 with two evaluations: Rosenbrock.

For ydot = f(y) with y = (z, zd) and a matrix A near df/dy, u_i are stages; the first ones use f at the start of the
step, the others at one later point,

    (1 / (gamma h) - A) u_i = f_i + 1/h sum_{j<i} c_ij u_j                                            (1)
    f_i = f(y) or f(y + sum_j a_j u_j),   y1 = y + sum_i m_i u_i                                      (2)

With A from M zdd = -C zd - K z and u_i = (p_i, w_i), the positions are eliminated:

    P_i = 1/h sum_{j<i} c_ij p_j,   W_i = 1/h sum_{j<i} c_ij w_j,   p_i = gamma h (zd_i + P_i + w_i)  (3)
    (M + gamma h C + gamma^2 h^2 K) w_i = gamma h (M (zdd_i + W_i) - gamma h K (zd_i + P_i))          (4)

so all stages share one matrix of the size of M, and those of the first kind need no inverse of M: M zdd is the force.
States x of devices with xdot = E z + G zd + A x near the start, which act by D x on M zdd, are eliminated too: with
S = (1 / (gamma h) - A)^-1, r_i = xdot_i + X_i, X_i = 1/h sum_{j<i} c_ij q_j and v_i = zd_i + P_i

    (M + gamma h C + gamma^2 h^2 K - gamma h D S (gamma h E + G)) w_i
        = gamma h [M (zdd_i + W_i) - gamma h K v_i + D S (r_i + gamma h E v_i)]                       (5)
    q_i = S (r_i + E p_i + G w_i)                                                                     (6)

A differs from df/dy by some E, here the curvature of the tables.  The conditions of order 3 are met whatever E is but
for one, that for E E f, which two evaluations cannot meet; it is zero where E changes accelerations, and rates of
states, with positions and time only.  So K and the E of (5) may be anything, all others must be right, and time enters
through the stages.

Reference: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.7 (W-methods, and the form with u_i)
and VI.4 (index 1); the coefficients are our own, see `tests/test_rosenbrock.py` for the conditions that they meet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...errors import StepError
from ...model.reduced_model import Array
from ..tangent import DeviceMotion, LinearMotion


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

Rates = Callable[[float, Array, Array, Array], tuple[Array, Array]]


def rosenbrock_step(
    rates: Rates,
    first: tuple[Array, Array],
    linear: LinearMotion,
    inner: DeviceMotion,
    start: tuple[Array, Array, Array],
    h: float,
    tableau: RosenbrockTableau = TWO_EVALUATIONS,
) -> tuple[Array, Array, Array]:
    """One step.

    Args:
        rates: zdd (nz,) and xdot (nx,) from the time after the start of the step [s], z, zd and x.
        first: the same at the start.
        linear: the motion near the start, without devices.
        inner: the devices near the start.
        start: z (nz,), zd (nz,), x (nx,) there.
        h: step [s].
        tableau: the method.

    Returns:
        z, zd and x at the end.

    Raises:
        StepError: the matrix of the step is singular.
    """
    (M, C, K), (z, zd, x) = linear, start
    C, K, (D, E, G, A) = C + inner.C, K + inner.K, inner[3:]
    g, a, m = tableau.gamma * h, np.array(tableau.a), np.array(tableau.m)
    S = inverse(np.eye(x.size) / g - A)
    DS = D @ S
    matrix = M + g * C + g**2 * K - g * DS @ (g * E + G)
    p, w, q = (np.zeros((m.size, part.size)) for part in (z, zd, x))
    now, (zdd, xdot) = zd, first
    for i, row in enumerate(tableau.c):
        if i == a.size:
            now = zd + a @ w[:i]
            zdd, xdot = rates(h * tableau.time, z + a @ p[:i], now, x + a @ q[:i])  # (2)
        c = np.array(row) / h
        v, r = now + c @ p[:i], xdot + c @ q[:i]
        w[i] = solve(matrix, g * (M @ (zdd + c @ w[:i]) - g * (K @ v) + DS @ (r + g * (E @ v))))  # (5)
        p[i] = g * (v + w[i])  # (3)
        q[i] = S @ (r + E @ p[i] + G @ w[i])  # (6)
    return z + m @ p, zd + m @ w, x + m @ q


def inverse(matrix: Array) -> Array:
    """Of a matrix of states of devices.

    Raises:
        StepError: it is singular.
    """
    try:
        return np.asarray(np.linalg.inv(matrix), dtype=float)
    except np.linalg.LinAlgError:
        raise StepError(
            "the matrix of an implicit step is singular: states of elements grow as fast as the step is short; check "
            "their formulas, or reduce 'solver.step'"
        ) from None


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
