"""Mechanisms and FMUs for other tools.

In: a mechanism, or the variables of an FMU.  Out: a text in the other tool's format, and what is not in it.
"""

from precompute.exporting.mjcf import Exported, mjcf
from precompute.exporting.ssv import ssv

__all__ = ["Exported", "mjcf", "ssv"]
