"""The readable reference run-time: the equations of the kernel in NumPy, and the fallback where it cannot be loaded.

In: `ReducedModel`.  Out: `Instance`, which steps and gives outputs.
"""
