"""A finished study on the screen."""

from __future__ import annotations

from collections import Counter

import numpy as np

from precompute.report.run_text import table
from precompute.study.summary import Band, Summary

MOST_SHARES, MOST_FAILURES, POINTS = 6, 5, 5

LINEAR = 0.95
"""Explained share below which it is said that shares do not tell all."""


def text(found: Summary) -> str:
    """Bands at some points, what makes them, failures."""
    study = found.study
    lines = [
        f"{study.mechanism.name}: {study.count} designs, {len(study.names)} variables, {study.sampler}, "
        f"seed {study.seed}"
    ]
    for reason in dict.fromkeys(engine.why for engine in study.engines if engine.why):
        lines.append(f"computed one by one: {reason}")
    for band in found.bands:
        lines += ["", *band_lines(band)]
    return "\n".join([*lines, "", *failure_lines(found)])


def band_lines(band: Band) -> list[str]:
    """One column."""
    at = np.unique(np.linspace(0, len(band.input) - 1, min(POINTS, len(band.input))).round().astype(int))
    columns = (band.unchanged, band.mean, band.deviation, *band.percentiles)
    rows = [(f"{band.input[m]:.4g}", *(f"{column[m] + 0.0:.4g}" for column in columns)) for m in at.tolist()]
    head = (f"at [{band.input_unit}]", "as it is", "mean", "deviation", "5 %", "50 %", "95 %")
    return [f"{band.column} [{band.unit}] in {band.case}", *table(head, rows).splitlines(), *share_lines(band)]


def share_lines(band: Band) -> list[str]:
    """What makes the spread."""
    if not band.shares:
        return ["  no shares of variables: nothing varies, or there are too few designs"]
    if band.totals:
        parts = [f"{name} {_percent(band.shares[name])} ({_percent(x)})" for name, x in [*band.totals.items()]]
        return [f"  Sobol indices over all points, first order (total): {', '.join(parts[:MOST_SHARES])}"]
    first = ", ".join(f"{name} {100.0 * share:.3g} %" for name, share in [*band.shares.items()][:MOST_SHARES])
    lines = [f"  its variance over all points: {first}"]
    if band.explained < LINEAR:
        lines.append(f"  shares are of what is linear, {100.0 * band.explained:.3g} % of it")
    return lines


def _percent(share: float) -> str:
    """To a tenth: indices are estimates."""
    return f"{100.0 * share + 0.0:.1f} %"


def failure_lines(found: Summary) -> list[str]:
    """How many, and which first."""
    failed = found.failures
    if not failed:
        return ["all designs have all values"]
    kinds = Counter(failed.values()).most_common(MOST_FAILURES)
    first = {why: next(k for k, text in failed.items() if text == why) for why, _ in kinds}
    lines = [f"{len(failed)} of {found.study.count} designs have not all values:"]
    lines += [f"  design {first[why]}{f' and {n - 1} more' * (n > 1)}: {why.splitlines()[0]}" for why, n in kinds]
    more = len(failed) - sum(n for _, n in kinds)
    return lines + [f"  and {more} more, each with its reason in the result"] * (more > 0)
