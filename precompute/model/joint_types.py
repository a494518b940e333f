"""The kinds of joint, each stated once as data: how it moves, what it holds, how the mechanism file writes it.

All else derives from `JOINT_TYPES`: a joint's primitives and the check of them, what may be stiff, the keys of the file
with their checks and their JSON Schema, the rows of the full model, and what docs/mechanism-file.md must say.
docs/extending/joint.patch adds a kind.

A joint's own axes, in which its six directions are counted: x along its axis; y along its second axis made
perpendicular, or where the file puts it.  A kind without an axis has the global axes, unless the file turns them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PrimitiveKind = Literal["rotation", "translation", "ball"]
Direction = Literal["x", "y", "z", "rx", "ry", "rz"]
Fate = Literal["free", "stiff", "locked"]
"""What becomes of a direction of a joint.  A kind has free and locked ones; a joint may make locked ones stiff.

Whether a free one is driven is said by the coordinate.  Locked ones that are watched or designed will stand here."""

AxisName = Literal["axis", "axis2", "across", "across2", "x", "y", "z"]
"""A direction at design: the axes that the file gives, two across the first (`plane_axes`), the global axes."""

ConstraintKind = Literal["point", "parallel", "same_orientation", "on_line", "in_plane", "angle"]
Place = Literal["given", "axis", "origin"]

DIRECTIONS: tuple[Direction, ...] = ("x", "y", "z", "rx", "ry", "rz")
"""Translations along and rotations about the axes of a joint or bushing."""

RATES: dict[PrimitiveKind, int] = {"rotation": 1, "translation": 1, "ball": 3}
WIDTH: dict[PrimitiveKind, int] = {"rotation": 1, "translation": 1, "ball": 4}
"""Numbers of the configuration that a primitive takes: of a ball a unit quaternion, against three rates."""


@dataclass(frozen=True)
class Motion:
    """One elementary motion."""

    kind: PrimitiveKind
    along: AxisName | None = None  # None of a ball; an axis is seen by what the motions before it carry


@dataclass(frozen=True)
class Constraint:
    """What the full model holds between the joint's points p_P, p_C and the named directions of parent and child.

    point               p_C is at p_P                                       three rows
    parallel            the axis is the same direction on both              two
    same_orientation    the child does not turn; the axis is any            three
    on_line             p_C is on the parent's line through p_P             two
    in_plane            p_C is in the parent's plane normal to the axis     one
    angle               the parent's first and the child's second axis keep their angle   one
    """

    kind: ConstraintKind
    axes: tuple[AxisName, ...] = ()


@dataclass(frozen=True)
class FileAxis:
    """An axis that the file must give."""

    key: Literal["axis", "axis2"]
    text: str  # what the file's help says
    example: str


@dataclass(frozen=True)
class JointType:
    """A kind of joint.

    The full model knows parent and child alone, so that translations come first, then at most two rotations or a ball;
    anything else is a sequence.
    """

    name: str  # its `type` in the file
    text: str  # what the file's help says
    coordinates: str  # the same of its coordinates
    axes: tuple[FileAxis, ...]  # at most two
    place: Place  # the key `at`: always given; else the first point of a two-point axis; else the origin
    motions: tuple[Motion, ...]  # parent to child
    free: tuple[Direction, ...]  # in the joint's own axes
    constraints: tuple[Constraint, ...]  # in the order of their rows

    def __post_init__(self) -> None:
        given = {axis.key for axis in self.axes}
        named = {motion.along for motion in self.motions} | {axis for c in self.constraints for axis in c.axes}
        if missing := named & {"axis", "axis2"} - given:
            raise ValueError(f"joint type '{self.name}' speaks of {', '.join(sorted(map(str, missing)))}, not given")
        if sum(RATES[motion.kind] for motion in self.motions) != len(self.free):
            raise ValueError(f"joint type '{self.name}' has other motions than free directions")

    @property
    def locked(self) -> tuple[Direction, ...]:
        """The directions that may be stiff instead, in the order of `DIRECTIONS`."""
        return tuple(direction for direction in DIRECTIONS if self.fate(direction) == "locked")

    def fate(self, direction: Direction) -> Fate:
        """Of one of the six directions, unless the joint changes it."""
        return "free" if direction in self.free else "locked"

    @property
    def kinds(self) -> list[PrimitiveKind]:
        """What it is made of, parent to child."""
        return [motion.kind for motion in self.motions]

    @property
    def carriers(self) -> tuple[int, ...]:
        """For each axis that the file gives, the first motion along or about it."""
        along = [motion.along for motion in self.motions]
        return tuple(along.index(axis.key) for axis in self.axes)


_AXIS = FileAxis("axis", "Axis of the joint.", "z")

_TYPES = (
    JointType(
        name="revolute",
        text="A hinge.",
        coordinates="angle",
        axes=(_AXIS,),
        place="axis",
        motions=(Motion("rotation", "axis"),),
        free=("rx",),
        constraints=(Constraint("point"), Constraint("parallel", ("axis",))),
    ),
    JointType(
        name="prismatic",
        text="A slide.",
        coordinates="travel",
        axes=(_AXIS,),
        place="origin",
        motions=(Motion("translation", "axis"),),
        free=("x",),
        constraints=(Constraint("same_orientation", ("axis",)), Constraint("on_line", ("axis",))),
    ),
    JointType(
        name="cylindrical",
        text="A slide that turns about its own axis.",
        coordinates="[1] travel, [2] angle",
        axes=(_AXIS,),
        place="axis",
        motions=(Motion("translation", "axis"), Motion("rotation", "axis")),
        free=("x", "rx"),
        constraints=(Constraint("parallel", ("axis",)), Constraint("on_line", ("axis",))),
    ),
    JointType(
        name="universal",
        text="Two crossing axes.",
        coordinates="[1] angle about axis, [2] angle about axis2",
        axes=(
            FileAxis("axis", "Axis fixed to the parent.", "x"),
            FileAxis("axis2", "Axis fixed to the child.", "y"),
        ),
        place="given",
        motions=(Motion("rotation", "axis"), Motion("rotation", "axis2")),
        free=("rx", "ry"),
        constraints=(Constraint("point"), Constraint("angle", ("axis", "axis2"))),
    ),
    JointType(
        name="spherical",
        text="A ball joint.",
        coordinates="none",
        axes=(),
        place="given",
        motions=(Motion("ball"),),
        free=("rx", "ry", "rz"),
        constraints=(Constraint("point"),),
    ),
    JointType(
        name="planar",
        text="Motion in a plane.",
        coordinates="[1], [2] travels in the plane, [3] angle about its normal",
        axes=(FileAxis("axis", "Normal of the plane.", "z"),),
        place="given",
        motions=(Motion("translation", "across"), Motion("translation", "across2"), Motion("rotation", "axis")),
        free=("y", "z", "rx"),
        constraints=(Constraint("parallel", ("axis",)), Constraint("in_plane", ("axis",))),
    ),
    JointType(
        name="fixed",
        text="No motion.",
        coordinates="none",
        axes=(),
        place="origin",
        motions=(),
        free=(),
        constraints=(Constraint("point"), Constraint("same_orientation", ("z",))),
    ),
    JointType(
        name="free",
        text="All six motions.",
        coordinates="[1], [2], [3] travels along x, y, z",
        axes=(),
        place="origin",
        motions=(Motion("translation", "x"), Motion("translation", "y"), Motion("translation", "z"), Motion("ball")),
        free=DIRECTIONS,
        constraints=(),
    ),
)

JOINT_TYPES = {kind.name: kind for kind in _TYPES}
"""Name -> kind of joint; a sequence of the user's own primitives has none."""

LOCKED = {kind.name: kind.locked for kind in _TYPES}
"""What each kind of joint locks, in its own axes."""
