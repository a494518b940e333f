"""States of devices at rest: those at which their rates vanish where nothing moves.

    xdot(s, 0, x) = 0,   R_x dx = -xdot                                                               (1)

by Newton's method from where the states are, with complete pivoting.  A state that R_x does not determine, such as the
bristle of a friction element or the gas in a closed spring, stays where it is, and its rate must vanish there.  Rows of
(1) are scaled by their largest entry, columns by none: a pivot counts as none where it is 1e-10 of the first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import StepError
from ..model.reduced_model import Array, ReducedModel
from .devices import Memory, respond

ITERATIONS = 60
"""Of Newton's method."""

NO_PIVOT = 1e-10
"""Of the largest one."""

SETTLED = 1e-13
"""Of a state, or of the largest step that it has made: a smaller step is the last."""

LEFT = 1e-9
"""1/s: of a state, or of one, how much it may still change."""


def memory_at_rest(model: ReducedModel, parameters: Sequence[float], inputs: Array, s: Array, memory: Memory) -> Memory:
    """What devices remember at rest, found from another memory.

    Args:
        model: whose devices they are.
        parameters: of the model.
        inputs: (ni,) of all devices.
        s: (ne,) measures of all elements.
        memory: where to look.

    Raises:
        StepError: states cannot come to rest.
    """
    ne, still = len(model.elements), np.zeros(s.size)
    x, u, most = memory.x.copy(), memory.u, np.zeros(memory.x.size)
    settled = False
    for _ in range(ITERATIONS):
        found = respond(model, parameters, inputs, s, still, Memory(x, u, memory.mean), slopes=True)
        u = found.u
        if settled or not x.size:
            break
        dx = basic_solution(found.R[:, 2 * ne :], -found.rate)
        x = x + dx
        most = np.maximum(most, np.abs(dx))
        settled = bool((np.abs(dx) <= SETTLED * np.maximum(np.abs(x), most)).all())
    change = np.maximum(np.maximum(np.abs(x), 1.0), np.abs(found.R[:, 2 * ne :]) @ most)
    moving = np.abs(found.rate) > LEFT * change
    if moving.any():
        names = [state.name for device in model.devices for state in device.states]
        worst = int(np.argmax(moving))
        raise StepError(
            f"the states of elements do not come to rest: '{names[worst]}' keeps changing at "
            f"{found.rate[worst]:.6g} per second where nothing moves; check its formula and the inputs, or set "
            "'solver.static' = 0"
        )
    return Memory(x, u, np.zeros(x.size))


def basic_solution(matrix: Array, right: Array) -> Array:
    """A solution of matrix x = right, zero along what the matrix does not determine; by complete pivoting."""
    a, n = np.column_stack((matrix, right)), len(matrix)
    size = np.abs(matrix).max(axis=1, initial=0.0)
    a = a / np.where(size > 0.0, size, 1.0)[:, None]
    order, first, rank = list(range(n)), 0.0, 0
    for k in range(n):
        rest = np.abs(a[k:, k:n])
        i, j = (int(number) + k for number in np.unravel_index(int(np.argmax(rest)), rest.shape))
        pivot = float(rest.max())
        first = first or pivot
        if not pivot > NO_PIVOT * first:
            break
        a[[k, i]] = a[[i, k]]
        a[:, [k, j]] = a[:, [j, k]]
        order[k], order[j] = order[j], order[k]
        for row in range(k + 1, n):
            a[row, k:] -= a[row, k] / a[k, k] * a[k, k:]
        rank = k + 1
    x = np.zeros(n)
    for k in reversed(range(rank)):
        x[order[k]] = (a[k, n] - sum(a[k, j] * x[order[j]] for j in range(k + 1, rank))) / a[k, k]
    return x
