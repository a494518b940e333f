"""Joints: sequences of elementary motions, each free or stiff, at the design position in G, in SI units and radians.

The kinds of joint and their own axes, in which stiff directions are counted, are those of `joint_types`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from precompute.arrays import Array, frozen_array, unit_vector
from precompute.measures.interfaces import Point
from precompute.model.joint_types import (
    DIRECTIONS,
    JOINT_TYPES,
    RATES,
    WIDTH,
    AxisName,
    Direction,
    JointType,
    PrimitiveKind,
)

StiffAxes = Literal["parent", "child"]
LoadAxes = Literal["joint", "ground"]
JointKind = str
"""A name of `JOINT_TYPES`, or "sequence"."""

DEPENDENT = 1e-6
"""A stiff direction counts as one that the joint has already if less than this share of it is new."""


@dataclass(frozen=True, eq=False)
class Primitive:
    """One elementary motion of a joint, about or along `axis` through the joint's origin.

    A ball is one primitive: three rates, a unit quaternion as configuration, no axis.  A stiff primitive is a small
    deflection, zero at design.
    """

    kind: PrimitiveKind
    axis: Array | None = None  # (3,) unit vector in the axes of the preceding primitive, G axes at design
    stiff: bool = False

    def __post_init__(self) -> None:
        if self.kind == "ball":
            if self.axis is not None:
                raise ValueError("a ball has no axis")
            if self.stiff:
                raise ValueError("a ball cannot be stiff; write three stiff rotations")
            return
        if self.axis is None:
            raise ValueError(f"a {self.kind} needs an axis")
        axis = frozen_array(self.axis, (3,), "axis")
        if float(np.linalg.norm(axis)) < 1e-12:
            raise ValueError("the axis has zero length")
        object.__setattr__(self, "axis", unit_vector(axis))

    @property
    def width(self) -> int:
        """Numbers of the configuration q that it takes: 4 of a ball, else 1."""
        return WIDTH[self.kind]

    @property
    def rates(self) -> int:
        """Numbers of the rates qdot that it takes: 3 of a ball, else 1."""
        return RATES[self.kind]


def joint_primitives(kind: JointKind, axes: Sequence[Iterable[float]] = ()) -> tuple[Primitive, ...]:
    """The primitives of a standard joint, parent to child.

    Args:
        kind: any kind but "sequence", whose primitives are the user's own.
        axes: those that the kind takes (`JointType.axes`), as a universal joint the axis on the parent and that on
            the child; of any length.
    """
    if kind not in JOINT_TYPES:
        raise ValueError(f"a {kind} joint has no standard primitives")
    expected = len(JOINT_TYPES[kind].axes)
    if len(axes) != expected:
        raise ValueError(f"a {kind} joint takes {expected} axes, got {len(axes)}")
    a = [np.asarray(tuple(axis), dtype=float) for axis in axes]
    if len(a) == 2 and np.linalg.norm(np.cross(a[0], a[1])) < 1e-9 * np.linalg.norm(a[0]) * np.linalg.norm(a[1]):
        raise ValueError(f"the two axes of a {kind} joint are parallel")
    along = [(motion.kind, motion.along) for motion in JOINT_TYPES[kind].motions]
    return tuple(Primitive(made, None if name is None else named_direction(name, a)) for made, name in along)


def named_direction(name: AxisName, axes: Sequence[Array]) -> Array:
    """(3,) at design in G, of a joint with these axes of its file entry."""
    match name:
        case "axis" | "axis2":
            return axes[int(name == "axis2")]
        case "across" | "across2":
            return plane_axes(axes[0])[int(name == "across2")]
    return np.eye(3)["xyz".index(name)]


def plane_axes(normal: Array) -> tuple[Array, Array]:
    """Two unit vectors u, v with u x v along `normal`; u is as close to a global axis as possible."""
    n = unit_vector(normal)
    u = np.eye(3)[int(np.argmin(np.abs(n)))]
    u = u - (u @ n) * n
    u /= np.linalg.norm(u)
    return u, np.cross(n, u)


def stiff_primitives(directions: Iterable[Direction], R: Array) -> tuple[Primitive, ...]:
    """Stiff primitives along and about the columns of R (3, 3): translations first, in the order of `DIRECTIONS`."""
    chosen = set(directions)
    return tuple(
        Primitive("translation" if i < 3 else "rotation", R[:, i % 3], stiff=True)
        for i, direction in enumerate(DIRECTIONS)
        if direction in chosen
    )


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint: the child moves relative to the parent by `primitives` about the joint's origin.

    At the design position both frames of the joint have G's axes; p_C differs from p_P only where the file gives
    two points, so that the loop must first be assembled.

    The primitives of a standard joint are numbered free ones first, so that a stiff direction does not renumber them;
    `walk` is the order in which they lead from parent to child.
    """

    name: str
    kind: JointKind
    parent: str
    child: str
    p_P: Array  # (3,) joint origin on the parent, at design in G [m]
    p_C: Array  # (3,) joint origin on the child, at design in G [m]
    primitives: tuple[Primitive, ...]
    stiff_axes: StiffAxes = "parent"  # of a standard joint: stiff primitives before the free ones, or after
    R: Array = field(default_factory=lambda: np.eye(3))  # (3, 3) its own axes at design, in G
    loads: tuple[Direction, ...] = ()  # watched directions: what the parent exerts on the child there is an output
    load_axes: LoadAxes = "joint"  # its own axes, fixed to the body of `stiff_axes`, or those of the ground
    reach: float = 0.0  # [m] how far a hinge goes along its axis from its origin; only drawn

    def __post_init__(self) -> None:
        object.__setattr__(self, "p_P", frozen_array(self.p_P, (3,), "at"))
        object.__setattr__(self, "p_C", frozen_array(self.p_C, (3,), "at"))
        object.__setattr__(self, "R", frozen_array(self.R, (3, 3), "axes"))
        object.__setattr__(self, "primitives", tuple(self.primitives))
        if self.parent == self.child:
            raise ValueError(f"joins body '{self.parent}' to itself")
        if self.kind == "sequence" and not self.primitives:
            raise ValueError("is a sequence without primitives; a joint that does not move is of kind fixed")
        if self.kind != "sequence":
            self._check_kind()
        if problem := repeated_direction(self.primitives):
            raise ValueError(problem)
        if self.kind != "sequence" and not set(self.stiff_directions) <= set(self.type.locked):
            raise ValueError(f"only {', '.join(self.type.locked) or 'nothing'} of its axes can be stiff")
        if free := [direction for direction in self.loads if direction not in self.loadable]:
            has = ", ".join(self.loadable) or "nothing"
            raise ValueError(f"no load is carried along {', '.join(free)}, which is free; it carries {has}")
        own = self.loads and self.load_axes == "joint" and self.kind != "sequence" and self.axes
        if own and float(np.linalg.norm(self.R[:, 0] - own[0])) > DEPENDENT:
            raise ValueError("its loads are in its own axes R, of which the first must be its axis")

    def _check_kind(self) -> None:
        """The primitives must be those of the kind, the free ones first."""
        if self.kind not in JOINT_TYPES:
            raise ValueError(f"is of kind '{self.kind}'; known: {', '.join(JOINT_TYPES)}, sequence")
        expected, free = self.type.kinds, [p.kind for p in self.primitives if not p.stiff]
        if free != expected:
            made, found = ", ".join(expected) or "nothing", ", ".join(free) or "none"
            raise ValueError(f"a {self.kind} joint is made of {made}, found {found}; make it a sequence")
        if any(p.stiff for p in self.primitives[: len(free)]):
            raise ValueError("its stiff primitives must come after the free ones; stiff_axes says where they act")

    @property
    def type(self) -> JointType:
        """What is common to all joints of its kind; a sequence has none."""
        return JOINT_TYPES[self.kind]

    @property
    def anywhere(self) -> bool:
        """Whether its place does not matter, so that files may leave it out: a slide, a fixed or free joint."""
        return self.kind != "sequence" and self.type.place == "origin"

    @property
    def axes(self) -> tuple[Array, ...]:
        """The axes from which its kind makes its primitives, (3,) each, at design in G."""
        carried = [self.primitives[i].axis for i in self.type.carriers]
        return tuple(axis for axis in carried if axis is not None)

    @property
    def far_ends(self) -> tuple[Point, ...]:
        """The other end of a hinge, on the parent and on the child at design in G; none where it has a single place."""
        if not self.reach:
            return ()
        along = self.reach * self.axes[0]
        return (self.parent, self.p_P + along), (self.child, self.p_C + along)

    @property
    def walk(self) -> tuple[int, ...]:
        """Numbers of the primitives in the order in which they lead from parent to child."""
        numbers = range(len(self.primitives))
        if self.kind == "sequence" or self.stiff_axes == "child":
            return tuple(numbers)
        return tuple(sorted(numbers, key=lambda i: not self.primitives[i].stiff))

    @property
    def loadable(self) -> tuple[Direction, ...]:
        """The directions in which it carries a load, stiff ones too.

        In its own axes those that its kind locks.  The axes of the ground, and those of a sequence, are not its own: so
        all three along and about which, if it locks anything there.
        """
        if self.kind == "sequence":
            return DIRECTIONS
        locked = self.type.locked
        if self.load_axes == "joint":
            return locked
        threes = (DIRECTIONS[:3], DIRECTIONS[3:])
        return tuple(direction for three in threes if set(three) & set(locked) for direction in three)

    @property
    def stiff(self) -> tuple[int, ...]:
        """Numbers of the stiff primitives."""
        return tuple(i for i, p in enumerate(self.primitives) if p.stiff)

    @property
    def stiff_directions(self) -> tuple[Direction | None, ...]:
        """Each stiff primitive's direction in the axes R; None for one that is none of them."""
        return tuple(direction_of(self.primitives[i], self.R) for i in self.stiff)


def direction_of(primitive: Primitive, R: Array) -> Direction | None:
    """Which of the six directions of the axes R (3, 3) a scalar primitive is, if any."""
    at = next((i for i in range(3) if np.array_equal(R[:, i], primitive.axis)), None)  # type: ignore[arg-type]
    return None if at is None else DIRECTIONS[at + (0 if primitive.kind == "translation" else 3)]


def repeated_direction(primitives: Sequence[Primitive]) -> str | None:
    """What to say about a stiff primitive that moves as others already do at design; None if there is none."""
    for p in primitives:
        if not p.stiff:
            continue
        assert p.axis is not None
        others = [o for o in primitives if o is not p]
        axes = [o.axis for o in others if o.kind == p.kind and o.axis is not None]
        taken = p.kind == "rotation" and any(o.kind == "ball" for o in others)
        if axes and not taken:
            new = np.linalg.lstsq(np.array(axes).T, p.axis, rcond=DEPENDENT)[0] @ np.array(axes) - p.axis
            taken = float(np.linalg.norm(new)) < DEPENDENT
        if taken:
            verb = "about" if p.kind == "rotation" else "along"
            return f"the stiff {p.kind} {verb} {np.round(p.axis, 6).tolist()} repeats what the joint does already"
    return None
