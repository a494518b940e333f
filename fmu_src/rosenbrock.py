"""One step of a linearly implicit method for stiff motion: Rosenbrock, of type W.

For ydot = f(y) with y = (z, zd) and a matrix A near df/dy,

    k_i = h f(y + sum_{j<i} alpha_ij k_j) + h A sum_{j<=i} gamma_ij k_j,   gamma_ii = gamma           (1)
    y1  = y + sum_i b_i k_i                                                                           (2)

The order of a W-method does not depend on A being exact.  With A from M zdd = -C zd - K z and k_i = (p_i, w_i), the
positions are eliminated:

    p_i = h (zd_i + W_i + gamma w_i),   P_i = sum_{j<i} gamma_ij p_j,   W_i = sum_{j<i} gamma_ij w_j  (3)
    (M + gamma h C + gamma^2 h^2 K) w_i = h (M zdd_i - C W_i - K (P_i + gamma h (zd_i + W_i)))        (4)

so all stages share one matrix of the size of M.  Time enters through the stages only, which a W-method allows.

Reference: J. Rang, L. Angermann, New Rosenbrock W-methods of order 3 for partial differential algebraic equations of
index 1, BIT 45 (2005) 761-787.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .errors import StepError
from .reduced_model import Array
from .tangent import LinearMotion


@dataclass(frozen=True)
class RosenbrockTableau:
    """Coefficients of equations (1) and (2); rows without the diagonal."""

    gamma: float
    alpha: tuple[tuple[float, ...], ...]  # row i has i entries
    below: tuple[tuple[float, ...], ...]  # gamma_ij, row i has i entries
    b: tuple[float, ...]
    order: int


ROS34PW2 = RosenbrockTableau(
    gamma=0.435866521508459,
    alpha=(
        (),
        (0.871733043016918,),
        (0.84457060015369423, -0.11299064236484185),
        (0.0, 0.0, 1.0),
    ),
    below=(
        (),
        (-0.871733043016918,),
        (-0.90338057013044082, 0.054180672388095326),
        (0.24212380706095346, -1.2232505839045147, 0.54526025533510214),
    ),
    b=(0.24212380706095346, -1.2232505839045147, 1.5452602553351020, 0.43586652150845900),
    order=3,
)
"""L-stable, stiffly accurate, of order 3 with any matrix."""

Acceleration = Callable[[float, Array, Array], Array]


def rosenbrock_step(
    acceleration: Acceleration,
    first: Array,
    linear: LinearMotion,
    z: Array,
    zd: Array,
    h: float,
    tableau: RosenbrockTableau = ROS34PW2,
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
    g = tableau.gamma
    matrix = M + g * h * C + (g * h) ** 2 * K
    p, w = np.zeros((len(tableau.b), z.size)), np.zeros((len(tableau.b), z.size))
    for i, (alpha, below) in enumerate(zip(tableau.alpha, tableau.below, strict=True)):
        z_i, zd_i = z + np.array(alpha) @ p[:i], zd + np.array(alpha) @ w[:i]
        zdd_i = acceleration(h * sum(alpha), z_i, zd_i) if i else first
        P, W = np.array(below) @ p[:i], np.array(below) @ w[:i]
        right = h * (M @ zdd_i - C @ W - K @ (P + g * h * (zd_i + W)))  # (4)
        w[i] = _solve(matrix, right)
        p[i] = h * (zd_i + W + g * w[i])  # (3)
    b = np.array(tableau.b)
    return z + b @ p, zd + b @ w


def _solve(matrix: Array, right: Array) -> Array:
    try:
        return np.asarray(np.linalg.solve(matrix, right), dtype=float)
    except np.linalg.LinAlgError:
        raise StepError(
            "the matrix of an implicit step is singular: a stiffness or damping is negative or not finite; "
            "check the parameters of the springs and bushings"
        ) from None
