"""Cam joints: a profile on the parent, and what follows it on the child."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from precompute.arrays import Array, frozen_array, unit_vector
from precompute.cams.follower import Follower
from precompute.geometry.spatial import Transform
from precompute.measures.cam_measure import CamMeasure, What
from precompute.measures.cam_sections import CamSections
from precompute.measures.combination import Combination
from precompute.measures.direction_cosine import DirectionCosine
from precompute.measures.joint_coordinate import JointCoordinate
from precompute.measures.measure import Measure
from precompute.measures.plane_distance import PlaneDistance
from precompute.model.holds import HeldRow
from precompute.model.joints import Joint
from precompute.model.parts import ReadMeasure

if TYPE_CHECKING:
    from precompute.model.mechanism import Mechanism

PARALLEL = 1e-9
"""Axes that differ by less than this are parallel [rad]."""

NEARLY = 0.05
"""So far joints between cam and follower may turn about another direction than the cam's axis [rad]."""

ROUNDING = 1e-15
"""Of directions that were made perpendicular, and of unit length, before."""


class Joints(Protocol):
    """The mechanism that a cam is part of, as far as turns between its bodies ask for it."""

    @property
    def joints(self) -> Sequence[Joint]:
        """All of them."""

    def joint(self, name: str) -> Joint:
        """One of them."""


@dataclass(frozen=True, eq=False)
class Cam:
    """One point of contact in a plane: the follower stays on the cam, however it is pressed.

    The cam's plane is seen along its axis from above: angles count from `zero`, right-handed about the axis.
    """

    name: str
    parent: str  # the cam
    child: str  # what has the roller, the edge or the face
    centre: Array  # (3,) a point of the cam's axis, at design in G [m]
    axis: Array  # (3,) unit, at design in G
    zero: Array  # (3,) unit, across the axis, at design in G
    p: Array  # (3,) centre of the roller, the edge, or a point of the face, at design in G [m]
    follower: Follower
    normal: Array | None = None  # (3,) unit, of a face, away from the cam, at design in G
    rolls: str | None = None  # the revolute joint between child and roller, if the roller is a body that rolls
    slips: str | None = None  # the same of one that may slip
    sections: CamSections | None = None  # of a coordinate, where deflections move the contact; are found

    def __post_init__(self) -> None:
        for what in ("centre", "p"):
            object.__setattr__(self, what, frozen_array(getattr(self, what), (3,), what))
        axis = settled(frozen_array(self.axis, (3,), "axis"))
        zero = frozen_array(self.zero, (3,), "zero")
        zero = zero if abs(float(zero @ axis)) < ROUNDING else zero - (zero @ axis) * axis
        if float(np.linalg.norm(zero)) < PARALLEL:
            raise ValueError("zero is along its axis; angles of the profile count from a direction across it")
        object.__setattr__(self, "axis", frozen_array(axis))
        object.__setattr__(self, "zero", frozen_array(settled(zero)))
        if self.parent == self.child:
            raise ValueError(f"joins body '{self.parent}' to itself")
        if (self.normal is not None) != (self.follower.kind == "flat"):
            raise ValueError("needs the normal of its face if the follower is flat, and only then")
        if self.normal is not None:
            normal = frozen_array(self.normal, (3,), "normal")
            object.__setattr__(self, "normal", frozen_array(settled(normal)))
            if abs(float(self.normal @ axis)) > 1e-6:
                raise ValueError("normal is not across its axis")
        if self.pin is not None and self.follower.kind != "roller":
            raise ValueError("rolls and slips need a roller")
        if self.rolls is not None and self.slips is not None:
            raise ValueError("rolls without slip, and slips; keep one of them")

    @property
    def pin(self) -> str | None:
        """The joint of the roller, if that is a body."""
        return self.rolls if self.slips is None else self.slips

    @property
    def across(self) -> Array:
        """(3,) unit, a quarter turn from `zero`."""
        return np.cross(self.axis, self.zero)

    def measure(self, m: Joints, what: What) -> CamMeasure:
        """What it measures.

        Raises:
            ValueError: it does not, or turns cannot be counted.
        """
        if what in ("rolled", "reduced_radius") and self.follower.kind != "roller":
            raise ValueError(f"has no roller, and no {what}")
        x, y = (self._plane(axis) for axis in (self.zero, self.across))
        away: Measure | None = None
        flat = self.normal is not None
        if self.normal is not None and what == "gap":
            away = PlaneDistance(self.parent, self.child, self.centre, self.p, self.normal)
        if what == "slip":
            away = self._turned_way(m)
        seen = self.normal if self.normal is not None else self.p - self.centre
        first = float(np.arctan2(seen @ self.across, seen @ self.zero))
        counts = what not in ("gap", "pressure_angle", "reduced_radius")
        turning = turned(m, self.child, self.parent, self.axis) if counts else None
        assert flat or away is None or what == "slip"
        return CamMeasure(what, self.name, self.follower, x, y, away, turning, first, self.sections)

    def redrawn(self, X_P: Transform, X_C: Transform) -> Cam:
        """The same where its bodies are: what they carry is drawn there."""
        normal = None if self.normal is None else X_C.R @ self.normal
        return replace(
            self,
            centre=X_P.point(self.centre),
            axis=X_P.R @ self.axis,
            zero=X_P.R @ self.zero,
            p=X_C.point(self.p),
            normal=normal,
            sections=None,
        )

    def _plane(self, axis: Array) -> Measure:
        if self.normal is not None:
            return DirectionCosine(self.parent, self.child, axis, self.normal)
        return PlaneDistance(self.child, self.parent, self.p, self.centre, axis)

    def rows(self, m: Joints) -> tuple[HeldRow, ...]:
        """What it holds: the gap, and where it is a body the roller."""
        own = f"joint.{self.name}"
        gap = HeldRow(
            self.name, self.measure(m, "gap"), 0.0, f"{own}.normal", f"cam {self.name} on its follower", load=True
        )
        if self.rolls is None:
            return (gap,)
        turn, travelled = self.rolled(m), self.measure(m, "travelled")
        factors = [-self.follower.radius * factor for factor, _ in turn.terms]
        held = Combination((*(of for _, of in turn.terms), travelled), (*factors, 1.0), winds=True)
        text = f"cam {self.name} on its roller, along the path"
        return gap, HeldRow(self.name, held, None, f"{own}.traction", text, load=True)

    def read(self, m: Joints) -> tuple[ReadMeasure, ...]:
        """What it tells besides its force: where it touches, how steep that is, how far a roller has rolled."""
        shown: tuple[What, ...] = (
            "contact",
            "pressure_angle",
            *(("rolled",) if self.follower.kind == "roller" else ()),
        )
        return tuple(ReadMeasure(f"{self.name}.{what}", self.measure(m, what), "joint") for what in shown)

    def _turned_way(self, m: Joints) -> Measure:
        """What the roller has turned by, times its radius."""
        if self.slips is None:
            raise ValueError('has no roller that slips; name its joint by slips = "NAME", in place of rolls')
        turn = self.rolled(m)
        return Combination(
            tuple(of for _, of in turn.terms),
            tuple(self.follower.radius * factor for factor, _ in turn.terms),
            winds=True,
        )

    def rolled(self, m: Joints) -> Measure:
        """By how much the roller has turned against the cam, over turns.

        Raises:
            ValueError: it does not turn.
        """
        found = turned(m, self.parent, self.roller(m), self.axis)
        if found is None:
            raise ValueError("its roller is not joined to it by a joint that turns")
        return found

    def roller(self, m: Joints) -> str:
        """The body that rolls."""
        joint = m.joint(str(self.pin))
        return joint.child if joint.parent == self.child else joint.parent


def rolls(m: Mechanism, of: Measure) -> bool:
    """Whether a measure has in it how far a roller rolls: by the cam, or by the angle of a joint on which one does."""
    pins = [cam.rolls for cam in m.cams if cam.rolls is not None]
    return any(term.rolls or any(term.primitive_of(pin) is not None for pin in pins) for _, term in of.terms)


def settled(v: Array) -> Array:
    """Of unit length; as it is if it is that already, so that what was written is read again bit for bit."""
    return v if abs(float(np.linalg.norm(v)) - 1.0) < ROUNDING else unit_vector(v)


def turned(m: Joints, start: str, end: str, axis: Array) -> Measure | None:
    """By how much a body has turned against another about an axis, over turns: coordinates of the joints between them.

    None if none of these turns.

    Raises:
        ValueError: some of these joints turn otherwise, or no joints are between them.
    """
    before: dict[str, tuple[str, int]] = {start: ("", -1)}
    waiting = [start]
    while waiting and end not in before:
        body = waiting.pop(0)
        for number, joint in enumerate(m.joints):
            if body in (joint.parent, joint.child) and _plane_motion(joint, axis):
                other = joint.child if body == joint.parent else joint.parent
                if other not in before:
                    before[other] = (body, number)
                    waiting.append(other)
    if end not in before:
        raise ValueError(
            f"'{start}' and '{end}' are not joined by joints that turn about the cam's axis alone, so that turns "
            "cannot be counted; a cam and its follower move in one plane"
        )
    found: list[tuple[float, Measure]] = []
    body = end
    while body != start:
        inner, number = before[body]
        joint = m.joints[number]
        for i, primitive in enumerate(joint.primitives):
            if primitive.kind == "rotation" and not primitive.stiff:
                assert primitive.axis is not None
                sign = np.sign(float(primitive.axis @ axis)) * (1.0 if joint.child == body else -1.0)
                found.append((float(sign), JointCoordinate(joint.name, i)))
        body = inner
    if not found:
        return None
    return Combination(tuple(of for _, of in found), tuple(sign for sign, _ in found))


def _plane_motion(joint: Joint, axis: Array) -> bool:
    """Whether all that a joint turns about is an axis, nearly."""
    return all(
        p.kind == "translation" or p.stiff or (p.axis is not None and np.linalg.norm(np.cross(p.axis, axis)) < NEARLY)
        for p in joint.primitives
    )
