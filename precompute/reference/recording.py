"""What a simulation of the full model leaves behind: motions of markers, measures, bushings and the chassis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.reference.bodies import Features, FullState, feature_motion
from precompute.reference.bushings import bushing_state
from precompute.reference.dynamics import FullAcceleration, kinetic_energy, law_forces, potential_energy, solved
from precompute.reference.inputs import Inputs
from precompute.reference.measures import measure_motion
from precompute.reference.metrics import metric_rate, metric_value
from precompute.reference.model import FullModel, violation


@dataclass(frozen=True, eq=False)
class MarkerMotion:
    """Motion of a marker in G."""

    p: Array  # (nt, 3) position [m]
    R: Array  # (nt, 3, 3) R_GM
    v: Array  # (nt, 3) velocity [m/s]
    w: Array  # (nt, 3) angular velocity [rad/s]


@dataclass(frozen=True, eq=False)
class ScalarMotion:
    """History of a measure, and of the force on it."""

    value: Array  # (nt,) [m or rad]; angles counted over whole turns
    rate: Array  # (nt,) [m/s or rad/s]
    force: Array  # (nt,) [N or N m], positive if it makes the measure grow; of a coordinate, what drives it; or zero


@dataclass(frozen=True, eq=False)
class BushingMotion:
    """History of a bushing."""

    deflection: Array  # (nt, 6) [m, rad]
    rate: Array  # (nt, 6) [m/s, rad/s]
    force: Array  # (nt, 6) on the deflection [N, N m]


@dataclass(frozen=True, eq=False)
class ChassisMotion:
    """History of the chassis, and of what the mechanism exerts on it."""

    p: Array  # (nt, 3) origin, in the inertial frame [m]
    R: Array  # (nt, 3, 3) chassis axes in the inertial frame
    twist: Array  # (nt, 6) in chassis axes [rad/s, m/s]
    wrench: Array  # (nt, 6) moment at the origin and force, on the chassis, in chassis axes [N m, N]


@dataclass(frozen=True, eq=False)
class FullMotion:
    """Result of a simulation at nt output times."""

    t: Array  # (nt,) [s]
    states: tuple[FullState, ...]
    markers: dict[str, MarkerMotion]
    wheels: dict[str, MarkerMotion]  # of their carriers at their centres; R since design
    springs: dict[str, ScalarMotion]
    dampers: dict[str, ScalarMotion]
    forces: dict[str, ScalarMotion]  # constant ones
    measures: dict[str, ScalarMotion]  # those that are read
    coordinates: dict[str, ScalarMotion]
    bushings: dict[str, BushingMotion]
    chassis: ChassisMotion
    loads: dict[str, Array]  # (nt,) of joints and rods, where asked for [N, N m]
    devices: dict[str, Array]  # (nt,) numbers of elements with formulas, by the names that an FMU gives them
    kinetic: Array  # (nt,) [J]
    potential: Array  # (nt,) [J] springs with stops, bushings, gravity
    residual: Array  # (nt,) largest constraint error [size of the mechanism, or rad]

    @property
    def energy(self) -> Array:
        """(nt,) kinetic and potential energy [J]."""
        return self.kinetic + self.potential


def recorded(model: FullModel, t: Array, states: Sequence[FullState], inputs: Inputs) -> FullMotion:
    """All outputs at all states."""
    solutions = [solved(model, state, inputs, float(at)) for at, state in zip(t, states, strict=True)]
    mechanism = model.mechanism
    dampers, forces = len(mechanism.springs), len(mechanism.springs) + len(mechanism.dampers)
    names = [element.name for element in model.mechanism.elements]
    names += [read.name for read in model.formed]
    terms = len(model.devices.terms) + len(model.couplings.terms)
    names += [*(f"term {k}" for k in range(terms)), *(c.name for c in model.coordinates)]
    named = list(zip(names, scalar_motions(model, states, solutions), strict=True))
    return FullMotion(
        t=t,
        states=tuple(states),
        markers=marker_motions(model, states),
        wheels=frame_motions(model.wheels, {w.name: np.eye(3) for w in mechanism.wheels}, states),
        springs=dict(named[:dampers]),
        dampers=dict(named[dampers:forces]),
        forces=dict(named[forces : len(mechanism.elements)]),
        measures=dict(named[len(mechanism.elements) : model.of_devices.start])
        | metric_motions(model, states)
        | cam_motions(model, states),
        coordinates=dict(named[model.first_coordinate :]),
        bushings=bushing_motions(model, states),
        chassis=ChassisMotion(
            p=np.array([state.chassis.p for state in states]),
            R=np.array([state.chassis.R for state in states]),
            twist=np.array([state.chassis.twist for state in states]),
            wrench=np.array([solution.on_chassis for solution in solutions]),
        ),
        loads={name: np.array([solution.loads[name] for solution in solutions]) for name in solutions[0].loads},
        devices={name: np.array([solution.devices[name] for solution in solutions]) for name in solutions[0].devices},
        kinetic=np.array([kinetic_energy(model, state) for state in states]),
        potential=np.array([potential_energy(model, state) for state in states]),
        residual=np.array([violation(model, state) for state in states]),
    )


def scalar_motions(
    model: FullModel, states: Sequence[FullState], solutions: Sequence[FullAcceleration]
) -> list[ScalarMotion]:
    """Value, rate and force of every measure that has a form: those of elements, those read, coordinates."""
    measured = [measure_motion(model.measures, state) for state in states]
    value = np.array([m.values for m in measured])
    rate = np.array([m.rates for m in measured])
    force = np.zeros_like(value)
    for k, (m, solution) in enumerate(zip(measured, solutions, strict=True)):
        force[k, : len(model.mechanism.elements)] = law_forces(model, m)
        force[k, model.first_coordinate :] = [solution.drives.get(c.name, 0.0) for c in model.coordinates]
    return [ScalarMotion(value[:, i], rate[:, i], force[:, i]) for i in range(value.shape[1])]


def metric_motions(model: FullModel, states: Sequence[FullState]) -> dict[str, ScalarMotion]:
    """Value and rate of the measures that are read and have no form."""
    found = {}
    for read in model.mechanism.measures:
        if read not in model.formed:
            args = [(model.mechanism, model.bodies, state, read.of) for state in states]
            value = np.array([metric_value(*each) for each in args])
            rate = np.array([metric_rate(*each, model.size) for each in args])
            found[read.name] = ScalarMotion(value, rate, np.zeros_like(value))
    return found


def cam_motions(model: FullModel, states: Sequence[FullState]) -> dict[str, ScalarMotion]:
    """Value and rate of what is read of cams."""
    if not model.mechanism.cams:
        return {}
    own = model.of_couplings
    measured = [measure_motion(model.measures, state) for state in states]
    told = [model.couplings.read(m.values[own], m.rates[own]) for m in measured]
    found = {}
    for name in told[0]:
        value, rate = np.array([each[name] for each in told]).T
        found[name] = ScalarMotion(value, rate, np.zeros_like(value))
    return found


def marker_motions(model: FullModel, states: Sequence[FullState]) -> dict[str, MarkerMotion]:
    """Pose and velocity of every marker."""
    return frame_motions(model.markers, {m.name: m.R for m in model.mechanism.markers}, states)


def frame_motions(points: Features, axes: Mapping[str, Array], states: Sequence[FullState]) -> dict[str, MarkerMotion]:
    """Pose and velocity of points of bodies with axes (3, 3) at design, by name."""
    motions = [feature_motion(points, state) for state in states]
    result: dict[str, MarkerMotion] = {}
    for number, (name, own) in enumerate(axes.items(), start=4):
        body = int(points.body[number])
        R = np.array([m.R[number] for m in motions])
        w_B = np.array([np.vstack([state.w, state.chassis.twist[:3]])[body] for state in states])
        result[name] = MarkerMotion(
            p=np.array([m.x[number] for m in motions]),
            R=R @ own,
            v=np.array([m.xd[number] for m in motions]),
            w=(R @ w_B[..., None])[..., 0],
        )
    return result


def bushing_motions(model: FullModel, states: Sequence[FullState]) -> dict[str, BushingMotion]:
    """Deflection, rate and force of every bushing."""
    found = [bushing_state(model.bushings, state) for state in states]
    deflection, rate, force = (np.array([getattr(x, key) for x in found]) for key in ("deflection", "rate", "force"))
    return {
        bushing.name: BushingMotion(deflection[:, k], rate[:, k], force[:, k])
        for k, bushing in enumerate(model.bushings.laws)
    }
