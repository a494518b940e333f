"""What a study shows: bands over the input of a case, and the share of each variable in the spread.

With x the changes over their standard deviations, and y a column less its mean, both over all designs, at a point m,

    y_m = x b_m + e_m                                                       (1)
    share_k = sum_m b_mk^2 / sum_m var(y_m),    explained = 1 - sum_m var(e_m) / sum_m var(y_m)     (2)

Variables are drawn independently, so that the shares of what is linear are first-order Sobol indices, and their sum
falls short of one by what is not.  Designs in rows of `sampling` (1) give Sobol indices without that, by the
estimators of SciPy, at each point weighted with its variance:

    share_k = sum_m V(E(y_m | x_k)) / sum_m var(y_m),   total_k = sum_m E(V(y_m | x without k)) / sum_m var(y_m)    (3)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import sobol_indices

from precompute.arrays import Array
from precompute.kc.display import Shown
from precompute.rig.quantities import INPUTS
from precompute.study.running import Parts
from precompute.study.sampling import ROWS
from precompute.study.study import Study

PERCENTILES = (5.0, 50.0, 95.0)

MIN_PER_VARIABLE = 3
"""Designs for each variable, below which there are no shares."""

ROUNDING = 1e-20
"""Points whose variance is below this share of the largest do not move."""


@dataclass(frozen=True, eq=False)
class Band:
    """A column of all designs over the points of its case, as people quote it."""

    case: str
    column: str
    unit: str
    input: Array  # (m,)
    input_unit: str
    unchanged: Array  # (m,) of the mechanism itself
    mean: Array
    deviation: Array
    least: Array
    largest: Array
    percentiles: Array  # (3, m) of `PERCENTILES`
    shares: Mapping[str, float]  # of each variable, largest first; empty with too few designs
    explained: float  # by all of them together, linearly, or their sum of (3); nan without shares
    totals: Mapping[str, float]  # of each variable with all that it does together with others, by (3), else empty


@dataclass(frozen=True, eq=False)
class Summary:
    """A finished study."""

    study: Study
    bands: tuple[Band, ...]
    failures: Mapping[int, str]  # number of a design -> why


def summary(parts: Parts) -> Summary:
    """Of all parts, column by column."""
    study, bands = parts.study, []
    x = parts.column("changes") / study.sizes
    for k, engine in enumerate(study.engines):
        shown = INPUTS[engine.case.unit]
        for name in engine.columns:
            values = engine.units[name].factor * parts.column(f"{k}/{name}")
            own = engine.units[name].factor * engine.unchanged[name]
            head = engine.case.name, name, engine.units[name].unit, shown.factor * engine.setup.values, shown.unit
            made = (
                indices(study.names, values) if study.sampler == "saltelli" else (*shares(study.names, x, values), {})
            )
            bands.append(Band(*head, own, *spread(values), *made))
    return Summary(study, tuple(bands), parts.failures())


def spread(values: Array) -> tuple[Array, Array, Array, Array, Array]:
    """Mean, deviation, least, largest and percentiles of what there is of (n, m)."""
    known = np.isfinite(values)
    out = np.full((4 + len(PERCENTILES), values.shape[1]), np.nan)
    for m in range(values.shape[1]):
        own = values[known[:, m], m]
        if own.size > 1:
            out[:, m] = own.mean(), own.std(ddof=1), own.min(), own.max(), *np.percentile(own, PERCENTILES)
    return out[0], out[1], out[2], out[3], out[4:]


def shares(names: tuple[str, ...], x: Array, values: Array) -> tuple[dict[str, float], float]:
    """By (2), of designs that have all points."""
    usable = np.isfinite(values).any(axis=0)
    whole = np.isfinite(values[:, usable]).all(axis=1)
    y = values[whole][:, usable]
    if len(y) < MIN_PER_VARIABLE * len(names) or not usable.any():
        return {}, float("nan")
    y, x = y - y.mean(axis=0), x[whole] - x[whole].mean(axis=0)
    total = float((y**2).sum())
    if total == 0.0:
        return {}, float("nan")
    b = np.linalg.lstsq(x, y, rcond=None)[0]
    own = (b**2).sum(axis=1) * (x**2).sum(axis=0) / total
    order = np.argsort(-own, kind="stable")
    return {names[k]: float(own[k]) for k in order}, 1.0 - float(((y - x @ b) ** 2).sum()) / total


def indices(names: tuple[str, ...], values: Array) -> tuple[dict[str, float], float, dict[str, float]]:
    """By (3), of rows all of whose designs have all points; as many as a power of two, as the estimators want them."""
    usable = np.isfinite(values).any(axis=0)
    rows = values[:, usable].reshape(-1, len(names) + 2, int(usable.sum()))
    rows = rows[np.isfinite(rows).all(axis=(1, 2))]
    if len(rows) < ROWS or not usable.any():
        return {}, float("nan"), {}
    n = 1 << (len(rows).bit_length() - 1)
    y = np.moveaxis(rows[:n], 0, -1)  # (designs of a row, m, n)
    variance = y[:2].var(axis=(0, 2))
    moves = variance > ROUNDING * variance.max()
    if not moves.any():
        return {}, float("nan"), {}
    y = y[:, moves]
    found = sobol_indices(func={"f_A": y[0], "f_B": y[1], "f_AB": y[2:]}, n=n)
    weights = variance[moves] / variance[moves].sum()
    first, total = (weights @ np.reshape(x, (len(weights), -1)) for x in (found.first_order, found.total_order))
    order = np.argsort(-total, kind="stable")
    by_name = [{names[k]: float(x[k]) for k in order} for x in (first, total)]
    return by_name[0], float(first.sum()), by_name[1]


def heads(study: Study) -> list[tuple[int, str, Shown, list[str]]]:
    """For each column of each curve: number of the curve, column, its unit, and a heading for each point."""
    found = []
    for k, engine in enumerate(study.engines):
        shown = INPUTS[engine.case.unit]
        at = [f"{shown.factor * x:.6g} {shown.unit}" for x in engine.setup.values.tolist()]
        for name in engine.columns:
            unit = engine.units[name]
            found.append((k, name, unit, [f"{engine.case.name} {name} [{unit.unit}] at {x}" for x in at]))
    return found
