"""How far a measure is from what a table makes of another: a rack whose ratio varies with the angle of its pinion.

s = u - f(v)                                                            (1)
ds = du - f' dv,   s_ij = u_ij - f' v_ij - f'' v_i v_j                  (2)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from precompute.arrays import Array
from precompute.geometry.smooth_curve import SmoothCurve
from precompute.measures.interfaces import Images, Kind, Motion, Parts, Places, Point
from precompute.measures.measure import Image, Measure, Part


@final
@dataclass(frozen=True, eq=False)
class Following(Measure):
    """What a measure has more than the curve says, by (1) [m or rad]."""

    of: Measure  # u
    by: Measure  # v
    curve: SmoothCurve  # f, [m or rad] over [m or rad]

    @property
    def name(self) -> str:
        """What it measures, in a word or two."""
        return f"{self.of.name} over {self.by.name}"

    @property
    def refers(self) -> tuple[tuple[Kind, str], ...]:
        """All that both name."""
        return tuple(dict.fromkeys((*self.of.refers, *self.by.refers)))

    def bodies(self, parts: Parts) -> tuple[str, ...]:
        """All that decide their values."""
        return tuple(dict.fromkeys((*self.of.bodies(parts), *self.by.bodies(parts))))

    def is_angle(self, parts: Parts) -> bool:
        """Whether what follows is one."""
        return self.of.is_angle(parts)

    def problem(self, parts: Parts) -> str | None:
        """Those of both; nothing can follow itself."""
        if self.of.same(self.by):
            return f"the {self.of.name} cannot follow itself"
        return self.of.problem(parts) or self.by.problem(parts)

    def points(self, parts: Parts) -> tuple[Point, ...]:
        """Those of both."""
        return (*self.of.points(parts), *self.by.points(parts))

    def twisted(self, parts: Parts) -> tuple[str, ...]:
        """Those of both."""
        return (*self.of.twisted(parts), *self.by.twisted(parts))

    def image(self, images: Images) -> Image:
        """With the image of the curve."""
        of, by = self.of.image(images), self.by.image(images)
        return Image(Following(of.of, by.of, self.curve.image(by.sign, by.shift, of.sign, of.shift)), of.sign)

    def same(self, other: Measure) -> bool:
        """Whether the other has the same measures and curve."""
        if not isinstance(other, Following) or not self.curve.same(other.curve):
            return False
        return self.of.same(other.of) and self.by.same(other.by)

    def redrawn(self, at: Places) -> Following:
        """Of the measures redrawn."""
        return Following(self.of.redrawn(at), self.by.redrawn(at), self.curve)

    def recounted(self, at: Places, gone: Callable[[Measure], float]) -> Following:
        """With a curve that goes through the same places."""
        curve = self.curve.image(1.0, -gone(self.by), 1.0, -gone(self.of))
        return Following(self.of.redrawn(at), self.by.redrawn(at), curve)

    @property
    def parts(self) -> tuple[Part, ...]:
        """Those of u, and the curve."""
        return (*self.of.parts, Part(-1.0, self.by, self.curve))

    @property
    def made_of(self) -> tuple[Measure, ...]:
        """U and v."""
        return self.of, self.by

    def rebuilt(self, of: Callable[[Measure], Measure]) -> Following:
        """Others by the same curve."""
        return Following(self.of.rebuilt(of), self.by.rebuilt(of), self.curve)

    def value(self, at: Places) -> Array:
        """By (1)."""
        return self.of.value(at) - self.curve.at(self.by.value(at))

    def row(self, at: Places) -> Array:
        """By (2)."""
        return self.of.row(at) - self.curve.at(self.by.value(at), 1)[..., None] * self.by.row(at)

    def second(self, motion: Motion) -> Array:
        """By (2)."""
        at = motion.places
        v = self.by.value(at)
        first, second = (self.curve.at(v, order)[..., None, None] for order in (1, 2))
        v_i, v_j = motion.slopes(self.by.row(at))
        curved = second * v_i[..., :, None] * v_j[..., None, :]
        return self.of.second(motion) - first * self.by.second(motion) - curved
