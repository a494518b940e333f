"""Bodies, joints, rods, markers and ports of a mechanism, at the design position in G, in SI units and radians."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from precompute.arrays import Array, frozen_array, unit_vector

GROUND = "ground"

PrimitiveKind = Literal["rotation", "translation", "ball"]
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

INERTIA_TOLERANCE = 1e-9
"""Relative slack of the triangle inequality, for tensors that were rounded when they were written down."""


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body."""

    name: str
    mass: float  # [kg]
    com: Array  # (3,)   centre of mass at design, in G [m]
    inertia: Array  # (3, 3) about the centre of mass, in G axes at design [kg m2]

    def __post_init__(self) -> None:
        object.__setattr__(self, "com", frozen_array(self.com, (3,), "com"))
        object.__setattr__(self, "inertia", frozen_array(self.inertia, (3, 3), "inertia"))
        if not (math.isfinite(self.mass) and self.mass >= 0.0):
            raise ValueError(f"mass is {self.mass:g} kg; it must be zero or positive")
        if not np.allclose(self.inertia, self.inertia.T, rtol=0.0, atol=INERTIA_TOLERANCE * np.abs(self.inertia).max()):
            raise ValueError("the inertia tensor is not symmetric")
        a, b, c = np.linalg.eigvalsh(self.inertia)  # ascending principal moments
        slack = INERTIA_TOLERANCE * max(abs(c), abs(a))
        if a < -slack:
            raise ValueError(f"the inertia tensor has a negative principal moment, {a:g} kg m2")
        if a + b < c - slack:
            raise ValueError(
                f"the principal moments {a:.6g}, {b:.6g}, {c:.6g} kg m2 violate the triangle inequality (the largest "
                "exceeds the sum of the others): no real body has them; check the numbers and the products' signs"
            )


@dataclass(frozen=True, eq=False)
class Primitive:
    """One elementary motion of a joint, about or along `axis` through the joint's origin.

    A ball is one primitive: three rates, a unit quaternion as configuration, no axis.
    """

    kind: PrimitiveKind
    axis: Array | None = None  # (3,) unit vector in the axes of the preceding primitive, G axes at design

    def __post_init__(self) -> None:
        if self.kind == "ball":
            if self.axis is not None:
                raise ValueError("a ball has no axis")
            return
        if self.axis is None:
            raise ValueError(f"a {self.kind} needs an axis")
        axis = frozen_array(self.axis, (3,), "axis")
        if float(np.linalg.norm(axis)) < 1e-12:
            raise ValueError("the axis has zero length")
        object.__setattr__(self, "axis", unit_vector(axis))


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


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint: the child moves relative to the parent by `primitives`, in order, about the joint's origin.

    At the design position both frames of the joint have G's axes; p_C differs from p_P only where the file gives
    two points, so that the loop must first be assembled.
    """

    name: str
    kind: JointKind
    parent: str
    child: str
    p_P: Array  # (3,) joint origin on the parent, at design in G [m]
    p_C: Array  # (3,) joint origin on the child, at design in G [m]
    primitives: tuple[Primitive, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "p_P", frozen_array(self.p_P, (3,), "at"))
        object.__setattr__(self, "p_C", frozen_array(self.p_C, (3,), "at"))
        object.__setattr__(self, "primitives", tuple(self.primitives))
        if self.parent == self.child:
            raise ValueError(f"joins body '{self.parent}' to itself")
        made_of = [p.kind for p in self.primitives]
        if self.kind != "sequence" and made_of != PRIMITIVES[self.kind]:
            expected = ", ".join(PRIMITIVES[self.kind]) or "nothing"
            found = ", ".join(made_of) or "none"
            raise ValueError(f"a {self.kind} joint is made of {expected}, found {found}; make it a sequence")
        if self.kind == "sequence" and not made_of:
            raise ValueError("is a sequence without primitives; a joint that does not move is of kind fixed")


@dataclass(frozen=True, eq=False)
class Rod:
    """A massless link of constant length between a point of one body and a point of another."""

    name: str
    parent: str
    child: str
    p_P: Array  # (3,) end on the parent, at design in G [m]
    p_C: Array  # (3,) end on the child, at design in G [m]
    length: float  # [m]

    def __post_init__(self) -> None:
        object.__setattr__(self, "p_P", frozen_array(self.p_P, (3,), "at"))
        object.__setattr__(self, "p_C", frozen_array(self.p_C, (3,), "at"))
        if self.parent == self.child:
            raise ValueError(f"joins body '{self.parent}' to itself")
        if not (math.isfinite(self.length) and self.length > 0.0):
            raise ValueError(f"length is {self.length:g} m; it must be positive (are its two points the same?)")


@dataclass(frozen=True, eq=False)
class Marker:
    """A point or frame on a body whose motion is an output."""

    name: str
    body: str
    p: Array  # (3,) at design in G [m]
    R: Array = field(default_factory=lambda: np.eye(3))  # (3, 3) its axes at design, in G
    spin_axis: Array | None = None  # (3,) unit; a wheel's axis at design, pointing outboard

    def __post_init__(self) -> None:
        object.__setattr__(self, "p", frozen_array(self.p, (3,), "at"))
        object.__setattr__(self, "R", frozen_array(self.R, (3, 3), "axes"))
        if np.abs(self.R @ self.R.T - np.eye(3)).max() > 1e-9 or np.linalg.det(self.R) < 0.0:
            raise ValueError("its axes are not perpendicular, right-handed unit vectors")
        if self.spin_axis is not None:
            axis = frozen_array(self.spin_axis, (3,), "spin_axis")
            if float(np.linalg.norm(axis)) == 0.0:
                raise ValueError("spin_axis has zero length")
            if float(np.linalg.norm(axis[:2])) == 0.0:
                raise ValueError("spin_axis is vertical: steer and camber have no meaning")
            object.__setattr__(self, "spin_axis", unit_vector(axis))


@dataclass(frozen=True)
class Port:
    """A marker that accepts a force and a moment, both in G axes; with their values until a master sets others."""

    name: str
    marker: str
    force: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [N]
    moment: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [N m]

    def __post_init__(self) -> None:
        if not all(math.isfinite(x) for x in (*self.force, *self.moment)):
            raise ValueError("its force or moment is not finite")
