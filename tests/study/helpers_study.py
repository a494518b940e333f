"""Designs that an engine computes together against the same, edited and put on the rig one by one."""

import numpy as np

from precompute.study.alone import alone


def largest_difference(engine, changes):
    """Of all columns, over 1e-3 + the largest of each: SI units and radians."""
    results, worst = engine.results(changes), 0.0
    assert not results.failures
    for number, change in enumerate(changes.tolist()):
        moved = engine.design.moved(dict(zip(engine.names, change, strict=True)))
        one, _ = alone(moved, engine.setup, [name.partition(".")[0] for name in engine.columns])
        assert one.found.all()
        for name in engine.columns:
            here, there = results.columns[name][number], one.columns[name]
            assert (np.isfinite(here) == np.isfinite(there)).all(), name
            finite = np.isfinite(there)
            size = 1e-3 + np.abs(there[finite]).max(initial=0.0)
            worst = max(worst, np.abs(here - there)[finite].max(initial=0.0) / size)
    return worst
