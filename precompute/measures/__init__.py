"""Scalar functions of the configuration: what a constraint holds, a force law acts on, an output reads.

In: names and points of a mechanism at design; where its bodies are and how they move (`interfaces`).  Out: `Measure`:
value, gradient over the joint rates, second derivatives along the coordinates, unit and name.

One final class per module; whoever uses a measure asks it, and never what class it is.
"""
