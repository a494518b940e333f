"""Images of the parts of a mechanism that is placed elsewhere: turned and moved, or mirrored.

Mirrored, a mechanism moves as the mirror image of the other: points and the axes of translations are mirrored, axes of
rotations, which are axial vectors, mirrored and turned round.  So a free coordinate of a joint has the same value as
that of which it is the image, wherever the kind of joint lets its axes be so; `joint_sign` knows where not.  What
counts the other way (stiff directions, deflections of bushings, marker coordinates across the mirror) has its laws
turned round: its force is the image of the force.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from precompute.arrays import Array
from precompute.geometry.placement import Placement
from precompute.measures.interfaces import Kind
from precompute.measures.measure import Image
from precompute.model.cams import Cam
from precompute.model.device_images import device_image
from precompute.model.devices import Device
from precompute.model.forces import Bushing, ConstantForce, Damper, ForceTable, Spring
from precompute.model.holds import Constraint, Coupling
from precompute.model.joints import Joint, Primitive, direction_of, joint_primitives
from precompute.model.mechanism import Coordinate
from precompute.model.parts import Body, Marker, Port, ReadMeasure, Rod
from precompute.model.wheels import Axes, Wheel

BUSHING = np.array([1.0, -1.0, 1.0])
"""Signs of the axes of a mirrored bushing: its second axis turns round, so that the third stays up where it was."""

Names = Mapping[Kind, Mapping[str, str]]
"""What the image of a part is called; a part that is not named is its own image."""


@dataclass(frozen=True, eq=False)
class PartImages:
    """A place, the names there, and the joints of the mechanism that is placed, and its devices that are."""

    at: Placement
    joints: Mapping[str, Joint]
    axes: Axes  # of the vehicle
    there: Axes  # the same at the place
    names: Names = field(default_factory=dict)
    devices: Mapping[str, Device] = field(default_factory=dict)

    def name(self, kind: Kind, name: str) -> str:
        """What the image of a part is called."""
        return self.names.get(kind, {}).get(name, name)

    @property
    def up_sign(self) -> float:
        """-1 where what was up is down, else 1."""
        return float(np.sign(self.there.up @ self.at.direction(self.axes.up)))

    def turn_sign(self, angle: Literal["roll", "pitch", "yaw"]) -> float:
        """Whether turns about the vehicle's forward, left or up count the same way there, 1, or the other way, -1."""
        number = ("roll", "pitch", "yaw").index(angle)
        along = self.there.R @ self.at.axial(self.axes.R[number])
        if abs(along[number]) < 1.0 - 1e-9:
            raise ValueError(f"a {angle} comes to be about no axis of the vehicle")
        return float(np.sign(along[number]))

    def joint_sign(self, joint: str, index: int) -> float:
        """Whether a coordinate of the image of a joint counts the same way, 1, or the other way, -1."""
        old = self.joints[joint]
        axis, there = old.primitives[index].axis, placed_primitives(old, self.at)[1][index].axis
        if axis is None or there is None:
            return 1.0
        return float(np.sign(there @ placed_axis(old.primitives[index], self.at)))

    def bushing_sign(self, index: int) -> float:
        """The same of one of the six deflections of bushings."""
        return float(bushing_signs(self.at)[index])

    # -- parts --------------------------------------------------------------------------------------------------------

    def body(self, name: str, body: Body) -> Body:
        """A body: its inertia is that of the image."""
        T = self.at.T
        return replace(body, name=name, com=self.at.point(body.com), inertia=T @ body.inertia @ T.T)

    def joint(self, name: str, joint: Joint) -> Joint:
        """A joint, of the same kind."""
        R, primitives = placed_primitives(joint, self.at)
        return replace(
            joint,
            name=name,
            parent=self.name("body", joint.parent),
            child=self.name("body", joint.child),
            p_P=self.at.point(joint.p_P),
            p_C=self.at.point(joint.p_C),
            R=R,
            primitives=primitives,
            reach=joint.reach * reach_sign(joint, primitives, self.at),
        )

    def rod(self, name: str, rod: Rod) -> Rod:
        """A rod."""
        parent, child = (self.name("body", body) for body in (rod.parent, rod.child))
        ends = self.at.point(rod.p_P), self.at.point(rod.p_C)
        return replace(rod, name=name, parent=parent, child=child, p_P=ends[0], p_C=ends[1])

    def coupling(self, name: str, coupling: Coupling) -> Coupling:
        """A coupling of the images of what it couples."""
        return replace(coupling, name=name, of=coupling.of.image(self).of)

    def constraint(self, name: str, held: Constraint) -> Constraint:
        """A constraint of the same kind."""
        parent, child = (self.name("body", body) for body in (held.parent, held.child))
        axes = self.at.direction(held.axis), self.at.direction(held.axis2)
        ends = self.at.point(held.p_P), self.at.point(held.p_C)
        return Constraint(name, held.kind, parent, child, *axes, *ends, held.load)

    def cam(self, name: str, cam: Cam) -> Cam:
        """A cam with the same profile, in a plane that is seen from the other side."""
        return replace(
            cam,
            name=name,
            parent=self.name("body", cam.parent),
            child=self.name("body", cam.child),
            centre=self.at.point(cam.centre),
            axis=self.at.axial(cam.axis),
            zero=self.at.direction(cam.zero),
            p=self.at.point(cam.p),
            normal=None if cam.normal is None else self.at.direction(cam.normal),
            rolls=None if cam.rolls is None else self.name("joint", cam.rolls),
            slips=None if cam.slips is None else self.name("joint", cam.slips),
        )

    def bushing(self, name: str, bushing: Bushing) -> Bushing:
        """A bushing: deflections along its axes are signs times those of which they are the image."""
        signs = bushing_signs(self.at)
        return replace(
            bushing,
            name=name,
            parent=self.name("body", bushing.parent),
            child=self.name("body", bushing.child),
            p=self.at.point(bushing.p),
            R=self.at.T @ bushing.R * signs[:3],
            stiffness=bushing.stiffness * np.outer(signs, signs),
            damping=bushing.damping * np.outer(signs, signs),
            preload=bushing.preload * signs,
            tables=tuple(t if t is None else turned_table(t, s) for t, s in zip(bushing.tables, signs, strict=True)),
        )

    def marker(self, name: str, marker: Marker) -> Marker:
        """A marker; one with the global axes keeps them."""
        spin = None if marker.spin_axis is None else self.at.direction(marker.spin_axis)
        body, T = self.name("body", marker.body), self.at.T
        return replace(marker, name=name, body=body, p=self.at.point(marker.p), R=T @ marker.R @ T.T, spin_axis=spin)

    def wheel(self, name: str, wheel: Wheel) -> Wheel:
        """A wheel, on the other side if left has become right."""
        crossed = float(self.there.left @ self.at.direction(self.axes.left)) < 0.0
        spin = self.at.direction(wheel.spin_axis)
        other = "right" if wheel.side == "left" else "left"
        return replace(
            wheel,
            name=name,
            body=self.name("body", wheel.body),
            centre=self.at.point(wheel.centre),
            spin_axis=spin if float(spin @ self.there.left) > 0.0 else -spin,
            side=other if crossed else wheel.side,  # type: ignore[arg-type]
        )

    def port(self, name: str, port: Port) -> Port:
        """A port under the image of its loads."""
        force, moment = self.at.direction(np.array(port.force)), self.at.axial(np.array(port.moment))
        marker = self.name("marker", port.marker)
        return Port(name, marker, tuple((force + 0.0).tolist()), tuple((moment + 0.0).tolist()))

    # -- what is on measures ------------------------------------------------------------------------------------------

    def spring(self, name: str, spring: Spring) -> Spring:
        """A spring: f on s is sign * f on sign * s + shift; below a value becomes above if it counts the other way."""
        image = spring.on.image(self)
        stops = [
            None if s is None else replace(s, at=moved(image, s.at)) for s in (spring.bump_stop, spring.rebound_stop)
        ]
        bump, rebound = stops if image.sign > 0.0 else stops[::-1]
        return replace(
            spring,
            name=name,
            on=image.of,
            table=None if spring.table is None else turned_table(spring.table, image.sign),
            free_length=None if spring.free_length is None else moved(image, spring.free_length),
            preload=None if spring.preload is None else image.sign * spring.preload,
            bump_stop=bump,
            rebound_stop=rebound,
        )

    def damper(self, name: str, damper: Damper) -> Damper:
        """A damper."""
        image = damper.on.image(self)
        table = None if damper.table is None else turned_table(damper.table, image.sign)
        return replace(damper, name=name, on=image.of, table=table)

    def force(self, name: str, force: ConstantForce) -> ConstantForce:
        """A constant force."""
        image = force.on.image(self)
        return replace(force, name=name, on=image.of, value=None if force.value is None else image.sign * force.value)

    def device(self, name: str, device: Device) -> Device:
        """An element with formulas: these read of every measure what it would be here."""
        return device_image(self, name, device, self.devices)

    def read_measure(self, name: str, read: ReadMeasure) -> ReadMeasure:
        """A measure that is read: what it counts there, whichever way that is."""
        return ReadMeasure(name, read.of.image(self).of)

    def coordinate(self, name: str, c: Coordinate) -> Coordinate:
        """A coordinate with the image of its range and start."""
        image = c.of.image(self)
        ends = [None if x is None else moved(image, x) for x in (c.lower, c.upper)]
        lower, upper = ends if image.sign > 0.0 else ends[::-1]
        start = None if c.start is None else moved(image, c.start)
        rate = image.sign * c.start_rate
        return replace(c, name=name, of=image.of, lower=lower, upper=upper, start=start, start_rate=rate)


def moved(image: Image, value: float) -> float:
    """A value of the measure as its image has it."""
    return image.sign * value + image.shift


def turned_table(table: ForceTable, sign: float) -> ForceTable:
    """The force over a deflection or rate that counts the other way, if the sign is -1."""
    return table if sign > 0.0 else ForceTable(-table.x[::-1] + 0.0, -table.force[::-1] + 0.0)


def bushing_signs(at: Placement) -> Array:
    """(6,) of the deflections of a mirrored bushing."""
    along = BUSHING if at.sign < 0.0 else np.ones(3)
    return np.concatenate([along, at.sign * along])


# -- axes of joints ---------------------------------------------------------------------------------------------------


def placed_axis(primitive: Primitive, at: Placement) -> Array:
    """(3,) where the axis of a scalar motion comes to point so that the motion keeps its sign."""
    assert primitive.axis is not None
    return at.axial(primitive.axis) if primitive.kind == "rotation" else at.direction(primitive.axis)


def placed_primitives(joint: Joint, at: Placement) -> tuple[Array, tuple[Primitive, ...]]:
    """The own axes (3, 3) of the image of a joint and its motions, which are again those that its kind has.

    A kind makes all its motions from its axes; where these leave a motion no choice it may count the other way: the
    turn of a cylindrical joint, whose slide keeps its sign; the travels of a planar or free joint.
    """
    as_they_are = tuple(p if p.axis is None else replace(p, axis=placed_axis(p, at)) for p in joint.primitives)
    if joint.kind == "sequence":
        return joint.R, as_they_are
    axes = [axis for i in joint.type.carriers if (axis := as_they_are[i].axis) is not None]
    standard = joint_primitives(joint.kind, axes)
    if not all(same_line(a, b) for a, b in zip(standard, as_they_are, strict=False)):
        standard = as_they_are[: len(standard)]  # turned, and its kind would choose other axes across its own
    R = placed_frame(joint, axes, at)
    named = [direction_of(p, joint.R) for p in joint.primitives[len(standard) :]]
    stiff = [
        as_it_is if name is None else replace(as_it_is, axis=R[:, "xyz".index(name[-1])])
        for name, as_it_is in zip(named, as_they_are[len(standard) :], strict=True)
    ]
    return R, (*standard, *stiff)


def placed_frame(joint: Joint, axes: list[Array], at: Placement) -> Array:
    """(3, 3) own axes of the image of a joint: x and y along the axes that its kind has, else z where it was."""
    if not joint.stiff:
        return joint.R
    there = at.T @ joint.R
    if (
        not axes
        and at.sign < 0.0
        and np.array_equal(joint.R, np.eye(3))
        and np.array_equal(at.T, np.diag(np.diag(at.T)))
    ):
        return joint.R  # global axes stay global
    signs = np.ones(3)
    for number, axis in enumerate(axes):
        signs[number] = np.sign(there[:, number] @ axis)
    signs[2 if len(axes) == 2 else 1] *= at.sign * float(np.prod(signs))
    return there * signs


def reach_sign(joint: Joint, primitives: tuple[Primitive, ...], at: Placement) -> float:
    """1 where the axis of the image of a hinge is the image of its axis, -1 where it goes the other way."""
    if not joint.reach:
        return 1.0
    axis = primitives[0].axis
    assert axis is not None
    return float(np.sign(at.direction(joint.axes[0]) @ axis))


def same_line(a: Primitive, b: Primitive) -> bool:
    """Whether two motions are along or about the same line, whichever way."""
    if a.axis is None or b.axis is None:
        return a.axis is b.axis
    return float(np.abs(np.cross(a.axis, b.axis)).max()) < 1e-12
