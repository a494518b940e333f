"""What an FMU was given in a run as inputs of the full model, piece by piece.

Between two communication points an FMU holds its inputs, as `fmu_src.interface.inputs` says: forces, gravity and
targets of filtered drives are constant; a twist of the chassis goes on as V + Vd tau, a coordinate that is driven
directly as q + qd tau + qdd tau^2/2.  One that is driven through a filter follows x'' = (target - x)/T^2 - 2 x'/T, so
with the target held, and a = x(0) - target, b = x'(0) + a/T,

    x = target + (a + b tau) exp(-tau/T)                                                        (1)

The full model has the same; where pieces meet, inputs may jump.  Gravity and loads are in axes that the chassis
carries along.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fmu_src.interface.inputs import forced_coordinates
from fmu_src.model.reduced_model import CoordinateInfo, ReducedModel, StartInfo, WheelInfo
from precompute.arrays import Array
from precompute.reference import Drive, Inputs, Loads, Piece, WheelLoad
from precompute.running.simulation import Run, SimulationError

LEAP = 0.02
RATE_LEAP = 1.0
"""Of a table, and of it per second: by how much a drive may leap on bushings."""

Numbers = dict[str, float]
"""Inputs by name, at one instant."""


@dataclass(frozen=True, eq=False)
class GivenInputs:
    """The inputs of a run."""

    model: ReducedModel
    run: Run
    filtered: dict[str, Array]  # (nt, 2) value and rate of coordinates that are driven through filters, at run.time

    def at(self, times: Sequence[float]) -> Inputs:
        """What the samples at some communication points were taken with; of no use in between."""
        number = dict(zip(self.run.time.tolist(), range(len(self.run.time)), strict=True))
        found = {t: self.inputs(number[t], {n: float(v[number[t]]) for n, v in self.run.inputs.items()}) for t in times}
        names = [c.name for c in self.model.coordinates if c.driven != "no"]

        def drive(name: str) -> Drive:
            return lambda t: found[t].drives[name](t)

        return Inputs(
            loads=lambda t: found[t].load(t),
            chassis=(lambda t: found[t].twist(t)) if self.model.moving else None,
            drives={name: drive(name) for name in names},
        )

    def pieces(self, pick: NDArray[np.intp]) -> Iterator[Piece]:
        """From the first of some communication points to the last; each of them, and each change, begins a piece."""
        ends = np.unique(np.concatenate([pick, np.flatnonzero(self.changes)]))
        ends = ends[(ends >= pick[0]) & (ends <= pick[-1])]
        for first, last in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
            held = {name: float(values[first]) for name, values in self.run.held.items()}
            yield Piece(float(self.run.time[first]), float(self.run.time[last]), self.inputs(first, held))

    @cached_property
    def changes(self) -> NDArray[np.bool_]:
        """(nt,) whether inputs jump at a communication point, or are set anew because they move."""
        table = np.stack([*self.run.held.values(), np.zeros_like(self.run.time)], axis=1)
        changed = np.any(np.diff(table, axis=0, prepend=np.nan) != 0.0, axis=1)
        for name, values in self.run.held.items():
            if name.startswith(("chassis.wd[", "chassis.vd[")) or name.endswith((".qd", ".qdd")):
                changed |= values != 0.0
        return changed

    def inputs(self, number: int, given: Numbers) -> Inputs:
        """Those that are held from a communication point on."""
        start = float(self.run.time[number])
        load = self.load(given)
        twist = vector(given, "chassis.w"), vector(given, "chassis.v")
        rate = np.concatenate([vector(given, "chassis.wd"), vector(given, "chassis.vd")])
        V = np.concatenate(twist)
        return Inputs(
            loads=lambda t: load,
            chassis=(lambda t: (V + rate * (t - start), rate)) if self.model.moving else None,
            drives={c.name: self.drive(c, number, given) for c in self.model.coordinates if c.driven != "no"},
        )

    def load(self, given: Numbers) -> Loads:
        """Forces and gravity, in the axes of the chassis; inputs of elements."""
        names = [p.name for p in self.model.ports]
        ports = {name: (vector(given, f"port.{name}.F"), vector(given, f"port.{name}.M")) for name in names}
        forced = [self.model.coordinates[i].name for i in forced_coordinates(self.model)]
        forces = {name: given[f"Q.{name}"] for name in forced}
        wheels = {wheel.name: wheel_load(given, wheel) for wheel in self.model.wheels}
        gravity = vector(given, "gravity") if self.model.moving else None
        own = {i.name: given[f"element.{i.name}"] for device in self.model.devices for i in device.inputs}
        return Loads(ports, forces, gravity, carried=True, wheels=wheels, devices=own)

    def drive(self, c: CoordinateInfo, number: int, given: Numbers) -> Drive:
        """The motion of a coordinate from a communication point on."""
        start, target = float(self.run.time[number]), given[f"drive.{c.name}.q"]
        if c.driven == "direct":
            rate, acceleration = given[f"drive.{c.name}.qd"], given[f"drive.{c.name}.qdd"]
            return lambda t: (
                target + (rate + 0.5 * acceleration * (t - start)) * (t - start),
                rate + acceleration * (t - start),
                acceleration,
            )
        x, xd = self.filtered[c.name][number].tolist()
        return lambda t: filter_motion(x, xd, target, c.filter_time, t - start)


def given_inputs(model: ReducedModel, run: Run, values: Numbers) -> GivenInputs:
    """The inputs of a run with these start values.

    Raises:
        SimulationError: a coordinate is driven by leaps where the full model cannot follow.
    """
    if model.stiff:
        for c in model.coordinates:
            if c.driven == "direct":
                check_smooth(model, c.name, run)
    named = zip(model.coordinates, model.starts, strict=False)
    return GivenInputs(
        model, run, {c.name: filter_states(c, start, run, values) for c, start in named if c.driven == "filtered"}
    )


def check_smooth(model: ReducedModel, name: str, run: Run) -> None:
    """That a coordinate is driven without large leaps from piece to piece.

    An FMU leaves its deflections and their rates alone where a drive leaps, the full model only to first order.
    """
    axis = next(axis for axis in model.charts[0].axes if axis.name == name)
    h, width = np.diff(run.time), axis.upper - axis.lower
    q, qd, qdd = (run.held[f"drive.{name}.{symbol}"] for symbol in ("q", "qd", "qdd"))
    leaps = np.diff(q) - h * (qd[:-1] + 0.5 * h * qdd[:-1]), np.diff(qd) - h * qdd[:-1]
    for leap, most, symbol in zip(leaps, (LEAP * width, RATE_LEAP * width), ("q", "qd"), strict=True):
        if (beyond := np.flatnonzero(np.abs(leap) > most)).size:
            k = int(beyond[0])
            far = axis.words.text(float(leap[k]), 3) + ("/s" if symbol == "qd" else "")
            raise SimulationError(
                f"'drive.{name}.{symbol}' leaps by {far} at {run.time[k + 1]:.6g} s, from where drive.{name}.q, .qd "
                "and .qdd had led it: on bushings the full model follows smooth drives only. Give all three, as "
                "derivatives of each other, or a shorter --step"
            )


def filter_states(c: CoordinateInfo, start: StartInfo, run: Run, values: Numbers) -> Array:
    """(nt, 2) value and rate of a coordinate behind its filter, by (1) from one communication point to the next."""
    states = np.empty((len(run.time), 2))
    states[0] = values.get(f"q_start.{c.name}", start.value), values.get(f"qd_start.{c.name}", start.rate)
    targets = run.held[f"drive.{c.name}.q"].tolist()
    for k, step in enumerate(np.diff(run.time).tolist()):
        x, xd = states[k].tolist()
        states[k + 1] = filter_motion(x, xd, targets[k], c.filter_time, step)[:2]
    return states


def filter_motion(x: float, xd: float, target: float, T: float, tau: float) -> tuple[float, float, float]:
    """Value, rate and acceleration by (1), the time tau after x and xd [s]."""
    a = x - target
    b = xd + a / T
    y, fall = a + b * tau, math.exp(-tau / T)
    return target + y * fall, (b - y / T) * fall, (y / T - 2.0 * b) / T * fall


def wheel_load(given: Numbers, wheel: WheelInfo) -> WheelLoad:
    """On a wheel; a road without a normal is level."""
    force, normal, moment = (vector(given, f"wheel.{wheel.name}.{part}") for part in ("F", "road.n", "M"))
    normal = normal if normal.any() else np.array(wheel.axes[2])
    return WheelLoad(force, normal, moment, given[f"wheel.{wheel.name}.torque"])


def vector(given: Numbers, name: str) -> Array:
    """(3,) of three inputs with numbers; zero where there are none."""
    return np.array([given.get(f"{name}[{i}]", 0.0) for i in (1, 2, 3)])
