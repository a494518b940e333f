"""The coordinate of one primitive of a joint.  Held at zero it locks a stiff direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from precompute.arrays import Array
from precompute.measures.interfaces import Images, Kind, Motion, Parts, Places
from precompute.measures.measure import Image, Measure


@final
@dataclass(frozen=True)
class JointCoordinate(Measure):
    """Coordinate of one primitive of a joint, zero at design [rad or m]."""

    joint: str
    index: int = 0  # which primitive, from 0

    @property
    def name(self) -> str:
        """What it measures, in a word or two."""
        return f"joint {self.joint}" + (f" [{self.index + 1}]" if self.index else "")

    @property
    def refers(self) -> tuple[tuple[Kind, str], ...]:
        """The joint."""
        return (("joint", self.joint),)

    def bodies(self, parts: Parts) -> tuple[str, ...]:
        """The bodies that the joint joins."""
        joint = parts.joint(self.joint)
        return joint.parent, joint.child

    def is_angle(self, parts: Parts) -> bool:
        """Whether the primitive turns."""
        return parts.joint(self.joint).primitives[self.index].kind == "rotation"

    def image(self, images: Images) -> Image:
        """The same coordinate of the joint there."""
        sign = images.joint_sign(self.joint, self.index)
        return Image(JointCoordinate(images.name("joint", self.joint), self.index), sign)

    def problem(self, parts: Parts) -> str | None:
        """A joint without such a coordinate."""
        joint = parts.joint(self.joint)
        scalar = [i for i, p in enumerate(joint.primitives) if p.rates == 1]
        if self.index in scalar:
            return None
        has = ", ".join(f"[{i + 1}]" for i in scalar) or "none"
        told = f"joint '{joint.name}' ({joint.kind}) has no scalar coordinate [{self.index + 1}]; it has {has}"
        if all(p.rates == 1 for p in joint.primitives):
            return told
        angle = f'{{ between = ["{joint.parent}", "{joint.child}"], axis = "x" }}'
        return f"{told}. Of a ball, {angle} is the angle about an axis"

    @property
    def may_be_periodic(self) -> bool:
        """A crank comes round."""
        return True

    def primitive_of(self, joint: str) -> int | None:
        """Its number, if it is this joint's."""
        return self.index if self.joint == joint else None

    def value(self, at: Places) -> Array:
        """An entry of the configuration."""
        return at.coordinate(self.joint, self.index)

    def row(self, at: Places) -> Array:
        """One at its rate."""
        return at.coordinate_row(self.joint, self.index)

    def second(self, motion: Motion) -> Array:
        """A row of dB."""
        return motion.coordinate_second(self.joint, self.index)
