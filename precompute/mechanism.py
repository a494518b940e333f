"""The mechanism as the engineer describes it: bodies, joints, springs, markers.  Data, no algorithms.

Everything is given at the design position in one global frame G (the frame of the ground body), in SI units and
radians.  At the design position every body frame coincides with G, so a point of a body has the same three numbers
in G and in its body, and nobody ever writes local coordinates.

Each type checks itself when it is built: an object that exists is valid.  What concerns several objects (names that
must exist, connections) is checked by `Mechanism`, which reports every problem at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal

import numpy as np

from precompute.arrays import Array, frozen_array, unit_vector
from precompute.errors import MechanismError

GROUND = "ground"

PrimitiveKind = Literal["rotation", "translation", "ball"]
JointKind = Literal[
    "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "fixed", "free", "sequence"
]
Outside = Literal["error", "linear"]

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


# -- scalar functions of the configuration --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Distance:
    """Distance between a point of one body and a point of another [m]."""

    body_a: str
    body_b: str
    p_a: Array  # (3,) at design in G [m]
    p_b: Array  # (3,) at design in G [m]

    def __post_init__(self) -> None:
        object.__setattr__(self, "p_a", frozen_array(self.p_a, (3,), "point"))
        object.__setattr__(self, "p_b", frozen_array(self.p_b, (3,), "point"))
        if self.body_a == self.body_b:
            raise ValueError(f"both ends are on body '{self.body_a}'")
        if float(np.linalg.norm(self.p_a - self.p_b)) == 0.0:
            raise ValueError("both ends are the same point at design: its length is zero and has no direction")


@dataclass(frozen=True)
class JointCoordinate:
    """Coordinate of one primitive of a joint, zero at design [rad or m]."""

    joint: str
    index: int = 0  # which primitive, from 0


@dataclass(frozen=True)
class MarkerCoordinate:
    """x, y or z of a marker, in G [m]."""

    marker: str
    axis: Literal["x", "y", "z"]


Measure = Distance | JointCoordinate | MarkerCoordinate


# -- force laws -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ForceTable:
    """Piecewise linear force over deflection (or rate), continued beyond both ends with the end slopes."""

    x: Array  # (n,) ascending
    force: Array  # (n,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "x", frozen_array(self.x))
        object.__setattr__(self, "force", frozen_array(self.force, self.x.shape, "force"))
        if self.x.ndim != 1 or self.x.size < 2:
            raise ValueError("a force table needs at least two rows")
        if not (np.diff(self.x) > 0.0).all():
            raise ValueError("the first column of a force table must ascend")


@dataclass(frozen=True, eq=False)
class Stop:
    """A one-sided spring that acts once its measure passes `at`.

    Either a stiffness or a force table over the penetration (from 0 with force 0).
    """

    at: float  # value of the measure where it engages
    stiffness: float | None = None  # [N/m] or [N m/rad]
    table: ForceTable | None = None

    def __post_init__(self) -> None:
        if (self.stiffness is None) == (self.table is None):
            raise ValueError("a stop takes either a stiffness or a table")
        if self.stiffness is not None and not (math.isfinite(self.stiffness) and self.stiffness >= 0.0):
            raise ValueError(f"stiffness is {self.stiffness:g}; it must be zero or positive")
        if self.table is not None and (self.table.x[0] != 0.0 or self.table.force[0] != 0.0):
            raise ValueError("the table of a stop must start with [0, 0]")
        if not math.isfinite(self.at):
            raise ValueError("the engagement value is not finite")


@dataclass(frozen=True, eq=False)
class Spring:
    """A spring on a measure s.  With deflection x = free_length - s its force is k x, or the table at x.

    A positive force pushes: it acts so as to make the measure grow.  `preload` is that force at the assembled design
    position and replaces `free_length`.
    """

    name: str
    on: Distance | JointCoordinate
    stiffness: float | None = None  # [N/m] or [N m/rad]
    table: ForceTable | None = None
    free_length: float | None = None  # [m] or [rad]
    preload: float | None = None  # [N] or [N m]
    bump_stop: Stop | None = None  # acts below its `at`
    rebound_stop: Stop | None = None  # acts above its `at`

    def __post_init__(self) -> None:
        if (self.stiffness is None) == (self.table is None):
            raise ValueError("takes either a stiffness or a table")
        if self.stiffness is not None and not (math.isfinite(self.stiffness) and self.stiffness >= 0.0):
            raise ValueError(f"stiffness is {self.stiffness:g}; it must be zero or positive")
        if (self.free_length is None) == (self.preload is None):
            raise ValueError("takes either a free_length or a preload")
        if self.preload is not None and self.stiffness == 0.0 and self.preload != 0.0:
            raise ValueError("has a preload but no stiffness")


@dataclass(frozen=True, eq=False)
class Damper:
    """A damper on a measure s: its force is -c ds/dt, or minus the table at ds/dt."""

    name: str
    on: Distance | JointCoordinate
    damping: float | None = None  # [N s/m] or [N m s/rad]
    table: ForceTable | None = None

    def __post_init__(self) -> None:
        if (self.damping is None) == (self.table is None):
            raise ValueError("takes either a damping or a table")
        if self.damping is not None and not (math.isfinite(self.damping) and self.damping >= 0.0):
            raise ValueError(f"damping is {self.damping:g}; it must be zero or positive")


# -- what is observed, where forces enter ---------------------------------------------------------------------------


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
        if self.spin_axis is not None:
            axis = frozen_array(self.spin_axis, (3,), "spin_axis")
            if float(np.linalg.norm(axis)) == 0.0:
                raise ValueError("spin_axis has zero length")
            if float(np.linalg.norm(axis[:2])) == 0.0:
                raise ValueError("spin_axis is vertical: steer and camber have no meaning")
            object.__setattr__(self, "spin_axis", unit_vector(axis))


@dataclass(frozen=True)
class Port:
    """A marker that accepts a force and a moment, both in G axes."""

    name: str
    marker: str


@dataclass(frozen=True, eq=False)
class Coordinate:
    """An independent coordinate: the value of a measure, its range and its start values."""

    name: str
    of: Measure
    lower: float | None = None  # None: the feasible range, found by `explore`
    upper: float | None = None
    periodic: bool = False  # a full turn; upper - lower = 2 pi
    start: float | None = None  # None: the design value
    start_rate: float = 0.0
    outside: Outside = "error"  # what the FMU does beyond the table

    def __post_init__(self) -> None:
        for what in ("lower", "upper", "start", "start_rate"):
            value = getattr(self, what)
            if value is not None and not math.isfinite(value):
                raise ValueError(f"{what} is not finite")
        if (self.lower is None) != (self.upper is None):
            raise ValueError("needs both ends of its range or neither")
        if self.lower is not None and self.upper is not None:
            if self.lower >= self.upper:
                raise ValueError(f"its range is empty: from {self.lower:g} to {self.upper:g}")
            if self.periodic and abs(self.upper - self.lower - 2.0 * math.pi) > 1e-9:
                raise ValueError("is periodic, so its range must be one full turn (360 deg)")
        if self.periodic and not isinstance(self.of, JointCoordinate):
            raise ValueError("only a joint angle can be periodic")


@dataclass(frozen=True)
class TableSettings:
    """How accurate the tables must be and how large they may get."""

    tolerance: float = 1e-6  # of every value, relative to its column's range
    max_nodes: int = 241  # per axis

    def __post_init__(self) -> None:
        if not 1e-11 <= self.tolerance <= 1e-1:
            raise ValueError(f"tolerance is {self.tolerance:g}; choose between 1e-11 and 0.1")
        if not 9 <= self.max_nodes <= 2001:
            raise ValueError(f"max_nodes is {self.max_nodes}; choose between 9 and 2001")


@dataclass(frozen=True)
class Experiment:
    """The FMU's default experiment."""

    stop_time: float = 1.0  # [s]
    step_size: float = 1e-3  # [s] communication step, and the integrator's longest step

    def __post_init__(self) -> None:
        if not (math.isfinite(self.stop_time) and self.stop_time > 0.0):
            raise ValueError(f"stop_time is {self.stop_time:g} s; it must be positive")
        if not (math.isfinite(self.step_size) and 0.0 < self.step_size <= self.stop_time):
            raise ValueError(f"step_size is {self.step_size:g} s; it must be positive and not exceed stop_time")


@dataclass(frozen=True, eq=False)
class Mechanism:
    """The whole mechanism.  `coordinates` None means that they are chosen automatically."""

    name: str
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    rods: tuple[Rod, ...] = ()
    springs: tuple[Spring, ...] = ()
    dampers: tuple[Damper, ...] = ()
    markers: tuple[Marker, ...] = ()
    ports: tuple[Port, ...] = ()
    coordinates: tuple[Coordinate, ...] | None = None
    gravity: Array = field(default_factory=lambda: np.zeros(3))  # (3,) in G [m/s2]
    tables: TableSettings = TableSettings()
    experiment: Experiment = Experiment()
    description: str = ""

    def __post_init__(self) -> None:
        for what in ("bodies", "joints", "rods", "springs", "dampers", "markers", "ports"):
            object.__setattr__(self, what, tuple(getattr(self, what)))
        if self.coordinates is not None:
            object.__setattr__(self, "coordinates", tuple(self.coordinates))
        object.__setattr__(self, "gravity", frozen_array(self.gravity, (3,), "gravity"))
        if problems := reference_problems(self):
            raise MechanismError(problems, f"mechanism '{self.name}'")

    def joint(self, name: str) -> Joint:
        """The joint of that name."""
        return next(j for j in self.joints if j.name == name)

    def marker(self, name: str) -> Marker:
        """The marker of that name."""
        return next(m for m in self.markers if m.name == name)


def nearest(name: str, known: Iterable[str]) -> str:
    """The hint that belongs to an unknown name: the nearest known one, or all of them."""
    known = sorted(known)
    close = get_close_matches(name, known, n=1, cutoff=0.6)
    if close:
        return f"did you mean '{close[0]}'?"
    return "known: " + (", ".join(known) if known else "none")


def reference_problems(m: Mechanism) -> list[str]:
    """Every name that refers to nothing, every name used twice, and bodies that no joint reaches."""
    problems: list[str] = []
    bodies = {GROUND, *(b.name for b in m.bodies)}
    joints = {j.name: j for j in m.joints}
    markers = {k.name for k in m.markers}

    def body(place: str, name: str) -> None:
        if name not in bodies:
            problems.append(f"{place}: there is no body '{name}'; {nearest(name, bodies)}")

    def measure(place: str, on: Measure) -> None:
        match on:
            case Distance():
                body(place, on.body_a)
                body(place, on.body_b)
            case MarkerCoordinate() if on.marker not in markers:
                problems.append(f"{place}: there is no marker '{on.marker}'; {nearest(on.marker, markers)}")
            case JointCoordinate() if on.joint not in joints:
                problems.append(f"{place}: there is no joint '{on.joint}'; {nearest(on.joint, joints)}")
            case JointCoordinate():
                scalar = [i + 1 for i, p in enumerate(joints[on.joint].primitives) if p.kind != "ball"]
                if on.index + 1 not in scalar:
                    problems.append(
                        f"{place}: joint '{on.joint}' ({joints[on.joint].kind}) has no scalar coordinate "
                        f"[{on.index + 1}]; it has " + (", ".join(f"[{i}]" for i in scalar) or "none")
                    )

    if not m.bodies:
        problems.append("bodies: there is none; add at least one")
    if GROUND in {b.name for b in m.bodies}:
        problems.append(f"bodies.{GROUND}: this name is taken by the frame that does not move; choose another")
    groups = {"bodies": m.bodies, "joints": (*m.joints, *m.rods), "springs": m.springs, "dampers": m.dampers}
    groups |= {"markers": m.markers, "ports": m.ports, "coordinates": m.coordinates or ()}
    for kind, items in groups.items():
        names = [item.name for item in items]  # type: ignore[attr-defined]
        problems += [f"{kind}.{n}: this name is used twice" for n in sorted({n for n in names if names.count(n) > 1})]
    for connection in (*m.joints, *m.rods):
        body(f"joints.{connection.name}", connection.parent)
        body(f"joints.{connection.name}", connection.child)
    for marker in m.markers:
        body(f"markers.{marker.name}", marker.body)
    for port in m.ports:
        if port.marker not in markers:
            problems.append(f"ports.{port.name}: there is no marker '{port.marker}'; {nearest(port.marker, markers)}")
    for spring in m.springs:
        measure(f"springs.{spring.name}", spring.on)
    for damper in m.dampers:
        measure(f"dampers.{damper.name}", damper.on)
    for coordinate in m.coordinates or ():
        measure(f"coordinates.{coordinate.name}", coordinate.of)
    return problems or unconnected_problems(m)


def unconnected_problems(m: Mechanism) -> list[str]:
    """Bodies that no chain of joints connects to the ground."""
    reached = {GROUND}
    while grown := {
        name for j in m.joints if (j.parent in reached) != (j.child in reached) for name in (j.parent, j.child)
    } - reached:
        reached |= grown
    return [
        f"bodies.{b.name}: no joint connects it to the ground; if it is meant to float, add a joint "
        f'of type "free" with parent = "{GROUND}", child = "{b.name}"'
        for b in m.bodies
        if b.name not in reached
    ]
