"""One step of each kind of model, within a chart: what it evaluates, and which method takes it further.

Devices have states x, which every method integrates with the motion, and unknowns, which each evaluation seeks from
where the one before has found them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ...errors import StepError
from ...interface.inputs import drive_acceleration, held
from ...model.reduced_model import Array
from ..devices import Memory
from ..dynamics import Mechanics, Runtime, acceleration_at, mechanics, moving_force, response
from ..quasistatic import Relaxed, relax, relaxed_acceleration
from ..state import State
from ..tangent import device_motion, linear_motion, near_motion
from .midpoint import midpoint_step, other_slopes, worn
from .pace import SWINGS
from .rosenbrock import rosenbrock_step
from .runge_kutta import METHODS, rk_step
from .swift import fastest_device

Method = Callable[[Runtime, State, float, Sequence[float], Array], State]
"""Of the chart, the state, the step [s], parameters and inputs."""


def method_of(runtime: Runtime) -> Method:
    """The method of a model."""
    if runtime.model.quasistatic:
        return quasistatic_step
    if runtime.model.stiff:
        return lasting_step if runtime.model.method == "midpoint" else implicit_step
    return calm_step if runtime.model.devices else explicit_step


class Evaluation:
    """What is evaluated during one step; it goes on with the unknowns of devices."""

    def __init__(self, runtime: Runtime, state: State, parameters: Sequence[float], inputs: Array) -> None:
        self.runtime, self.state, self.parameters, self.inputs = runtime, state, parameters, inputs
        self.u = state.memory.u

    def held(self, tau: float) -> Array:
        """Inputs at the time tau [s] after the start of the step."""
        return held(self.runtime.slots, self.inputs, tau)

    def memory(self, x: Array) -> Memory:
        """That of devices in the states x, with the unknowns found last."""
        return Memory(x, self.u, self.state.memory.mean)

    def mechanics(self, z: Array, x: Array) -> Mechanics:
        """The tables at z, with devices in the states x."""
        return mechanics(self.runtime, z, self.state.lap, self.memory(x))

    def rates(self, at: Mechanics, zd: Array, inputs: Array) -> Array:
        """Rates of states (nx,) of devices; their unknowns are found here."""
        if not self.runtime.model.devices:
            return np.zeros(0)
        found = response(self.runtime, at, zd, self.parameters, inputs)
        self.u = found.u
        return found.rate

    def derivative(self, tau: float, z: Array, zd: Array, x: Array) -> tuple[Array, Array]:
        """Accelerations (nz,) and rates of states (nx,)."""
        at, now = self.mechanics(z, x), self.held(tau)
        zdd = acceleration_at(self.runtime, at, zd, self.parameters, now)
        return zdd, self.rates(at, zd, now)

    def end(self, z: Array, zd: Array, x: Array) -> State:
        """The state at the end of the step."""
        return replace(self.state, z=z, zd=zd, memory=self.memory(x))


def explicit_step(runtime: Runtime, state: State, h: float, parameters: Sequence[float], inputs: Array) -> State:
    """Runge-Kutta."""
    of, ends = Evaluation(runtime, state, parameters, inputs), np.cumsum([runtime.nz, runtime.nz])

    def rates(tau: float, y: Array) -> Array:
        z, zd, x = np.split(y, ends)
        zd = rolled(runtime, z, zd)
        return np.concatenate((zd, *of.derivative(tau, z, zd, x)))

    start = np.concatenate((state.z, state.zd, state.memory.x))
    z, zd, x = np.split(rk_step(rates, start, h, METHODS[runtime.model.method]), ends)
    return of.end(z, rolled(runtime, z, zd), x)


def rolled(runtime: Runtime, z: Array, zd: Array) -> Array:
    """Rates (nz,) that a disc which rolls has on the floor, and all others as they are."""
    return zd if runtime.track is None else runtime.track.kept(z, zd)


def calm_step(runtime: Runtime, state: State, h: float, parameters: Sequence[float], inputs: Array) -> State:
    """Runge-Kutta where devices are slow enough for that, otherwise the linearly implicit method of order 3."""
    at = mechanics(runtime, state.z, state.lap, state.memory)
    limit = SWINGS[runtime.model.method] / h
    slow = device_bound(runtime, at, state.zd, parameters, inputs, limit) <= limit
    return (explicit_step if slow else implicit_step)(runtime, state, h, parameters, inputs)


def device_bound(
    runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float], inputs: Array, limit: float
) -> float:
    """How fast devices move by themselves [1/s]; see `swift`."""
    return fastest_device(runtime, at, response(runtime, at, zd, parameters, inputs, slopes=True), limit)


def implicit_step(runtime: Runtime, state: State, h: float, parameters: Sequence[float], inputs: Array) -> State:
    """The method of `rosenbrock`."""
    of = Evaluation(runtime, state, parameters, inputs)
    x = state.memory.x
    at = of.mechanics(state.z, x)
    zdd = acceleration_at(runtime, at, state.zd, parameters, inputs)
    first = zdd, of.rates(at, state.zd, inputs)
    linear = linear_motion(runtime, at, state.zd, parameters, inputs)
    inner = device_motion(runtime, at, state.zd, parameters, inputs)
    return of.end(*rosenbrock_step(of.derivative, first, linear, inner, (state.z, state.zd, x), h))


def lasting_step(runtime: Runtime, state: State, h: float, parameters: Sequence[float], inputs: Array) -> State:
    """The method of `midpoint`."""
    of = Evaluation(runtime, state, parameters, inputs)
    x, mean = state.memory.x, state.memory.mean
    zdd, before = (np.zeros(runtime.nz) if a is None else a for a in (state.zdd, state.zdd_before))
    inputs, zd = of.held(0.5 * h), state.zd + 0.5 * h * zdd
    at = of.mechanics(state.z + 0.5 * h * state.zd, x + 0.5 * h * mean)
    force = moving_force(runtime, at, zd, parameters, inputs)
    force[runtime.driven] = drive_acceleration(runtime.slots, at.z, zd, inputs)
    of.rates(at, zd, inputs)
    inner = device_motion(runtime, at, zd, parameters, inputs)
    now, then = near_motion(runtime, at, zd, parameters), None
    if not worn(runtime, state, at.z) and state.z_then is not None and state.zd_then is not None:
        there = mechanics(runtime, state.z_then)
        if not other_slopes(runtime, there, state.zd_then, at, zd, parameters):
            then = near_motion(runtime, there, state.zd_then, parameters)
    if then is None:
        state = replace(state, age=0, z_then=at.z, zd_then=zd)
    else:
        force -= (now.M - then.M) @ (2.0 * zdd - before)  # (2a)
    z1, zd1, x1 = midpoint_step(force, then or now, inner, (state.z, state.zd, x), (zdd, mean), h)
    memory = Memory(x1, of.u, (x1 - x) / h)
    return replace(state, z=z1, zd=zd1, zdd=(zd1 - state.zd) / h, zdd_before=zdd, age=state.age + 1, memory=memory)


def quasistatic_step(runtime: Runtime, state: State, h: float, parameters: Sequence[float], inputs: Array) -> State:
    """Runge-Kutta for the axes; the deflections at the end are in equilibrium with the inputs held so long.

    Raises:
        StepError: devices are too fast for the step, or no equilibrium was found.
    """
    nf, last, of = runtime.nf, state.z[runtime.nf :], Evaluation(runtime, state, parameters, inputs)
    ends = np.cumsum([nf, nf])

    def relaxed(tau: float, y: Array) -> Relaxed:
        nonlocal last
        own, rates, x = np.split(y, ends)
        z, zd = np.concatenate((own, last)), np.concatenate((rates, np.zeros(last.size)))
        found = relax(runtime, runtime.equations, z, zd, parameters, of.held(tau), of.memory(x))
        last = found.at.z[nf:]
        return found

    def rates(tau: float, y: Array) -> Array:
        found, now = relaxed(tau, y), of.held(tau)
        if tau == 0.0:
            _check_swift(runtime, found, parameters, now, h)
        zdd = relaxed_acceleration(runtime, found, parameters, now)[0]
        return np.concatenate((y[nf : 2 * nf], zdd, of.rates(found.at, found.zd, now)))

    start = np.concatenate((state.z[:nf], state.zd[:nf], state.memory.x))
    y = rk_step(rates, start, h, METHODS[runtime.model.method])
    end = relaxed(h, y)
    return of.end(end.at.z, end.zd, y[2 * nf :])


def _check_swift(runtime: Runtime, found: Relaxed, parameters: Sequence[float], inputs: Array, h: float) -> None:
    """Refuse a step for which devices are too fast."""
    if not runtime.model.devices:
        return
    limit = SWINGS[runtime.model.method] / h
    bound = device_bound(runtime, found.at, found.zd, parameters, inputs, limit)
    if not bound <= limit:
        raise StepError(
            f"elements move by themselves with up to {bound:.6g} 1/s; with quasi-static deflections steps are explicit "
            f"and must be shorter than {SWINGS[runtime.model.method] / bound:.3g} s: reduce 'solver.step'"
        )
