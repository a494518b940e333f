"""What every measure can say."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Literal, NamedTuple

from precompute.arrays import Array
from precompute.geometry.smooth_curve import SmoothCurve
from precompute.measures.interfaces import Images, Kind, Motion, Parts, Places, Point


class Image(NamedTuple):
    """A measure of a mechanism that is placed elsewhere: where the first has s, it has sign * s + shift."""

    of: Measure
    sign: float = 1.0  # or -1
    shift: float = 0.0  # [m or rad]


class Part(NamedTuple):
    """What a measure is a sum of: a factor times another measure, or times a curve of it."""

    factor: float
    of: Measure
    curve: SmoothCurve | None = None


class Lap(NamedTuple):
    """How turns of a measure are counted that knows its angle only up to them: those of something else tell."""

    turning: Measure | None  # that turns against it, over turns
    first: float  # the angle where that is zero [rad]
    angle: Measure  # between -pi and pi
    per_turn: float  # what the measure grows by in a turn


class Measure(ABC):
    """A scalar function s of the configuration.  Subclasses are final."""

    # -- what it is -----------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def name(self) -> str:
        """What it measures, in a word or two."""

    @property
    @abstractmethod
    def refers(self) -> tuple[tuple[Kind, str], ...]:
        """The parts of the mechanism that it names."""

    @abstractmethod
    def bodies(self, parts: Parts) -> tuple[str, ...]:
        """The bodies whose places decide its value."""

    @abstractmethod
    def is_angle(self, parts: Parts) -> bool:
        """Whether it is in rad; in m otherwise."""

    # -- its mathematics ------------------------------------------------------------------------------------------

    @abstractmethod
    def value(self, at: Places) -> Array:
        """s.  -> (...) [m or rad]."""

    @abstractmethod
    def row(self, at: Places) -> Array:
        """Gradient with respect to the joint rates: ds/dt = row @ qdot.  -> (..., nv)."""

    @abstractmethod
    def second(self, motion: Motion) -> Array:
        """Second derivatives along z, and along the nd coordinates that the motion has them for.  -> (..., nz, nd).

        With a motion that has the bias in place of dW, and no dB, it is the part that does not contain dB.
        """

    # -- what follows, or is so of most ---------------------------------------------------------------------------

    def unit(self, parts: Parts) -> Literal["rad", "m"]:
        """Its unit."""
        return "rad" if self.is_angle(parts) else "m"

    def shown(self, parts: Parts, value: float) -> str:
        """A value of it in the units of the file."""
        return parts.units.shown(value, "angle" if self.is_angle(parts) else "length")

    @property
    def label(self) -> str:
        """Its name as one word, for columns of tables."""
        return self.name.replace(" ", "_")

    def same(self, other: Measure) -> bool:
        """Whether two measures are one: a spring and a damper on the same two points share it."""
        return self == other

    def problem(self, parts: Parts) -> str | None:
        """What is wrong with it in a mechanism that has all parts that it names, if anything."""
        return None

    @property
    def may_be_periodic(self) -> bool:
        """Whether it can come back to the same configuration after a full turn."""
        return False

    @property
    def rolls(self) -> bool:
        """Whether it grows by no whole number of turns while the mechanism comes back to the same configuration."""
        return False

    @property
    def moved_with(self) -> Measure:
        """What tells by its slopes which coordinates move it: itself, unless it is constant by pieces."""
        return self

    @property
    def lap(self) -> Lap | None:
        """How its turns are counted, if they are counted by something else."""
        return None

    @property
    def contact_of(self) -> tuple[str, str] | None:
        """The cam joint of which it is where, or how, cam and follower touch, and what; None if it is of none."""
        return None

    def beside(self, what: Literal["slip", "rolled", "reduced_radius"]) -> Measure | None:
        """Another measure of the same cam joint; itself, if it is that; None if it is of none."""
        return None

    @property
    def relative(self) -> bool:
        """Whether it counts from its value at design, where it could do otherwise."""
        return False

    @property
    def since_design(self) -> Measure | None:
        """The same, counted from its value at design; None if it does that already, or cannot."""
        return None

    def datum(self, parts: Parts) -> Array | None:
        """(3,) the direction along which it counts from where its part is at design; None if it counts otherwise."""
        return None

    @property
    def segment(self) -> tuple[Point, Point] | None:
        """The two points whose distance it is; None if it is no distance."""
        return None

    def redrawn(self, at: Places) -> Measure:
        """The same of a mechanism that is drawn as it is at one configuration: points are where they are there."""
        return self

    def recounted(self, at: Places, gone: Callable[[Measure], float]) -> Measure:
        """The same redrawn, of measures that are less by so much than they were; a curve of one is moved by as much."""
        return self.redrawn(at)

    def image(self, images: Images) -> Image:
        """The same of the mechanism placed elsewhere."""
        raise ValueError(f"the {self.name} has no mirror image")

    @property
    def terms(self) -> tuple[tuple[float, Measure], ...]:
        """The measures that it is the sum of, with factors: itself, unless it combines others."""
        return ((1.0, self),)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The same with curves: it is the sum of factors times measures, or times curves of measures."""
        return tuple(Part(factor, of) for factor, of in self.terms)

    @property
    def made_of(self) -> tuple[Measure, ...]:
        """The measures that it is made of, as a file writes them; none if it is made of no others."""
        return ()

    def rebuilt(self, of: Callable[[Measure], Measure]) -> Measure:
        """The same made of others in place of those that are made of none: of itself, if it is that."""
        return of(self)

    def points(self, parts: Parts) -> tuple[Point, ...]:
        """Where a force on it acts on bodies: at the ends of a distance, at markers."""
        markers = [parts.marker(name) for kind, name in self.refers if kind == "marker"]
        return (*(self.segment or ()), *((marker.body, marker.p) for marker in markers))

    def twisted(self, parts: Parts) -> tuple[str, ...]:
        """The bodies between joints on which a force on it acts by a moment alone."""
        return ()

    def primitive_of(self, joint: str) -> int | None:
        """The number of the primitive of that joint whose coordinate it is; None if it is none of them."""
        return None

    @property
    def deflection(self) -> tuple[str, int] | None:
        """The bushing of which it is a deflection, and the number of that; None if it is none."""
        return None
