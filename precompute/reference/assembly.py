"""Assembly of the full model: positions and velocities that satisfy all constraints.

`FullModel` -> `FullState`.  Constraints may be redundant (every planar linkage has some) and may leave motions
undetermined (a link that spins between two balls), so that every linear system is solved by singular values with a
decision on the rank, in the sense of least squares and of the smallest motion.

Constraints may also be redundant at closed positions only, as in overconstrained spatial linkages: a little off them
the Jacobian has full rank, with singular values of the size of the gap, and a step that divides by these goes astray.
So near an assembled state the rank is at most that of the assembled state (`rank_of`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from precompute.arrays import Array, frozen_array
from precompute.errors import AssemblyError, SingularityError
from precompute.model.mechanism import Mechanism
from precompute.reference.bodies import FullState, split_rates
from precompute.reference.forces import free_length_of
from precompute.reference.least_motion import least_motion, numerical_rank
from precompute.reference.measures import measure_motion
from precompute.reference.model import (
    FullModel,
    carried_rates,
    coordinate_goals,
    coordinate_units,
    coordinate_values,
    jacobian,
    kept,
    moved,
    open_model,
    residual,
    rigid,
    velocity_jacobian,
)

CLOSED = 1e-13  # Newton stops here [size of the mechanism, or rad] ...
OPEN = 1e-11  # ... and has failed above this
ROUNDING = 1e-9  # a correction below this is no change of branch, however short the step
ITERATIONS = 60
LONGEST_STEP = 0.5  # of a Newton step [size of the mechanism, or rad]
CONTINUATION_STEP = 0.05  # of the coordinates, first try [size of the mechanism, or rad]
SHORTEST_SHARE = 1e-6  # of the whole path, below which the continuation gives up
LONGEST_PREDICTION = 0.3  # of any body in one step of the continuation [size of the mechanism, or rad]
SAME_BRANCH = 0.3  # a correction longer than this share of its prediction may have changed the branch


def full_model(
    mechanism: Mechanism, design: Mapping[str, float] | None = None, lengths: Mapping[str, float] | None = None
) -> FullModel:
    """The full model, with its design position assembled.

    Where the design is rough (a joint with two different points), its closing keeps the coordinates of the mechanism
    at the values they have before, or at the values that `design` gives; if they cannot be kept, the bodies move as
    little as possible.

    Args:
        mechanism: the mechanism.
        design: values of coordinates at the assembled design position, by name [m or rad].
        lengths: what springs measure at another design position, at which they have their preloads, by name.

    Raises:
        AssemblyError: the loops cannot be closed.
    """
    model = open_model(mechanism)
    model = replace(model, design=assembled_design(rigid(model), design or {}))
    values = measure_motion(model.measures, model.design).values[: len(mechanism.elements)].copy()
    for number, spring in enumerate(mechanism.springs):
        values[number] = (lengths or {}).get(spring.name, values[number])
    free = [free_length_of(spring, float(s)) for spring, s in zip(mechanism.springs, values, strict=False)]
    return replace(model, at_design=frozen_array(values), free_lengths=frozen_array(free))


def assembled_design(model: FullModel, design: Mapping[str, float]) -> FullState:
    """The design position with its loops closed; see `full_model`."""
    held = coordinate_goals(model, design, coordinate_values(model, model.design))
    try:
        return closed(model, model.design, held)
    except AssemblyError:
        if design:
            raise
        return closed(model, model.design, None)


# -- positions --------------------------------------------------------------------------------------------------------


def rank_of(model: FullModel, state: FullState, held: Array | None = None) -> int:
    """Rank of the constraints at an assembled state, those that hold coordinates included."""
    return numerical_rank(np.asarray(np.linalg.svd(jacobian(model, state, held), compute_uv=False), dtype=float))


def closed(model: FullModel, state: FullState, held: Array | None, rank: int | None = None) -> FullState:
    """Close all constraints, with the coordinates held at given values (nc,), or left alone where nan, or all if None.

    Gauss-Newton with the damping |phi|^2 of Yamashita and Fukushima, On the rate of convergence of the
    Levenberg-Marquardt method: it converges quadratically even where the rank of the Jacobian drops at the solution.

    Args:
        model: the full model.
        state: near a closed one.
        held: see above.
        rank: of the Jacobian at a closed state nearby, where that is known; tried first.

    Raises:
        AssemblyError: no convergence.
    """
    if rank is not None:
        found, phi = iterated(model, state, held, rank)
        if np.abs(phi).max(initial=0.0) <= OPEN:
            return found
    found, phi = iterated(model, state, held, None)
    if np.abs(phi).max(initial=0.0) > OPEN:
        raise AssemblyError(open_message(model, phi, held))
    return found


def iterated(model: FullModel, state: FullState, held: Array | None, rank: int | None) -> tuple[FullState, Array]:
    """The state that the iteration of `closed` ends at, and what is left of the constraints there."""
    phi = residual(model, state, held)
    for _ in range(ITERATIONS):
        error = float(np.linalg.norm(phi))
        if error <= CLOSED:
            break
        step = -least_motion(jacobian(model, state, held), phi, error**2, rank)
        step *= min(1.0, LONGEST_STEP / max(float(np.abs(step).max()), 1e-300))
        for share in 0.5 ** np.arange(12):
            trial = moved(model, state, share * step)
            trial_phi = residual(model, trial, held)
            if np.linalg.norm(trial_phi) < error:
                break
        else:
            break  # rounding, or a minimum that is not zero
        state, phi = trial, trial_phi
    return state, phi


def open_message(model: FullModel, phi: Array, held: Array | None) -> str:
    """What remains open, in numbers."""
    m, units = len(model.labels), model.mechanism.units
    joint = ""
    if m and np.abs(phi[:m]).max() > OPEN:
        worst = int(np.abs(phi[:m]).argmax())
        gap = abs(float(phi[worst]))
        lengths = [*(model.constraints.is_length > 0.0), *(model.couplings.unit * model.size == 1.0)]
        length = lengths[worst]
        size = units.shown(gap * model.size, digits=3) if length else f"{gap:.3g}"
        joint = f"; most in joint '{model.labels[worst]}', by {size}"
    at = "" if held is None or not kept(held).any() else " at " + describe(model, held)
    return (
        f"mechanism '{model.mechanism.name}' not closed{at}: |phi| = {np.linalg.norm(phi):.3g} of its size "
        f"{units.shown(model.size, digits=3)}{joint}. Check the points of its joints or stay farther from the ends of "
        "its motion."
    )


def describe(model: FullModel, values: Array) -> str:
    """Coordinates and their values in words."""
    named = zip(model.coordinates, values, strict=True)
    return ", ".join(
        f"{c.name} = {c.of.shown(model.mechanism, float(value))}" for c, value in named if not np.isnan(value)
    )


def assemble(model: FullModel, targets: Mapping[str, float], guess: FullState | None = None) -> FullState:
    """All constraints closed and the coordinates at given values; at rest, with no deflection of stiff directions.

    The coordinates are led from the design position (or from the guess) to their targets on a straight line, in steps
    short enough to stay on the branch: each is predicted along the tangent and then corrected.

    Args:
        model: the full model.
        targets: values by name of coordinate [m or rad]; an angle may exceed a turn.  Coordinates that are not named
            keep the value they have where the path begins.
        guess: an assembled state to begin from.

    Raises:
        AssemblyError: a target cannot be reached; says how far the path went.
    """
    return led(rigid(model), model.design if guess is None else guess, targets)


def led(model: FullModel, state: FullState, targets: Mapping[str, float]) -> FullState:
    """The coordinates led to their targets under the model's own constraints; see `assemble`."""
    state = replace(state, v=np.zeros_like(state.v), w=np.zeros_like(state.w))
    start = coordinate_values(model, state)
    path = coordinate_goals(model, targets, start) - start
    length = float(np.abs(path * coordinate_units(model)).max(initial=0.0))
    state = closed(model, state, start)
    first = min(1.0, CONTINUATION_STEP / max(length, CONTINUATION_STEP))
    done, share = 0.0, first
    while done < 1.0:
        share = min(share, 1.0 - done)
        try:
            state = continued(model, state, start + done * path, share * path)
        except AssemblyError as error:
            share *= 0.5
            if share < SHORTEST_SHARE:
                raise AssemblyError(
                    f"the path to {describe(model, start + path)} ends at {describe(model, start + done * path)}, "
                    f"{100.0 * done:.1f} % of the way: {error}"
                ) from error
            continue
        done = 1.0 if share == 1.0 - done else done + share
        share = min(1.5 * share, first)
    return state


def continued(model: FullModel, state: FullState, here: Array, step: Array) -> FullState:
    """One step of the continuation, from coordinates `here` by `step` (both (nc,)).

    Raises:
        AssemblyError: not closed, or the correction is suspiciously long.
    """
    forward = np.concatenate([np.zeros(len(model.labels)), step * coordinate_units(model)])
    prediction = least_motion(jacobian(model, state, here), forward)
    if np.abs(prediction).max() > LONGEST_PREDICTION:
        raise AssemblyError(
            f"the next step moves a body by {np.abs(prediction).max():.3g}; the motion is near a dead point"
        )
    predicted = moved(model, state, prediction)
    there = closed(model, predicted, here + step, rank_of(model, state, here))
    gap = float(np.linalg.norm((there.r - predicted.r) / model.size))
    gap += 2.0 * float(np.linalg.norm(there.quaternion - predicted.quaternion))
    if gap > SAME_BRANCH * float(np.linalg.norm(prediction)) + ROUNDING:
        raise AssemblyError(
            f"the last correction, {gap:.3g}, is too long for its step; the motion is near a dead point"
        )
    return there


# -- velocities -------------------------------------------------------------------------------------------------------


def initial_velocity(model: FullModel, state: FullState, rates: Mapping[str, float]) -> FullState:
    """The state with the velocity that satisfies all constraints and gives the coordinates these rates.

    Coordinates that are not named are at rest, stiff directions too; what the coordinates do not determine moves as
    little as possible.

    Args:
        model: the full model.
        state: an assembled state.
        rates: by name of coordinate [m/s or rad/s].

    Raises:
        SingularityError: no velocity gives these rates.
    """
    return set_moving(rigid(model), state, rates)


def set_moving(model: FullModel, state: FullState, rates: Mapping[str, float]) -> FullState:
    """The same under the model's own constraints, where stiff directions may move."""
    rest = np.zeros(len(model.coordinates))
    if model.rolling is not None:
        rest[rest.size - model.rolling.leads :] = np.nan  # what rolls goes as fast as it must
    goal = coordinate_goals(model, rates, rest)
    J = velocity_jacobian(model, state, goal)
    rhs, own = np.zeros(len(J)), len(model.labels)
    rhs[own : own + kept(goal).sum()] = (goal * coordinate_units(model))[kept(goal)]
    rhs -= carried_rates(model, state, goal)
    x = least_motion(J, rhs)
    error = float(np.abs(J @ x - rhs).max(initial=0.0))
    if error > 1e-9 * max(1.0, float(np.abs(rhs).max(initial=0.0))):
        raise SingularityError(
            f"mechanism '{model.mechanism.name}' cannot move with the rates {describe(model, goal)} at "
            f"{describe(model, coordinate_values(model, state))}: the nearest velocity misses by {error:.3g}. "
            "It is at a dead point of these coordinates; start elsewhere or choose others."
        )
    w, v = split_rates(x * model.unit)
    return replace(state, v=v, w=w)


def projected(
    model: FullModel,
    state: FullState,
    held: Array | None = None,
    rates: Array | None = None,
    rank: int | None = None,
) -> FullState:
    """The nearest state that satisfies the constraints, in positions and then in velocities.

    Args:
        model: the full model.
        state: a state near it.
        held: (nc,) values of driven coordinates, nan for the others; None: no coordinate is driven.
        rates: (nc,) their rates.
        rank: as in `closed`.
    """
    state = closed(model, moved(model, state, np.zeros_like(model.unit)), held, rank)  # moved: unit quaternions
    J = velocity_jacobian(model, state, held)
    goal, own = np.zeros(len(J)), len(model.labels)
    if held is not None and rates is not None:
        goal[own : own + kept(held).sum()] = (rates * coordinate_units(model))[kept(held)]
    x = state.u / model.unit
    w, v = split_rates((x - least_motion(J, J @ x + carried_rates(model, state, held) - goal)) * model.unit)
    return replace(state, v=v, w=w)
