"""The FMI variables of a reduced model as one table; a variable's value reference is its index.

Order: parameters (solver.step, q_start, qd_start, then those of the model), inputs (Q, ports), outputs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from .errors import BuildError
from .reduced_model import Axis, Element, MarkerInfo, ReducedModel
from .units import DISPLAY, effort_of, rate_of

SHORTEST_STEP = 1e-9
"""[s] Smallest `solver.step` that may be set."""

LEGAL_NAME = re.compile(r"[A-Za-z_]\w*(\[\d+\])?(\.[A-Za-z_]\w*(\[\d+\])?)*", re.ASCII)
"""Structured variable names of FMI 2.0, without the quoted ones."""

XYZ = ("x", "y", "z")


@dataclass(frozen=True)
class Variable:
    """One FMI variable of type Real."""

    name: str
    causality: Literal["parameter", "input", "output"]
    variability: Literal["fixed", "tunable", "discrete", "continuous"]
    initial: Literal["exact", "calculated"] | None  # None for inputs
    start: float | None  # None for outputs
    unit: str
    description: str
    minimum: float | None = None
    maximum: float | None = None
    nominal: float | None = None
    depends_on: tuple[str, ...] = ()  # outputs: inputs that act on it at once
    depends_initially_on: tuple[str, ...] = ()  # outputs: parameters and inputs that fix it at the start

    @property
    def display_unit(self) -> str | None:
        """What a tool may show it in."""
        return DISPLAY[self.unit].name if self.unit in DISPLAY else None


@dataclass(frozen=True)
class Layout:
    """Where the groups of variables lie."""

    parameters: slice  # those of the model, in its order
    inputs: slice  # (nz + 6 np)
    outputs: slice


SOLVER_STEP = 0
"""Value reference of `solver.step`; q_start follow, then qd_start."""


def variables(model: ReducedModel) -> tuple[Variable, ...]:
    """All variables of a model, in the order of their value references.

    Raises:
        BuildError: a name is not legal in FMI or occurs twice.
    """
    table = (*_parameters(model), *_inputs(model), *_outputs(model))
    seen: set[str] = set()
    for variable in table:
        if not LEGAL_NAME.fullmatch(variable.name):
            raise BuildError(
                f"'{variable.name}' is no legal FMI variable name; use letters, digits and _ in the names of the "
                "mechanism, and no digit first"
            )
        if variable.name in seen:
            raise BuildError(f"two variables are called '{variable.name}'; rename one of the objects they belong to")
        seen.add(variable.name)
    return table


def layout(model: ReducedModel) -> Layout:
    """Where the groups lie in `variables(model)`."""
    nz = len(model.coordinates)
    first = 1 + 2 * nz
    second = first + len(model.parameters)
    third = second + nz + 6 * len(model.ports)
    return Layout(slice(first, second), slice(second, third), slice(third, None))


def _parameters(model: ReducedModel) -> Iterator[Variable]:
    text = "Longest step of the integrator; a longer communication step is divided"
    yield Variable("solver.step", "parameter", "tunable", "exact", model.step_size, "s", text, minimum=SHORTEST_STEP)
    axes = model.charts[0].axes
    for s, a in zip(model.starts, axes, strict=True):
        lower, upper, nominal = _range(a)
        text = f"Start value of {a.name}: {s.description}"
        yield Variable(f"q_start.{a.name}", "parameter", "fixed", "exact", s.value, a.unit, text, lower, upper, nominal)
    for s, a in zip(model.starts, axes, strict=True):
        text = f"Start value of the rate of {a.name}"
        yield Variable(f"qd_start.{a.name}", "parameter", "fixed", "exact", s.rate, rate_of(a.unit), text)
    for p in model.parameters:
        yield Variable(p.name, "parameter", "tunable", "exact", p.value, p.unit, p.description, p.minimum)


def _inputs(model: ReducedModel) -> Iterator[Variable]:
    for c in model.coordinates:
        text = f"Generalized force on {c.name}"
        yield Variable(f"Q.{c.name}", "input", "continuous", None, 0.0, effort_of(c.unit), text)
    for port in model.ports:
        loads = (("F", "Force", "N", port.force), ("M", "Moment", "N.m", port.moment))
        for symbol, what, unit, start in loads:
            for i, axis in enumerate(XYZ):
                text = f"{what} on marker {model.markers[port.marker].name} along ground {axis}"
                yield Variable(f"port.{port.name}.{symbol}[{i + 1}]", "input", "continuous", None, start[i], unit, text)


def _outputs(model: ReducedModel) -> Iterator[Variable]:
    q = tuple(f"q_start.{axis.name}" for axis in model.charts[0].axes)
    both = (*q, *(f"qd_start.{axis.name}" for axis in model.charts[0].axes))
    yield from _coordinate_outputs(model, both)
    for element in model.elements:
        yield from _element_outputs(model, element, q, both)
    for marker in model.markers:
        yield from _marker_outputs(marker, q, both)
    laws = _names(model, [i for element in model.elements for law in element.laws for i in law.parameters])
    rest = (*q, *_names(model, model.gravity), *laws)
    yield _output("energy.kinetic", "J", "Kinetic energy", both)
    yield _output("energy.potential", "J", "Energy of gravity and springs", rest)
    yield _output("energy.total", "J", "Kinetic and potential energy", (*both, *rest[len(q) :]))
    if len(model.charts) > 1:
        axes = "; ".join(f"{i + 1}: {', '.join(a.name for a in chart.axes)}" for i, chart in enumerate(model.charts))
        yield replace(_output("table.chart", "1", f"Tables in use, by coordinates ({axes})", q), variability="discrete")


def _coordinate_outputs(model: ReducedModel, both: tuple[str, ...]) -> Iterator[Variable]:
    inputs = tuple(variable.name for variable in _inputs(model))
    everything = (*both, *(p.name for p in model.parameters), *inputs)
    nz, several = len(model.coordinates), len(model.charts) > 1
    for c in model.coordinates:
        axis = next(axis for chart in model.charts for axis in chart.axes if axis.name == c.name)
        lower, upper, nominal = _range(axis)
        lower, upper = (None, None) if several else (lower, upper)  # of all charts, not of one
        start = both[:nz] if several else (f"q_start.{c.name}",)
        yield _output(f"q.{c.name}", c.unit, c.description or f"Coordinate {c.name}", start, (), lower, upper, nominal)
    for c in model.coordinates:
        start = both if several else (f"qd_start.{c.name}",)
        yield _output(f"qd.{c.name}", rate_of(c.unit), f"Rate of {c.name}", start)
    for c in model.coordinates:
        yield _output(f"qdd.{c.name}", f"{c.unit}/s2", f"Acceleration of {c.name}", everything, inputs)


def _element_outputs(
    model: ReducedModel, element: Element, q: tuple[str, ...], both: tuple[str, ...]
) -> Iterator[Variable]:
    own = _names(model, [i for law in element.laws for i in law.parameters])
    symbol, what = ("angle", "Angle") if element.unit == "rad" else ("length", "Length")
    yield _output(f"{element.name}.{symbol}", element.unit, f"{what} of {element.name}", q)
    yield _output(f"{element.name}.rate", rate_of(element.unit), f"Rate of the {symbol} of {element.name}", both)
    text = f"Force of {element.name}, positive if it makes the {symbol} grow"
    yield _output(f"{element.name}.force", effort_of(element.unit), text, (*both, *own))


def _marker_outputs(marker: MarkerInfo, q: tuple[str, ...], both: tuple[str, ...]) -> Iterator[Variable]:
    angles = ("Roll", "Pitch", "Yaw")
    for symbol, unit, what, knowns in (
        ("r", "m", "Position", q),
        ("v", "m/s", "Velocity", both),
        ("w", "rad/s", "Angular velocity", both),
    ):
        for i, axis in enumerate(XYZ):
            text = f"{what} of marker {marker.name} along ground {axis}"
            yield _output(f"marker.{marker.name}.{symbol}[{i + 1}]", unit, text, knowns)
    for i, angle in enumerate(angles):
        text = f"{angle} of marker {marker.name}, R = Rz(yaw) Ry(pitch) Rx(roll)"
        yield _output(f"marker.{marker.name}.angle[{i + 1}]", "rad", text, q)
    if marker.spin_axis is not None:
        text = f"Heading of the spin axis of marker {marker.name} from its design direction, positive about ground z"
        yield _output(f"marker.{marker.name}.steer", "rad", text, q)
        text = f"Camber of marker {marker.name}, positive with the top outboard"
        yield _output(f"marker.{marker.name}.camber", "rad", text, q)


def _output(
    name: str,
    unit: str,
    description: str,
    initially: tuple[str, ...],
    at_once: tuple[str, ...] = (),
    minimum: float | None = None,
    maximum: float | None = None,
    nominal: float | None = None,
) -> Variable:
    return Variable(
        name=name,
        causality="output",
        variability="continuous",
        initial="calculated",
        start=None,
        unit=unit,
        description=description,
        minimum=minimum,
        maximum=maximum,
        nominal=nominal,
        depends_on=at_once,
        depends_initially_on=initially,
    )


def _range(axis: Axis) -> tuple[float | None, float | None, float]:
    """Minimum, maximum and nominal of a coordinate; only a table that must not be left bounds it."""
    if axis.periodic:
        return None, None, 1.0
    size = max(abs(axis.lower), abs(axis.upper))
    if axis.outside == "linear":
        return None, None, size
    return axis.lower, axis.upper, size


def _names(model: ReducedModel, indices: Iterable[int]) -> tuple[str, ...]:
    """Names of parameters, each once, in order."""
    return tuple(model.parameters[i].name for i in dict.fromkeys(indices))
