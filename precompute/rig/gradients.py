"""Derivatives of metrics along the input of a case, at the design position.

A metric of position changes with the places of wheels and elements alone, which go along the tangent of the state of
rest: a complex step is exact.  So it is with a metric of velocity, where second derivatives are known: in cases that
change no load.  What is left, metrics of statics above all, comes from exact states of rest nearby.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from precompute.arrays import Array
from precompute.kc.record import AxleRecord
from precompute.kc.registry import METRICS, STEP, Values, evaluate_all, moved
from precompute.rig.balance import flat, flattened, newton, tangent
from precompute.rig.cases import Case, setting, setting_rate
from precompute.rig.march import joined_settings, repeated
from precompute.rig.mechanics import load_forces
from precompute.rig.rates import Looked, Rates, looked
from precompute.rig.records import axle_record, recorded
from precompute.rig.stand import Stand

STEPS = {"m": 1e-3, "rad": 2e-3, "N": 40.0, "N.m": 4.0}
"""Of differences between states of rest, by the unit of the input."""

SHARES = np.array([-4.0, -2.0, -1.0, 1.0, 2.0, 4.0])
WEIGHTS = np.array([-1.0, 40.0, -256.0, 256.0, -40.0, 1.0]) / 360.0
"""Where, in steps, values are taken, and their weights in a derivative of order six: Richardson, twice."""


def path(stand: Stand, found: Looked, case: Case, values: Array) -> Rates:
    """Change of states of rest per change of the input of a case, as the only rate."""
    rate = setting_rate(stand, case, values)
    solved = tangent(stand.rig, found.at, found.K, rate.A_u, rate.A_F)
    n, pads = len(values), np.zeros_like(flattened(found.rest.pads))
    Q, _ = load_forces(found.at, flat(rate.loads), pads)
    rhs = np.concatenate([Q.reshape(n, -1), rate.b, rate.held.reshape(n, -1)], axis=-1)
    z, pads, _ = solved.split(solved.solve(rhs)[..., None])
    return Rates(z, pads)


def design_gradients(stand: Stand, cases: Sequence[Case], record: AxleRecord) -> list[dict[str, float]]:
    """Derivatives of all columns along cases at the design position [SI units over that of the input].

    Args:
        stand: the axle.
        cases: the cases.
        record: at the design position, one point, with second derivatives.
    """
    by_differences = differences(stand, cases)
    return [
        {name: float(value[0]) for name, value in {**some, **exact(stand, case, record)}.items()}
        for case, some in zip(cases, by_differences, strict=True)
    ]


def exact(stand: Stand, case: Case, record: AxleRecord) -> Values:
    """Those of metrics of position, and of velocity where no load changes."""
    zero = np.zeros(1)
    here = looked(stand, stand.rest, setting(stand, case, zero))
    along = path(stand, here, case, zero)
    found = imaginary(recorded(stand, here, along), np.ones((1, 1)), "position")
    if case.pads != "load":
        found |= imaginary(record, travels(stand, along), "velocity")
    return found


def travels(stand: Stand, along: Rates) -> Array:
    """(n, rates) a path as changes of both travels and of the steering."""
    columns = [along.z[:, side.copy, side.wheel, 0] for side in stand.sides]
    if stand.steering is not None:
        columns.append(along.z[:, 0, stand.steering, 0])
    return np.stack(columns, axis=-1)


def imaginary(record: AxleRecord, a: Array, order: str) -> Values:
    """Derivatives of metrics of an order along a (n, rates), by a complex step."""
    names = [name for name, metric in METRICS.items() if metric.order == order]
    there = replace(record, left=moved(record.left, a), right=moved(record.right, a))
    values, _ = quietly(there, names)
    return {name: value.imag / STEP for name, value in values.items()}


def differences(stand: Stand, cases: Sequence[Case]) -> list[Values]:
    """Central differences of order six between exact states of rest, of all that is a number; nan where none is."""
    if not cases:
        return []
    made = joined_settings([setting(stand, case, STEPS[case.unit] * SHARES) for case in cases])
    rest, good = newton(stand.rig, repeated(stand.rest, len(SHARES) * len(cases)), made)
    columns, _ = quietly(axle_record(stand, rest, made, second=False))
    numbers = {name: column.reshape(len(cases), -1) for name, column in columns.items() if column.ndim == 1}
    sure = np.where(good.reshape(len(cases), -1).all(axis=1), 1.0, np.nan)
    with np.errstate(invalid="ignore"):
        return [
            {name: (sure[k] / STEPS[case.unit]) * (WEIGHTS @ column[k])[None] for name, column in numbers.items()}
            for k, case in enumerate(cases)
        ]


def quietly(record: AxleRecord, names: list[str] | None = None) -> tuple[Values, dict[str, str]]:
    """All metrics of a record, and why some are missing; what is not defined at a point is nan, without a warning."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return evaluate_all(record, list(METRICS) if names is None else names)
