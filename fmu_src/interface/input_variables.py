"""The input variables of a model: gravity where the ground moves, then those of `inputs`, in its order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..model.reduced_model import CoordinateInfo, ReducedModel, StartInfo
from ..model.units import effort_of, rate_of
from .inputs import forced_coordinates
from .variable import XYZ, Variable, parameter_names
from .wheel_variables import wheel_inputs

CHASSIS = (
    ("w", "rad/s", "Angular velocity of the chassis"),
    ("v", "m/s", "Velocity of the origin of the chassis"),
    ("wd", "rad/s2", "Rate of chassis.w"),
    ("vd", "m/s2", "Rate of the components chassis.v (without w x v)"),
)


def input_variables(model: ReducedModel) -> Iterator[Variable]:
    """All inputs."""
    if model.moving:
        for number in model.gravity:
            p = model.parameters[number]
            yield _input(p.name, p.value, p.unit, f"{p.description}, in chassis axes")
    for c in (model.coordinates[i] for i in forced_coordinates(model)):
        yield _input(f"Q.{c.name}", 0.0, effort_of(c.unit), f"Generalized force on {c.name}")
    for c, start in zip(model.coordinates, model.starts, strict=False):
        if c.driven != "no":
            yield from _drive(c, start)
    if model.moving:
        for symbol, unit, what in CHASSIS:
            for i, axis in enumerate(XYZ):
                yield _input(f"chassis.{symbol}[{i + 1}]", 0.0, unit, f"{what} along chassis {axis}")
    for port in model.ports:
        loads = (("F", "Force", "N", port.force), ("M", "Moment", "N.m", port.moment))
        for symbol, what, unit, starts in loads:
            for i, axis in enumerate(XYZ):
                text = f"{what} on marker {model.markers[port.marker].name} along ground {axis}"
                yield _input(f"port.{port.name}.{symbol}[{i + 1}]", starts[i], unit, text)
    for wheel in model.wheels:
        for given in wheel_inputs(wheel):
            yield _input(given.name, given.start, given.unit, given.text)
    for device in model.devices:
        for own in device.inputs:
            text = own.description or f"Input of element {own.name.partition('.')[0]}"
            found = _input(f"element.{own.name}", own.start, own.unit, text)
            yield replace(found, minimum=own.minimum, maximum=own.maximum)


def load_names(model: ReducedModel) -> tuple[str, ...]:
    """Inputs that load the mechanism whatever its rates are: gravity, motion of the chassis, ports, wheels."""
    gravity = parameter_names(model, model.gravity) if model.moving else ()
    names = (variable.name for variable in input_variables(model))
    idle = {given.name for wheel in model.wheels for given in wheel_inputs(wheel) if not given.loads}
    loads = (name for name in names if name.startswith(("chassis.", "port.", "wheel.")) and name not in idle)
    return (*gravity, *loads)


def _drive(c: CoordinateInfo, start: StartInfo) -> Iterator[Variable]:
    if c.driven == "filtered":
        text = f"Where {c.name} is driven to, through a filter with the time constant {c.filter_time:g} s"
        yield _input(f"drive.{c.name}.q", start.value, c.unit, text)
        return
    yield _input(f"drive.{c.name}.q", start.value, c.unit, f"{c.name} at the start of each step")
    yield _input(f"drive.{c.name}.qd", start.rate, rate_of(c.unit), f"Rate of {c.name} at the start of each step")
    yield _input(f"drive.{c.name}.qdd", 0.0, f"{c.unit}/s2", f"Acceleration of {c.name} over each step")


def _input(name: str, start: float, unit: str, description: str) -> Variable:
    return Variable(name, "input", "continuous", None, start, unit, description)
