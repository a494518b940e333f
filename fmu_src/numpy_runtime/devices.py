"""What elements with formulas do at a state: forces on their measures, rates of their states, and the slopes of both.

A device reads its slots (see `model.devices`), finds its unknowns u from its residuals g by Newton's method,

    g_u du = -g,   which is taken in shorter steps while the residuals grow                             (1)

and, with v = [s, sdot, x], lets them follow: du/dv = -g_u^-1 g_v.                                      (2)
A load that it reads must grow with that without its forces, dN/dN_0 = (g_u^-1)_NN > 0, or it has no value.

Of all devices together, on all elements of the model, are

    f (ne),  xdot (nx),  F = df/d[s, sdot, x],  R = d(xdot)/d[s, sdot, x]                               (3)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..errors import StepError
from ..model.devices import Device
from ..model.programs import Entry, FormulaFailure, run
from ..model.reduced_model import Array, ReducedModel

ITERATIONS = 60
"""Of Newton's method for unknowns."""

CLOSE = 1e-9
"""A step that is smaller, in nominal values, is the last but one."""

SHORTER = 12
"""Times that a step is halved at most."""


class Memory(NamedTuple):
    """What devices remember, as numbers of a state: of all devices one after the other."""

    x: Array  # (nx,) their states
    u: Array  # (nu,) their unknowns, where Newton's method goes on
    mean: Array  # (nx,) mean rates of states over the last step, where `midpoint` has left them


NOTHING = Memory(np.zeros(0), np.zeros(0), np.zeros(0))

UNPRESSED = np.zeros(0)
"""In place of N_0 and N_k: there is no load, or nothing presses."""


class Response(NamedTuple):
    """What all devices do."""

    force: Array  # (ne,) on the elements [N or N.m]
    rate: Array  # (nx,) of the states
    u: Array  # (nu,) the unknowns that were found
    F: Array  # (ne, 2 ne + nx) slopes of force along s, sdot and x; zeros if they were not asked for
    R: Array  # (nx, 2 ne + nx) the same of rate


def start_memory(model: ReducedModel) -> Memory:
    """What devices remember at the start."""
    states = [state.start for device in model.devices for state in device.states]
    unknowns = [unknown.start for device in model.devices for unknown in device.unknowns]
    return Memory(np.array(states), np.array(unknowns), np.zeros(len(states)))


def respond(
    model: ReducedModel,
    parameters: Sequence[float],
    inputs: Array,
    s: Array,
    sdot: Array,
    memory: Memory,
    slopes: bool = False,
    pressing: Array = UNPRESSED,
) -> Response:
    """What all devices do.

    Args:
        model: whose devices they are.
        parameters: of the model.
        inputs: (ni,) of all devices, one after the other.
        s: (ne,) measures of all elements.
        sdot: (ne,) their rates.
        memory: states, and where to look for unknowns.
        slopes: whether F and R are asked for.
        pressing: N_0 and N_k of all loads that they read, as their slots have them.

    Raises:
        StepError: a formula has no value, or unknowns are not found.
    """
    ne, nx = len(model.elements), memory.x.size
    found = Response(
        np.zeros(ne), np.zeros(nx), memory.u.copy(), np.zeros((ne, 2 * ne + nx)), np.zeros((nx, 2 * ne + nx))
    )
    for device, slots, at_x, at_u in _all_slots(model, parameters, inputs, s, sdot, memory, slopes, pressing):
        on, own = [c.element for c in device.connections], range(2 * ne + at_x, 2 * ne + at_x + len(device.states))
        columns = np.array([*on, *(ne + i for i in on), *own], dtype=np.int64)
        for k, state in enumerate(device.states):
            entry = slots[device.given + state.rate]
            found.rate[at_x + k] = entry.value
            if slopes:
                found.R[at_x + k, columns] += entry.slope
        for connection in device.connections:
            if connection.force >= 0:
                entry = slots[device.given + connection.force]
                found.force[connection.element] += entry.value
                if slopes:
                    np.add.at(found.F[connection.element], columns, entry.slope)
        found.u[at_u : at_u + len(device.unknowns)] = [entry.value for entry in slots[device.u : device.active]]
    return found


def shown(
    model: ReducedModel,
    parameters: Sequence[float],
    inputs: Array,
    s: Array,
    sdot: Array,
    memory: Memory,
    pressing: Array = UNPRESSED,
) -> list[list[float]]:
    """The slots of each device; arguments as those of `respond`."""
    found = _all_slots(model, parameters, inputs, s, sdot, memory, False, pressing)
    return [[entry.value for entry in slots] for _, slots, _, _ in found]


def _all_slots(
    model: ReducedModel,
    parameters: Sequence[float],
    inputs: Array,
    s: Array,
    sdot: Array,
    memory: Memory,
    slopes: bool,
    pressing: Array,
) -> Iterator[tuple[Device, list[Entry], int, int]]:
    """Each device with its slots, and where its states and unknowns begin among all."""
    at_x = at_u = at_input = at_load = 0
    for device in model.devices:
        nx, nu, ni = len(device.states), len(device.unknowns), len(device.inputs)
        numbers = [*(parameters[i] for i in device.parameters), *inputs[at_input : at_input + ni].tolist()]
        if device.loads:
            own = pressing[at_load : at_load + device.pressing] if pressing.size else np.zeros(device.pressing)
            numbers, at_load = [*numbers, *own.tolist()], at_load + device.pressing
        on = [c.element for c in device.connections]
        parts = (s[on], sdot[on], memory.x[at_x : at_x + nx], memory.u[at_u : at_u + nu])
        yield device, slots_of(device, np.concatenate(parts).tolist(), numbers, slopes), at_x, at_u
        at_x, at_u, at_input = at_x + nx, at_u + nu, at_input + ni


def slots_of(device: Device, active: Sequence[float], given: Sequence[float], slopes: bool = False) -> list[Entry]:
    """All slots of a device, with their slopes along s, sdot and x if these are asked for.

    Args:
        device: the device.
        active: its slots that change over a step; unknowns where to look for them.
        given: parameters, inputs, and what loads come from.
        slopes: whether they are asked for.

    Raises:
        StepError: a formula has no value, or unknowns are not found.
    """
    width, nu = device.u if slopes else 0, len(device.unknowns)
    seeds = np.eye(device.u + nu, width)
    values = list(active)
    if nu:
        values[device.u :] = _unknowns(device, values, given)
        if slopes or device.loads:
            _, g = _residuals(device, values, given, np.eye(device.active))
            _check_loads(device, g[:, device.u :], values)
        if slopes:
            seeds[device.u :] = -_solved(device, g[:, device.u :], g[:, : device.u])  # (2)
    return _evaluated(device, values, given, seeds, len(device.formulas))


def _evaluated(
    device: Device, active: Sequence[float], given: Sequence[float], seeds: Array, count: int
) -> list[Entry]:
    """Slots up to the first `count` formulas."""
    none = [0.0] * seeds.shape[1]
    slots = [Entry(value, slope) for value, slope in zip(active, seeds.tolist(), strict=True)]
    slots += [Entry(value, none) for value in given]
    for formula in device.formulas[:count]:
        try:
            slots.append(run(formula.code, device.constants, device.tables, slots))
        except FormulaFailure as failure:
            raise StepError(
                f"element '{formula.owner}': the formula of its {formula.what} {failure}; look at its operands, or "
                "guard it with if(...)"
            ) from None
    return slots


def _residuals(device: Device, active: Sequence[float], given: Sequence[float], seeds: Array) -> tuple[Array, Array]:
    """Residuals (nu,) and their slopes."""
    slots = _evaluated(device, active, given, seeds, device.inner)
    found = [slots[device.given + unknown.residual] for unknown in device.unknowns]
    return np.array([entry.value for entry in found]), np.array([entry.slope for entry in found])


def _unknowns(device: Device, active: Sequence[float], given: Sequence[float]) -> list[float]:
    """The unknowns, by (1)."""
    values, nu = list(active), len(device.unknowns)
    nominal = np.array([unknown.nominal for unknown in device.unknowns])
    seeds = np.zeros((device.active, nu))
    seeds[device.u :] = np.eye(nu)
    g, slope = _residuals(device, values, given, seeds)
    last = False
    for _ in range(ITERATIONS):
        step = -_solved(device, slope, g[:, None])[:, 0]
        u, size, t = np.array(values[device.u :]), (np.abs(slope) * nominal).max(axis=1), 1.0
        before = float((np.abs(g) / size).max())
        for _ in range(SHORTER):
            values[device.u :] = (u + t * step).tolist()
            try:
                g, slope = _residuals(device, values, given, seeds)
                if last or float((np.abs(g) / size).max()) <= before:
                    break
            except StepError:
                pass
            t *= 0.5
        else:
            break
        if last:
            return values[device.u :]
        last = bool((np.abs(t * step) <= CLOSE * (np.abs(u) + nominal)).all())
    worst = int(np.argmax(np.abs(step) / nominal))
    unknown = device.unknowns[worst]
    if worst in [own.unknown for own in device.loads]:
        raise StepError(
            f"element '{device.formulas[unknown.residual].owner}': no value of the load '{unknown.name}' fits the "
            f"forces that follow from it, the search came to {values[device.u + worst]:.6g} {unknown.unit}; they grow "
            "too fast with it: check the formulas, or reduce 'solver.step'"
        )
    raise StepError(
        f"element '{device.formulas[unknown.residual].owner}': no value of its unknown '{unknown.name}' makes its "
        f"residual zero, the search came to {values[device.u + worst]:.6g}; check the formula, or give a start value "
        "near the solution"
    )


def _check_loads(device: Device, slope: Array, values: Sequence[float]) -> None:
    """Raises StepError where a load would shrink if it grew without the forces of the device."""
    if not device.loads:
        return
    numbers = [own.unknown for own in device.loads]
    grows = _solved(device, slope, np.eye(len(slope))[:, numbers])[numbers, range(len(numbers))]
    for number, growth in zip(numbers, grows.tolist(), strict=True):
        if not growth > 0.0:
            unknown = device.unknowns[number]
            raise StepError(
                f"element '{device.formulas[unknown.residual].owner}': it locks itself: the load '{unknown.name}' is "
                f"{values[device.u + number]:.6g} {unknown.unit}, and one unit more of it from outside would change it "
                f"by {growth:.6g}, since the element's forces add to it as fast; check its coefficient of friction"
            )


def _solved(device: Device, matrix: Array, right: Array) -> Array:
    """matrix^-1 right.

    Raises:
        StepError: the residuals do not determine the unknowns.
    """
    try:
        found = np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        found = np.full(right.shape, np.nan)
    if not np.isfinite(found).all():
        names = ", ".join(f"'{unknown.name}'" for unknown in device.unknowns)
        owner = device.formulas[device.unknowns[0].residual].owner
        raise StepError(
            f"element '{owner}': its residuals do not determine the unknowns {names} here: their slopes are singular; "
            "check the formulas, or give other start values"
        )
    return np.asarray(found)
