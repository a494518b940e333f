"""Which coordinates are independent, over which range, and what depends on which of them.

In: `Mechanism`, `Topology`, `Configuration`.  Out: `Coordinates`, their charts (`Atlas`), and the dependence that lets
each part of the mechanism have tables over just the coordinates that it needs.
"""
