"""From tables to the model that the FMU runs.

In: `Mechanism` and `Tabulated`.  Out: `ReducedModel`: rows, force laws, markers, ports, start values.
"""
