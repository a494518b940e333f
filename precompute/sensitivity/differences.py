"""Derivatives of a metric by differences of mechanisms that are changed, at rest again where the present one rests.

What the tangent of a state of rest does not give: rates, compliances, velocities in equilibrium.  Newton's method
begins at the known states, so nothing is followed from the design position again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.design import Design, Variable
from precompute.errors import PrecomputeError
from precompute.kc.metric import Metric
from precompute.kinematics.correcting import correct
from precompute.rig.balance import Rest, Setting, flattened, newton
from precompute.rig.cases import setting
from precompute.rig.gradients import SHARES as SIDES
from precompute.rig.records import axle_record
from precompute.rig.stand import Stand, stand
from precompute.sensitivity.analytic import Followed, Found, column_of, joined_states
from precompute.sensitivity.laws import FOURTH, SECOND, SHARES
from precompute.sensitivity.variables import difference_step

Progress = Callable[[int, int], None]


def differences(
    on: Followed, design: Design, variables: Sequence[Variable], metric: Metric, column: str, progress: Progress
) -> Found:
    """All variables, one after the other; slopes at the point that is nearest to the design position alone."""
    n, at = len(on.values), nearest_to_design(on)
    own = replace(
        on, values=on.values[[at]], rest=on.rest.some(np.array([at])), setting=on.setting.some(np.array([at]))
    )
    states = joined_states(on, own.beside)
    found = np.full((len(variables), n + len(SIDES), len(SHARES)), np.nan)
    steps = np.array([difference_step(variable, design.units) for variable in variables])
    for k, variable in enumerate(variables):
        progress(k, len(variables))
        values = []
        for share in SHARES:
            there = beside(on.stand, design, variable.name, float(share * steps[k]))
            if there is None:
                break
            values.append(resolved(states, there, metric, column))
        else:
            found[k] = np.stack(values, axis=-1) / steps[k]
    first, error = found @ FOURTH, np.abs(found @ (FOURTH - SECOND))
    slopes, slope_errors = (np.full((len(variables), n), np.nan) for _ in range(2))
    slopes[:, [at]], slope_errors[:, [at]] = own.slope(first[:, n:])
    return Found(first[:, :n], error[:, :n], slopes, slope_errors)


def nearest_to_design(on: Followed) -> int:
    """The number of the point whose input is nearest to zero."""
    return int(np.argmin(np.abs(on.values)))


def beside(on: Stand, design: Design, name: str, change: float) -> Stand | None:
    """The same axle of a mechanism with a variable changed; None if that is faulty or does not stand on the rig."""
    own = on.axle.name if on.axle in on.mechanism.axles else None
    try:
        there = stand(design.moved({name: change}), own, on.choices, not on.rig.bench.closure.topology.locked)
        return there if there.rest.z.shape[1:] == on.rest.z.shape[1:] else None
    except PrecomputeError:
        return None


def resolved(states: Followed, there: Stand, metric: Metric, column: str) -> Array:
    """(n,) the column of another stand at the inputs of states; nan where it is not at rest near them."""
    rest, made, good = settled(states, there)
    lasting = metric.order == "statics"
    record = axle_record(there, rest, made, second=metric.order == "velocity", compliance=lasting)
    return np.where(good & ~np.isnan(states.values), column_of(metric, column, record), np.nan)


def settled(states: Followed, there: Stand) -> tuple[Rest, Setting, NDArray[np.bool_]]:
    """Another stand at rest at the inputs of states, from these; under which setting, and which were found."""
    values = states.values
    made = setting(there, states.case, np.where(np.isnan(values), 0.0, values))
    q = correct(there.rig.bench.closure, flattened(states.rest.q), flattened(states.rest.z)).q
    rest, good = newton(there.rig, replace(states.rest, q=q.reshape(states.rest.q.shape)), made)
    return rest, made, good
