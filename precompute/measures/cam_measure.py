"""What a cam and its follower measure: the gap between them, where they touch, how far a roller has rolled.

That of the roller's slip is the way of its centre less what it has turned by, times its radius: a force on it is the
traction of the cam on the roller.  Its reduced radius is that of cam and roller where they touch, R r/(R + r).

With (x, y) the centre of the roller in the cam's plane, or the components there of the normal of a face, all of it is a
function f(x, y) of `precompute.cams.follower`, and so

    s = f(x, y) + more,   s_ij = f_x x_ij + f_y y_ij + f_xx x_i x_j + f_xy (x_i y_j + y_i x_j) + f_yy y_i y_j       (1)

Where they touch, and how far a roller has gone, counts over turns: near where the cam's own turns put it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, final

import numpy as np

from precompute.arrays import Array
from precompute.cams.follower import Follower
from precompute.cams.track import TURN
from precompute.measures.cam_sections import CamSections
from precompute.measures.interfaces import Images, Kind, Motion, Parts, Places, Point
from precompute.measures.measure import Image, Lap, Measure

What = Literal["gap", "contact", "pressure_angle", "travelled", "rolled", "slip", "reduced_radius"]
WORDS: dict[What, str] = {
    "gap": "gap between cam and follower",
    "contact": "place of contact on the cam",
    "pressure_angle": "pressure angle",
    "travelled": "way of the roller's centre along its path on the cam",
    "rolled": "angle by which the roller has rolled on the cam",
    "slip": "way by which the roller has slipped on the cam",
    "reduced_radius": "reduced radius of cam and roller where they touch",
}
COUNTED = ("contact", "travelled", "rolled", "slip")
"""Over turns."""


@final
@dataclass(frozen=True, eq=False)
class CamMeasure(Measure):
    """By (1) [m or rad]."""

    what: What
    cam: str  # the joint's name
    follower: Follower
    x: Measure
    y: Measure
    away: Measure | None  # of a face: the height of the cam's centre over it, less than zero; of slip: its turn
    turning: Measure | None  # by how much the cam has turned against the follower, over turns; none: it does not turn
    first: float  # where they touch at design, from which turns are counted [rad]
    sections: CamSections | None = None  # what tells the piece of the profile; none: the place of contact

    @property
    def name(self) -> str:
        """What it measures, in a word or two."""
        return f"{WORDS[self.what]} of {self.cam}"

    @property
    def refers(self) -> tuple[tuple[Kind, str], ...]:
        """All that its parts name."""
        return tuple(dict.fromkeys(named for of in self._parts for named in of.refers))

    def bodies(self, parts: Parts) -> tuple[str, ...]:
        """Both, and those between them whose turns are counted."""
        return tuple(dict.fromkeys(body for of in self._parts for body in of.bodies(parts)))

    def is_angle(self, parts: Parts) -> bool:
        """Neither are gap, ways and radius."""
        return self.what not in ("gap", "travelled", "slip", "reduced_radius")

    @property
    def contact_of(self) -> tuple[str, str]:
        """The cam, and what."""
        return self.cam, self.what

    def beside(self, what: Literal["slip", "rolled", "reduced_radius"]) -> CamMeasure:
        """The same of another; one that needs no more than this has."""
        return self if what == self.what else replace(self, what=what, away=None)

    @property
    def rolls(self) -> bool:
        """A roller rolls as far as the cam is long, which is no whole number of its turns."""
        return self.what in ("travelled", "rolled", "slip")

    @property
    def terms(self) -> tuple[tuple[float, Measure], ...]:
        """Of slip, the way and the turns of the roller."""
        if self.what != "slip" or self.away is None:
            return ((1.0, self),)
        return ((1.0, replace(self, what="travelled", away=None)), *((-factor, of) for factor, of in self.away.terms))

    def points(self, parts: Parts) -> tuple[Point, ...]:
        """The point of the follower."""
        return tuple(dict.fromkeys(point for of in (self.x, self.y) for point in of.points(parts)))

    def twisted(self, parts: Parts) -> tuple[str, ...]:
        """The follower of a face."""
        return self.x.twisted(parts)

    def image(self, images: Images) -> Image:
        """Of the cam there; its plane is seen so that the profile stays the same."""
        x, y = self.x.image(images), self.y.image(images)
        away = None if self.away is None else self.away.image(images).of
        turning = None if self.turning is None else self.turning.image(images).of
        name = images.name("joint", self.cam)
        return Image(CamMeasure(self.what, name, self.follower, x.of, y.of, away, turning, self.first))

    def same(self, other: Measure) -> bool:
        """Whether the other is that of the same joint."""
        return isinstance(other, CamMeasure) and (self.what, self.cam) == (other.what, other.cam)

    def redrawn(self, at: Places) -> CamMeasure:
        """Of the cam as it is at one configuration, by the place of contact."""
        turning = None if self.turning is None else self.turning.redrawn(at)
        away = None if self.away is None else self.away.redrawn(at)
        first = float(self.follower.angle(self.x.value(at), self.y.value(at))[0])
        x, y = self.x.redrawn(at), self.y.redrawn(at)
        return replace(self, x=x, y=y, away=away, turning=turning, first=first, sections=None)

    def value(self, at: Places) -> Array:
        """S."""
        value = self._factor * self._jet(at)[0]
        if self.rolls:
            value = value - self._factor * self.follower.track.travelled(np.array(self.first))
        if self.away is not None:
            value = value - self.away.value(at)
        if self.what in COUNTED and self.turning is not None:
            angle = self.follower.angle(self.x.value(at), self.y.value(at))[0]
            turns = np.round((self.first - self.turning.value(at) - angle) / TURN)
            value = value + turns * self.per_turn
        return value

    def row(self, at: Places) -> Array:
        """Its gradient."""
        _, f_x, f_y, *_ = self._factor * self._jet(at)
        row = f_x[..., None] * self.x.row(at) + f_y[..., None] * self.y.row(at)
        return row if self.away is None else row - self.away.row(at)

    def second(self, motion: Motion) -> Array:
        """By (1)."""
        at = motion.places
        _, f_x, f_y, f_xx, f_xy, f_yy = (f[..., None, None] for f in self._factor * self._jet(at))
        x_i, x_j = motion.slopes(self.x.row(at))
        y_i, y_j = motion.slopes(self.y.row(at))
        x_i, y_i, x_j, y_j = x_i[..., :, None], y_i[..., :, None], x_j[..., None, :], y_j[..., None, :]
        out = f_x * self.x.second(motion) + f_y * self.y.second(motion)
        out = out + f_xx * x_i * x_j + f_xy * (x_i * y_j + y_i * x_j) + f_yy * y_i * y_j
        return out if self.away is None else out - self.away.second(motion)

    @property
    def moved_with(self) -> Measure:
        """Of a radius, which jumps from side to side of the profile, the place of contact."""
        return replace(self, what="contact") if self.what == "reduced_radius" else self

    @property
    def lap(self) -> Lap | None:
        """By the turns of the cam."""
        if self.what not in COUNTED or self.what == "slip":  # whose terms are counted each
            return None
        return Lap(self.turning, self.first, replace(self, what="contact"), self.per_turn)

    @property
    def per_turn(self) -> float:
        """What it grows by while the follower goes once round the cam."""
        return TURN if self.what == "contact" else self._factor * self.follower.track.around

    @property
    def _factor(self) -> float:
        return 1.0 / self.follower.radius if self.what == "rolled" else 1.0

    @property
    def _parts(self) -> tuple[Measure, ...]:
        turning = self.turning if self.what in COUNTED else None
        switching = None if self.sections is None else self.sections.of
        return tuple(of for of in (self.x, self.y, self.away, turning, switching) if of is not None)

    def _jet(self, at: Places) -> Array:
        """(6, ...) of f."""
        f, x, y = self.follower, self.x.value(at), self.y.value(at)
        if self.sections is not None:
            f = f.holding(self.sections.held(at))
        match self.what:
            case "gap":
                return f.gap(x, y) if self.away is None else f.face_gap(x, y)
            case "contact":
                return f.angle(x, y)
            case "pressure_angle":
                return f.pressure(x, y)
            case "reduced_radius":
                return f.reduced_radius(x, y)
        return f.travelled(x, y)
