"""A sum of measures with factors: the mean travel of two wheels, the difference of two angles.

Where angles wind lengths, as a pinion its rack and a pulley its rope, the factor of an angle is a radius and the sum a
length.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from precompute.arrays import Array
from precompute.measures.interfaces import Images, Kind, Motion, Parts, Places, Point
from precompute.measures.measure import Image, Measure


@final
@dataclass(frozen=True, eq=False)
class Combination(Measure):
    """s = sum of factors times measures, all of them lengths or all of them angles, unless angles wind [m or rad]."""

    of: tuple[Measure, ...]
    factors: tuple[float, ...]  # [1], of angles among lengths [m/rad]
    winds: bool = False  # whether angles may be among lengths, with radii for factors

    def __post_init__(self) -> None:
        object.__setattr__(self, "of", tuple(self.of))
        object.__setattr__(self, "factors", tuple(float(factor) for factor in self.factors))
        if len(self.of) != len(self.factors):
            raise ValueError(f"has {len(self.of)} measures and {len(self.factors)} factors; give as many of both")
        if not self.of:
            raise ValueError("combines no measures")
        if not all(math.isfinite(factor) and factor != 0.0 for factor in self.factors):
            raise ValueError("has a factor that is zero or not finite")

    @property
    def name(self) -> str:
        """What it measures, in a word or two."""
        parts = [f"{'-' if factor < 0.0 else '+'} {_times(factor)}{of.name}" for factor, of in self.terms]
        return " ".join(parts).removeprefix("+ ")

    @property
    def refers(self) -> tuple[tuple[Kind, str], ...]:
        """All that they name."""
        return tuple(dict.fromkeys(named for of in self.of for named in of.refers))

    def bodies(self, parts: Parts) -> tuple[str, ...]:
        """All that decide their values."""
        return tuple(dict.fromkeys(body for of in self.of for body in of.bodies(parts)))

    def is_angle(self, parts: Parts) -> bool:
        """Whether they are angles, all of them."""
        return all(of.is_angle(parts) for of in self.of)

    def problem(self, parts: Parts) -> str | None:
        """A length and an angle do not add up."""
        if found := next((text for of in self.of if (text := of.problem(parts))), None):
            return found
        if not self.winds and len({of.is_angle(parts) for of in self.of}) > 1:
            kinds = ", ".join(f"the {of.name} in {'angle' if of.is_angle(parts) else 'length'}" for of in self.of)
            return f"adds angles and lengths: {kinds}"
        return None

    @property
    def terms(self) -> tuple[tuple[float, Measure], ...]:
        """The measures with their factors."""
        return tuple(zip(self.factors, self.of, strict=True))

    @property
    def made_of(self) -> tuple[Measure, ...]:
        """The measures."""
        return self.of

    def rebuilt(self, of: Callable[[Measure], Measure]) -> Combination:
        """The same sum of others."""
        return Combination(tuple(measure.rebuilt(of) for measure in self.of), self.factors, self.winds)

    def points(self, parts: Parts) -> tuple[Point, ...]:
        """All of theirs."""
        return tuple(point for of in self.of for point in of.points(parts))

    def twisted(self, parts: Parts) -> tuple[str, ...]:
        """All of theirs."""
        return tuple(body for of in self.of for body in of.twisted(parts))

    def image(self, images: Images) -> Image:
        """Their images; one that counts the other way has the opposite factor."""
        found = [of.image(images) for of in self.of]
        factors = [factor * image.sign for factor, image in zip(self.factors, found, strict=True)]
        shift = sum(factor * image.shift for factor, image in zip(factors, found, strict=True))
        return Image(Combination(tuple(image.of for image in found), tuple(factors), self.winds), 1.0, shift)

    def same(self, other: Measure) -> bool:
        """Whether the other has the same measures with the same factors, in the same order."""
        if not isinstance(other, Combination) or self.factors != other.factors:
            return False
        return all(a.same(b) for a, b in zip(self.of, other.of, strict=True))

    def redrawn(self, at: Places) -> Combination:
        """Of the measures redrawn."""
        return Combination(tuple(of.redrawn(at) for of in self.of), self.factors, self.winds)

    def value(self, at: Places) -> Array:
        """The sum."""
        return sum(factor * of.value(at) for factor, of in self.terms)  # type: ignore[return-value]

    def row(self, at: Places) -> Array:
        """The same of the gradients."""
        return sum(factor * of.row(at) for factor, of in self.terms)  # type: ignore[return-value]

    def second(self, motion: Motion) -> Array:
        """The same of the second derivatives."""
        return sum(factor * of.second(motion) for factor, of in self.terms)  # type: ignore[return-value]


def _times(factor: float) -> str:
    return "" if abs(factor) == 1.0 else f"{abs(factor):g} "
