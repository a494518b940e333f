"""Signs in three conventions.  Metrics are computed by ISO 8855; a table is turned into another once, at its border.

    iso     x forward, y left,  z up      ISO 8855
    sae     x forward, y right, z down    SAE J670, its axes with z down
    adams   x rearward, y right, z up     Adams/Car

Most numbers that are quoted of suspensions are signed by words that are the same everywhere (toe-in, top outward, bump,
above the road); those that are components along axes, or angles about them, are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from precompute.arrays import Array

Convention = Literal["iso", "sae", "adams"]

CONVENTIONS: tuple[Convention, ...] = get_args(Convention)

AXES: dict[Convention, tuple[int, int, int]] = {"iso": (1, 1, 1), "sae": (1, -1, -1), "adams": (-1, -1, 1)}
"""The axes of each, along those of ISO 8855; all are right-handed, so that angles about them turn with them."""


@dataclass(frozen=True)
class Sign:
    """What is positive, in words, and the factors that lead from ISO 8855 to each convention."""

    positive: str  # in ISO 8855
    negative: str = ""  # the opposite; where a convention turns it round
    factors: tuple[int, int, int] = (1, 1, 1)  # iso, sae, adams

    def factor(self, convention: Convention) -> int:
        """1 or -1."""
        return self.factors[CONVENTIONS.index(convention)]

    def words(self, convention: Convention) -> str:
        """What is positive in a convention."""
        return self.positive if self.factor(convention) == 1 else self.negative


def by_words(positive: str) -> Sign:
    """The same in all conventions."""
    return Sign(positive)


def along_axis(axis: int, positive: str, negative: str) -> Sign:
    """A component along, or an angle about, the axis 0, 1 or 2."""
    iso, sae, adams = (AXES[convention][axis] for convention in CONVENTIONS)
    return Sign(positive, negative, (iso, sae, adams))


def per(sign: Sign, other: Sign, positive: str, negative: str = "") -> Sign:
    """Of a quotient."""
    iso, sae, adams = (a * b for a, b in zip(sign.factors, other.factors, strict=True))
    return Sign(positive, negative, (iso, sae, adams))


TOE = by_words("toe-in")
STEER = along_axis(2, "turned to the left", "turned to the right")
CAMBER = by_words("top outward")
BUMP = by_words("bump, the wheel going up")
OUTBOARD = by_words("outboard")
INBOARD = by_words("inboard")
ABOVE = by_words("above the road")
FORWARD = along_axis(0, "forward", "rearward")
LEFT = along_axis(1, "to the left", "to the right")
ROLL = along_axis(0, "right side of the body down", "left side of the body down")
SIZE = by_words("always")
MATRIX = Sign("along the axes of the convention")


def matrix_factors(convention: Convention, size: int) -> Array:
    """(size, size) factors of a matrix of twists [angular; linear] over wrenches, of one wheel (6) or two (12)."""
    signs = np.tile(np.array(AXES[convention], dtype=float), size // 3)
    return np.outer(signs, signs)
