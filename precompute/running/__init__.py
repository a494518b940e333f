"""FMUs run with FMPy: their inputs, settings and results.

In: an FMU, inputs.  Out: `Run`.
"""
