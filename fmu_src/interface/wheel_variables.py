"""What a wheel takes and shows: names, units and texts; what they are is in `numpy_runtime.wheels`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..model.reduced_model import ReducedModel, WheelInfo
from .source import Operation, SteeringPart, WheelPart
from .variable import XYZ


class Given(NamedTuple):
    """An input of a wheel."""

    name: str
    start: float
    unit: str
    text: str
    loads: bool  # whether it acts on the motion


class Shown(NamedTuple):
    """An output of a wheel."""

    name: str
    unit: str
    text: str
    part: int  # as `WheelPart` counts them, or `SteeringPart`; or an element
    inputs: tuple[str, ...]  # that act on it at once, beside those that act on the motion
    operation: Operation = Operation.WHEEL
    factor: float = 1.0


class Quantity(NamedTuple):
    """A number or a vector that is shown."""

    symbol: str
    unit: str
    part: WheelPart
    text: str
    vector: bool = False
    moves: bool = False  # whether a moving ground acts on it
    needs: tuple[str, ...] = ()  # inputs of the wheel


NORMAL = tuple(f"road.n[{i}]" for i in (1, 2, 3))

QUANTITIES = (
    Quantity("travel", "m", WheelPart.TRAVEL, "Travel of the centre of wheel {} up since design"),
    Quantity("toe", "rad", WheelPart.TOE, "Toe of wheel {}, positive toe-in"),
    Quantity("camber", "rad", WheelPart.CAMBER, "Camber of wheel {} to the vehicle, positive with the top outboard"),
    Quantity("contact.r", "m", WheelPart.CONTACT, "Lowest point of the disc of wheel {}", True, False, NORMAL),
    Quantity(
        "contact.gap", "m", WheelPart.GAP, "Distance of contact.r of wheel {} from its road", needs=(*NORMAL, "road.d")
    ),
    Quantity(
        "contact.inclination",
        "rad",
        WheelPart.INCLINATION,
        "Camber of wheel {} to its road's normal",
        needs=NORMAL,
    ),
    Quantity("contact.x", "1", WheelPart.FORWARD, "Where disc and road of wheel {} meet, forward", True, False, NORMAL),
    Quantity("contact.y", "1", WheelPart.LEFT, "Across contact.x in the road of wheel {}, left", True, False, NORMAL),
    Quantity("contact.v", "m/s", WheelPart.VELOCITY, "Velocity of contact.r of wheel {}{over}", True, True, NORMAL),
    Quantity(
        "material.v",
        "m/s",
        WheelPart.MATERIAL,
        "Velocity of the point of wheel {} that is at contact.r{over}",
        True,
        True,
        (*NORMAL, "spin"),
    ),
)

STEERING = (
    ("caster", "rad", "Caster of wheel {}, positive with the top of its steering axis rearward", ()),
    ("kingpin_inclination", "rad", "Kingpin inclination of wheel {}, positive with the top of the axis inboard", ()),
    ("scrub_radius", "m", "Scrub radius of wheel {}, positive with its steering axis inboard of the contact", NORMAL),
    ("mechanical_trail", "m", "Mechanical trail of wheel {}, positive with the axis ahead of the contact", NORMAL),
)
"""In the order of `SteeringPart`; the names are those of `kinetab kc`."""

SLIPS = (("longitudinal", "x"), ("lateral", "y"))


def wheel_inputs(wheel: WheelInfo) -> Iterator[Given]:
    """The inputs of a wheel, in the order of `inputs`."""
    name, up = wheel.name, wheel.axes[2]
    for symbol, what, unit in (("F", "Force", "N"), ("M", "Moment", "N.m")):
        for i, axis in enumerate(XYZ):
            text = f"{what} of the road on wheel {name} at its contact, along ground {axis}"
            yield Given(f"wheel.{name}.{symbol}[{i + 1}]", 0.0, unit, text, True)
    text = f"Torque of brake or hub motor on wheel {name} about its spin axis, positive forward; its carrier reacts"
    yield Given(f"wheel.{name}.torque", 0.0, "N.m", text, True)
    text = f"Rate at which wheel {name} spins on its carrier, positive forward; for velocities and slip alone"
    yield Given(f"wheel.{name}.spin", 0.0, "rad/s", text, False)
    for i, axis in enumerate(XYZ):
        text = f"Normal of the road under wheel {name}, away from it, of any length (zero is up), along ground {axis}"
        yield Given(f"wheel.{name}.road.n[{i + 1}]", up[i], "1", text, True)
    text = f"Distance of that road from the origin along its normal; for wheel.{name}.contact.gap alone"
    yield Given(f"wheel.{name}.road.d", wheel.road, "m", text, False)


def wheel_outputs(model: ReducedModel, wheel: WheelInfo) -> Iterator[Shown]:
    """What is shown of a wheel: always; of its steering axes; and its motion ratios."""
    name, over = wheel.name, " over the road" if model.moving else ""
    ground = tuple(f"chassis.{symbol}[{i}]" for symbol in "wv" for i in (1, 2, 3)) if model.moving else ()
    for symbol, unit, part, text, vector, moves, needs in QUANTITIES:
        inputs = (*(f"wheel.{name}.{need}" for need in needs), *(ground if moves else ()))
        told = text.format(name, over=over)
        if not vector:
            yield Shown(f"wheel.{name}.{symbol}", unit, told, part, inputs)
        for i, axis in enumerate(XYZ if vector else ()):
            text = f"{told}, along ground {axis}"
            yield Shown(f"wheel.{name}.{symbol}[{i + 1}]", unit, text, part + i, inputs)
    for i, (way, axis) in enumerate(SLIPS):
        told = f"Slip speed of wheel {name}: its material.v along contact.{axis}"
        yield Shown(f"wheel.{name}.slip.{way}", "m/s", told, WheelPart.SLIP + i, inputs)
    for suffix, operation, which in steering_axes(model, wheel):
        for steering, (symbol, unit, text, needs) in zip(SteeringPart, STEERING, strict=True):
            inputs = tuple(f"wheel.{name}.{need}" for need in needs)
            told = f"{text.format(name)}; {which}"
            yield Shown(f"wheel.{name}.{symbol}{suffix}", unit, told, steering, inputs, operation)
    for ratio in wheel.ratios:
        element = model.elements[ratio.element]
        told = f"Compression of {element.name} per travel of wheel {name}"
        told = f"{told}; other wheels, steering, drives and deflections held"
        unit = "1" if element.unit == "m" else "rad/m"
        full = f"wheel.{name}.motion_ratio.{element.name}"
        yield Shown(full, unit, told, ratio.element, (), Operation.RATIO, ratio.sign)


def steering_axes(model: ReducedModel, wheel: WheelInfo) -> Iterator[tuple[str, Operation, str]]:
    """The axes that are known of a wheel: the end of the names, and how it is told."""
    if wheel.steering is not None:
        held = f"travel of wheel {wheel.name}" if wheel.spring is None else model.elements[wheel.spring].name
        steering = model.coordinates[wheel.steering].name
        yield "", Operation.SCREW, f"by the screw axis while {steering} moves, {held} and deflections held"
    if wheel.balls:
        yield "_geometric", Operation.GEOMETRIC, "by the line through the two balls that carry it"
