"""Equilibrium of the full model, and its small motions about it.

Small motions y along an orthonormal basis N of what the constraints allow at a state of rest.  A state nearby is
reached by the step N y, closed again; its acceleration N^T du/dt, without units, is to first order

    ydd = A y + D yd + X x,   xd = R [y; yd; x]                                             (1)

with A = -M^-1 K and D = -M^-1 C; K contains the geometric stiffness of all forces, multipliers included.  x are the
states of elements with formulas, away from rest.  All come from central differences of the exact accelerations and
rates.  An equilibrium, and the response to a load, have states at rest: x such that xd = 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from precompute.arrays import Array
from precompute.errors import SingularityError
from precompute.reference.assembly import closed
from precompute.reference.bodies import FullState, split_rates
from precompute.reference.devices.response import DIFFERENCE, LEAST, respond
from precompute.reference.devices.rest import rested
from precompute.reference.dynamics import body_accelerations
from precompute.reference.inputs import Loads
from precompute.reference.least_motion import numerical_rank
from precompute.reference.measures import measure_motion
from precompute.reference.model import FullModel, coordinate_goals, jacobian, moved

STEP = 1e-5  # of the differences [size of the mechanism, or rad]; their error is of its square
AT_REST = 1e-8  # Newton stops at this step [size of the mechanism, or rad], and is done then
ITERATIONS = 100
UNHELD = 1e-9  # entries of A below this share of the largest count as zero: noise of the differences
IDLE = 1e-4  # acceleration [1/s2] along what nothing holds, below which it is noise
LONGEST_STEP = 0.05  # of a Newton step [size of the mechanism, or rad]


@dataclass(frozen=True, eq=False)
class SmallMotions:
    """Linear motion about an equilibrium."""

    basis: Array  # (6 nb, n) N: motions allowed, per unit y, in rates u/unit
    A: Array  # (n, n) of (1) [1/s2]
    D: Array  # (n, n) of (1) [1/s]
    X: Array  # (n, nx) of (1)
    R: Array  # (nx, 2 n + nx) of (1)

    @property
    def eigenvalues(self) -> Array:
        """(2 n + nx,) complex, of the matrix of (1) [1/s], by magnitude."""
        n, nx = self.X.shape
        along = np.block([np.zeros((n, n)), np.eye(n), np.zeros((n, nx))])
        values = np.linalg.eigvals(np.vstack([along, np.hstack([self.A, self.D, self.X]), self.R]))
        return values[np.argsort(np.abs(values))]

    @property
    def frequencies(self) -> Array:
        """(n,) natural frequencies without damping, states held, ascending; zero for what nothing holds [Hz]."""
        return np.sqrt(np.maximum(np.sort(np.linalg.eigvals(-self.A).real), 0.0)) / (2.0 * np.pi)


def equilibrium(
    model: FullModel, guess: FullState, load: Loads | None = None, held: Mapping[str, float] | None = None
) -> FullState:
    """The stable state of rest near a guess where all forces are in balance, by Newton's method on (1).

    Where the balance is unstable the step goes the other way, with the acceleration.  Motions that nothing holds, such
    as the spin of a rod between balls, stay as they are.

    Args:
        model: the full model.
        guess: an assembled state.
        load: constant loads.
        held: coordinates that are kept at given values [m or rad]; the others find their own.

    Raises:
        SingularityError: no equilibrium was found.
    """
    kept_at = held_values(model, held or {})
    rest = replace(guess, v=np.zeros_like(guess.v), w=np.zeros_like(guess.w))
    state = closed(model, rest, kept_at)
    for _ in range(ITERATIONS):
        N, state = allowed(model, state, kept_at), rested(model, state, load or Loads())
        push = N.T @ acceleration(model, state, load, kept_at)
        step, loose = stable_step(slopes(model, state, N, load, kept_at), push)
        length = float(np.abs(step).max(initial=0.0))
        if length < AT_REST and loose > IDLE:
            break
        state = closed(model, moved(model, state, N @ step * min(1.0, LONGEST_STEP / max(length, 1e-300))), kept_at)
        if length < AT_REST:
            return rested(model, state, load or Loads())
    raise SingularityError(
        f"mechanism '{model.mechanism.name}' finds no equilibrium: the last step was {length:.3g} of its size, and an "
        f"acceleration of {loose:.3g} 1/s2 acts where nothing holds it. Hold a coordinate, start nearer, or check that "
        "springs carry every motion."
    )


def stable_step(A: Array, push: Array) -> tuple[Array, float]:
    """(n,) step |A|^-1 push, and the part of the push along what nothing holds [1/s2]."""
    values, V = np.linalg.eig(A)
    share = np.linalg.solve(V, push.astype(complex))
    held = np.abs(values) > UNHELD * np.abs(values).max(initial=0.0)
    step = V[:, held] @ (share[held] / np.abs(values[held]))
    return step.real, float(np.abs(share[~held]).max(initial=0.0))


def small_motions(
    model: FullModel, state: FullState, load: Loads | None = None, held: Mapping[str, float] | None = None
) -> SmallMotions:
    """Linearization (1) about a state of rest."""
    kept_at, load = held_values(model, held or {}), load or Loads()
    N, state = allowed(model, state, kept_at), rested(model, state, load)

    def rates(there: FullState) -> Array:
        measured = measure_motion(model.measures, there)
        return np.concatenate(
            [N.T @ acceleration(model, there, load, kept_at), respond(model, there, measured, load).rate]
        )

    def slope(step: float, plus: FullState, minus: FullState) -> Array:
        return (rates(plus) - rates(minus)) / (2.0 * step)

    columns = [slope(STEP, *(shifted(model, state, sign * STEP * d, kept_at) for sign in (1, -1))) for d in N.T]
    columns += [slope(STEP, *(with_rates(model, state, sign * STEP * d) for sign in (1, -1))) for d in N.T]
    for k, x in enumerate(state.devices.tolist()):
        step = DIFFERENCE * max(abs(x), LEAST)
        by = step * np.eye(state.devices.size)[k]
        columns.append(slope(step, *(replace(state, devices=state.devices + sign * by) for sign in (1, -1))))
    n, nx = N.shape[1], state.devices.size
    J = np.array(columns).reshape(2 * n + nx, n + nx).T
    return SmallMotions(N, J[:n, :n], J[:n, n : 2 * n], J[:n, 2 * n :], J[n:])


def response(
    model: FullModel, state: FullState, load: Loads | None, new_load: Loads, held: Mapping[str, float] | None = None
) -> FullState:
    """Displacement from an equilibrium when its load changes, to first order: -A^-1 times the acceleration.

    Args:
        model: the full model.
        state: in equilibrium under `load`.
        load: constant loads.
        new_load: the loads that take their place.
        held: coordinates that are kept at given values [m or rad].

    Returns:
        The state with the displacement as its rates [m or rad, per s].
    """
    kept_at = held_values(model, held or {})
    N = allowed(model, state, kept_at)
    before, after = (rested(model, state, own or Loads()) for own in (load, new_load))
    push = acceleration(model, after, new_load, kept_at) - acceleration(model, before, load, kept_at)
    return with_rates(model, state, N @ stable_step(slopes(model, state, N, load, kept_at), N.T @ push)[0])


def held_values(model: FullModel, held: Mapping[str, float]) -> Array:
    """(nc,) values of coordinates that are held, nan for the others."""
    return coordinate_goals(model, held, np.full(len(model.coordinates), np.nan))


def allowed(model: FullModel, state: FullState, held: Array) -> Array:
    """(6 nb, n) orthonormal basis of the motions that constraints and held coordinates allow, in rates u/unit."""
    _, sigma, Vt = np.linalg.svd(jacobian(model, state, held), full_matrices=True)
    return Vt[numerical_rank(sigma) :].T


def with_rates(model: FullModel, state: FullState, x: Array) -> FullState:
    """The state with the rates x (6 nb,), in rates u/unit."""
    w, v = split_rates(x * model.unit)
    return replace(state, v=v, w=w)


def acceleration(model: FullModel, state: FullState, load: Loads | None, held: Array) -> Array:
    """(6 nb,) du/dt without units; held coordinates do not accelerate."""
    still = np.where(np.isnan(held), np.nan, 0.0)
    measured, load = measure_motion(model.measures, state), load or Loads()
    response = respond(model, state, measured, load)
    return body_accelerations(model, state, measured, load, still, response) / model.unit


def shifted(model: FullModel, state: FullState, step: Array, held: Array) -> FullState:
    """The state after a step (6 nb,) without units, closed again."""
    return closed(model, moved(model, state, step), held)


def slopes(model: FullModel, state: FullState, N: Array, load: Loads | None, held: Array) -> Array:
    """(n, n) A of (1) with states of elements at rest."""
    columns = []
    for direction in N.T:
        ends = (shifted(model, state, sign * STEP * direction, held) for sign in (1.0, -1.0))
        plus, minus = (rested(model, end, load or Loads()) for end in ends)
        change = acceleration(model, plus, load, held) - acceleration(model, minus, load, held)
        columns.append(N.T @ change / (2.0 * STEP))
    return np.array(columns).reshape(len(columns), len(columns)).T
