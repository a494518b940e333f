"""FMUs compared with the full model of `reference`.

In: an FMU, inputs.  Out: `Verification`.
"""
