"""One step of a linearly implicit midpoint rule for stiff motion: one evaluation, order 2.

The motion is linearized about the middle of the step, as far as it can be foreseen from the accelerations a of the
last one,

    z_m = z + h/2 zd,   zd_m = zd + h/2 a;   M, C, K, F at h/2, z_m, zd_m                             (1)
    M x'' = F - C (x' - zd_m) - K (x - z_m),   x(0) = z,   x'(0) = zd                                 (2)

so what C and K leave out acts on x' - zd_m and x - z_m, whose means over the step are almost zero: C and K may be
anything, and so may M if what it leaves out acts on almost x'', foreseen from the accelerations a' of the step before
the last too,

    M, C, K of an earlier step,   F - (M_now - M) (2 a - a')  instead of F                            (2a)

so the matrices of a step serve for some more, unless the motion has gone far since then; see `worn`.  The exponential
that solves (2) is replaced by powers of X = (1 - g A)^-1, g = gamma h, where y' = A y is the motion without forces,
y = (x, x'),

    y1 = y + h sum_k b_k X^k f,   f = (zd, M^-1 (F + h/2 (C a + K zd)))                               (3)

and with v = (p, w) each power costs one solution with a symmetric matrix of the size of M:

    X v = (p + g w', w'),   (M + g C + g^2 K) w' = M w - g K p                                        (4)

The first power needs no inverse of M, since M times the accelerations in f is known.  States x of devices have a place
in y too, foreseen at the middle from their mean rates e over the last step,

    x_m = x + h/2 e,   xdot = r + E (z - z_m) + G (zd - zd_m) + A (x - x_m),   M x'' = ... + D (x - x_m)       (5)

and v = (p, w, q), with S = (1 - g A)^-1, p' = p + g w':

    (M + g C + g^2 K - g^2 D S (g E + G)) w' = M w - g K p + g D S (q + g E p)                        (6)
    q' = S (q + g E p' + g G w')                                                                      (7)

What devices do is taken from the middle of every step, also where the other matrices serve for several.  The
approximation of the exponential is of order 3.

Reference: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.6: with four powers, order 3 and zero at
infinity the method is L-stable for gamma from 0.2236 to 0.5728; the error grows with gamma.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...model.laws import bent_slopes
from ...model.reduced_model import Array
from ..dynamics import Mechanics, Runtime
from ..state import State
from ..tangent import DeviceMotion, LinearMotion
from .rosenbrock import inverse, solve

GAMMA = 1 / 4

POWERS = (1 / 4, -1 / 12, 17 / 12, -7 / 12)
"""b_1 .. b_4: exp(x) = 1 + x sum_k b_k (1 - gamma x)^-k + O(x^4), zero at infinity: L-stable."""

LASTING = 8
"""Steps that matrices may serve."""

FAR = 0.01
"""They do not where an axis has moved by more than this share of its range,"""

FAR_STIFF = 0.5
"""or a deflection by more than this share of that up to which the tables were measured,"""

OTHER = 0.1
"""or a slope of a law that is not linear has changed by more than this share of the larger one."""


def worn(runtime: Runtime, state: State, z: Array) -> bool:
    """Whether the matrices of the state may not serve for a step with its middle at z (nz,)."""
    if not 0 < state.age < LASTING or state.z_then is None:
        return True
    axes = [FAR * (axis.upper - axis.lower) for axis in runtime.chart.axes]
    return bool((np.abs(z - state.z_then) > [*axes, *(FAR_STIFF * s.radius for s in runtime.model.stiff)]).any())


def other_slopes(
    runtime: Runtime, then: Mechanics, zd_then: Array, now: Mechanics, zd: Array, parameters: Sequence[float]
) -> bool:
    """Whether laws have other slopes now than when the matrices were found."""
    a = np.array(bent_slopes(runtime.model, parameters, then.s.tolist(), (zd_then @ then.ds).tolist()))
    b = np.array(bent_slopes(runtime.model, parameters, now.s.tolist(), (zd @ now.ds).tolist()))
    return bool((np.abs(a - b) > OTHER * np.maximum(np.abs(a), np.abs(b))).any())


def midpoint_step(
    force: Array,
    linear: LinearMotion,
    inner: DeviceMotion,
    start: tuple[Array, Array, Array],
    before: tuple[Array, Array],
    h: float,
) -> tuple[Array, Array, Array]:
    """One step.

    Args:
        force: (nz,) F of equation (1).
        linear: M, C and K of equation (1), without devices.
        inner: the devices of equation (5).
        start: z (nz,), zd (nz,), x (nx,).
        before: a (nz,) of equation (1), e (nx,) of equation (5).
        h: step [s].

    Returns:
        z, zd and x at the end.

    Raises:
        StepError: the matrix of the step is singular.
    """
    (M, C, K), (z, zd, x), (zdd, e) = linear, start, before
    C, K, (D, E, G, A) = C + inner.C, K + inner.K, inner[3:]
    g = GAMMA * h
    S = inverse(np.eye(x.size) - g * A)
    DS = g * D @ S
    matrix = M + g * C + g**2 * K - g * DS @ (g * E + G)
    p, right = h * zd, h * (force + 0.5 * h * (C @ zdd + K @ zd - D @ e))  # h f, with M times its second part
    q = h * (inner.rate - 0.5 * h * (E @ zd + G @ zdd + A @ e))
    for b in POWERS:
        w = solve(matrix, right - g * (K @ p) + DS @ (q + g * (E @ p)))  # (6)
        p = p + g * w
        q = S @ (q + g * (E @ p + G @ w))  # (7)
        right = M @ w
        z, zd, x = z + b * p, zd + b * w, x + b * q  # (3)
    return z, zd, x
