"""The FMI variables of a reduced model as one table; a variable's value reference is its index.

Order: parameters (solver.step, .check, .static, q_start, qd_start, x_start, then those of the model, then designs),
inputs, outputs.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from .. import __version__
from ..errors import BuildError
from ..model.designs import BEYOND, design_name
from ..model.reduced_model import ReducedModel
from ..model.units import rate_of
from .input_variables import input_variables
from .inputs import input_slots
from .output_variables import output_variables
from .track_variables import led
from .variable import Variable, span

SHORTEST_STEP = 1e-9
"""[s] Smallest `solver.step` that may be set."""

LEGAL_NAME = re.compile(r"[A-Za-z_]\w*(\[\d+(,\d+)*\])?(\.[A-Za-z_]\w*(\[\d+(,\d+)*\])?)*", re.ASCII)
"""Structured variable names of FMI 2.0, without the quoted ones."""

SOLVER_STEP, SOLVER_CHECK, SOLVER_STATIC = 0, 1, 2
"""Value references of `solver.step`, `solver.check` and `solver.static`; q_start follow, then qd_start and x_start."""

TAG_BYTES = 16
"""At the head of a saved state: which model and version it belongs to."""


class Start(NamedTuple):
    """A variable that says where the motion starts."""

    place: int  # in [z, zd, states of devices]
    reference: int


@dataclass(frozen=True)
class Layout:
    """Where the groups of variables lie."""

    starts: tuple[Start, ...]
    parameters: tuple[int, ...]  # value references of those of the model, in its order; some may be inputs
    designs: tuple[int, ...]  # value references of its design parameters
    first_input: int
    inputs: slice  # those of `inputs`
    outputs: slice


def variables(model: ReducedModel) -> tuple[Variable, ...]:
    """All variables of a model, in the order of their value references.

    Raises:
        BuildError: a name is not legal in FMI or occurs twice.
    """
    table = (*_parameters(model), *input_variables(model), *output_variables(model))
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


def model_tag(model: ReducedModel) -> bytes:
    """What marks the saved states of a model and of the version that runs it."""
    names = " ".join(variable.name for variable in variables(model))
    return hashlib.sha256(f"{__version__} {model.source_hash} {names}".encode()).digest()[:TAG_BYTES]


def layout(model: ReducedModel) -> Layout:
    """Where the groups lie in `variables(model)`."""
    first = len(tuple(_parameters(model)))
    reference = {v.name: i for i, v in enumerate((*_parameters(model), *input_variables(model)))}
    inputs = first + 3 * model.moving
    names = [(f"q_start.{name}", f"qd_start.{name}") for name in _coordinate_names(model)]
    for drive in input_slots(model).drives:
        if not drive.filter_time:
            name = model.coordinates[drive.axis].name
            names[drive.axis] = (f"drive.{name}.q", f"drive.{name}.qd")
    starts = [pair[rate] for rate in (0, 1) for pair in names]
    starts += [f"x_start.{state.name}" for device in model.devices for state in device.states]
    return Layout(
        starts=tuple(Start(place, reference[name]) for place, name in enumerate(starts) if name in reference),
        parameters=tuple(reference[p.name] for p in model.parameters),
        designs=tuple(range(first - len(model.designs), first)),
        first_input=first,
        inputs=slice(inputs, inputs + input_slots(model).count),
        outputs=slice(len(reference), None),
    )


def _coordinate_names(model: ReducedModel) -> list[str]:
    """Of the axes of the first chart and the stiff coordinates."""
    return [axis.name for axis in model.charts[0].axes] + [stiff.name for stiff in model.stiff]


def _parameters(model: ReducedModel) -> Iterator[Variable]:
    text = "Longest step of the integrator; a longer communication step is divided"
    yield Variable("solver.step", "parameter", "tunable", "exact", model.longest_step, "s", text, minimum=SHORTEST_STEP)
    text = "1: measure the error of every step by taking it in halves too, see solver.error; 0: do not"
    yield Variable("solver.check", "parameter", "tunable", "exact", 0.0, "1", text, minimum=0.0, maximum=1.0)
    text = (
        "1: start at rest in the static equilibrium to which the forces lead from q_start, under the inputs at the end "
        "of initialization; 0: start at q_start and qd_start"
    )
    yield Variable("solver.static", "parameter", "fixed", "exact", 0.0, "1", text, minimum=0.0, maximum=1.0)
    yield from _starts(model)
    for i, p in enumerate(model.parameters):
        if not (model.moving and i in model.gravity):
            yield Variable(p.name, "parameter", "tunable", "exact", p.value, p.unit, p.description, p.minimum)
    for design in model.designs:
        most = BEYOND * design.range
        text = f"Change of {design.of}, measured up to {design.told.text(design.range)}"
        yield Variable(
            design_name(design), "parameter", "tunable", "exact", 0.0, design.unit, text, -most, most, design.range
        )


def _starts(model: ReducedModel) -> Iterator[Variable]:
    """Start values and rates; a coordinate that is driven directly or quasi-static has none."""
    direct = {c.name for c in model.coordinates if c.driven == "direct"}
    found = [
        (axis.name, axis.unit, span(axis), start)
        for axis, start in zip(model.charts[0].axes, model.starts, strict=False)
        if axis.name not in direct
    ]
    if not model.quasistatic:
        for stiff, start in zip(model.stiff, model.starts[len(model.coordinates) :], strict=True):
            found.append((stiff.name, stiff.unit, (None, None, stiff.radius), start))
    for name, unit, bounds, s in found:
        text = f"Start value of {name}: {s.description}"
        yield Variable(f"q_start.{name}", "parameter", "fixed", "exact", s.value, unit, text, *bounds)
    for name, unit, _, s in (own for own in found if not led(model, own[0])):
        text = f"Start value of the rate of {name}"
        yield Variable(f"qd_start.{name}", "parameter", "fixed", "exact", s.rate, rate_of(unit), text)
    for state in (state for device in model.devices for state in device.states):
        text = f"Start value of {state.name}: {state.description or 'state of an element'}"
        yield Variable(f"x_start.{state.name}", "parameter", "fixed", "exact", state.start, state.unit, text)
