"""Studies: metrics of an axle in thousands of designs.

In: a mechanism, design variables that vary, metrics.  Out: the metrics over cases, of any number of designs.

    engine.py      what is asked, made ready; designs -> columns, failures
    designs.py     all designs at once: dimensions of many designs (many), loops closed (closing), records
    alone.py       one by one, where forces matter
    tolerances.py  what varies and is looked at, from a file
    study.py       designs drawn in chunks, each with a seed of its own (sampling)
    running.py     chunk after chunk, here or by workers (cluster); what is done stays on disk
    asking.py      all of it, from Python
    summary.py     bands, shares of variables; writing, text, picture show them
"""

from precompute.study.engine import Engine, Results

__all__ = ["Engine", "Results"]
