"""The mechanism with its dimensions as joints: what a design variable moves becomes a rate-less motion of a joint.

A dimension is a locked direction that is designed, not held at zero.  With small translations u and rotations by three
angles a, E(a) = Rx(a_x) Ry(a_y) Rz(a_z), a joint that led over its motions by

    T(p_P) prim_1 ... prim_n T(-p_C)                                                                    (1)

leads by

    T(p_P) T(u_P) [E(a_1) prim_1 E(a_1)^-1] ... [E(a_n) prim_n E(a_n)^-1] T(-u_C) T(-p_C)               (2)

and a place on a body (of a marker, an end of a spring ...) is one of a body of its own, T(p) T(u) E(a) T(-p) from the
first.  A hardpoint at a joint is u_P = u_C; an axis by points is an a.  All u and a are functions of the design
variables, zero at the design, known with second derivatives (`places`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations

import numpy as np

from precompute.design.drawing import plane_axes
from precompute.design.jets import Jet, columns, rotation_of_axis, rotation_of_frame
from precompute.design.places import JointPlaces, Places
from precompute.errors import PrecomputeError
from precompute.geometry.placement import Placement
from precompute.measures.interfaces import Kind
from precompute.measures.measure import Measure
from precompute.model.cams import Cam
from precompute.model.holds import Constraint, HeldRow, rod_row
from precompute.model.mechanism import Body, Joint, JointCoordinate, Mechanism, Primitive, PrimitiveKind, Rod


@dataclass(frozen=True, eq=False)
class DimensionedJoint(Joint):
    """A joint whose dimensions are motions, behind its own, which keep their numbers."""

    order: tuple[int, ...] = ()  # of its primitives from parent to child

    def __post_init__(self) -> None:
        """What it was made from has been checked; dimensions repeat each other, and what the joint does."""

    @property
    def walk(self) -> tuple[int, ...]:
        """Its own motions between its dimensions."""
        return self.order


@dataclass(frozen=True, eq=False)
class Dimensions:
    """A mechanism with dimensions, and what these are."""

    plain: Mechanism  # without
    mechanism: Mechanism
    places: Places
    motions: tuple[tuple[JointCoordinate, Jet], ...]  # the dimensions u and a, as functions of the variables
    bodies: Mapping[tuple[str, ...], str]  # places that vary -> the bodies that carry them

    def body(self, *place: str, otherwise: str) -> str:
        """The body that carries a place: one of its own, if the place varies."""
        return self.bodies.get(place, otherwise)

    def measure(self, measure: Measure) -> Measure:
        """The same measure of the mechanism with dimensions."""
        return measure.rebuilt(self._term)

    def _term(self, measure: Measure) -> Measure:
        if measure.contact_of is not None:  # what it counts from is where they touch at design, which changes too
            raise PrecomputeError(f"the {measure.name} has no derivatives by design variables")
        number = self.places.number(measure)
        if number is None:
            return measure
        ends = zip(measure.bodies(self.mechanism), "01", strict=False)
        names = {body: self.body("measure", str(number), end, otherwise=body) for body, end in ends}
        return measure.image(_Renamed(names)).of

    def held(self) -> Iterator[HeldRow]:
        """What the mechanism holds, between places of the mechanism with dimensions."""
        m = self.plain
        for rod in m.rods:
            a, b = self._carriers("rod", rod)
            yield rod_row(replace(rod, parent=a, child=b))
        for coupling in m.couplings:
            yield from replace(coupling, of=self.measure(coupling.of)).rows
        for held in m.constraints:
            a, b = self._carriers("constraint", held)
            yield from replace(held, parent=a, child=b).rows
        for cam in m.cams:
            a, b = self._carriers("cam", cam)
            there = _Renamed({cam.parent: a, cam.child: b})
            yield from (replace(row, measure=row.measure.image(there).of) for row in cam.rows(m))

    def _carriers(self, kind: str, part: Rod | Constraint | Cam) -> tuple[str, str]:
        """The bodies that carry the two places of a part."""
        ends = ("0", part.parent), ("1", part.child)
        a, b = (self.body(kind, part.name, end, otherwise=body) for end, body in ends)
        return a, b

    def datum(self, measure: Measure) -> Jet:
        """(...) how far the place that a measure counts from has moved along it; zero of one that counts otherwise."""
        total = Jet.constant(np.zeros(()), len(self.places.names))
        for factor, part in measure.terms:
            along = part.datum(self.mechanism)
            if along is not None:
                ((kind, name),) = part.refers
                at = {"marker": self.places.markers, "wheel": self.places.wheels}[kind][name]
                total += at.p.change.linear(partial(np.dot, b=factor * along))
        return total


@dataclass(frozen=True)
class _Renamed:
    """The same place, where bodies have other names: what `Measure.image` asks."""

    names: Mapping[str, str]
    at: Placement = field(default_factory=lambda: Placement(np.eye(3)))
    up_sign: float = 1.0

    def name(self, kind: Kind, name: str) -> str:
        """Of bodies."""
        return self.names.get(name, name) if kind == "body" else name

    def turn_sign(self, angle: str) -> float:
        """As it was."""
        return 1.0

    def joint_sign(self, joint: str, index: int) -> float:
        """As it was."""
        return 1.0

    def bushing_sign(self, index: int) -> float:
        """As it was."""
        return 1.0


def dimensioned(mechanism: Mechanism, places: Places) -> Dimensions:
    """The kinematics of a mechanism with the dimensions that variables change; without forces or what it holds."""
    made = _Made(places.n)
    joints = [made.joint(joint, places.joints[joint.name]) for joint in mechanism.joints]
    for rod in mechanism.rods:
        own = places.rods[rod.name]
        made.place(("rod", rod.name, "0"), rod.parent, own.p_P)
        made.place(("rod", rod.name, "1"), rod.child, own.p_C)
    for held in mechanism.constraints:
        at = places.constraints[held.name]
        made.place(("constraint", held.name, "0"), held.parent, at.p_P, rotation_of_axis(at.axis))
        made.place(("constraint", held.name, "1"), held.child, at.p_C, rotation_of_axis(at.axis2))
    for cam in mechanism.cams:
        on = places.cams[cam.name]
        made.place(("cam", cam.name, "0"), cam.parent, on.centre, rotation_of_frame(on.R))
        made.place(("cam", cam.name, "1"), cam.child, on.p, None if on.normal is None else rotation_of_axis(on.normal))
    made.read_places(mechanism, places)
    made.measure_places(mechanism, places)

    def carrier(otherwise: str, *place: str) -> str:
        return made.bodies.get(place, otherwise)

    with_dimensions = replace(
        mechanism,
        bodies=(*mechanism.bodies, *made.carriers),
        joints=(*joints, *made.mounts),
        markers=tuple(replace(m, body=carrier(m.body, "marker", m.name)) for m in mechanism.markers),
        wheels=tuple(replace(w, body=carrier(w.body, "wheel", w.name)) for w in mechanism.wheels),
        bushings=tuple(
            replace(b, parent=carrier(b.parent, "bushing", b.name, "0"), child=carrier(b.child, "bushing", b.name, "1"))
            for b in mechanism.bushings
        ),
        **dict.fromkeys(("rods", "couplings", "constraints", "cams", "springs", "dampers", "forces"), ()),  # type: ignore[arg-type]
        **dict.fromkeys(("ports", "measures", "axles", "devices"), ()),  # type: ignore[arg-type]
        **dict.fromkeys(("coordinates", "vehicle", "source")),  # type: ignore[arg-type]
    )
    return Dimensions(mechanism, with_dimensions, places, tuple(made.motions), made.bodies)


class _Made:
    """Dimensions, as they are made."""

    def __init__(self, n: int) -> None:
        self.zero = Jet.constant(np.zeros(3), n)
        self.motions: list[tuple[JointCoordinate, Jet]] = []
        self.bodies: dict[tuple[str, ...], str] = {}
        self.carriers: list[Body] = []
        self.mounts: list[Joint] = []

    def joint(self, joint: Joint, places: JointPlaces) -> Joint:
        """(2) of a joint; the joint itself if nothing of it varies."""
        new = _Sequence(joint, self.motions)
        new.add("translation", places.p_P.change)
        for i in joint.walk:
            axis = places.axes[i]
            turn = self.zero if axis is None else angles(rotation_of_axis(axis))
            new.add("rotation", turn)
            new.order.append(i)
            new.add("rotation", -turn, backwards=True)
        new.add("translation", -places.p_C.change)
        return new.joint()

    def place(self, key: tuple[str, ...], body: str, p: Jet, turn: Jet | None = None) -> None:
        """A body of its own for a place that varies."""
        turn = self.zero if turn is None else turn
        if not (p.varies or turn.varies):
            return
        name = " ".join(("dimension", *key))
        new = _Sequence(Joint(name, "fixed", body, name, p.value, p.value, ()), self.motions)
        new.add("translation", p.change)
        new.add("rotation", angles(turn))
        self.mounts.append(new.joint())
        self.carriers.append(Body(name, 0.0, p.value, np.zeros((3, 3))))
        self.bodies[key] = name

    def read_places(self, mechanism: Mechanism, places: Places) -> None:
        """Of markers, wheels and bushings; directions alone have bodies of their own."""
        for marker in mechanism.markers:
            at = places.markers[marker.name]
            self.place(("marker", marker.name), marker.body, at.p, rotation_of_frame(at.R))
            if at.spin_axis is not None:
                self.place(("spin", marker.name), marker.body, self.zero, rotation_of_axis(at.spin_axis))
        for wheel in mechanism.wheels:
            at = places.wheels[wheel.name]
            assert at.spin_axis is not None, "wheels have one"
            self.place(("wheel", wheel.name), wheel.body, at.p)
            self.place(("wheel spin", wheel.name), wheel.body, self.zero, rotation_of_axis(at.spin_axis))
        for bushing in mechanism.bushings:
            at = places.bushings[bushing.name]
            for end, carrier in enumerate((bushing.parent, bushing.child)):
                self.place(("bushing", bushing.name, str(end)), carrier, at.p, rotation_of_frame(at.R))

    def measure_places(self, mechanism: Mechanism, places: Places) -> None:
        """Of the ends of measures between points or about an axis."""
        for number, each in enumerate(places.measures):
            for end, carrier in enumerate(each.of.bodies(mechanism)):
                key = ("measure", str(number), str(end))
                if each.axis is None:
                    self.place(key, carrier, each.points[end])
                else:
                    frame = columns(each.axis, *plane_axes(each.axis))
                    self.place(key, carrier, self.zero, rotation_of_frame(frame))


class _Sequence:
    """The motions of a joint and its dimensions, from parent to child."""

    def __init__(self, old: Joint, motions: list[tuple[JointCoordinate, Jet]]) -> None:
        self.old, self.motions = old, motions
        self.primitives = list(old.primitives)
        self.order: list[int] = []

    def add(self, kind: PrimitiveKind, amounts: Jet, backwards: bool = False) -> None:
        """The components (3,) of a translation, or of E(a), that vary."""
        for i in (2, 1, 0) if backwards else (0, 1, 2):
            if amounts[i].varies:
                self.order.append(len(self.primitives))
                self.motions.append((JointCoordinate(self.old.name, len(self.primitives)), amounts[i]))
                self.primitives.append(Primitive(kind, np.eye(3)[i]))

    def joint(self) -> Joint:
        """With its dimensions; as it was if there are none."""
        old = self.old
        if len(self.primitives) == len(old.primitives):
            return old
        return DimensionedJoint(
            old.name, "sequence", old.parent, old.child, old.p_P, old.p_C, tuple(self.primitives),
            old.stiff_axes, old.R, order=tuple(self.order),
        )  # fmt: skip


def angles(turn: Jet) -> Jet:
    """a of E(a) for a rotation vector t that is zero at design: E(a) = exp(a + sum_(i<j) a_i a_j e_i x e_j / 2 + ...).

    a_kl = t_kl - sum_(i<j) (t_i,k t_j,l + t_i,l t_j,k) e_i x e_j / 2                                   (3)
    """
    second = turn.second.copy()
    for i, j in combinations(range(3), 2):
        both = turn.first[:, None, i] * turn.first[None, :, j]
        second -= 0.5 * (both + both.T)[..., None] * np.cross(np.eye(3)[i], np.eye(3)[j])
    return Jet(turn.value, turn.first, second)
