"""The car: its data, its four corners as mechanisms, and the loads at rest.

Chassis axes: x forward, y left, z up; origin on the road between the front wheels, the car at rest on its tyres.  All
four mechanisms are in these axes, so that their wrenches at the origin add up without a word.

At rest the wheels are in their design positions: the springs are preloaded to hold them there under the loads of

    sum of loads = weight,     sum of loads x place of their wheel = weight x place of its centre of gravity        (1)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import pi
from pathlib import Path

import numpy as np

from corners.placement import Placement, placed
from precompute.arrays import Array
from precompute.mechanism_file import loads as read
from precompute.model.devices import Device
from precompute.model.mechanism import Experiment, Mechanism, TableSettings, WheelTravel

HERE = Path(__file__).resolve().parent
MECHANISMS = HERE.parent / "mechanisms"
GRAVITY = 9.80665
INCH = 0.0254
WHEELBASE = 2.8
STEERING = ("pitman_arm", "steering_link", "idler_arm")  # one linkage for both wheels: each corner takes half of it
STEERING_FILTER = 0.01  # [s] from the angle asked for to that of the pitman arm

# The file of the double wishbone has x outboard; only as a left wheel does its steering axis lean backward (caster).
FRONT = Placement(np.array([39.5 * INCH, 0.0, -17.5 * INCH]), turn=pi / 2)
PLACES = {
    "front_left": FRONT,
    "front_right": Placement(FRONT.offset, FRONT.turn, mirrored=True),
    "rear_left": Placement(np.array([-WHEELBASE, 0.0, 0.0])),
    "rear_right": Placement(np.array([-WHEELBASE, 0.0, 0.0]), mirrored=True),
}
CORNERS = tuple(PLACES)
QUARTER = "rear_left"
"""The corner of the quarter car."""


@dataclass(frozen=True)
class Chassis:
    """The sprung body."""

    mass: float = 1700.0  # [kg]
    com: tuple[float, float, float] = (-1.31, 0.0, 0.55)  # [m]
    inertia: tuple[float, float, float] = (650.0, 2800.0, 3100.0)  # about com: xx, yy, zz [kg m2]


CHASSIS = Chassis()


def corner(name: str, rigid: bool = False, elements: bool = False) -> Mechanism:
    """The mechanism of one corner on the moving chassis, at rest under its wheel's load.

    Args:
        name: one of CORNERS.
        rigid: without rubber bushings: tables that are soon made and cheap to run.
        elements: with those of front_elements.toml or rear_elements.toml in place of the damper.
    """
    found = placed(_from_file(name, rigid, elements), PLACES[name])
    load_at_rest = loads(rigid)[name]
    ports = tuple(replace(p, force=(0.0, 0.0, load_at_rest if p.name == "contact" else 0.0)) for p in found.ports)
    (wheel,) = found.wheels
    axles = (replace(a, left=a.left and name, right=a.right and name) for a in found.axles)
    return replace(
        found,
        name="".join(word.capitalize() for word in name.split("_")),
        ports=ports,
        wheels=(replace(wheel, name=name),),
        devices=tuple(_on_wheel(device, name) for device in found.devices),
        axles=tuple(axles),
    )


def tyre_starts(instance: str, name: str, tyre: str, rigid: bool) -> dict[str, float]:
    """Start values: the load at rest, under which the corner was baked, acts at its wheel and not at a port."""
    (wheel,), load_at_rest = corner(name, rigid).wheels, loads(rigid)[name]
    return {
        f"{instance}.port.contact.F[3]": 0.0,
        f"{instance}.wheel.{name}.F[3]": load_at_rest,
        f"{tyre}.load": load_at_rest,
        f"{tyre}.radius": float(wheel.radius),
    }


@cache
def loads(rigid: bool = False) -> Mapping[str, float]:
    """Wheel loads at rest, equation (1)."""
    corners = {name: placed(_from_file(name, rigid), PLACES[name]) for name in CORNERS}
    masses = [CHASSIS.mass, *(b.mass for c in corners.values() for b in c.bodies)]
    places = [CHASSIS.com[0], *(float(b.com[0]) for c in corners.values() for b in c.bodies)]
    weight = GRAVITY * sum(masses)
    centre = float(np.dot(masses, places)) / sum(masses)
    front, rear = (float(contact(corners[name])[0]) for name in ("front_left", "rear_left"))
    share = (centre - rear) / (front - rear)
    return {name: 0.5 * weight * (share if name.startswith("front") else 1.0 - share) for name in CORNERS}


def contact(mechanism: Mechanism) -> Array:
    """(3,) where the wheel of a corner meets the road at design [m]."""
    (wheel,) = mechanism.wheels
    return wheel.contact(mechanism.axes)


def track(end: str) -> float:
    """Between the contacts of the wheels in front or behind, at design [m]."""
    return 2.0 * float(contact(corner(f"{end}_left"))[1])


@cache
def _from_file(name: str, rigid: bool, elements: bool = False) -> Mechanism:
    """As in its file, made ready for a car that drives."""
    if name.startswith("front"):
        file = "double_wishbone_rigid.toml" if rigid else "double_wishbone.toml"
        found = _steered(_with_elements(file, "front_elements.toml" if elements else None))
    else:
        found = _with_elements("five_link.toml", "rear_elements.toml" if elements else None)
        found = _without_rubber(found) if rigid else found
    return replace(
        found,
        chassis="moving",
        springs=tuple(replace(s, preload=None, static_preload=True) for s in found.springs),
        experiment=Experiment(stop_time=2.0, step_size=0.001, static=True),
        tables=TableSettings(tolerance=2e-6 if rigid else 1e-5),
    )


def _with_elements(file: str, elements: str | None) -> Mechanism:
    """The mechanism of a file, with elements in place of the damper of its strut if these are given."""
    text = (MECHANISMS / file).read_text(encoding="utf-8")
    if elements is None:
        return read(text, file, MECHANISMS)
    more = (HERE / elements).read_text(encoding="utf-8")
    found = read(f"{text}\n{more}", f"{file} with {elements}", MECHANISMS)
    return replace(found, dampers=tuple(d for d in found.dampers if d.name != "shock"))


def _on_wheel(device: Device, name: str) -> Device:
    """The element with the new name of the wheel where it acts on travel."""
    on = ((s, WheelTravel(name) if "wheel" in dict(measure.refers) else measure) for s, measure in device.on)
    return replace(device, on=tuple(on))


def _steered(mechanism: Mechanism) -> Mechanism:
    """The pitman arm follows an input; the driver's arms, a spring and a damper, go."""
    assert mechanism.coordinates is not None
    return replace(
        mechanism,
        bodies=tuple(
            replace(b, mass=b.mass / 2, inertia=b.inertia / 2) if b.name in STEERING else b for b in mechanism.bodies
        ),
        springs=tuple(s for s in mechanism.springs if s.name != "steering"),
        dampers=tuple(d for d in mechanism.dampers if d.name != "steering"),
        coordinates=tuple(
            replace(c, driven="filtered", filter_time=STEERING_FILTER) if c.name == "pitman" else c
            for c in mechanism.coordinates
        ),
    )


def _without_rubber(mechanism: Mechanism) -> Mechanism:
    """Bushings are rigid joints: what was stiff is locked."""
    joints = (replace(j, primitives=tuple(p for p in j.primitives if not p.stiff)) for j in mechanism.joints)
    return replace(mechanism, joints=tuple(joints), bushings=())
