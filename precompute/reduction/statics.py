"""Static equilibrium of the reduced model: start values, and preloads that hold the design position at rest.

Without rates the generalized forces Q(z) of the run-time must vanish.  Unknown are the stiff coordinates, always, and

  - with `experiment.static`, the free coordinates that are not driven and have no start value of their own;
  - with springs of `preload = "static"`, their deflections at design, which give the preloads: one coordinate each is
    then held at its start value, the one that the spring works on most, and its own equation finds the deflection.

Newton's method with differences; steps are limited so that no coordinate leaves its table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from fmu_src.interface.variables import layout, variables
from fmu_src.model.law_parts import CURVES
from fmu_src.model.reduced_model import Law, ReducedModel
from fmu_src.numpy_runtime.dynamics import Runtime, generalized_force, mechanics, prepare
from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.mechanism_file import to_document
from precompute.model.mechanism import Mechanism
from precompute.units import Units

ITERATIONS = 60
"""Of Newton's method; an ordinary suspension needs five."""

DIFFERENCE = 1e-6
"""Step of the differences, relative to the scale of an unknown."""

LARGEST_STEP = 0.25
"""Of the way that an unknown may go at once, relative to its scale."""

CONVERGED = 1e-11
"""The last step, relative to the scales, of a solution."""

DEFLECTION_SCALE = 0.01
"""[m or rad] of stiff coordinates."""


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
    runtime = prepare(model)[0]
    z = np.array([start.value for start in model.starts])
    solved = solved_coordinates(mechanism, model)
    equations = list(solved)
    if names:
        held = held_coordinates(runtime, mechanism, z, names, solved)
        solved = [k for k in solved if k not in held]
        equations = sorted({*solved, *held})
    if not solved and not names:
        return model
    laws = [next(e.laws[0] for e in model.elements if e.name == f"spring.{name}") for name in names]
    parameters = [p.value for p in model.parameters]
    inputs = np.array([v.start or 0.0 for v in variables(model)[layout(model).inputs]])

    def force(x: Array) -> Array:
        at = z.copy()
        at[solved] = x[: len(solved)]
        preload(laws, x[len(solved) :], parameters)
        return generalized_force(runtime, mechanics(runtime, at), np.zeros(z.size), parameters, inputs)[equations]

    start = np.concatenate([z[solved], np.zeros(len(laws))])
    scale, lower, upper = limits(model, solved, len(laws))
    x = newton(force, start, scale, lower, upper, lambda r: describe(mechanism.units, model, equations, r))
    if not names and mechanism.experiment.static:
        check_stable(force, x, scale, upper)
    preload(laws, x[len(solved) :], parameters)
    found = {name: parameters[law.preload or 0] for name, law in zip(names, laws, strict=True)}
    return with_solution(resolved, model, dict(zip(solved, x.tolist(), strict=False)), found)


def preload(laws: list[Law], deflections: Array, parameters: list[float]) -> None:
    """Give springs the preloads that they have at some deflections at design."""
    for law, x in zip(laws, deflections.tolist(), strict=True):
        assert law.preload is not None
        parameters[law.preload] = CURVES[law.curve].value([parameters[i] for i in law.parameters], x)


def solved_coordinates(mechanism: Mechanism, model: ReducedModel) -> list[int]:
    """Numbers of the coordinates whose equilibrium is sought."""
    nf = len(model.charts[0].axes)
    stiff = list(range(nf, nf + len(model.stiff)))
    if not mechanism.experiment.static:
        return stiff
    given = {c.name for c in mechanism.coordinates or () if c.start is not None}
    driven = {c.name for c in model.coordinates if c.driven != "no"}
    free = [k for k, axis in enumerate(model.charts[0].axes) if axis.name not in given | driven]
    return [*free, *stiff]


def held_coordinates(
    runtime: Runtime, mechanism: Mechanism, z: Array, names: list[str], solved: list[int]
) -> list[int]:
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


def limits(model: ReducedModel, solved: list[int], springs: int) -> tuple[Array, Array, Array]:
    """Scales and bounds of the unknowns: coordinates, then deflections of springs."""
    axes = model.charts[0].axes
    scale, lower, upper = [], [], []
    for k in solved:
        free = k < len(axes) and not axes[k].periodic
        scale.append(axes[k].upper - axes[k].lower if k < len(axes) else DEFLECTION_SCALE)
        lower.append(axes[k].lower if free else -np.inf)
        upper.append(axes[k].upper if free else np.inf)
    some = [0.1] * springs
    return (
        np.array([*scale, *some]),
        np.array([*lower, *([-np.inf] * springs)]),
        np.array([*upper, *([np.inf] * springs)]),
    )


def newton(
    force: Callable[[Array], Array], x: Array, scale: Array, lower: Array, upper: Array, say: Callable[[Array], str]
) -> Array:
    """A zero of force (n,) -> (m,) from x (n,), within bounds."""
    for _ in range(ITERATIONS):
        r = force(x)
        slope = np.stack([slope_along(force, x, i, scale[i], upper[i], r) for i in range(x.size)], axis=1)
        step = -np.linalg.lstsq(slope, r, rcond=1e-12)[0] / scale
        size = float(np.abs(step * scale).max() and np.abs(step).max())
        step *= scale * min(1.0, LARGEST_STEP / max(size, 1e-300))
        new = np.clip(x + step, lower, upper)
        moved = float(np.abs((new - x) / scale).max())
        x = new
        if moved < CONVERGED:
            if size < 1e3 * CONVERGED:
                return x
            break
    raise StaticsError(
        f"no static equilibrium was found: {say(force(x))}. Check the springs and the loads of the ports, widen the "
        "ranges, or leave out `static`."
    )


def check_stable(force: Callable[[Array], Array], x: Array, scale: Array, upper: Array) -> None:
    """StaticsError where the forces lead away from an equilibrium x: then nobody means it."""
    r = force(x)
    slope = np.stack([slope_along(force, x, i, scale[i], upper[i], r) * scale[i] for i in range(x.size)], axis=1)
    stiffness = np.linalg.eigvalsh(-0.5 * (slope * scale[:, None] + (slope * scale[:, None]).T))
    if stiffness[0] < -1e-6 * abs(stiffness[-1]):
        raise StaticsError(
            "the static equilibrium that was found is not stable: any motion leads away from it. Give a `start` near "
            "the one that is meant, or leave out `static`."
        )


def slope_along(force: Callable[[Array], Array], x: Array, i: int, scale: float, upper: float, r: Array) -> Array:
    """Difference quotient of the force along unknown i, (m,)."""
    h = DIFFERENCE * scale if x[i] + DIFFERENCE * scale <= upper else -DIFFERENCE * scale
    there = x.copy()
    there[i] += h
    return (force(there) - r) / h


def describe(units: Units, model: ReducedModel, equations: list[int], residual: Array) -> str:
    """The force that is left, where it is largest."""
    axes, stiff = model.charts[0].axes, model.stiff
    named = [*((a.name, a.unit) for a in axes), *((s.name, s.unit) for s in stiff)]
    worst = int(np.argmax(np.abs(residual)))
    name, unit = named[equations[worst]]
    return f"{units.shown_effort(float(residual[worst]), unit == 'rad', 4)} is left on '{name}'"


def with_solution(
    resolved: Mechanism, model: ReducedModel, starts: Mapping[int, float], preloads: Mapping[str, float]
) -> ReducedModel:
    """The model with other start values, by number of coordinate, and preloads, by name of spring."""
    new = tuple(replace(start, value=starts.get(k, start.value)) for k, start in enumerate(model.starts))
    springs = tuple(replace(s, preload=preloads.get(s.name, s.preload)) for s in resolved.springs)
    coordinates = tuple(replace(c, start=new[k].value) for k, c in enumerate(resolved.coordinates or ()))
    final = replace(resolved, springs=springs, coordinates=coordinates)
    named = {f"spring.{name}.preload": value for name, value in preloads.items()}
    parameters = tuple(replace(p, value=named.get(p.name, p.value)) for p in model.parameters)
    return replace(model, starts=new, parameters=parameters, mechanism=to_document(final))
