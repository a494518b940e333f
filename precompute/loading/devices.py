"""Elements with formulas along a given motion: their states are integrated, their forces act with all others.

Of what they are connected to, s, the samples are known, and where nothing is stiff rates and accelerations too,

    sdot = ds/dz zd,   sddot = ds/dz zdd + zd d2s/dz2 zd                                    (1)

and s(t) is the polynomial of degree 5 from sample to sample that has them all.  Deflections of rubber have samples
alone: a spline goes through these, and its slopes are rates.  Along that

    xdot = r(s(t), sdot(t), x, i(t))                                                        (2)

with inputs i on straight lines between samples.  States begin at rest where the first sample has the elements; what
finds no rest there begins at its start value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import BPoly, make_interp_spline

from fmu_src.errors import StepError
from fmu_src.model.units import effort_of, rate_of
from fmu_src.numpy_runtime.devices import Memory, respond, shown, start_memory
from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.loading.acting import Along
from precompute.loading.motion import LoadMotion
from precompute.reduction.rest_devices import RestDevices
from precompute.solving.prescribed import DEGREE

TOLERANCE = 1e-9
"""Of the integration of states, relative."""

LEAST = 1e-12
"""The same, absolute."""


@dataclass(frozen=True, eq=False)
class Moved:
    """What all elements measure at n samples."""

    s: Array  # (n, ne) [m or rad]
    rate: Array  # (n, ne)
    second: Array | None  # (n, ne); None: not known, and rates come from a spline

    @classmethod
    def of(cls, own: RestDevices, parts: Sequence[Along], stiff: bool, t: Array) -> Moved:
        """Of parts of a motion, with deflections or not."""
        on = list(own.acts_on)
        s = np.concatenate([part.rest.s[:, on] for part in parts])
        if stiff:
            return cls(s, spline(t, s, 1), None)
        zd, zdd = (
            np.concatenate([getattr(part.acting, name) for part in parts]) for name in ("rates", "accelerations")
        )
        ds, dds = (np.concatenate([getattr(part.rest, name)[:, on] for part in parts]) for name in ("ds", "dds"))
        second = np.einsum("nki,ni->nk", ds, zdd) + np.einsum("nkij,ni,nj->nk", dds, zd, zd)  # (1)
        return cls(s, np.einsum("nki,ni->nk", ds, zd), second)

    def between(self, t: Array) -> tuple[Callable[[float], Array], Callable[[float], Array]]:
        """S and sdot over time."""
        if self.second is not None:
            way = BPoly.from_derivatives(t, np.stack([self.s, self.rate, self.second], axis=1))
            return way, way.derivative()
        way = make_interp_spline(t, self.s, k=min(DEGREE, len(t) - 1))
        return way, way.derivative()


def spline(t: Array, values: Array, order: int) -> Array:
    """(n, k) derivative of the splines through samples (n, k)."""
    degree = min(DEGREE, len(t) - 1)
    if order > degree:
        return np.zeros(values.shape)
    return np.asarray(make_interp_spline(t, values, k=degree).derivative(order)(t))


@dataclass(frozen=True, eq=False)
class History:
    """What elements did."""

    forces: Array  # (n, ne) on the measures of all elements [N or N m]
    outputs: dict[str, Array]  # (n,) by the names of outputs of an FMU
    units: dict[str, str]
    notes: tuple[str, ...]


def history(own: RestDevices, motion: LoadMotion, moved: Moved) -> History:
    """All of it along a motion.

    Raises:
        PrecomputeError: a formula has no value on the way, or states cannot be followed.
    """
    t, given = motion.time, device_inputs(own, motion)
    if named := [load for device in own.devices for load in device.loads]:
        name = own.devices[0].unknowns[named[0].unknown].name
        raise PrecomputeError(f"'{name}' is a load that an element reads; along a given motion that is not there")
    try:
        first, notes = memory_at_first(own, moved.s[0], given[0])
        x = states(own, t, moved, given, first)
        forces, rows, memory = [], [], first
        for k in range(len(t)):
            memory = Memory(x[k], memory.u, memory.mean)
            at = (own.model, own.parameters, given[k], moved.s[k], moved.rate[k], memory)
            found = respond(*at)
            memory = memory._replace(u=found.u)
            forces.append(found.force)
            rows.append([value for slots in shown(*at) for value in slots])
    except StepError as error:
        raise PrecomputeError(f"{motion.source}: {error}") from None
    columns, numbers = np.array(rows), [*outputs(own)]
    return History(
        forces=np.array(forces),
        outputs={name: columns[:, slot] for name, _, slot in numbers},
        units={name: unit for name, unit, _ in numbers},
        notes=notes,
    )


def device_inputs(own: RestDevices, motion: LoadMotion) -> Array:
    """(n, ni) at the samples.

    Raises:
        PrecomputeError: one is outside of its bounds.
    """
    columns = []
    for given in (given for device in own.devices for given in device.inputs):
        name = f"element.{given.name}"
        values = motion.inputs[name]
        low = -np.inf if given.minimum is None else given.minimum
        high = np.inf if given.maximum is None else given.maximum
        if outside := np.flatnonzero((values < low) | (values > high)).tolist():
            k = outside[0]
            raise PrecomputeError(
                f"{motion.source}: '{name}' is {values[k]:g} at {motion.time[k]:.6g} s, outside of {low:g} to {high:g}"
            )
        columns.append(values)
    return np.stack(columns, axis=-1) if columns else np.zeros((len(motion.time), 0))


def memory_at_first(own: RestDevices, s: Array, inputs: Array) -> tuple[Memory, tuple[str, ...]]:
    """What elements remember at the first sample, and a word where that is not rest."""
    try:
        return own.memory(s, inputs), ()
    except StepError as error:
        return start_memory(own.model), (f"states of elements begin at their start values: {error}",)


def states(own: RestDevices, t: Array, moved: Moved, given: Array, first: Memory) -> Array:
    """(n, nx) by (2)."""
    if not first.x.size or len(t) == 1:
        return np.repeat(first.x[None], len(t), axis=0)
    s, sdot = moved.between(t)
    near = [first.u]

    def rate(now: float, x: Array) -> Array:
        inputs = np.array([np.interp(now, t, column) for column in given.T])
        found = respond(own.model, own.parameters, inputs, s(now), sdot(now), Memory(x, near[0], first.mean))
        near[0] = found.u
        return found.rate

    done = solve_ivp(rate, (t[0], t[-1]), first.x, "LSODA", t_eval=t, rtol=TOLERANCE, atol=LEAST)
    if not done.success:
        raise StepError(f"states of elements cannot be followed: {done.message}")
    return np.asarray(done.y.T)


def outputs(own: RestDevices) -> Iterator[tuple[str, str, int]]:
    """Name, unit and slot of all that elements show; slots of all devices are counted through."""
    first = 0
    for device in own.devices:
        for k, c in enumerate(device.connections):
            unit = own.elements[c.element].unit
            yield f"element.{c.name}", unit, first + k
            yield f"element.{c.name}_rate", rate_of(unit), first + len(device.connections) + k
            if c.force >= 0:
                owner, _, symbol = c.name.partition(".")
                yield f"element.{owner}.force.{symbol}", effort_of(unit), first + device.given + c.force
        named = [(part.name, part.unit) for part in device.states] + [
            (part.name, part.unit) for part in device.unknowns
        ]
        for k, (name, unit) in enumerate(named):
            yield f"element.{name}", unit, first + device.x + k
        for out in device.outputs:
            yield f"element.{out.name}", out.unit, first + device.given + out.formula
        first += device.slots
