"""The full model: a mechanism in maximal coordinates, with all constraints and measures as arrays.

`Mechanism` -> `FullModel`; residual and Jacobian of its constraints at a `FullState`.

Lengths are divided by the size of the mechanism throughout, so that metres and radians can be compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from precompute.arrays import Array, frozen_array
from precompute.errors import AssemblyError
from precompute.model.mechanism import Coordinate, Measure, Mechanism, ReadMeasure, nearest
from precompute.reference.bodies import (
    Bodies,
    BoolArray,
    FeatureList,
    FeatureMotion,
    Features,
    FullState,
    all_bodies,
    feature_motion,
    split_rates,
    turned,
)
from precompute.reference.bushings import Bushings, all_bushings
from precompute.reference.cams.joined import Joined, joined
from precompute.reference.constraints import FeatureRows, constraint_rows, full_jacobian, row_gamma, row_values
from precompute.reference.devices.attached import Devices, all_devices
from precompute.reference.measures import (
    MeasureMotion,
    Measures,
    all_measures,
    has_form,
    measure_curvature,
    measure_motion,
)
from precompute.reference.rolling import Rolling, on_floor, places_of, rolling_of


@dataclass(frozen=True, eq=False)
class FullModel:
    """A mechanism in maximal coordinates."""

    mechanism: Mechanism
    bodies: Bodies
    constraints: FeatureRows
    rigid_constraints: FeatureRows  # the same with every stiff direction locked
    couplings: Joined
    rolling: Rolling | None  # rows between velocities alone
    places: Mapping[str, float]  # of a disc on the floor: where x and y are at design, from where they are counted [m]
    measures: Measures  # of elements; read ones with a form; terms of devices, of couplings; coordinates
    bushings: Bushings
    devices: Devices
    markers: Features  # the points of the markers, after the four that every `Features` has
    wheels: Features  # the centres of the wheels, in the same way
    mass: Array  # (6 nb, 6 nb) mass matrix of u
    size: float  # [m] largest distance between points, along an axis
    unit: Array  # (6 nb,) unit of each rate in u: 1 for rotations, the size for translations
    row_unit: Array  # (mf,) factor that takes the unit from a constraint of features: 1 or one over the size
    design: FullState  # assembled, at rest
    at_design: Array  # (elements,) what springs, dampers and constant forces measure at design [m or rad]
    free_lengths: Array  # (springs,) [m or rad]; of one without stiffness any

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """The independent coordinates, none if the mechanism leaves their choice open."""
        return self.mechanism.coordinates or ()

    @property
    def formed(self) -> tuple[ReadMeasure, ...]:
        """The measures that are read and have a form; the others are metrics."""
        return tuple(read for read in self.mechanism.measures if has_form(read.of))

    @property
    def of_devices(self) -> slice:
        """Which of the measures are terms of devices."""
        first = len(self.mechanism.elements) + len(self.formed)
        return slice(first, first + len(self.devices.terms))

    @property
    def of_couplings(self) -> slice:
        """Which of the measures are terms of couplings."""
        return slice(self.of_devices.stop, self.of_devices.stop + len(self.couplings.terms))

    @property
    def first_coordinate(self) -> int:
        """Number of the first coordinate among the measures."""
        return self.of_couplings.stop

    @property
    def labels(self) -> tuple[str, ...]:
        """(m) the joint, rod, coupling ... that each constraint belongs to: those of features, then couplings."""
        return (*self.constraints.labels, *self.couplings.labels)


def open_model(mechanism: Mechanism) -> FullModel:
    """The full model at the design position as given: loops may be open, preloads are not yet known."""
    contact, mechanism = mechanism.contact, on_floor(mechanism)
    bodies, devices, size = all_bodies(mechanism), all_devices(mechanism), mechanism_size(mechanism)
    couplings = joined(mechanism, size)
    on: list[Measure] = [element.on for element in mechanism.elements]
    on += [read.of for read in mechanism.measures if has_form(read.of)]
    on += [*devices.terms, *couplings.terms]
    on += [coordinate.of for coordinate in mechanism.coordinates or ()]
    measures = all_measures(mechanism, bodies, on)
    markers = FeatureList(bodies)
    for marker in mechanism.markers:
        markers.point(bodies.index(marker.body), marker.p)
    wheels = FeatureList(bodies)
    for wheel in mechanism.wheels:
        wheels.point(bodies.index(wheel.body), wheel.centre)
    nb = len(bodies.names)
    design = FullState(
        r=bodies.com,
        quaternion=np.tile([1.0, 0.0, 0.0, 0.0], (nb, 1)),
        v=np.zeros((nb, 3)),
        w=np.zeros((nb, 3)),
        angles=np.zeros(measures.angles.shape[1]),
        devices=devices.start,
        guess=devices.guess,
    )
    constraints, rigid = constraint_rows(mechanism, bodies), constraint_rows(mechanism, bodies, rigid=True)
    model = FullModel(
        mechanism=mechanism,
        bodies=bodies,
        constraints=constraints,
        rigid_constraints=rigid,
        couplings=couplings,
        rolling=rolling_of(contact, bodies),
        places=places_of(contact),
        measures=measures,
        bushings=all_bushings(bodies, mechanism.bushings),
        devices=devices,
        markers=markers.features(),
        wheels=wheels.features(),
        mass=frozen_array(bodies.inertia_matrix()),
        size=size,
        unit=frozen_array(np.tile([1.0, 1.0, 1.0, size, size, size], nb)),
        row_unit=row_units(constraints, size),
        design=design,
        at_design=np.zeros(len(mechanism.elements)),
        free_lengths=np.zeros(len(mechanism.springs)),
    )
    return replace(model, couplings=couplings.drawn(measure_motion(measures, design).values[model.of_couplings]))


def row_units(rows: FeatureRows, size: float) -> Array:
    """(m,) factor that takes the unit from a constraint."""
    return frozen_array(np.where(rows.is_length > 0.0, 1.0 / size, 1.0))


def rigid(model: FullModel) -> FullModel:
    """The model with every stiff direction locked at zero: states of one are states of the other."""
    rows = model.rigid_constraints
    return replace(model, constraints=rows, row_unit=row_units(rows, model.size))


def mechanism_size(mechanism: Mechanism) -> float:
    """The largest extent of all joints and mass centres along an axis of G [m]; 1 if they are one point."""
    points = [body.com for body in mechanism.bodies]
    points += [p for joint in mechanism.joints for p in (joint.p_P, joint.p_C)]
    points += [bushing.p for bushing in mechanism.bushings]
    points += [p for rod in mechanism.rods for p in (rod.p_P, rod.p_C)]
    return float(np.ptp(points, axis=0).max()) or 1.0


# -- values of measures -----------------------------------------------------------------------------------------------


def coordinate_values(model: FullModel, state: FullState) -> Array:
    """(nc,) values of the mechanism's coordinates, angles counted over whole turns [m or rad]."""
    return measure_motion(model.measures, state).values[model.first_coordinate :]


def measure_value(model: FullModel, state: FullState, measure: Measure) -> float:
    """Value of any measure [m or rad]; an angle between -pi and pi."""
    single = all_measures(model.mechanism, model.bodies, [measure])
    principal = replace(state, angles=np.zeros(single.angles.shape[1]))
    return float(measure_motion(single, principal).values[0])


def measure_rate(model: FullModel, state: FullState, measure: Measure) -> float:
    """Rate of any measure [m/s or rad/s]."""
    single = all_measures(model.mechanism, model.bodies, [measure])
    principal = replace(state, angles=np.zeros(single.angles.shape[1]))
    return float(measure_motion(single, principal).rates[0])


def coordinate_goals(model: FullModel, named: Mapping[str, float], others: Array) -> Array:
    """(nc,) named values of coordinates, completed by those of the others."""
    names = [c.name for c in model.coordinates]
    for name in named:
        if name not in names:
            raise AssemblyError(
                f"mechanism '{model.mechanism.name}' has no coordinate '{name}'; {nearest(name, names)}"
            )
    return np.array([named.get(name, value) for name, value in zip(names, others, strict=True)])


# -- constraints at a state, without units ----------------------------------------------------------------------------
#
# `held` (nc,) has values of coordinates that are kept, nan for those left alone; None leaves all alone.


def residual(model: FullModel, state: FullState, held: Array | None) -> Array:
    """(m + nh,) errors of constraints and of the coordinates held [size of the mechanism, or rad]."""
    phi = row_values(model.constraints, feature_motion(model.constraints.features, state))
    phi = phi * model.row_unit
    if model.couplings.labels:
        s = measure_motion(model.measures, state).values[model.of_couplings]
        phi = np.concatenate([phi, model.couplings.gap(s)])
    if held is None:
        return phi
    error = (coordinate_values(model, state) - held) * coordinate_units(model)
    return np.concatenate([phi, error[kept(held)]])


def kept(held: Array) -> BoolArray:
    """(nc,) which coordinates are held."""
    return ~np.isnan(held)


def coordinate_units(model: FullModel) -> Array:
    """(nc,) factor that makes coordinates comparable: 1 for angles, one over the size for lengths."""
    return np.where(model.measures.is_angle[model.first_coordinate :], 1.0, 1.0 / model.size)


def jacobian(model: FullModel, state: FullState, held: Array | None) -> Array:
    """(m + nh, 6 nb) derivative of `residual` by the rates u/unit: dimensionless."""
    return full_rates(model, state, held)[:, :-6] * model.unit


def velocity_jacobian(model: FullModel, state: FullState, held: Array | None) -> Array:
    """(m + nh + nr, 6 nb) the same of `velocity_rates`."""
    return velocity_rates(model, state, held)[:, :-6] * model.unit


def carried_rates(model: FullModel, state: FullState, held: Array | None) -> Array:
    """(m + nh + nr,) what `velocity_rates` have from the motion of the ground alone [1/s]."""
    return velocity_rates(model, state, held)[:, -6:] @ state.chassis.u


def velocity_rates(
    model: FullModel, state: FullState, held: Array | None, motion: FeatureMotion | None = None
) -> Array:
    """(m + nh + nr, 6 nb + 6) `full_rates`, and after them the rows that are between velocities alone."""
    rows = full_rates(model, state, held, motion)
    return rows if model.rolling is None else np.concatenate([rows, model.rolling.rows(state) / model.size])


def full_rates(model: FullModel, state: FullState, held: Array | None, motion: FeatureMotion | None = None) -> Array:
    """(m + nh, 6 nb + 6) derivative of `residual` by the rates of all bodies and the ground.

    `motion` is that of the features of the constraints, if it is known already.
    """
    motion = motion or feature_motion(model.constraints.features, state)
    phi_u = full_jacobian(model.constraints, motion, len(model.bodies.names)) * model.row_unit[:, None]
    holds = held is not None and bool(kept(held).any())
    if not (holds or model.couplings.labels):
        return phi_u
    measured = measure_motion(model.measures, state)
    gradients = np.hstack([measured.gradients, measured.ground])
    own = model.of_couplings
    rows = [phi_u, model.couplings.slopes(measured.values[own]) @ gradients[own]]
    if held is not None and holds:
        rows.append((gradients[model.first_coordinate :] * coordinate_units(model)[:, None])[kept(held)])
    return np.concatenate(rows)


def constraint_gamma(model: FullModel, state: FullState, measured: MeasureMotion, motion: FeatureMotion) -> Array:
    """(m,) right-hand sides gamma of the constraints' accelerations, phi_u du/dt = gamma [1/s2]."""
    gamma = row_gamma(model.constraints, motion) * model.row_unit
    if not model.couplings.labels:
        return gamma
    own = model.of_couplings
    second = measure_curvature(model.measures, state)[own]
    bent = model.couplings.curvature(measured.values[own], measured.rates[own], second)
    return np.concatenate([gamma, -bent])


def violation(model: FullModel, state: FullState, held: Array | None = None) -> float:
    """Largest constraint error, that of coordinates held included [size of the mechanism, or rad]."""
    return float(np.abs(residual(model, state, held)).max(initial=0.0))


# -- small motions ----------------------------------------------------------------------------------------------------


def moved(model: FullModel, state: FullState, step: Array) -> FullState:
    """The state after a small motion (6 nb,) [rad; size of the mechanism]; angles are counted on."""
    rotation, translation = split_rates(step * model.unit)
    there = replace(state, r=state.r + translation, quaternion=turned(state.quaternion, rotation))
    return counted(model, there)


def counted(model: FullModel, state: FullState) -> FullState:
    """The state with its angles measured, each within half a turn of its former value."""
    return replace(state, angles=measure_motion(model.measures, state).angles)
