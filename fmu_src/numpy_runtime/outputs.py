"""Outputs of a reduced model as one vector: every source of `output_variables` in its turn."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..interface.source import Operation, Source
from ..model.laws import design_force, efforts, free_value
from ..model.reduced_model import Array, Law
from ..model.remainder import deflection_shares, error_estimate
from ..model.rows import POSITION, ROTATION, TURNING
from .devices import shown
from .dynamics import (
    Energies,
    Mechanics,
    Runtime,
    drive_force,
    element_forces,
    energies_at,
    loads_at,
    mechanics_of,
    moving_force,
    pressing_at,
    solve_motion,
    weights_of_loads,
)
from .ground import chassis_wrench, cross, ground_at
from .quasistatic import relax, relaxed_acceleration
from .reading import read
from .state import State
from .validity import departure
from .wheel_motion import Line, axis_parts, conditions, geometric_axis, screw_axis, way
from .wheels import disc, wheel_inputs, wheel_parts


class Instant(NamedTuple):
    """The motion at one instant."""

    at: Mechanics  # of all rows
    zd: Array  # (nz,)
    u: Array  # (nz,) rates of the coordinates that have inertia
    zdd: Array  # (nz,) zero for the others
    drive: Array  # (nd,) forces of the drives


def outputs(charts: Sequence[Runtime], state: State, parameters: Sequence[float], inputs: Array) -> list[float]:
    """All outputs.  One reading of the tables.

    Args:
        charts: the model.
        state: of its motion.
        parameters: values of all model parameters.
        inputs: see `inputs`.

    Raises:
        TableRangeError: z has left the table.
        StepError: the acceleration cannot be found.
    """
    runtime = charts[state.chart]
    shown = Shown(runtime, state, parameters, inputs, _instant(runtime, state, parameters, inputs))
    return [OPERATIONS[source.operation](shown, source) for source in runtime.sources]


def load_at(runtime: Runtime, state: State, parameters: Sequence[float], inputs: Array, number: int) -> float:
    """One of the loads; arguments as those of `outputs`."""
    shown = Shown(runtime, state, parameters, inputs, _instant(runtime, state, parameters, inputs))
    return shown.load([source for source in runtime.sources if source.operation == Operation.LOAD][number])


@dataclass(frozen=True, eq=False)
class Shown:
    """What outputs are taken from; parts that not every model has are found when they are asked for."""

    runtime: Runtime
    state: State
    parameters: Sequence[float]
    inputs: Array
    now: Instant

    def row(self, source: Source) -> int:
        """The row of a source in this chart."""
        return source.rows[self.state.chart]

    def rotation(self, source: Source) -> Array:
        """The rotation (3, 3) that begins with the row of a source."""
        first = self.row(source)
        return self.now.at.value[first : first + ROTATION].reshape(3, 3)

    @cached_property
    def rates(self) -> Array:
        """(nr,) of all rows."""
        return self.now.zd @ self.now.at.slopes

    @cached_property
    def coordinates(self) -> tuple[Array, Array, Array]:
        """The model's coordinates with rates and accelerations: the chart's own, or rows c and G of the chart.

        cd = G zd,   cdd = G zdd + (dG/dt) zd
        """
        at, zd, zdd = self.now.at, self.now.zd, self.now.zdd
        nz, rows = self.runtime.nz, self.runtime.rows
        if at.G is None:
            return at.z, zd, zdd
        Gd = (zd @ at.slopes[:, rows.G : rows.G + nz * nz]).reshape(nz, nz)
        laps = np.array([coordinate.lap for coordinate in self.runtime.model.coordinates])
        c = at.value[rows.c : rows.c + nz] + self.state.lap * laps
        return c, at.G @ zd, at.G @ zdd + Gd @ zd

    @cached_property
    def forces(self) -> list[float]:
        """Of all elements, or moments about the axes of bushings."""
        at = self.now.at
        return efforts(self.runtime.model, self.parameters, at.s.tolist(), (self.now.zd @ at.ds).tolist())

    @cached_property
    def table_errors(self) -> Array:
        """(3,) estimated, by kind."""
        model, z = self.runtime.model, self.now.at.z
        assert model.errors is not None, "there is no such output"
        u = deflection_shares(model, z[None])
        return error_estimate(model.errors, self.runtime.chart.axes, z[None, : self.runtime.nf], u)[0]

    @cached_property
    def gravity(self) -> Array:
        """(3,) in ground axes."""
        return np.array([self.parameters[i] for i in self.runtime.model.gravity])

    @cached_property
    def energies(self) -> Energies:
        """Of the motion."""
        found, at = energies_at(self.runtime, self.now.at, self.now.u, self.parameters), self.now.at
        if self.runtime.track is None:
            return found
        return found._replace(gravity=self.runtime.track.potential(at.z, at.S, self.gravity))

    @cached_property
    def contact(self) -> Array:
        """(3,) force of the floor on the disc."""
        at, track = self.now.at, self.runtime.track
        assert track is not None, "there is no disc on the floor"
        ground = ground_at(self.runtime.rows, at.value, at.slopes, self.runtime.model.mass)
        u = self.now.u
        return track.contact_wrench(at.z, ground, u, track.quasi_accelerations(at.z, u, self.now.zdd), self.gravity)[0]

    @cached_property
    def carried(self) -> list[list[float]]:
        """Position, velocity, angular velocity and angles of each marker, in ground axes."""
        at, zd, track = self.now.at, self.now.zd, self.runtime.track
        assert track is not None, "there is no disc on the floor"
        (R, p), V = track.pose(at.z), track.twist(self.now.u)
        found = []
        for rows in self.runtime.rows.markers:
            r, v = (part[rows.r : rows.r + POSITION] for part in (at.value, self.rates))
            w = at.value[rows.A : rows.A + TURNING * self.runtime.nz].reshape(TURNING, -1) @ zd + V[:3]
            turned = R @ at.value[rows.R : rows.R + ROTATION].reshape(3, 3)
            own = p + R @ r, R @ (v + V[3:] + cross(V[:3], r)), R @ w
            found.append([*np.concatenate(own).tolist(), *roll_pitch_yaw(turned)])
        return found

    @cached_property
    def wrench(self) -> Array:
        """Force (3) and moment (3) on the chassis."""
        slots, model, now, ground = self.runtime.slots, self.runtime.model, self.now, self.now.at.ground
        assert ground is not None, "the ground does not move"
        gravity = np.array([self.parameters[i] for i in model.gravity])
        moment, force = cross(ground.S, gravity), ground.mass * gravity
        loads = loads_at(self.runtime, now.at.value, self.inputs)
        for rows, load in zip(self.runtime.ports.reshape(-1, 3), loads, strict=True):
            force = force + load[0]
            moment = moment + load[1] + cross(now.at.value[rows], load[0])
        V, Vd = self.inputs[slots.twist], self.inputs[slots.twist_rate]
        external = np.concatenate((moment, force))
        return np.roll(chassis_wrench(ground, V, Vd, now.zd, now.u, now.zdd, external), 3)

    def turning(self, source: Source) -> float:
        """A component of an angular velocity."""
        first = self.row(source)
        return float(self.now.at.value[first : first + self.runtime.nz] @ self.now.zd)

    @cached_property
    def wheels(self) -> list[list[float]]:
        """All that is shown of each wheel."""
        runtime, slots, value, zd = self.runtime, self.runtime.slots, self.now.at.value, self.now.zd
        twist = self.inputs[slots.twist] if runtime.model.moving else np.zeros(6)
        found = []
        for number, (wheel, rows) in enumerate(runtime.wheels):
            w = value[rows.A : rows.A + TURNING * runtime.nz].reshape(TURNING, -1) @ zd
            given = wheel_inputs(self.inputs, slots.wheels.start, number)
            found.append(wheel_parts(wheel, rows, value, self.rates, w, twist, given))
        return found

    def axis(self, number: int, axis: Line) -> list[float]:
        """What is read of a steering axis of a wheel."""
        wheel, rows = self.runtime.wheels[number]
        value, n = self.now.at.value, wheel_inputs(self.inputs, self.runtime.slots.wheels.start, number).n
        return axis_parts(wheel, disc(wheel, rows, value, n), value[rows.r : rows.r + POSITION], axis)

    @cached_property
    def geometric(self) -> list[list[float]]:
        """What is read of the line through the balls of each wheel that has them."""
        own, value = enumerate(self.runtime.wheels), self.now.at.value
        return [self.axis(i, geometric_axis(*wheel, value)) if wheel[0].balls else [] for i, wheel in own]

    @cached_property
    def screws(self) -> list[list[float]]:
        """What is read of the screw axis of each wheel that is steered."""
        own = enumerate(self.runtime.wheels)
        return [[] if wheel.steering is None else self.axis(i, self.screw(i)) for i, (wheel, _) in own]

    def screw(self, number: int) -> Line:
        """The screw axis of a wheel that is steered."""
        runtime, slopes, value = self.runtime, self.slopes, self.now.at.value
        (wheel, rows), T = runtime.wheels[number], self.conditions.copy()
        assert wheel.steering is not None
        if wheel.spring is not None:
            T[number] = slopes[:, runtime.rows.elements[wheel.spring]]
        a = way(T, len(runtime.wheels) + runtime.model.held.index(wheel.steering))
        turning = value[rows.A : rows.A + TURNING * runtime.nz].reshape(TURNING, -1)[:, : runtime.nf]
        place = slice(rows.r, rows.r + POSITION)
        return screw_axis(value[place], turning @ a, a @ slopes[:, place])

    @property
    def slopes(self) -> Array:
        """(nf, nr) of all rows along the axes."""
        return self.now.at.slopes[: self.runtime.nf]

    @cached_property
    def conditions(self) -> Array:
        """(nf, nf) that tell how the axes move."""
        return conditions(self.runtime.wheels, self.runtime.model.held, self.slopes)

    @cached_property
    def load_weights(self) -> Array:
        """What the rows of all loads are multiplied by."""
        now = self.now
        forces = element_forces(self.runtime, now.at, now.zd, self.parameters, self.inputs)
        return weights_of_loads(self.runtime, now.at, now.u, now.zdd, forces, self.parameters, self.inputs)

    def load(self, source: Source) -> float:
        """A load or an acceleration."""
        rows = self.now.at.value[self.row(source) : self.row(source) + source.part]
        return source.factor * float(rows @ self.load_weights[: source.part])

    def ratio(self, source: Source) -> float:
        """A motion ratio."""
        change = self.slopes[:, self.runtime.rows.elements[source.part]]
        return source.factor * float(change @ way(self.conditions, source.index))

    def wheel(self, source: Source) -> tuple[Array, Sequence[float]]:
        """The spin axis (3,) of a marker in ground axes, now and at design."""
        marker = self.runtime.model.markers[source.index]
        assert marker.spin_axis is not None and marker.spin_design is not None
        return self.rotation(source) @ marker.spin_axis, marker.spin_design

    @cached_property
    def devices(self) -> list[list[float]]:
        """The slots of each device."""
        now, own = self.now, self.inputs[self.runtime.slots.devices]
        pressing = pressing_at(self.runtime, now.at, now.zd, self.parameters, self.inputs)
        return shown(self.runtime.model, self.parameters, own, now.at.s, now.zd @ now.at.ds, now.at.memory, pressing)

    def law(self, source: Source) -> Law:
        """The first law of an element."""
        return self.runtime.model.elements[source.index].laws[0]


OPERATIONS: dict[Operation, Callable[[Shown, Source], float]] = {
    Operation.COORDINATE: lambda of, source: float(of.coordinates[0][source.index]),
    Operation.RATE: lambda of, source: float(of.coordinates[1][source.index]),
    Operation.ACCELERATION: lambda of, source: float(of.coordinates[2][source.index]),
    Operation.DRIVE: lambda of, source: float(of.now.drive[source.index]),
    Operation.ROW: lambda of, source: float(of.now.at.value[of.row(source)]) + of.state.lap * source.lap,
    Operation.ROW_RATE: lambda of, source: float(of.rates[of.row(source)]),
    Operation.FORCE: lambda of, source: of.forces[source.index],
    Operation.TURNING: Shown.turning,
    Operation.ANGLE: lambda of, source: roll_pitch_yaw(of.rotation(source))[source.index],
    Operation.STEER: lambda of, source: steer_camber(*of.wheel(source))[0],
    Operation.CAMBER: lambda of, source: steer_camber(*of.wheel(source))[1],
    Operation.WRENCH: lambda of, source: float(of.wrench[source.index]),
    Operation.ENERGY: lambda of, source: of.energies.shown[source.index],
    Operation.IN_RANGE: lambda of, source: float(departure(of.runtime, of.now.at.z) is None),
    Operation.CHART: lambda of, source: of.state.chart + 1.0,
    Operation.FREE: lambda of, source: free_value(of.law(source), of.parameters),
    Operation.PRELOAD: lambda of, source: design_force(of.law(source), of.parameters),
    Operation.STEER_ABSOLUTE: lambda of, source: steer_absolute(*of.wheel(source)),
    Operation.CAMBER_CHANGE: lambda of, source: camber_change(*of.wheel(source)),
    Operation.STEP_ERROR: lambda of, source: of.state.error,
    Operation.TABLE_ERROR: lambda of, source: float(of.table_errors[source.index]),
    Operation.WHEEL: lambda of, source: of.wheels[source.index][source.part],
    Operation.GEOMETRIC: lambda of, source: of.geometric[source.index][source.part],
    Operation.RATIO: Shown.ratio,
    Operation.SCREW: lambda of, source: of.screws[source.index][source.part],
    Operation.LOAD: Shown.load,
    Operation.DEVICE: lambda of, source: of.devices[source.index][source.part],
    Operation.CONTACT: lambda of, source: float(of.contact[source.index]),
    Operation.CARRIED: lambda of, source: of.carried[source.index][source.part],
}


def _instant(runtime: Runtime, state: State, parameters: Sequence[float], inputs: Array) -> Instant:
    zd = u = state.zd
    if runtime.model.quasistatic:
        relaxed = relax(runtime, runtime.everything, state.z, state.zd, parameters, inputs, state.memory)
        at, zd, u = relaxed
        zdd, force = relaxed_acceleration(runtime, relaxed, parameters, inputs)
    else:
        at = mechanics_of(runtime, state.z, *read(runtime.everything, state.z), state.lap, state.memory)
        force = moving_force(runtime, at, zd, parameters, inputs)
        zdd = solve_motion(runtime, at, zd, force, inputs)
        u = zd if runtime.track is None else runtime.track.rates(at.z, zd)
    drive = drive_force(runtime, at, zdd, force)
    return Instant(at, zd, u, np.concatenate((zdd, np.zeros(runtime.nz - zdd.size))), drive)


def roll_pitch_yaw(R: Array) -> tuple[float, float, float]:
    """Angles [rad] of R = Rz(yaw) Ry(pitch) Rx(roll).

    Only ratios of entries are used, so an R that is orthogonal to table accuracy gives angles of that accuracy, and
    a pitch of +-90 deg gives numbers (roll and yaw then share one rotation) rather than an error.
    """
    return (
        math.atan2(R[2, 1], R[2, 2]),
        math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0])),
        math.atan2(R[1, 0], R[0, 0]),
    )


def steer_camber(u: Array, design: Sequence[float]) -> tuple[float, float]:
    """Steer and camber of a wheel from its spin axis.

        steer  = heading of u about z, relative to the heading at design                          (1)
        camber = -asin(u_z), positive with the top of the wheel outboard                          (2)

    Args:
        u: (3,) spin axis in ground axes (x forward, y left, z up), pointing outboard.
        design: the same at design.

    Returns:
        Steer, from -pi to pi, and camber [rad].
    """
    now = u.tolist()
    return _heading(now, design), _camber(now)


def steer_absolute(u: Array, design: Sequence[float]) -> float:
    """Steer from straight ahead, positive to the left on both sides, from -pi to pi [rad].

    heading of u about z, relative to y; to -y where the axis points there at design          (3)
    """
    return _heading(u.tolist(), (0.0, -1.0 if design[1] < 0.0 else 1.0))


def camber_change(u: Array, design: Sequence[float]) -> float:
    """Camber less that at design [rad]."""
    return _camber(u.tolist()) - _camber(design)


def _heading(u: Sequence[float], start: Sequence[float]) -> float:
    """Angle about z from the heading of one axis to that of another."""
    return math.atan2(start[0] * u[1] - start[1] * u[0], start[0] * u[0] + start[1] * u[1])


def _camber(u: Sequence[float]) -> float:
    return -math.atan2(u[2], math.hypot(u[0], u[1]))
