"""States of elements at rest: those to which they go while nothing moves, so that no rate is left.

    r(s, 0, x, u) = 0,   g(s, 0, x, u) = 0                                                  (1)

What does not change by itself, such as the mass of air in a closed spring, stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from precompute.errors import PrecomputeError
from precompute.reference.bodies import FullState
from precompute.reference.devices.formulas import Value
from precompute.reference.devices.newton import NoRootError, newton
from precompute.reference.devices.reading import Formula, Given, Reading, Symbol
from precompute.reference.devices.response import given
from precompute.reference.inputs import Loads
from precompute.reference.measures import measure_motion
from precompute.reference.model import FullModel

LONG = 1e6
"""[s] Until they are there."""

LEFT = 1e-9
"""Of rates at the start, or of one: what may be left."""


def rested(model: FullModel, state: FullState, load: Loads) -> FullState:
    """A state with those of elements at rest, and their unknowns; its rates do not count.

    Raises:
        PrecomputeError: there are none.
    """
    if not model.devices.items:
        return state
    still = replace(state, v=np.zeros_like(state.v), w=np.zeros_like(state.w))
    still = replace(still, chassis=replace(state.chassis, twist=np.zeros(6), rate=np.zeros(6)))
    known = given(model, still, measure_motion(model.measures, still), load)
    places = (*model.devices.states, *_unknowns(model))
    values = dict(zip(places, [*state.devices.tolist(), *state.guess.tolist()], strict=True))
    for group in model.devices.elements.groups:
        names = [device.name for device in group]
        values |= _at_rest(model, known, {place: values[place] for place in places if place.element in names})
    x = np.array([values[place] for place in places])
    return replace(state, devices=x[: state.devices.size], guess=x[state.devices.size :])


def _unknowns(model: FullModel) -> list[Symbol]:
    return [Symbol(device.name, unknown.name) for device in model.devices.items for unknown in device.unknowns]


def _at_rest(model: FullModel, known: Given, start: dict[Symbol, float]) -> dict[Symbol, float]:
    """States and unknowns of elements that read one another, by (1)."""
    if not start:
        return {}
    states = set(model.devices.states)
    keys = [Formula(s.element, "states" if s in states else "unknowns", s.name) for s in start]
    nominal = {Symbol(d.name, u.name): u.nominal for d in model.devices.items for u in d.unknowns}
    usual = [nominal.get(symbol, abs(value) or 1.0) for symbol, value in start.items()]

    def equations(x: Sequence[Value]) -> list[Value]:
        here = Reading(model.devices.elements, {**known, **dict(zip(start, x, strict=True))})
        return [here.formula(key) for key in keys]

    before = np.maximum(np.abs(np.array(equations(list(start.values())), dtype=float)), 1.0)
    try:
        slow = [1.0 / LONG if symbol in states else 0.0 for symbol in start]
        found = newton(equations, list(start.values()), usual, slow)
        left = np.abs(np.array(equations(found.tolist()), dtype=float))
        why = "have rates that nothing stops" if (left > LEFT * before).any() else ""
    except NoRootError as error:
        why = str(error)
    if why:
        raise PrecomputeError(
            f"at rest, states of {', '.join(dict.fromkeys(repr(s.element) for s in start))} {why}; start in motion, or "
            "check that each of them comes to rest while nothing moves"
        )
    return dict(zip(start, found.tolist(), strict=True))
