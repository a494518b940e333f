"""Small motions about a state of rest, by exact kinematics and without tables: linear models and natural modes.

In: a mechanism.  Out: A, B, C, D with names and units, and its modes: frequency, damping, shape.
"""

from precompute.modes.linearization import Linear, linearize
from precompute.modes.natural import Mode, natural_modes

__all__ = ["Linear", "Mode", "linearize", "natural_modes"]
