"""From a reduced model to an FMU: model file, compiled kernel, documentation, archive.

In: `ReducedModel`.  Out: a Python FMU or a native one.
"""
