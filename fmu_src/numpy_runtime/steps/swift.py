"""How fast devices move on their mechanism, so that steps of mechanisms without deflections are explicit or not.

With the measures s of all connections, their mobility N = ds^T J^-1 ds and the slopes F and R of `devices`, devices
that act on the mechanism alone move by

    sdd = N (F_s s + F_sdot sdot + F_x x),   xdot = R_s s + R_sdot sdot + R_x x                       (1)

Every eigenvalue of the matrix of that, and of the matrix P of its absolute values, is bounded by

    |lambda| <= max_i (P v)_i / v_i   for any v > 0                                                   (2)

which becomes sharp for P as v goes on to P v + limit v.  It begins with a v for which the bound is below the limit
where devices are slow: with sdot = 1, s as if it went on for 2 / limit, x as if it came about in that time.  The bound
is looked at until it is below the limit, or given up: so it is found again at every step, from the state alone.  What
springs and dampers do is `pace`'s.

With quasi-static deflections steps stay explicit, and must be as short as devices ask for: of a limit that is too low
(2) gives a bound, which is the next limit, until it is one.                                          (3)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...model.reduced_model import Array, ReducedModel
from ..devices import Response, respond
from ..dynamics import Mechanics, Runtime

ROUNDS = 16
"""Of (2); the bound is then within some per cent of the eigenvalue of P."""

SMALLEST = 1e-200
"""Of v, whose largest entry is one."""

LIMITS = 8
"""Most of (3): mostly the second one is it."""


def connected(model: ReducedModel) -> list[int]:
    """The elements that devices are connected to, device by device."""
    return [c.element for device in model.devices for c in device.connections]


def fastest_device(runtime: Runtime, at: Mechanics, found: Response, limit: float) -> float:
    """A bound of the eigenvalues of (1) [1/s], by (2): the first one found that is not above the limit, or the last.

    Args:
        runtime: the chart; of quasi-static deflections the axes count alone.
        at: the tables.
        found: what devices do there, with slopes.
        limit: [1/s], above zero.
    """
    P = np.abs(device_matrix(runtime, at, found))
    v, bound, m = np.zeros(len(P)), 0.0, len(connected(runtime.model))
    v[:m], v[m : 2 * m] = 2.0 / limit, 1.0
    v[2 * m :] = np.maximum(P[2 * m :] @ v * (2.0 / limit), SMALLEST)
    for i in range(2 * m, v.size):  # states that others drive
        v[i] = max(v[i], float(P[i, 2 * m :] @ v[2 * m :]) * (2.0 / limit))
    for _ in range(ROUNDS if v.size else 0):
        u = P @ v
        bound = float((u / v).max())
        if bound <= limit:
            break
        v = u + limit * v
        v = np.maximum(v / v.max(), SMALLEST)
    return bound


def limiting_device(
    runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float], inputs: Array, limit: float
) -> float:
    """By (3), a limit [1/s] above the given one that serves; zero if that serves, or steps may be implicit.

    Args:
        runtime: the chart.
        at: the tables.
        zd: (nz,) rates.
        parameters: of the model.
        inputs: (ni,) of devices.
        limit: [1/s], above zero.

    Raises:
        StepError: a formula has no value there.
    """
    if not (runtime.model.quasistatic and runtime.model.devices):
        return 0.0
    found, lowest = respond(runtime.model, parameters, inputs, at.s, zd @ at.ds, at.memory, slopes=True), 0.0
    for _ in range(LIMITS):
        bound = fastest_device(runtime, at, found, limit)
        if not bound > limit:
            break
        lowest = limit = bound
    return lowest


def device_matrix(runtime: Runtime, at: Mechanics, found: Response) -> Array:
    """The matrix of (1) for [s, sdot, x] of all connections and states."""
    on, ne = connected(runtime.model), len(runtime.model.elements)
    m, nx = len(on), found.rate.size
    free = [i for i in range(runtime.nf) if i not in runtime.driven]
    ds = at.ds[np.ix_(free, on)]
    N = ds.T @ np.linalg.solve(at.J[np.ix_(free, free)], ds) if free else np.zeros((m, m))
    columns = [*on, *(ne + i for i in on), *range(2 * ne, 2 * ne + nx)]
    P = np.zeros((2 * m + nx, 2 * m + nx))
    P[:m, m : 2 * m] = np.eye(m)
    P[m : 2 * m] = N @ found.F[np.ix_(on, columns)]
    P[2 * m :] = found.R[:, columns]
    return P
