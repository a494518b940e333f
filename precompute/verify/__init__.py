"""FMUs run with FMPy, and compared with the full model of `reference`.

In: an FMU, inputs.  Out: `Run` and `Verification`.
"""
