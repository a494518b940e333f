"""How fast elements make the full model move: states that follow by themselves, and films that damp bodies.

For measures s of elements, forces f on them and the accelerations of the bodies that these make,

    d(sdd)/d(sd) = G (du/df) (df/dsd)                                                      (1)

has eigenvalues of the size of 1e7 1/s where a film of oil holds a body, and of 1e3 where a damper does.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from precompute.arrays import Array
from precompute.reference.bodies import FullState
from precompute.reference.devices.response import Response, quickest
from precompute.reference.dynamics import answered, body_accelerations
from precompute.reference.inputs import Loads
from precompute.reference.measures import MeasureMotion, measure_motion
from precompute.reference.model import FullModel

STEP = 1e-6
"""Of the rate of a measure [m/s or rad/s], for a slope of which only the size is asked."""


def swiftest(model: FullModel, state: FullState, load: Loads, driven: Array, rank: int, limit: float) -> float:
    """The largest rate at which elements make states and bodies follow [1/s]: exact where it is above the limit."""
    measured = measure_motion(model.measures, state)

    def respond(there: FullState, measured: MeasureMotion = measured) -> Response:
        return answered(model, there, measured, load, driven, rank)

    found = quickest(state, respond)
    if found > limit or not model.devices.symbols:
        return found
    here = respond(state)
    own = range(*model.of_devices.indices(len(measured.rates)))
    damped = [respond(state, replace(measured, rates=faster(measured.rates, k))) for k in own]
    slopes = np.array([there.force - here.force for there in damped]) / STEP
    lightest = np.diag(model.mass)
    lightest = lightest[lightest > 0.0].min(initial=np.inf)
    if np.abs(slopes).max(initial=0.0) <= limit * lightest:
        return found
    rows = measured.gradients[model.of_devices]
    at = body_accelerations(model, state, measured, load, driven, here, rank)
    moved = [body_accelerations(model, state, measured, load, driven, there, rank) - at for there in damped]
    matrix = rows @ np.array(moved).T / STEP  # (1)
    return max(found, float(np.abs(np.linalg.eigvals(matrix)).max()))


def faster(rates: Array, k: int) -> Array:
    """Rates of measures, one of them by a step."""
    found = rates.copy()
    found[k] += STEP
    return found
