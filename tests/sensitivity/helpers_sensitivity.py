"""Derivatives by design variables as differences of mechanisms that are changed and followed from design again."""

import numpy as np

from precompute.design import Design
from precompute.kc.display import shown
from precompute.kc.registry import METRICS, evaluate
from precompute.rig.cases import acting
from precompute.rig.march import march
from precompute.rig.quantities import INPUTS, gradient_shown
from precompute.rig.records import axle_record
from precompute.rig.stand import stand
from precompute.sensitivity.naming import case_named
from precompute.sensitivity.variables import difference_step

BESIDE = np.array([-2.0, -1.0, 1.0, 2.0])
FOURTH = np.array([1.0, -8.0, 8.0, -1.0]) / 12.0
BESIDE_STEP = {"m": 1e-3, "rad": 2e-3, "N": 40.0}

STILL = 1e-6
"""A slope that changes the derivative by less than this share over a step is none."""


def curve(mechanism, over, column, values, **how):
    """A column of `kc` at values of a case, however they are ordered."""
    on = stand(mechanism, **how)
    case = acting(case_named(over), on)
    course = march(on, [case], [np.unique([0.0, *values])])[0]
    assert not course.ends
    metric = column.partition(".")[0]
    found = evaluate(metric, axle_record(on, course.rest, course.setting))[column]
    return found[np.searchsorted(course.values, values)]


def differences(mechanism, name, over, column, values, unit, **how):
    """Derivatives (n,) of a column at values [SI] of a case by a variable, and of its slope, of order four."""
    design, n, h = Design.of(mechanism), len(values), BESIDE_STEP[unit]
    step = difference_step(design.variables[name], design.units)
    every = np.concatenate([values, (values[:, None] + h * BESIDE).ravel()])
    found = [curve(design.moved({name: share * step}), over, column, every, **how) for share in BESIDE]
    by_variable = np.stack(found, axis=-1) @ FOURTH / step
    return by_variable[:n], by_variable[n:].reshape(n, 4) @ FOURTH / h


def errors(mechanism, found, over, names, **how):
    """Largest errors of derivatives and of slopes against such differences, over the largest of all of each.

    `how` the mechanism stands on the rig: elastic, choices.
    """
    case, values = found.case, found.input / INPUTS[found.case.unit].factor
    shown_as = shown(METRICS[found.column.partition(".")[0]])
    factors = shown_as.factor, gradient_shown(shown_as, case.unit, case.range == "travel").factor
    wanted = [differences(mechanism, name, over, found.column, values, case.unit, **how) for name in names]
    worst = []
    for k, factor in enumerate(factors):
        size = max(np.abs(pair[k]).max() for pair in wanted)
        size = max(size, k * STILL * max(np.abs(pair[0]).max() for pair in wanted) / BESIDE_STEP[case.unit])
        mine = [(found[name].values, found[name].slopes)[k] / (factor * found[name].per.amount) for name in names]
        known = [(row - pair[k])[~np.isnan(row)] for row, pair in zip(mine, wanted, strict=True)]
        worst.append(max(np.abs(row).max() for row in known) / size)
    return worst
