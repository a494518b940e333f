"""Joints: sequences of elementary motions, each free or stiff, at the design position in G, in SI units and radians.

A joint's own axes, in which its stiff directions are counted: x along its axis, y and z across it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from precompute.arrays import Array, frozen_array, unit_vector

PrimitiveKind = Literal["rotation", "translation", "ball"]
Direction = Literal["x", "y", "z", "rx", "ry", "rz"]
StiffAxes = Literal["parent", "child"]
JointKind = Literal[
    "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "fixed", "free", "sequence"
]

PRIMITIVES: dict[str, list[PrimitiveKind]] = {
    "revolute": ["rotation"],
    "prismatic": ["translation"],
    "cylindrical": ["translation", "rotation"],
    "universal": ["rotation", "rotation"],
    "spherical": ["ball"],
    "planar": ["translation", "translation", "rotation"],
    "fixed": [],
    "free": ["translation", "translation", "translation", "ball"],
}
"""What each standard joint is made of, parent to child."""

DIRECTIONS: tuple[Direction, ...] = ("x", "y", "z", "rx", "ry", "rz")
"""Translations along and rotations about the axes of a joint or bushing."""

LOCKED: dict[str, tuple[Direction, ...]] = {
    "revolute": ("x", "y", "z", "ry", "rz"),
    "prismatic": ("y", "z", "rx", "ry", "rz"),
    "cylindrical": ("y", "z", "ry", "rz"),
    "universal": ("x", "y", "z", "rz"),
    "spherical": ("x", "y", "z"),
    "planar": ("x", "ry", "rz"),
    "fixed": DIRECTIONS,
    "free": (),
}
"""What each standard joint locks, in its own axes: x along its axis; of a universal joint y in the plane of both."""

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
        """How many numbers of the configuration it has: a ball has a unit quaternion."""
        return 4 if self.kind == "ball" else 1

    @property
    def rates(self) -> int:
        """How many rates it has: a ball has an angular velocity."""
        return 3 if self.kind == "ball" else 1


def joint_primitives(kind: JointKind, axes: Sequence[Iterable[float]] = ()) -> tuple[Primitive, ...]:
    """The primitives of a standard joint, parent to child.

    Args:
        kind: any kind but "sequence", whose primitives are the user's own.
        axes: revolute, prismatic, cylindrical: the axis; universal: the axis on the parent and the axis on the
            child; planar: the normal; spherical, fixed, free: none.
    """
    expected = {"revolute": 1, "prismatic": 1, "cylindrical": 1, "universal": 2, "planar": 1}.get(kind, 0)
    if len(axes) != expected:
        raise ValueError(f"a {kind} joint takes {expected} axes, got {len(axes)}")
    a = [np.asarray(tuple(axis), dtype=float) for axis in axes]
    match kind:
        case "revolute":
            return (Primitive("rotation", a[0]),)
        case "prismatic":
            return (Primitive("translation", a[0]),)
        case "cylindrical":
            return (Primitive("translation", a[0]), Primitive("rotation", a[0]))
        case "universal":
            if np.linalg.norm(np.cross(a[0], a[1])) < 1e-9 * np.linalg.norm(a[0]) * np.linalg.norm(a[1]):
                raise ValueError("the two axes of a universal joint are parallel")
            return (Primitive("rotation", a[0]), Primitive("rotation", a[1]))
        case "spherical":
            return (Primitive("ball"),)
        case "planar":
            u, v = plane_axes(a[0])
            return (Primitive("translation", u), Primitive("translation", v), Primitive("rotation", a[0]))
        case "fixed":
            return ()
        case "free":
            return (*(Primitive("translation", row) for row in np.eye(3)), Primitive("ball"))
    raise ValueError(f"a {kind} joint has no standard primitives")


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
    R: Array = field(default_factory=lambda: np.eye(3))  # (3, 3) axes of the stiff directions at design, in G

    def __post_init__(self) -> None:
        object.__setattr__(self, "p_P", frozen_array(self.p_P, (3,), "at"))
        object.__setattr__(self, "p_C", frozen_array(self.p_C, (3,), "at"))
        object.__setattr__(self, "R", frozen_array(self.R, (3, 3), "axes"))
        object.__setattr__(self, "primitives", tuple(self.primitives))
        if self.parent == self.child:
            raise ValueError(f"joins body '{self.parent}' to itself")
        free = [p.kind for p in self.primitives if not p.stiff]
        if self.kind == "sequence" and not self.primitives:
            raise ValueError("is a sequence without primitives; a joint that does not move is of kind fixed")
        if self.kind != "sequence" and free != PRIMITIVES[self.kind]:
            expected = ", ".join(PRIMITIVES[self.kind]) or "nothing"
            found = ", ".join(free) or "none"
            raise ValueError(f"a {self.kind} joint is made of {expected}, found {found}; make it a sequence")
        if self.kind != "sequence" and any(p.stiff for p in self.primitives[: len(free)]):
            raise ValueError("its stiff primitives must come after the free ones; stiff_axes says where they act")
        if problem := repeated_direction(self.primitives):
            raise ValueError(problem)
        if self.kind != "sequence" and not set(self.stiff_directions) <= set(LOCKED[self.kind]):
            raise ValueError(f"only {', '.join(LOCKED[self.kind]) or 'nothing'} of its axes can be stiff")

    @property
    def walk(self) -> tuple[int, ...]:
        """Numbers of the primitives in the order in which they lead from parent to child."""
        numbers = range(len(self.primitives))
        if self.kind == "sequence" or self.stiff_axes == "child":
            return tuple(numbers)
        return tuple(sorted(numbers, key=lambda i: not self.primitives[i].stiff))

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
