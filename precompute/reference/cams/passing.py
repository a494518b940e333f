"""Passing from one part of a cam's outline to the next, where accelerations jump: an integrator stops there.

While it goes on, the parts that followers are on are held, beyond their ends too: so what is integrated is smooth, and
nothing needs to feel its way through a jump.  Where a step has ended beyond an end, the motion is led to that end, and
goes on from there on the next part.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.integrate import OdeSolver
from scipy.optimize import brentq

from precompute.arrays import Array
from precompute.reference.bodies import FullState
from precompute.reference.measures import measure_motion
from precompute.reference.model import FullModel

EDGE = 1e-13
"""A follower that is less beyond an end stays on its part, so that one that stands still there does [m or rad]."""

Unpack = Callable[[float, Array], FullState]
"""The state with some numbers at a time [s]."""


def holding(model: FullModel, state: FullState) -> FullModel:
    """The model with the parts held that its followers are on."""
    if not model.mechanism.cams:
        return model
    return replace(model, couplings=model.couplings.holding(terms(model, state)))


def passed(model: FullModel, solver: OdeSolver, unpack: Unpack) -> tuple[float, FullState, FullModel] | None:
    """Where a follower first passes an end in the last step of an integrator: time [s], state, the model from there on.

    None if none does.
    """
    if not model.mechanism.cams:
        return None
    over = beyond(model, unpack(solver.t, solver.y))
    if not (over > EDGE).any():
        return None
    y = solver.dense_output()

    def crossing(number: int, side: int) -> float:
        def past(t: float) -> float:
            return float(beyond(model, unpack(t, y(t)))[number, side])

        start = solver.t_old
        return start if past(start) > 0.0 else float(brentq(past, start, solver.t, xtol=1e-15, rtol=1e-14))

    time, number, side = min((crossing(k, side), k, side) for k, side in np.argwhere(over > EDGE).tolist())
    there = replace(model, couplings=model.couplings.passing(number, 1 if side else -1))
    return time, unpack(time, y(time)), there


def beyond(model: FullModel, state: FullState) -> Array:
    """(number of cams, 2) how far followers are beyond the parts that are held."""
    return model.couplings.beyond(terms(model, state))


def terms(model: FullModel, state: FullState) -> Array:
    """Of couplings and cams."""
    return measure_motion(model.measures, state).values[model.of_couplings]
