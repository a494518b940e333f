"""The output variables of a model, in the order of `outputs`, with what each depends on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..model.reduced_model import CoordinateInfo, Element, MarkerInfo, ReducedModel
from ..model.units import effort_of, rate_of
from .input_variables import input_variables, load_names
from .variable import XYZ, Variable, parameter_names, span


@dataclass(frozen=True)
class Knowns:
    """What an output depends on."""

    at_once: tuple[str, ...]  # inputs that act on it while the FMU runs
    initially: tuple[str, ...]  # parameters and inputs that fix it at the start

    def __add__(self, other: Knowns) -> Knowns:
        return Knowns(_once(*self.at_once, *other.at_once), _once(*self.initially, *other.initially))


@dataclass(frozen=True)
class Dependence:
    """What the parts of the motion depend on."""

    position: Knowns  # of the mechanism as a whole
    motion: Knowns  # position and rates
    acceleration: Knowns


def output_variables(model: ReducedModel) -> Iterator[Variable]:
    """All outputs."""
    on = dependence(model)
    yield from _coordinates(model, on)
    for element in model.elements:
        yield from _element(model, element, on)
    for marker in model.markers:
        yield from _marker(marker, on)
    if model.moving:
        for symbol, unit, what in (("F", "N", "Force"), ("M", "N.m", "Moment about its origin")):
            for i, axis in enumerate(XYZ):
                text = f"{what} of the mechanism on the chassis along chassis {axis}"
                yield _output(f"chassis.{symbol}[{i + 1}]", unit, text, on.acceleration)
    yield from _energies(model, on)
    text = "1 while every coordinate is within its tables and every deflection within its radius, else 0"
    flag = _output("table.inRange", "1", text, on.position)
    yield replace(flag, variability="discrete", minimum=0.0, maximum=1.0)
    if len(model.charts) > 1:
        axes = "; ".join(f"{i + 1}: {', '.join(a.name for a in chart.axes)}" for i, chart in enumerate(model.charts))
        text = f"Tables in use, by coordinates ({axes})"
        yield replace(_output("table.chart", "1", text, on.position), variability="discrete")


def dependence(model: ReducedModel) -> Dependence:
    """What position, motion and acceleration depend on.

    Directly driven coordinates take their inputs at the start of a step, so these act at once on nothing; quasi-static
    deflections follow the loads at once.
    """
    position = Knowns((), start_names(model, ""))
    motion = position + Knowns((), start_names(model, "d"))
    if model.quasistatic:
        loads = load_names(model)
        follow = Knowns(loads, (*parameter_names(model, (*_law_parameters(model), *model.gravity)), *loads))
        position, motion = position + follow, motion + follow
    inputs = tuple(variable.name for variable in input_variables(model))
    direct = [c.name for c in model.coordinates if c.driven == "direct"]
    taken = {f"drive.{name}.{symbol}" for name in direct for symbol in ("q", "qd")}
    at_once = tuple(name for name in inputs if name not in taken)
    everything = Knowns(at_once, (*(p.name for p in model.parameters), *inputs))
    return Dependence(position, motion, motion + everything)


def start_names(model: ReducedModel, rate: str) -> tuple[str, ...]:
    """The variables that give the start values of all coordinates; their rates if `rate` is "d"."""
    direct = {c.name for c in model.coordinates if c.driven == "direct"}
    names = [axis.name for axis in model.charts[0].axes]
    names += [] if model.quasistatic else [stiff.name for stiff in model.stiff]
    return tuple(f"drive.{name}.q{rate}" if name in direct else f"q{rate}_start.{name}" for name in names)


def _coordinates(model: ReducedModel, on: Dependence) -> Iterator[Variable]:
    several = len(model.charts) > 1
    names = [c.name for c in model.coordinates] + [stiff.name for stiff in model.stiff]
    own = {
        (name, rate): Knowns((), (known,))
        for rate in ("", "d")
        for name, known in zip(names, start_names(model, rate), strict=False)
    }
    for c in model.coordinates:
        axis = next(axis for chart in model.charts for axis in chart.axes if axis.name == c.name)
        lower, upper, nominal = span(axis)
        lower, upper = (None, None) if several else (lower, upper)  # of all charts, not of one
        found = _output(f"q.{c.name}", c.unit, c.description or f"Coordinate {c.name}", on.position)
        found = found if several else _known(found, own[c.name, ""])
        yield replace(found, minimum=lower, maximum=upper, nominal=nominal)
    for stiff in model.stiff:
        found = _output(f"q.{stiff.name}", stiff.unit, stiff.description or f"Deflection {stiff.name}", on.position)
        found = found if model.quasistatic else _known(found, own[stiff.name, ""])
        yield replace(found, nominal=stiff.radius)
    for c in model.coordinates:
        found = _output(f"qd.{c.name}", rate_of(c.unit), f"Rate of {c.name}", on.motion)
        yield found if several else _known(found, own[c.name, "d"])
    for stiff in model.stiff:
        found = _output(f"qd.{stiff.name}", rate_of(stiff.unit), f"Rate of {stiff.name}", on.motion)
        yield found if model.quasistatic else _known(found, own[stiff.name, "d"])
    for c in model.coordinates:
        knowns = _drive_knowns(c) or on.acceleration
        yield _output(f"qdd.{c.name}", f"{c.unit}/s2", f"Acceleration of {c.name}", knowns)
    for c in model.coordinates:
        if c.driven != "no":
            text = f"Generalized force that the drive of {c.name} must supply"
            yield _output(f"drive.{c.name}.force", effort_of(c.unit), text, on.acceleration)


def _drive_knowns(c: CoordinateInfo) -> Knowns | None:
    """What the acceleration of a driven coordinate depends on."""
    if c.driven == "no":
        return None
    if c.driven == "direct":
        return Knowns((f"drive.{c.name}.qdd",), (f"drive.{c.name}.qdd",))
    return Knowns((f"drive.{c.name}.q",), (f"q_start.{c.name}", f"qd_start.{c.name}", f"drive.{c.name}.q"))


def _element(model: ReducedModel, element: Element, on: Dependence) -> Iterator[Variable]:
    number = next(i for i, other in enumerate(model.elements) if other is element)
    own = [i for law in element.laws for i in law.all_parameters]
    own += [i for c in model.couplings if number in (c.a, c.b) for i in (c.stiffness, c.damping)]
    force = on.motion + Knowns((), parameter_names(model, own))
    name, unit, i = element.name, element.unit, element.direction
    if i:
        way = f"{('along', 'about')[i > 3]} its axis {XYZ[(i - 1) % 3]}"
        yield _output(f"{name}.deflection[{i}]", unit, f"Deflection of {name} {way}", on.position)
        yield _output(f"{name}.rate[{i}]", rate_of(unit), f"Rate of the deflection of {name} {way}", on.motion)
        text = f"{('Force', 'Moment')[i > 3]} of {name} {way}, positive if it makes the deflection grow"
        yield _output(f"{name}.force[{i}]", effort_of(unit), text, force)
        return
    symbol, what = ("angle", "Angle") if unit == "rad" else ("length", "Length")
    yield _output(f"{name}.{symbol}", unit, f"{what} of {name}", on.position)
    yield _output(f"{name}.rate", rate_of(unit), f"Rate of the {symbol} of {name}", on.motion)
    text = f"Force of {name}, positive if it makes the {symbol} grow"
    yield _output(f"{name}.force", effort_of(unit), text, force)


def _marker(marker: MarkerInfo, on: Dependence) -> Iterator[Variable]:
    angles = ("Roll", "Pitch", "Yaw")
    for symbol, unit, what, knowns in (
        ("r", "m", "Position", on.position),
        ("v", "m/s", "Velocity", on.motion),
        ("w", "rad/s", "Angular velocity", on.motion),
    ):
        for i, axis in enumerate(XYZ):
            text = f"{what} of marker {marker.name} along ground {axis}"
            yield _output(f"marker.{marker.name}.{symbol}[{i + 1}]", unit, text, knowns)
    for i, angle in enumerate(angles):
        text = f"{angle} of marker {marker.name}, R = Rz(yaw) Ry(pitch) Rx(roll)"
        yield _output(f"marker.{marker.name}.angle[{i + 1}]", "rad", text, on.position)
    if marker.spin_axis is not None:
        text = f"Heading of the spin axis of marker {marker.name} from its design direction, positive about ground z"
        yield _output(f"marker.{marker.name}.steer", "rad", text, on.position)
        text = f"Camber of marker {marker.name}, positive with the top outboard"
        yield _output(f"marker.{marker.name}.camber", "rad", text, on.position)


def _energies(model: ReducedModel, on: Dependence) -> Iterator[Variable]:
    gravity = parameter_names(model, model.gravity)
    rest = Knowns(gravity if model.moving else (), gravity)
    rest += Knowns((), parameter_names(model, _law_parameters(model)))
    where = " of the motion relative to the chassis" if model.moving else ""
    yield _output("energy.kinetic", "J", f"Kinetic energy{where}", on.motion)
    yield _output("energy.potential", "J", "Energy of gravity and springs", on.position + rest)
    yield _output("energy.total", "J", f"Kinetic and potential energy{where}", on.motion + rest)


def _law_parameters(model: ReducedModel) -> list[int]:
    found = [i for element in model.elements for law in element.laws for i in law.all_parameters]
    return found + [i for coupling in model.couplings for i in (coupling.stiffness, coupling.damping)]


def _output(name: str, unit: str, description: str, knowns: Knowns) -> Variable:
    blank = Variable(name, "output", "continuous", "calculated", None, unit, description)
    return _known(blank, knowns)


def _known(variable: Variable, knowns: Knowns) -> Variable:
    return replace(variable, depends_on=knowns.at_once, depends_initially_on=_once(*knowns.initially))


def _once(*names: str) -> tuple[str, ...]:
    """Names, each once, in order."""
    return tuple(dict.fromkeys(names))
