"""Studies: metrics of an axle in thousands of designs.

In: a mechanism, design variables, metrics.  Out: the metrics over a case, of any number of designs.

    engine.py      what is asked, made ready; designs -> columns, failures
    designs.py     all designs at once: dimensions of many designs (many), loops closed (closing), records
    alone.py       one by one, where forces matter
"""

from precompute.study.engine import Engine, Results

__all__ = ["Engine", "Results"]
