"""Motion of the full model under forces: accelerations and energy at a state.

`FullModel`, `FullState`, `Loads` -> du/dt.  Equations of motion with Lagrange multipliers,

    M du/dt + phi_u^T lambda = Q,   phi_u du/dt = gamma                                     (7)

whose matrix is singular when constraints are redundant, and when a body without inertia can move on its own.  They
are therefore solved in two steps with decisions on the rank: all du/dt that satisfy the constraints are
du/dt = a + N y, with N an orthonormal basis of the null space of phi_u, and then

    N^T M N y = N^T (Q - M a)                                                               (8)

While a motion is integrated the constraints are open by a little, and what is redundant when they are closed need not
be then: the rank of phi_u is at most that of an assembled state.

Loads N of cams that formulas of elements read are multipliers, and so linear in the forces f of elements: they are
found without these and for each of them alone, N = N_0 + A f.

A driven coordinate is one more constraint, c(x) = c(t), and minus its multiplier the force that drives it.  What the
mechanism exerts on the chassis are the forces of springs, dampers, bushings and constraints on the ground.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.errors import SingularityError
from precompute.reference.bodies import FeatureMotion, FullState, body_row, cross, feature_motion, split_rates
from precompute.reference.bushings import bushing_energy, bushing_loads, bushing_state
from precompute.reference.devices.reading import Formula, Pressing, Reading
from precompute.reference.devices.response import Response, respond
from precompute.reference.forces import constant_energy, damper_force, spring_energy, spring_force
from precompute.reference.inputs import Drive, Inputs, LoadHistory, Loads, check_names
from precompute.reference.least_motion import least_motion, numerical_rank
from precompute.reference.loads import carried_loads, held_loads
from precompute.reference.measures import MeasureMotion, measure_curvature, measure_motion
from precompute.reference.model import FullModel, constraint_gamma, coordinate_units, kept, velocity_rates
from precompute.reference.rolling import VELOCITY_ROWS
from precompute.reference.wheels import carrier_load

NO_INERTIA = 1e-13  # principal reduced inertias below this share of the largest count as zero: rounding
IDLE_FORCE = 1e-6  # share of all generalized forces that may act on a motion without inertia: rounding, again


@dataclass(frozen=True, eq=False)
class FullAcceleration:
    """Accelerations at a state."""

    bodies: Array  # (6 nb,) du/dt: [dw/dt (body axes); dv/dt (G)] of each body
    coordinates: dict[str, float]  # second derivatives [m/s2 or rad/s2]
    markers: dict[str, Array]  # (3,) accelerations of the points, in G [m/s2]
    rotations: dict[str, Array]  # (3,) angular accelerations of the markers, in G [rad/s2]
    drives: dict[str, float]  # forces that driven coordinates need [N or N m]
    on_chassis: Array  # (6,) moment at the chassis' origin and force on it, in chassis axes [N m, N]
    loads: dict[str, float]  # of joints and rods, where asked for [N, N m]
    devices: dict[str, float]  # numbers of elements with formulas, by the names that an FMU gives them


def accelerations(
    model: FullModel,
    state: FullState,
    t: float = 0.0,
    loads: LoadHistory | None = None,
    drives: Mapping[str, Drive] | None = None,
) -> FullAcceleration:
    """Accelerations of bodies, coordinates and markers at an assembled state with consistent velocity.

    The motion of the chassis is that of the state.

    Raises:
        SingularityError: a force acts on something that has no inertia.
    """
    return solved(model, state, Inputs(loads=loads, drives=drives or {}), t)


def solved(model: FullModel, state: FullState, inputs: Inputs, t: float) -> FullAcceleration:
    """Accelerations and reactions at a state, at time t of the inputs."""
    names = [c.name for c in model.coordinates]
    measured = measure_motion(model.measures, state)
    load, driven = inputs.load(t), inputs.driven(t, names)[2]
    response = answered(model, state, measured, load, driven)
    bodies = body_accelerations(model, state, measured, load, driven, response)
    second = (measured.gradients @ bodies + measure_curvature(model.measures, state))[model.first_coordinate :]
    forces, on_chassis, loads = reactions(model, state, measured, load, driven, bodies, response)
    return FullAcceleration(
        bodies=bodies,
        coordinates=dict(zip(names, map(float, second), strict=True)),
        drives={name: float(force) for name, force in zip(names, forces, strict=True) if name in inputs.drives},
        on_chassis=on_chassis,
        loads=loads,
        devices=response.named,
        **marker_accelerations(model, state, bodies),
    )


def answered(
    model: FullModel, state: FullState, measured: MeasureMotion, load: Loads, driven: Array, rank: int | None = None
) -> Response:
    """What elements do at a state in motion; arguments as those of `body_accelerations`."""
    devices = model.devices
    if not devices.loads:
        return respond(model, state, measured, load)

    def carried(force: Array) -> Array:
        given = Response(force, np.zeros(0), np.zeros(0), Reading(devices.elements, {}))
        bodies = body_accelerations(model, state, measured, load, driven, given, rank)
        loads = reactions(model, state, measured, load, driven, bodies, given)[2]
        return np.array([loads[name] for _, name in devices.loads])

    count = len(devices.symbols)
    N_0, A = carried(np.zeros(count)), np.zeros((len(devices.loads), count))
    for k, symbol in enumerate(devices.symbols):
        if Formula(symbol.element, "forces", symbol.name) in devices.elements.trees:
            A[:, k] = carried(np.eye(count)[k]) - N_0
    pressing = Pressing(tuple(symbol for symbol, _ in devices.loads), devices.symbols, N_0, A)
    return respond(model, state, measured, load, pressing)


def marker_accelerations(model: FullModel, state: FullState, bodies: Array) -> dict[str, dict[str, Array]]:
    """Accelerations `markers` of the points and `rotations` of the axes of all markers, in G.

    a = dv/dt + R (dw/dt x s) + R (w x (w x s)),   alpha = R dw/dt
    """
    motion = feature_motion(model.markers, state)
    wd, vd = (np.concatenate([part, np.zeros((1, 3))])[model.markers.body] for part in split_rates(bodies))  # the
    # ground's own acceleration is in xdd already
    turning = (motion.R @ np.stack([cross(wd, model.markers.s), wd], axis=-1))[4:]
    linear = vd[4:] + turning[..., 0] + motion.xdd[4:]
    names = [m.name for m in model.mechanism.markers]
    return {
        "markers": dict(zip(names, linear, strict=True)),
        "rotations": dict(zip(names, turning[..., 1], strict=True)),
    }


def body_accelerations(
    model: FullModel,
    state: FullState,
    measured: MeasureMotion,
    load: Loads,
    driven: Array,
    response: Response,
    rank: int | None = None,
) -> Array:
    """(6 nb,) du/dt from (7) [rad/s2, m/s2].

    Args:
        model: the full model.
        state: whose constraints may be open by a little.
        measured: its measures.
        load: on it.
        driven: (nc,) accelerations of driven coordinates, nan for others.
        response: of elements with formulas.
        rank: of the constraints at an assembled state nearby, where that is known.
    """
    motion = feature_motion(model.constraints.features, state)
    phi_u = velocity_rates(model, state, driven, motion)[:, :-6] * model.unit
    gamma = constraint_gamma(model, state, measured, motion)
    if kept(driven).any():
        curvature = measure_curvature(model.measures, state)[model.first_coordinate :]
        gamma = np.concatenate([gamma, ((driven - curvature) * coordinate_units(model))[kept(driven)]])
    if model.rolling is not None:
        gamma = np.concatenate([gamma, model.rolling.gamma(state) / model.size])
        rank = None if rank is None else rank + VELOCITY_ROWS
    force = generalized_forces(model, state, measured, load, response)[:-6] * model.unit
    mass = model.mass * model.unit[:, None] * model.unit
    return constrained_acceleration(mass, phi_u, force, gamma, model.mechanism.name, rank) * model.unit


def reactions(
    model: FullModel,
    state: FullState,
    measured: MeasureMotion,
    load: Loads,
    driven: Array,
    bodies: Array,
    response: Response,
) -> tuple[Array, Array, dict[str, float]]:
    """Forces (nc,) that drive the coordinates, nan for free ones, the wrench (6,) on the chassis, loads of joints.

    From (7), phi_u^T lambda = Q - M du/dt.  Redundant constraints share lambda in the sense of least squares; the
    wrench on the ground does not depend on how, since each constraint by itself is in equilibrium.
    """
    phi_u = velocity_rates(model, state, driven)
    Q = generalized_forces(model, state, measured, load, response)
    left = (Q[:-6] - model.mass @ bodies) * model.unit
    multiplier = least_motion((phi_u[:, :-6] * model.unit).T, left)
    forces = np.full(len(model.coordinates), np.nan)
    first = len(model.labels)
    own = multiplier[first : first + kept(driven).sum()]
    forces[kept(driven)] = -own * coordinate_units(model)[kept(driven)]
    wrench = Q[-6:] - phi_u[:, -6:].T @ multiplier
    wrench[3:] = state.chassis.R.T @ wrench[3:]
    along = measure_forces(model, measured, load, response)
    along[model.first_coordinate :] += np.nan_to_num(forces)
    more = on_deflections(model, response)
    pushing = -multiplier[len(model.constraints.labels) : len(model.labels)]
    along[model.of_couplings] += pushing @ model.couplings.slopes(measured.values[model.of_couplings])
    found = carried_loads(model, state, measured, -phi_u * multiplier[:, None], along, more)
    return forces, wrench, found | held_loads(model, -multiplier, pushing * model.couplings.unit)


def constrained_acceleration(
    M: Array, phi_u: Array, Q: Array, gamma: Array, name: str, most: int | None = None
) -> Array:
    """(n,) solution x of (7) by (8); the shortest one where motions have neither inertia nor force.

    Args:
        M: (n, n) mass matrix, positive semidefinite.
        phi_u: (m, n) constraint Jacobian; rows may be redundant.
        Q: (n,) generalized forces.
        gamma: (m,) right-hand side of the constraints.
        name: of the mechanism, for messages.
        most: the rank of phi_u at most.
    """
    U, sigma, Vt = np.linalg.svd(phi_u, full_matrices=True)
    rank = numerical_rank(sigma, most)
    a = Vt[:rank].T @ ((U[:, :rank].T @ gamma) / sigma[:rank])
    N = Vt[rank:].T

    inertia, E = np.linalg.eigh(N.T @ M @ N)
    force = E.T @ (N.T @ (Q - M @ a))  # (8) in principal directions
    heavy = inertia > NO_INERTIA * np.abs(M).max(initial=0.0)
    idle, all_forces = np.abs(force[~heavy]).max(initial=0.0), np.linalg.norm(Q) + np.linalg.norm(M @ a)
    if idle > IDLE_FORCE * all_forces:
        raise SingularityError(
            f"mechanism '{name}' can move in a way that has no inertia (below {NO_INERTIA:g} of the largest), and "
            f"{idle / all_forces:.2g} of all forces act on this motion. Give its bodies mass and inertia."
        )
    return a + N @ (E[:, heavy] @ (force[heavy] / inertia[heavy]))


# -- forces -----------------------------------------------------------------------------------------------------------


def generalized_forces(
    model: FullModel, state: FullState, measured: MeasureMotion, load: Loads, response: Response
) -> Array:
    """(6 nb + 6,) forces Q: gravity, gyroscopic moments, springs, dampers, bushings, devices, loads; ground last."""
    Iw = (model.bodies.inertia @ state.w[..., None])[..., 0]
    gravity = model.mechanism.gravity if load.gravity is None else load_axes(state, load) @ load.gravity
    weight = model.bodies.mass[:, None] * gravity
    Q = np.concatenate([np.hstack([-cross(state.w, Iw), weight]).ravel(), np.zeros(6)])
    Q += measure_forces(model, measured, load, response) @ np.hstack([measured.gradients, measured.ground])
    if model.bushings.laws:
        Q += bushing_loads(model.bushings, state, on_deflections(model, response))
    if load.ports:
        Q += port_forces(model, feature_motion(model.markers, state), load, load_axes(state, load))
    if load.wheels:
        Q += wheel_forces(model, feature_motion(model.wheels, state), load, load_axes(state, load))
    return Q


def measure_forces(model: FullModel, measured: MeasureMotion, load: Loads, response: Response) -> Array:
    """Forces on all measures: of laws on those of elements, of devices on theirs, as given on coordinates."""
    own = law_forces(model, measured), np.zeros(len(model.formed)), model.devices.formed.T @ response.force
    return np.concatenate([*own, cam_forces(model, measured, response), coordinate_loads(model, load)])


def cam_forces(model: FullModel, measured: MeasureMotion, response: Response) -> Array:
    """Forces of devices on what cams measure, as forces on the terms of cams; couplings have none."""
    found, own, devices = np.zeros(len(model.couplings.terms)), model.of_couplings, model.devices
    if devices.on_cams:
        told = model.couplings.followed(measured.values[own], measured.rates[own])
        for of, force in zip(devices.on_cams, devices.cammed.T @ response.force, strict=True):
            found += force * told[of][2]
    return found


def on_deflections(model: FullModel, response: Response) -> Array | None:
    """(bushings, 6) forces of devices on deflections; None if there are none."""
    if not model.devices.deflected.any():
        return None
    return np.einsum("kbi,k->bi", model.devices.deflected, response.force)


def load_axes(state: FullState, load: Loads) -> Array:
    """(3, 3) the axes of the loads in G."""
    return state.chassis.R if load.carried else np.eye(3)


def law_forces(model: FullModel, measured: MeasureMotion) -> Array:
    """(elements,) forces of springs, dampers and constant forces, positive if the measure is made to grow."""
    springs, dampers = model.mechanism.springs, model.mechanism.dampers
    s, rate = measured.values[: len(springs)], measured.rates[len(springs) : len(springs) + len(dampers)]
    elastic = [
        spring_force(law, float(l0), float(x)) for law, l0, x in zip(springs, model.free_lengths, s, strict=True)
    ]
    damping = [damper_force(law, float(x)) for law, x in zip(dampers, rate, strict=True)]
    return np.array(elastic + damping + [float(law.value or 0.0) for law in model.mechanism.forces])


def coordinate_loads(model: FullModel, load: Loads) -> Array:
    """(nc,) generalized forces on the coordinates: along the gradient of c the virtual work is Q delta c."""
    names = [c.name for c in model.coordinates]
    check_names(load.coordinates, names, "coordinate")
    return np.array([load.coordinates.get(name, 0.0) for name in names])


def port_forces(model: FullModel, motion: FeatureMotion, load: Loads, axes: Array) -> Array:
    """(6 nb + 6,) generalized forces of the forces and moments at the ports, whose axes (3, 3) in G are given."""
    ports = {port.name: port.marker for port in model.mechanism.ports}
    check_names(load.ports, list(ports), "port")
    order = [m.name for m in model.mechanism.markers]
    Q = np.zeros((len(model.bodies.names) + 1, 6))
    for name, (force, moment) in load.ports.items():
        number = 4 + order.index(ports[name])
        row = body_row(model.markers, motion, np.array([number]), (axes @ np.asarray(force, dtype=float))[None])[0]
        row[:3] += motion.R[number].T @ axes @ np.asarray(moment, dtype=float)
        Q[model.markers.body[number]] += row
    return Q.ravel()


def wheel_forces(model: FullModel, motion: FeatureMotion, load: Loads, axes: Array) -> Array:
    """(6 nb + 6,) generalized forces of the loads on wheels, whose axes (3, 3) in G are given."""
    names = [wheel.name for wheel in model.mechanism.wheels]
    check_names(load.wheels, names, "wheel")
    Q = np.zeros((len(model.bodies.names) + 1, 6))
    for name, own in load.wheels.items():
        wheel, number = model.mechanism.wheel(name), 4 + names.index(name)
        Q[model.wheels.body[number]] += carrier_load(wheel, own, axes, model.wheels, motion, number)
    return Q.ravel()


# -- energy -----------------------------------------------------------------------------------------------------------


def kinetic_energy(model: FullModel, state: FullState) -> float:
    """1/2 u^T M u [J]."""
    return 0.5 * float(state.u @ model.mass @ state.u)


def potential_energy(model: FullModel, state: FullState) -> float:
    """Gravity (zero at the origin of G), springs with stops, constant forces and bushings, see their energies [J].

    What elements with formulas store is not known, and does not count.
    """
    mechanism, values = model.mechanism, measure_motion(model.measures, state).values
    first = len(mechanism.springs) + len(mechanism.dampers)
    springs = zip(mechanism.springs, model.free_lengths, model.at_design, values, strict=False)
    constant = zip(mechanism.forces, model.at_design[first:], values[first:], strict=False)
    elastic = sum(spring_energy(law, float(l0), float(design), float(s)) for law, l0, design, s in springs)
    elastic += sum(constant_energy(law, float(design), float(s)) for law, design, s in constant)
    elastic += bushing_energy(model.bushings, bushing_state(model.bushings, state).deflection)
    return elastic - float(model.bodies.mass @ (state.r @ model.mechanism.gravity))
