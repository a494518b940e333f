"""The full model made to follow a run of an FMU: same start, same rubber, same inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fmu_src.model.reduced_model import ReducedModel
from precompute.coordinates.candidates import candidates
from precompute.errors import PrecomputeError
from precompute.model.mechanism import Mechanism
from precompute.progress import Progress
from precompute.reference import (
    ChassisState,
    Drive,
    FullModel,
    FullMotion,
    FullState,
    Loads,
    assemble,
    carried,
    coordinate_values,
    deflected,
    followed,
    full_model,
    initial_velocity,
    on_chassis,
    recorded,
)
from precompute.reference.devices.rest import rested
from precompute.reference.model import counted
from precompute.running.simulation import Run, SimulationError
from precompute.verify.motion.pieces import GivenInputs

TOLERANCE = 1e-9
"""Of the full model's integrator, relative."""

STATIC = "solver.static"
"""Parameter of FMUs: whether the motion starts at rest."""

PARTED = 0.2
"""Of a table, by which coordinates of the two differ when they have parted: from there on nothing is to be learned."""


@dataclass(frozen=True, eq=False)
class Followed:
    """What the full model did."""

    motion: FullMotion
    failure: str  # why it ends before the run; "" if it does not


def followed_run(
    mechanism: Mechanism,
    model: ReducedModel,
    given: GivenInputs,
    pick: NDArray[np.intp],
    values: Mapping[str, float],
    progress: Progress,
) -> Followed:
    """The full model from the start of a run, at communication points of it.

    Args:
        mechanism: with the parameters of the run, in the coordinates of the chart in which it starts.
        model: of the FMU.
        given: the inputs of the run, and what it gave.
        pick: (nt,) numbers of communication points, from the first on.
        values: start values and parameters of the run.
        progress: is told how far it is.
    """
    run = given.run
    times = run.time[pick].tolist()
    at = given.at(times)
    start = full_model(mechanism, lengths=preloaded_at(model))
    state = with_states(start, start_state(start, model, run, values, at.drives), values, at.load(times[0]))
    full, state = with_all_coordinates(start, model, state)
    states, failure = [on_chassis(state, ChassisState(twist=at.twist(times[0])[0]))], ""
    pieces, number = list(given.pieces(pick)), dict(zip(times, pick.tolist(), strict=True))
    try:
        for piece, there in zip(pieces, followed(full, states[0], pieces, TOLERANCE), strict=True):
            if piece.end in number:
                states.append(there)
                progress("the full model", piece.end / times[-1])
                if failure := parted(full, model, there, run, number[piece.end]):
                    break
    except PrecomputeError as error:
        failure = str(error)
    seen = [carried(state, *at.twist(t)) for state, t in zip(states, times, strict=False)]
    return Followed(recorded(full, np.array(times[: len(seen)]), seen, at), failure)


def parted(full: FullModel, model: ReducedModel, state: FullState, run: Run, number: int) -> str:
    """That a coordinate is far from where the FMU has it, in words; "" if none is."""
    widths = {axis.name: axis for chart in model.charts for axis in chart.axes}
    for c, value in zip(full.coordinates, coordinate_values(full, state).tolist(), strict=True):
        ours = run.outputs.get(f"q.{c.name}")
        axis = widths.get(c.name)
        if ours is None or axis is None:
            continue
        value += full.places.get(c.name, 0.0)
        if not abs(float(ours[number]) - value) <= PARTED * (axis.upper - axis.lower):
            here, there = axis.words.text(float(ours[number]), 4), axis.words.text(value, 4)
            when = f"at {run.time[number]:.3f} s the two have parted"
            return f"{when}: {c.name} is {here} in the FMU, {there} in the full model"
    return ""


def preloaded_at(model: ReducedModel) -> dict[str, float]:
    """What springs measure where they have their preloads, by name: a rough design may close in several ways."""
    springs = [e for e in model.elements if e.name.startswith("spring.") and e.laws]
    return {e.name.removeprefix("spring."): e.laws[0].design for e in springs if e.laws[0].design is not None}


def started(mechanism: Mechanism, model: ReducedModel) -> Mechanism:
    """The mechanism in the coordinates of the chart that the motion starts in."""
    names = [axis.name for axis in model.charts[0].axes]
    if mechanism.contact is not None:
        return mechanism
    if names == [c.name for c in mechanism.coordinates or ()]:
        return mechanism
    known = {c.coordinate.name: c.coordinate for c in candidates(mechanism)}
    own = zip(names, model.starts, strict=True)
    return replace(mechanism, coordinates=tuple(replace(known[n], start=s.value, start_rate=s.rate) for n, s in own))


def start_state(
    full: FullModel, model: ReducedModel, run: Run, values: Mapping[str, float], drives: Mapping[str, Drive]
) -> FullState:
    """The full model in the FMU's start configuration; its stiff directions are deflected as the FMU's are."""
    motions = at_rest(model, run) if values.get(STATIC) else started_at(full, values)
    motions.update({name: drive(float(run.time[0]))[:2] for name, drive in drives.items()})
    stiff = zip(full.mechanism.stiff_coordinates, model.stiff, strict=True)
    at_start = {of: (float(run.outputs[f"q.{s.name}"][0]), float(run.outputs[f"qd.{s.name}"][0])) for of, s in stiff}
    if at_start:
        return deflected(full, motions, at_start)
    state = assemble(full, {name: value for name, (value, _) in motions.items()})
    led = [c.name for c in full.coordinates][len(full.coordinates) - (full.rolling.leads if full.rolling else 0) :]
    return initial_velocity(full, state, {name: rate for name, (_, rate) in motions.items() if name not in led})


def with_states(full: FullModel, state: FullState, values: Mapping[str, float], load: Loads) -> FullState:
    """The state with those of elements as they start, or at rest where the motion starts at rest."""
    if values.get(STATIC):
        return rested(full, state, load)
    x = [
        values.get(f"x_start.{s.element}.{s.name}", x) for s, x in zip(full.devices.states, state.devices, strict=True)
    ]
    return replace(state, devices=np.array(x, dtype=float))


def started_at(full: FullModel, values: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    """Where coordinates start, and how fast, by name."""
    found = {
        c.name: (values.get(f"q_start.{c.name}", c.start or 0.0), values.get(f"qd_start.{c.name}", c.start_rate))
        for c in full.coordinates
    }
    for name, there in full.places.items():
        found[name] = (found[name][0] - there, found[name][1])
    return found


def at_rest(model: ReducedModel, run: Run) -> dict[str, tuple[float, float]]:
    """The same in the equilibrium that the FMU has found.

    Raises:
        SimulationError: several charts serve the motion, so that coordinates do not tell where that is.
    """
    if len(model.charts) > 1:
        raise SimulationError(
            f"with '{STATIC}' = 1 the full model cannot be started where the FMU starts, since several charts serve "
            "its motion; leave it out, and set q_start"
        )
    return {c.name: (float(run.outputs[f"q.{c.name}"][0]), 0.0) for c in model.coordinates}


def with_all_coordinates(full: FullModel, model: ReducedModel, state: FullState) -> tuple[FullModel, FullState]:
    """The full model, and a state of it, with the coordinates that forces act on, where the first chart has others."""
    own = {c.name for c in full.coordinates}
    known = {c.coordinate.name: c.coordinate for c in candidates(full.mechanism)}
    missing = [known[c.name] for c in model.coordinates if c.name not in own]
    if not missing:
        return full, state
    mechanism = replace(full.mechanism, coordinates=(*full.coordinates, *missing))
    more = full_model(mechanism, lengths=preloaded_at(model))
    angles = np.zeros(more.design.angles.size)
    angles[: state.angles.size] = state.angles
    return more, counted(more, replace(state, angles=angles))
