"""Static equilibrium of the reduced model: start values, and preloads that hold the design position at rest.

Without rates the generalized forces Q(z) of the run-time must vanish.  Unknown are the stiff coordinates, always, but
for those that float on a film, and

  - with `experiment.static`, the free coordinates that are not driven and have no start value of their own;
  - with springs of `preload = "static"`, their deflections at design, which give the preloads: one coordinate each is
    then held at its start value, the one that the spring works on most, and its own equation finds the deflection.

The search for coordinates is that of the run-time, see `fmu_src.numpy_runtime.statics`; preloads are found around it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from scipy.optimize import root

from fmu_src.interface.variables import layout, variables
from fmu_src.model.devices import Device
from fmu_src.model.law_parts import CURVES
from fmu_src.model.reduced_model import Law, ReducedModel
from fmu_src.numpy_runtime.dynamics import Runtime, mechanics, prepare, static_force
from fmu_src.numpy_runtime.state import State
from fmu_src.numpy_runtime.statics import Equilibrium, balance, floating
from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.mechanism_file import to_document
from precompute.model.devices import Device as FileDevice
from precompute.model.mechanism import Mechanism
from precompute.units import Units

LEFT = 1e-9
"""Of the forces that static preloads balance: this may be left of them."""


class StaticsError(PrecomputeError):
    """There is no equilibrium, or it is not found."""


def balanced(mechanism: Mechanism, resolved: Mechanism, model: ReducedModel) -> ReducedModel:
    """The model with start values, and preloads, in static equilibrium as far as the file asks for it.

    Args:
        mechanism: as the file has it.
        resolved: with nothing left open but preloads that statics finds.
        model: of `resolved`.

    Raises:
        StaticsError: no equilibrium was found; the message says what pulls where.
    """
    names = [s.name for s in mechanism.springs if s.static_preload]
    charts, z = prepare(model), np.array([start.value for start in model.starts])
    held = held_coordinates(charts[0], mechanism, z, names)
    solved = [k for k in solved_coordinates(mechanism, model) if k not in held]
    if not solved and not names:
        return model
    laws = [next(e.laws[0] for e in model.elements if e.name == f"spring.{name}") for name in names]
    parameters = [p.value for p in model.parameters]
    inputs = start_inputs(model)
    settling = mechanism.experiment.static or bool(names)

    def rest() -> Equilibrium:
        state = State(0.0, 0, 0, z, np.zeros(z.size), memory=charts[0].memory)
        return balance(charts, state, solved, parameters, inputs, settling)

    def left(deflections: Array) -> Array:
        """Forces on the coordinates that are held."""
        preload(laws, deflections, parameters)
        runtime, found = charts[0], rest().state
        return static_force(runtime, mechanics(runtime, found.z, 0.0, found.memory), parameters, inputs)[held]

    if names:
        preload(laws, found_preloads(mechanism.units, charts[0], held, left), parameters)
    found = rest()
    check(mechanism.units, charts[0], found, stable=mechanism.experiment.static and not names)
    preloads = {name: parameters[law.preload or 0] for name, law in zip(names, laws, strict=True)}
    starts = {k: float(found.state.z[k]) for k in solved}
    return with_solution(resolved, model, starts, preloads, found.state.memory.x)


def start_inputs(model: ReducedModel) -> Array:
    """All inputs as they start."""
    return np.array([v.start or 0.0 for v in variables(model)[layout(model).inputs]])


def found_preloads(units: Units, runtime: Runtime, held: list[int], left: Callable[[Array], Array]) -> Array:
    """Deflections of springs at design, with which nothing is left on the coordinates that are held.

    Raises:
        StaticsError: there are none.
    """
    start = np.zeros(len(held))
    found = np.asarray(root(left, start, tol=1e-14).x)
    forces = left(found)
    if not np.abs(forces).max() <= LEFT * np.abs(left(start)).max():
        worst = int(np.argmax(np.abs(forces)))
        raise StaticsError(no_equilibrium(units, runtime, held[worst], float(forces[worst])))
    return found


def check(units: Units, runtime: Runtime, found: Equilibrium, stable: bool) -> None:
    """Refuse what is no equilibrium; if asked, one that the forces lead away from: then nobody means it.

    Raises:
        StaticsError: the message says what to do.
    """
    rest = found.rest
    if not rest.found:
        raise StaticsError(no_equilibrium(units, runtime, found.coordinate, float(rest.force[rest.worst]), rest.held))
    if found.state.chart:
        raise StaticsError(
            "the static equilibrium lies beyond the dead centre where other coordinates take over, so it cannot be a "
            "start value. Give a `start` near it, or leave out `static` and set 'solver.static' = 1 of the FMU."
        )
    if stable and not rest.stable:
        raise StaticsError(
            "the static equilibrium that was found is not stable: any motion leads away from it. Give a `start` near "
            "the one that is meant, or leave out `static`."
        )


def preload(laws: list[Law], deflections: Array, parameters: list[float]) -> None:
    """Give springs the preloads that they have at some deflections at design."""
    for law, x in zip(laws, deflections.tolist(), strict=True):
        assert law.preload is not None
        parameters[law.preload] = CURVES[law.curve].value([parameters[i] for i in law.parameters], x)


def solved_coordinates(mechanism: Mechanism, model: ReducedModel) -> list[int]:
    """Numbers of the coordinates whose equilibrium is sought."""
    nf = len(model.charts[0].axes)
    floats = floating(model)
    stiff = [k for k in range(nf, nf + len(model.stiff)) if k not in floats]
    if not mechanism.experiment.static:
        return stiff
    given = {c.name for c in mechanism.coordinates or () if c.start is not None}
    driven = {c.name for c in model.coordinates if c.driven != "no"}
    free = [k for k, axis in enumerate(model.charts[0].axes) if axis.name not in given | driven]
    return [*free, *stiff]


def held_coordinates(runtime: Runtime, mechanism: Mechanism, z: Array, names: list[str]) -> list[int]:
    """For each spring the free coordinate that it works on most, each once."""
    at, nf = mechanics(runtime, z), len(runtime.model.charts[0].axes)
    span = np.array([axis.upper - axis.lower for axis in runtime.model.charts[0].axes])
    held: list[int] = []
    for name in names:
        number = [s.name for s in mechanism.springs].index(name)
        work = np.abs(at.ds[:nf, number]) * span
        work[held] = 0.0
        k = int(np.argmax(work))
        if work[k] <= 1e-9 * span.max():
            raise StaticsError(
                f"spring '{name}' has `preload = \"static\"`, but no coordinate is left that it works on; give its "
                "preload or free length"
            )
        held.append(k)
    return held


def no_equilibrium(units: Units, runtime: Runtime, coordinate: int, force: float, at_end: bool = False) -> str:
    """That there is none, with the force that is left, where it is largest."""
    axes, stiff = runtime.chart.axes, runtime.model.stiff
    name, unit = [*((a.name, a.unit) for a in axes), *((s.name, s.unit) for s in stiff)][coordinate]
    where = ", which is as far as it goes" if at_end else ""
    left = units.shown_effort(force, unit == "rad", 4)
    return (
        f"no static equilibrium was found: {left} is left on '{name}'{where}. Check the springs and the loads of "
        "the ports, widen the ranges, or leave out `static`."
    )


def with_solution(
    resolved: Mechanism, model: ReducedModel, starts: Mapping[int, float], preloads: Mapping[str, float], x: Array
) -> ReducedModel:
    """The model with other start values, by number of coordinate, and of states x; and preloads, by name of spring."""
    new = tuple(replace(start, value=starts.get(k, start.value)) for k, start in enumerate(model.starts))
    springs = tuple(replace(s, preload=preloads.get(s.name, s.preload)) for s in resolved.springs)
    coordinates = tuple(replace(c, start=new[k].value) for k, c in enumerate(resolved.coordinates or ()))
    devices, held = with_states(model.devices, resolved.devices, x)
    final = replace(resolved, springs=springs, coordinates=coordinates, devices=held)
    named = {f"spring.{name}.preload": value for name, value in preloads.items()}
    parameters = tuple(replace(p, value=named.get(p.name, p.value)) for p in model.parameters)
    return replace(model, starts=new, parameters=parameters, devices=devices, mechanism=to_document(final))


def with_states(
    devices: tuple[Device, ...], elements: tuple[FileDevice, ...], x: Array
) -> tuple[tuple[Device, ...], tuple[FileDevice, ...]]:
    """Devices of the run-time, and those of the file, with other start values x (nx,) of their states."""
    names = [state.name for device in devices for state in device.states]
    values = dict(zip(names, x.tolist(), strict=True))
    return (
        tuple(replace(d, states=tuple(replace(s, start=values[s.name]) for s in d.states)) for d in devices),
        tuple(
            replace(e, states=tuple(replace(s, start=values[f"{e.name}.{s.name}"]) for s in e.states)) for e in elements
        ),
    )
