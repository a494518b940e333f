"""What is doubtful in a mechanism and yet no error: warnings of `check` and `bake`, and notes; in the file's units."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from precompute.arrays import Array
from precompute.formulas.interfaces import RATE
from precompute.model.bushings import bushings_across, locked_directions
from precompute.model.joint_types import Direction
from precompute.model.joints import Joint
from precompute.model.parts import Body, Rod, violated_triangle
from precompute.model.wheels import Wheel, sided
from precompute.units import SCALES

if TYPE_CHECKING:
    from precompute.model.mechanism import Mechanism

LARGEST, SMALLEST = 50.0, 2e-3
"""[m] A mechanism that spans more, or less, was probably written in other units than it says."""

PLAUSIBLE = (0.02, 20.0)
"""[m] A unit in which it spans this much is suggested instead."""

WIDE, NARROW = 30.0, 5e-3
"""A radius of gyration above WIDE times the mechanism's extent, or below NARROW times that of the body's own points."""

COINCIDENT = 1e-6
"""Joints that are nearer to each other, over the extent of the mechanism, are at one point; axes, over 1, parallel."""

STRONGEST_GRAVITY = 100.0
"""[m/s2] Beyond it, gravity was probably given in another unit."""

SMALLEST_WHEEL, LARGEST_WHEEL = 0.01, 5.0
"""[m] A radius below or above was probably written in another unit than the file says."""

ACROSS = 0.05
"""Share of a wheel's distance from the middle plane, beyond which a point of its carrier is on the other side."""


def doubts(m: Mechanism) -> tuple[str, ...]:
    """What a user should look at before trusting the mechanism, each with its place first, as problems have it."""
    links = (f"bodies.{body}: {told}; check the points" for body, told in links_without_length(m))
    return (
        *doubtful_inertias(m),
        *links,
        *doubtful_units(m),
        *vehicle_doubts(m),
        *unseen_rates(m),
    )


def unseen_rates(m: Mechanism) -> Iterator[str]:
    """Elements that remember how a bushing deflects, where deflections have rates by the motion of the axes alone."""
    for device in m.devices if m.tables.stiff == "quasistatic" else ():
        texts = [*(state.rate for state in device.states), *(o.formula for o in device.outputs if device.states)]
        for symbol, on in device.on:
            if on.deflection is not None and any(re.search(rf"\b{symbol}{RATE}\b", text) for text in texts):
                yield (
                    f"elements.{device.name}: remembers the deflection of bushing '{on.deflection[0]}' by "
                    f"'{symbol}{RATE}', "
                    'which with tables.stiff = "quasistatic" is by the motion of the axes alone: how loads deflect the '
                    'bushing is not in it; write stiff = "dynamic"'
                )
                break


def doubtful_inertias(m: Mechanism) -> Iterator[str]:
    """Bodies with an inertia that no real body has, unless it is meant so."""
    for body in m.bodies:
        violated = None if body.allow_unphysical_inertia else violated_triangle(body.inertia, m.units)
        if violated:
            yield (
                f"bodies.{body.name}.inertia: {violated}. Check the numbers and the products' signs; if they are meant "
                "so, allow_unphysical_inertia = true says it"
            )


def idle_rates(m: Mechanism) -> tuple[str, ...]:
    """Directions of bushings that a joint between the same bodies locks: what is given there does nothing.

    That is often meant so, where a model leaves out what is stiff enough: notes, no warnings.
    """
    found: dict[tuple[str, tuple[Direction, ...]], list[str]] = {}
    for joint in m.joints:
        for bushing in bushings_across(joint, m.bushings):
            given = tuple(d for d in locked_directions(joint, bushing) if bushing.acts_along(d))
            if given:
                found.setdefault((joint.name, given), []).append(bushing.name)
    return tuple(
        f"bushing{'s' * (len(names) > 1)} {', '.join(names)}: joint '{joint}' between the same bodies locks direction"
        f"{'s' * (len(directions) > 1)} {', '.join(directions)}; rates given there have no effect, since it does not "
        "give way there"
        for (joint, directions), names in found.items()
    )


def links_without_length(m: Mechanism) -> list[tuple[str, str]]:
    """Bodies whose only two joints turn about the same axis, or are balls at the same point; with what to say of them.

    Two axes that cross at a point are no such thing, but a Hooke's joint.
    """
    near = COINCIDENT * extent([p for _, p in points(m)])
    out = []
    for body in m.bodies:
        joints = [c for c in m.connections if body.name in (c.parent, c.child)]
        if len(joints) != 2 or (gap := axis_offset(joints[0], joints[1], body.name)) is None or gap > near:
            continue
        both = " and ".join(f"'{joint.name}'" for joint in joints)
        apart = m.units.shown(gap, digits=3)
        out.append((body.name, f"its joints {both} coincide ({apart} apart): a link without length"))
    return out


def axis_offset(a: Joint | Rod, b: Joint | Rod, body: str) -> float | None:
    """Distance [m] of two balls, or of two parallel axes, on a body; None if the joints are neither."""
    if isinstance(a, Rod) or isinstance(b, Rod):
        return None
    free = [[p for p in joint.primitives if not p.stiff] for joint in (a, b)]
    if [p.kind for p in free[0]] != [p.kind for p in free[1]] or len(free[0]) != 1:
        return None
    p, q = (joint.p_P if joint.parent == body else joint.p_C for joint in (a, b))
    one, other = free[0][0].axis, free[1][0].axis
    if one is None or other is None:
        return float(np.linalg.norm(q - p))
    if free[0][0].kind != "rotation" or np.linalg.norm(np.cross(one, other)) > COINCIDENT:
        return None
    return float(np.linalg.norm(np.cross(one, q - p)))


# -- units ------------------------------------------------------------------------------------------------------------


def doubtful_units(m: Mechanism) -> Iterator[str]:
    """Sizes, inertias and gravity that look as if they were written in other units than the file says."""
    size = extent([p for _, p in points(m)])
    if size > LARGEST or 0.0 < size < SMALLEST:
        yield f'units.length: is "{m.units.length}", so that the mechanism spans {m.units.shown(size, digits=4)}' + (
            better_unit(m, size) or ". Is that meant?"
        )
    else:  # with the wrong length all inertias look wrong too
        yield from doubtful_gyrations(m, size)
    if (strength := float(np.linalg.norm(m.gravity))) > STRONGEST_GRAVITY:
        yield f"gravity: is {strength:.6g} m/s2; it is given in m/s2 whatever the unit of length: [0, 0, -9.81], say"


def better_unit(m: Mechanism, size: float) -> str:
    """The unit of length in which the file's numbers would make a mechanism of a usual size, as a question."""
    written = m.units.scale("length").back(size)
    for unit, scale in SCALES["length"].items():
        if unit != m.units.length and PLAUSIBLE[0] <= scale(written) <= PLAUSIBLE[1]:
            spans = f"{scale(written):.3g} m"
            return f'. Are its points in {unit}? Then units = {{ length = "{unit}" }}, and it spans {spans}'
    return ""


def doubtful_gyrations(m: Mechanism, size: float) -> Iterator[str]:
    """Bodies whose inertia does not go with their mass and the size of what they are in."""
    unit = f"{m.units.mass} {m.units.length}2"
    for body in m.bodies:
        radius = gyration(body)
        own = extent([p for name, p in points(m) if name == body.name])
        if size > 0.0 and radius > WIDE * size:
            where = f"the whole mechanism spans {m.units.shown(size, digits=4)}"
        elif 0.0 < radius < NARROW * own:
            where = f"its points are up to {m.units.shown(own, digits=4)} apart"
        else:
            continue
        yield (
            f"bodies.{body.name}.inertia: with its mass it makes a radius of gyration of "
            f"{m.units.shown(radius, digits=3)}, but {where}. Inertias are in {unit} here; was it given in others?"
        )


def gyration(body: Body) -> float:
    """The largest radius of gyration [m]; zero for a point mass, or without mass."""
    largest = float(np.linalg.eigvalsh(body.inertia)[-1])
    return math.sqrt(largest / body.mass) if body.mass > 0.0 and largest > 0.0 else 0.0


def points(m: Mechanism) -> list[tuple[str, Array]]:
    """All points at design with the bodies that they belong to; those of the ground too."""
    placed = [c for c in m.connections if not (isinstance(c, Joint) and c.anywhere and not c.p_P.any())]
    found = [(body, p) for c in placed for body, p in ((c.parent, c.p_P), (c.child, c.p_C))]
    found += [(body, b.p) for b in m.bushings for body in (b.parent, b.child)]
    found += [(k.body, k.p) for k in m.markers]
    found += [end for element in m.elements for end in element.on.segment or ()]
    found += [end for device in m.devices for _, on in device.on for end in on.segment or ()]
    return [*found, *((b.name, b.com) for b in m.bodies)]


def extent(places: list[Array]) -> float:
    """The diagonal of the box around some points [m]."""
    return float(np.linalg.norm(np.ptp(np.array(places), axis=0))) if places else 0.0


# -- wheels and the vehicle around them --------------------------------------------------------------------------------


def vehicle_doubts(m: Mechanism) -> Iterator[str]:
    """All of them, each with its place first."""
    yield from lonely_wheels(m)
    yield from doubtful_radii(m)
    yield from other_side(m)
    yield from upward_gravity(m)
    yield from doubtful_vehicle(m)


def lonely_wheels(m: Mechanism) -> Iterator[str]:
    """Wheels that no axle has where one lacks a wheel on their side, which it would take from a mirror."""
    named = {wheel for axle in m.axles for wheel in axle.wheels}
    for wheel in m.wheels:
        lacking = [axle.name for axle in m.axles if getattr(axle, wheel.side) is None]
        if wheel.name not in named and lacking:
            yield (
                f"wheels.{wheel.name}: is on no axle, and axle '{lacking[0]}' has no {wheel.side} wheel: its metrics "
                f'are by symmetry; write {wheel.side} = "{wheel.name}" in [axles.{lacking[0]}] if it is the one'
            )


def doubtful_radii(m: Mechanism) -> Iterator[str]:
    """Wheels that no vehicle has: points in another unit than the file says."""
    for wheel in m.wheels:
        if not SMALLEST_WHEEL <= wheel.radius <= LARGEST_WHEEL:
            yield (
                f"wheels.{wheel.name}: has a radius of {m.units.shown(wheel.radius)}; units.length is "
                f'"{m.units.length}": are its points in another unit?'
            )


def other_side(m: Mechanism) -> Iterator[str]:
    """What is on a carrier whose wheels are on one side of the vehicle, and lies on the other: mostly a sign.

    Only where the middle plane is at the origin: where a wheel is farther from it than its radius.
    """
    carried: dict[str, list[Wheel]] = {}
    for wheel in m.wheels:
        carried.setdefault(wheel.body, []).append(wheel)
    for body, wheels in carried.items():
        across = float(wheels[0].centre @ m.axes.left)
        if len(wheels) > 1 or abs(across) <= wheels[0].radius:
            continue
        for place, p in placed_on(m, body):
            here = float(p @ m.axes.left)
            if here * across < 0.0 and abs(here) > ACROSS * abs(across):
                there, its = sided(m.units, here), sided(m.units, across)
                yield f"{place}: lies {there}, but the wheel of '{body}', on which it is, {its}; is a sign wrong?"


def placed_on(m: Mechanism, body: str) -> Iterator[tuple[str, Array]]:
    """Points of a body at design, each with its place in the file; its centre of mass first."""
    yield from ((f"bodies.{b.name}.com", b.com) for b in m.bodies if b.name == body)
    for joint in m.connections:
        yield from (
            (f"joints.{joint.name}", p)
            for end, p in ((joint.parent, joint.p_P), (joint.child, joint.p_C))
            if end == body
        )
    yield from ((f"bushings.{b.name}", b.p) for b in m.bushings if body in (b.parent, b.child))
    yield from ((f"markers.{k.name}", k.p) for k in m.markers if k.body == body)
    for section, parts in (("springs", m.springs), ("dampers", m.dampers), ("forces", m.forces)):
        for part in parts:
            yield from ((f"{section}.{part.name}", p) for end, p in part.on.segment or () if end == body)


def upward_gravity(m: Mechanism) -> Iterator[str]:
    """A vehicle that falls up."""
    if m.wheels and float(m.gravity @ m.axes.up) > 0.0:
        down = ", ".join(f"{-9.80665 * x:.6g}" if x else "0" for x in m.axes.up.tolist())
        yield f"gravity: points up, as 'axes' has it (z up without it); down is [{down}]"


def doubtful_vehicle(m: Mechanism) -> Iterator[str]:
    """A vehicle that would tip over an axle, or that has no mass on its springs."""
    v = m.vehicle
    if v is None:
        return
    if v.wheelbase is not None and v.cg_position is not None and not 0.0 <= v.cg_position <= v.wheelbase:
        here, base = m.units.shown(v.cg_position), m.units.shown(v.wheelbase)
        yield f"vehicle.cg_position: is {here} behind the front axle, not between the axles: the wheelbase is {base}"
    total = sum(mass for _, mass in v.unsprung_mass)
    if v.mass is not None and total >= v.mass:
        parts, whole = (m.units.shown(x, "mass") for x in (total, v.mass))
        yield f"vehicle.unsprung_mass: adds up to {parts}; the whole vehicle has {whole}"
    own = sum(body.mass for body in m.bodies)
    if v.mass is not None and own > v.mass:
        parts, whole = (m.units.shown(x, "mass") for x in (own, v.mass))
        yield f"bodies: have {parts} together; vehicle.mass, of all of it, is {whole}. Is a mass in another unit?"
