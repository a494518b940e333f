"""The output variables of a model, in their order, with where each comes from and what it depends on.

Per coordinate q, qd, qdd (all q first, stiff ones last, then all qd, then qdd without the stiff ones) and the forces of
the drives; per element measure, rate, force, and of a spring its free length or preload, whichever is no parameter;
per marker position, velocity, angular velocity, roll-pitch-yaw and, where the marker has a spin axis, steer and camber,
since design and absolute; value and rate of the measures that are read; per wheel what `wheel_variables` has; force and
moment on a moving ground; loads and accelerations that are read on request; then energies, whether all is in range, the
number of the chart where there are several, and the error of the last step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..model.reduced_model import CoordinateInfo, ReducedModel
from ..model.rows import load_places
from ..model.units import effort_of, rate_of
from .input_variables import input_variables, load_names
from .source import Operation, Source
from .track_variables import led, led_by, track_outputs
from .variable import XYZ, Variable, parameter_names, span
from .wheel_variables import wheel_outputs

TABLE_ERRORS = (
    ("error", "1", "the largest of all that they hold, inertia too, over what is natural for each"),
    ("error_position", "m", "the largest of positions of markers and of lengths that forces act on or that are read"),
    ("error_angle", "rad", "the largest of rotations of markers and of angles that forces act on or that are read"),
)
"""By kind of `remainder`: name, unit, what it is of."""


@dataclass(frozen=True)
class Knowns:
    """What an output depends on."""

    at_once: tuple[str, ...]  # inputs that act on it while the FMU runs
    initially: tuple[str, ...] | None = None  # parameters and inputs that fix it at the start; None: all of them


@dataclass(frozen=True)
class Dependence:
    """What the parts of the motion depend on; at the start all on everything, since that may be an equilibrium."""

    motion: Knowns  # position and rates of the mechanism as a whole
    acceleration: Knowns


def output_variables(model: ReducedModel) -> Iterator[Variable]:
    """All outputs."""
    on = dependence(model)
    yield from _coordinates(model, on)
    for number, element in enumerate(model.elements):
        if element.laws:
            yield from _element(model, number, on)
    for number in range(len(model.devices)):
        yield from _device(model, number, on)
    for number, marker in enumerate(model.markers):
        if marker.shown:
            yield from _marker(model, number, on)
    for number in range(len(model.measures)):
        yield from _measure(model, number, on)
    for number in range(len(model.wheels)):
        yield from _wheel(model, number, on)
    for shown in track_outputs(model):
        yield _output(shown.name, shown.unit, shown.text, on.acceleration, shown.source)
    if model.moving:
        for first, symbol, unit, what in ((0, "F", "N", "Force"), (3, "M", "N.m", "Moment about its origin")):
            for i, axis in enumerate(XYZ):
                text = f"{what} of the mechanism on the chassis along chassis {axis}"
                source = Source(Operation.WRENCH, first + i)
                yield _output(f"chassis.{symbol}[{i + 1}]", unit, text, on.acceleration, source)
    for number in range(len(model.loads)):
        yield _load(model, number, on)
    yield from _energies(model, on)
    text = (
        "1 while every coordinate is within its tables, and every deflection within its radius or the tables good "
        "nevertheless (table.error), else 0"
    )
    flag = _output("table.inRange", "1", text, on.motion, Source(Operation.IN_RANGE))
    yield replace(flag, variability="discrete", minimum=0.0, maximum=1.0)
    if len(model.charts) > 1:
        axes = "; ".join(f"{i + 1}: {', '.join(a.name for a in chart.axes)}" for i, chart in enumerate(model.charts))
        text = f"Tables in use, by coordinates ({axes})"
        which = _output("table.chart", "1", text, on.motion, Source(Operation.CHART))
        yield replace(which, variability="discrete")
    text = (
        "Error of the last step, the largest of its internal ones, over what the tables promise (their tolerance of "
        "first derivatives times the length of a table, that of deflections times the radius; of what turns for ever "
        "the share of a turn); above 1 solver.step is too long; -1 while solver.check is 0"
    )
    error = _output("solver.error", "1", text, Knowns((), ("solver.check",)), Source(Operation.STEP_ERROR))
    yield replace(error, variability="discrete")
    if model.errors is not None:
        for kind, (name, unit, what) in enumerate(TABLE_ERRORS):
            text = f"Estimated error of the tables here: {what}"
            yield _output(f"table.{name}", unit, text, on.motion, Source(Operation.TABLE_ERROR, kind))


def dependence(model: ReducedModel) -> Dependence:
    """What motion and acceleration depend on.

    Directly driven coordinates take their inputs at the start of a step, so these act at once on nothing; quasi-static
    deflections follow the loads at once.
    """
    motion = Knowns(load_names(model) if model.quasistatic else ())
    inputs = tuple(variable.name for variable in input_variables(model))
    direct = [c.name for c in model.coordinates if c.driven == "direct"]
    taken = {f"drive.{name}.{symbol}" for name in direct for symbol in ("q", "qd")}
    at_once = tuple(name for name in inputs if name not in taken)
    return Dependence(motion, Knowns(at_once))


def _own(c: CoordinateInfo) -> Knowns:
    """What a coordinate depends on that is the model's own and an axis."""
    if c.driven == "no":
        return Knowns(())
    if c.driven == "direct":
        return Knowns((), (f"drive.{c.name}.q",))
    return Knowns((), ("solver.static", f"q_start.{c.name}", f"drive.{c.name}.q"))


def _own_rate(name: str, direct: bool) -> Knowns:
    """The same of its rate, and of that of a deflection."""
    return Knowns((), (f"drive.{name}.qd",) if direct else ("solver.static", f"qd_start.{name}"))


def _coordinates(model: ReducedModel, on: Dependence) -> Iterator[Variable]:
    several, nf = len(model.charts) > 1, len(model.coordinates)
    for k, c in enumerate(model.coordinates):
        axis = next(axis for chart in model.charts for axis in chart.axes if axis.name == c.name)
        lower, upper, nominal = span(axis)
        lower, upper = (None, None) if several else (lower, upper)  # of all charts, not of one
        source = Source(Operation.COORDINATE, k)
        found = _output(f"q.{c.name}", c.unit, c.description or f"Coordinate {c.name}", on.motion, source)
        found = found if several else _known(found, _own(c))
        yield replace(found, minimum=lower, maximum=upper, nominal=nominal)
    for k, stiff in enumerate(model.stiff):
        text, source = stiff.description or f"Deflection {stiff.name}", Source(Operation.COORDINATE, nf + k)
        yield replace(_output(f"q.{stiff.name}", stiff.unit, text, on.motion, source), nominal=stiff.radius)
    for k, c in enumerate(model.coordinates):
        source = Source(Operation.RATE, k)
        found = _output(f"qd.{c.name}", rate_of(c.unit), f"Rate of {c.name}", on.motion, source)
        own = Knowns((), led_by(model)) if led(model, c.name) else _own_rate(c.name, c.driven == "direct")
        yield found if several else _known(found, own)
    for k, stiff in enumerate(model.stiff):
        source = Source(Operation.RATE, nf + k)
        found = _output(f"qd.{stiff.name}", rate_of(stiff.unit), f"Rate of {stiff.name}", on.motion, source)
        yield found if model.quasistatic else _known(found, _own_rate(stiff.name, False))
    for k, c in enumerate(model.coordinates):
        knowns, source = _drive_knowns(c) or on.acceleration, Source(Operation.ACCELERATION, k)
        yield _output(f"qdd.{c.name}", f"{c.unit}/s2", f"Acceleration of {c.name}", knowns, source)
    for d, c in enumerate(c for c in model.coordinates if c.driven != "no"):
        text, source = f"Generalized force that the drive of {c.name} must supply", Source(Operation.DRIVE, d)
        yield _output(f"drive.{c.name}.force", effort_of(c.unit), text, on.acceleration, source)


def _drive_knowns(c: CoordinateInfo) -> Knowns | None:
    """What the acceleration of a driven coordinate depends on."""
    if c.driven == "no":
        return None
    if c.driven == "direct":
        return Knowns((f"drive.{c.name}.qdd",), (f"drive.{c.name}.qdd",))
    starts = "solver.static", f"q_start.{c.name}", f"qd_start.{c.name}"
    return Knowns((f"drive.{c.name}.q",), (*starts, f"drive.{c.name}.q"))


def _element(model: ReducedModel, number: int, on: Dependence) -> Iterator[Variable]:
    element = model.elements[number]
    rows = tuple(chart.rows.elements[number] for chart in model.charts)
    measure, rate = Source(Operation.ROW, rows=rows, lap=element.lap), Source(Operation.ROW_RATE, rows=rows)
    effort = Source(Operation.FORCE, number)
    name, unit, i = element.name, element.unit, element.direction
    if i:
        way = f"{('along', 'about')[i > 3]} its axis {XYZ[(i - 1) % 3]}"
        yield _output(f"{name}.deflection[{i}]", unit, f"Deflection of {name} {way}", on.motion, measure)
        yield _output(f"{name}.rate[{i}]", rate_of(unit), f"Rate of the deflection of {name} {way}", on.motion, rate)
        text = f"{('Force', 'Moment')[i > 3]} of {name} {way}, positive if it makes the deflection grow"
        yield _output(f"{name}.force[{i}]", effort_of(unit), text, on.motion, effort)
        return
    symbol, what = ("angle", "Angle") if unit == "rad" else ("length", "Length")
    yield _output(f"{name}.{symbol}", unit, f"{what} of {name}", on.motion, measure)
    yield _output(f"{name}.rate", rate_of(unit), f"Rate of the {symbol} of {name}", on.motion, rate)
    text = f"Force of {name}, positive if it makes the {symbol} grow"
    yield _output(f"{name}.force", effort_of(unit), text, on.motion, effort)
    yield from _counterpart(model, number)


def _counterpart(model: ReducedModel, number: int) -> Iterator[Variable]:
    """Of a spring, what follows from its parameters: the free length from a preload, or the other way round."""
    element = model.elements[number]
    law = element.laws[0] if element.laws else None
    if law is None or law.design is None or law.preload is law.reference is None:
        return
    what = "Angle" if element.unit == "rad" else "Length"
    if law.preload is None:
        name, unit, source = "preload", effort_of(element.unit), Source(Operation.PRELOAD, number)
        text = f"Force of {element.name} at design, without stops"
    else:
        name, unit, source = "free_length", element.unit, Source(Operation.FREE, number)
        text = f"{what} of {element.name} at which it is free; that at design, if its stiffness is zero"
    knowns = Knowns((), parameter_names(model, law.all_parameters))
    yield replace(_output(f"{element.name}.{name}", unit, text, knowns, source), variability="discrete")


def _device(model: ReducedModel, number: int, on: Dependence) -> Iterator[Variable]:
    """Of a device, its measures, states, unknowns, forces and outputs."""
    device = model.devices[number]
    inputs = tuple(f"element.{given.name}" for given in device.inputs)
    knowns = on.acceleration if device.loads else Knowns(tuple(dict.fromkeys((*on.motion.at_once, *inputs))))

    def shown(name: str, unit: str, text: str, slot: int, knowns: Knowns = knowns) -> Variable:
        return _output(f"element.{name}", unit, text, knowns, Source(Operation.DEVICE, number, part=slot))

    for c in device.connections:
        element, rows = model.elements[c.element], tuple(chart.rows.elements[c.element] for chart in model.charts)
        owner, symbol = c.name.split(".")
        text = f"Measure {symbol} of element {owner}"
        yield _output(element.name, element.unit, text, on.motion, Source(Operation.ROW, rows=rows, lap=element.lap))
        source = Source(Operation.ROW_RATE, rows=rows)
        yield _output(f"{element.name}_rate", rate_of(element.unit), f"Rate of {c.name}", on.motion, source)
    for i, state in enumerate(device.states):
        start = Knowns((), ("solver.static", f"x_start.{state.name}"))
        yield shown(state.name, state.unit, state.description or f"State {state.name}", device.x + i, start)
    for i, unknown in enumerate(device.unknowns):
        yield shown(unknown.name, unknown.unit, unknown.description or f"Unknown {unknown.name}", device.u + i)
    for c in device.connections:
        owner, symbol = c.name.split(".")
        if c.force >= 0:
            effort = effort_of(model.elements[c.element].unit)
            text = f"Force of element {owner} on its {symbol}, positive if it makes that grow"
            yield shown(f"{owner}.force.{symbol}", effort, text, device.given + c.force)
    for output in device.outputs:
        text = output.description or f"Output {output.name}"
        yield shown(output.name, output.unit, text, device.given + output.formula)


def _marker(model: ReducedModel, number: int, on: Dependence) -> Iterator[Variable]:
    marker, rows = model.markers[number], [chart.rows.markers[number] for chart in model.charts]
    angles, nz = ("Roll", "Pitch", "Yaw"), len(model.starts)
    for kind, (symbol, unit, what, knowns, operation) in enumerate(
        (
            ("r", "m", "Position", on.motion, Operation.ROW),
            ("v", "m/s", "Velocity", on.motion, Operation.ROW_RATE),
            ("w", "rad/s", "Angular velocity", on.motion, Operation.TURNING),
        )
    ):
        for i, axis in enumerate(XYZ):
            text = f"{what} of marker {marker.name} along ground {axis}"
            first = [own.A + i * nz if operation == Operation.TURNING else own.r + i for own in rows]
            source = Source(operation, rows=tuple(first))
            if model.track is not None:
                source = Source(Operation.CARRIED, number, part=3 * kind + i)
            yield _output(f"marker.{marker.name}.{symbol}[{i + 1}]", unit, text, knowns, source)
    turned = tuple(own.R for own in rows)
    for i, angle in enumerate(angles):
        text = f"{angle} of marker {marker.name}, R = Rz(yaw) Ry(pitch) Rx(roll)"
        source = Source(Operation.ANGLE, i, turned)
        source = source if model.track is None else Source(Operation.CARRIED, number, part=9 + i)
        yield _output(f"marker.{marker.name}.angle[{i + 1}]", "rad", text, on.motion, source)
    if marker.spin_axis is not None:
        text = f"Heading of the spin axis of marker {marker.name} from its design direction, positive about ground z"
        source = Source(Operation.STEER, number, turned)
        yield _output(f"marker.{marker.name}.steer", "rad", text, on.motion, source)
        text = f"Camber of marker {marker.name}, positive with the top outboard"
        source = Source(Operation.CAMBER, number, turned)
        yield _output(f"marker.{marker.name}.camber", "rad", text, on.motion, source)
        text = (
            f"Heading of marker {marker.name} from straight ahead, positive about ground z: steer with that at design"
        )
        source = Source(Operation.STEER_ABSOLUTE, number, turned)
        yield _output(f"marker.{marker.name}.steer_absolute", "rad", text, on.motion, source)
        text = f"Camber of marker {marker.name} since design"
        source = Source(Operation.CAMBER_CHANGE, number, turned)
        yield _output(f"marker.{marker.name}.camber_change", "rad", text, on.motion, source)


def _measure(model: ReducedModel, number: int, on: Dependence) -> Iterator[Variable]:
    measure, rows = model.measures[number], tuple(chart.rows.measures[number] for chart in model.charts)
    name, text = f"{measure.owner}.{measure.name}", f"Measure {measure.name}: {measure.description}"
    yield _output(name, measure.unit, text, on.motion, Source(Operation.ROW, rows=rows, lap=measure.lap))
    source = Source(Operation.ROW_RATE, rows=rows)
    yield _output(f"{name}.rate", rate_of(measure.unit), f"Rate of measure {measure.name}", on.motion, source)


def _wheel(model: ReducedModel, number: int, on: Dependence) -> Iterator[Variable]:
    for shown in wheel_outputs(model, model.wheels[number]):
        knowns = Knowns(tuple(dict.fromkeys((*on.motion.at_once, *shown.inputs))))
        source = Source(shown.operation, number, part=shown.part, factor=shown.factor)
        yield _output(shown.name, shown.unit, shown.text, knowns, source)


def _load(model: ReducedModel, number: int, on: Dependence) -> Variable:
    load, measured = model.loads[number], model.charts[0].rows
    places = load_places(len(model.starts), measured.varying + measured.fixed, len(model.loaded), model.moving)
    count, rows = places.C.stop if load.acceleration else places.count, [c.rows.loads[number] for c in model.charts]
    source = Source(Operation.LOAD, rows=tuple(rows), part=count, factor=load.factor)
    return _output(load.name, load.unit, load.description, on.acceleration, source)


def _energies(model: ReducedModel, on: Dependence) -> Iterator[Variable]:
    gravity = parameter_names(model, model.gravity) if model.moving else ()
    weighed = Knowns(tuple(dict.fromkeys((*on.motion.at_once, *gravity))))
    where = " of the motion relative to the chassis" if model.moving else ""
    for i, (name, text, knowns) in enumerate(
        (
            ("kinetic", f"Kinetic energy{where}", on.motion),
            ("potential", "Energy of gravity, springs and constant forces", weighed),
            ("total", f"Kinetic and potential energy{where}", weighed),
        )
    ):
        yield _output(f"energy.{name}", "J", text, knowns, Source(Operation.ENERGY, i))


def _output(name: str, unit: str, description: str, knowns: Knowns, source: Source) -> Variable:
    blank = Variable(name, "output", "continuous", "calculated", None, unit, description, source=source)
    return _known(blank, knowns)


def _known(variable: Variable, knowns: Knowns) -> Variable:
    return replace(variable, depends_on=knowns.at_once, depends_initially_on=knowns.initially)
