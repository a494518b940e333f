"""States of devices at rest: those to which they go where nothing moves.

    xdot(s, 0, x) = 0,   (1/T - R_x) dx = xdot                                                        (1)

are implicit steps of Euler's method so long that they are Newton's for all that changes by itself.  What does not, such
as the bristle of a friction element or the gas in a closed spring, stays where it is; where it is made to change there
is no rest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import StepError
from ..model.reduced_model import Array, ReducedModel
from .devices import Memory, respond

ITERATIONS = 60
"""Of Newton's method."""

LONG = 1e6
"""[s] T of (1)."""

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
    for device in model.devices:
        for own in device.loads:
            raise StepError(
                f"'{device.unknowns[own.unknown].name}' is a load that an element reads: it is known in motion alone, "
                "and no state of rest is sought with it; set 'solver.static' = 0"
            )
    ne, still = len(model.elements), np.zeros(s.size)
    x, u, most = memory.x.copy(), memory.u, np.zeros(memory.x.size)
    settled = False
    for _ in range(ITERATIONS):
        found = respond(model, parameters, inputs, s, still, Memory(x, u, memory.mean), slopes=True)
        u = found.u
        if settled or not x.size:
            break
        dx = _step(found.R[:, 2 * ne :], found.rate)
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


def _step(R: Array, rate: Array) -> Array:
    """dx of (1), with rows that are scaled: states have units of their own."""
    matrix = np.eye(rate.size) / LONG - R
    size = np.abs(matrix).max(axis=1)
    try:
        return np.asarray(np.linalg.solve(matrix / size[:, None], rate / size), dtype=float)
    except np.linalg.LinAlgError:
        raise StepError(
            "the states of elements do not come to rest: their rates do not determine them; check their formulas, or "
            "set 'solver.static' = 0"
        ) from None
