"""Equations of motion of a reduced model: the exact mechanics of its interpolants.

    J zdd + c = Q + Q_frame                                                                         (1)
    c_k = sum_ij (d_j J_ki - 1/2 d_k J_ij) zd_i zd_j                                                (2)
    Q   = (dS/dz)^T g + sum_laws (ds/dz)^T f + sum_ports ((dr/dz)^T F + A^T M) + G^T Q_input        (3)
          with a wheel as a port at its centre, whose M follows from its loads, see `wheels`; forces of devices, which
          have states of their own, are among those of laws, see `devices`
    T   = 1/2 zd^T J zd,   V = -g . S + sum_laws V_law                                              (4)

A load N that devices read (see `model.devices`) is linear in their forces f on measures, since accelerations are,

    N_0 = R(zdd_0),   N_k = R_J . J^-1 ds_k - R_s,k                                                 (6)

with R of `loads`, zdd_0 the accelerations without them, and no entries of driven coordinates in J^-1 ds_k.

Q_frame is zero on a fixed ground; see `ground`.  Where the ground moves, g is gravity in its axes, and the energies are
those of the motion relative to it.  The acceleration of a driven coordinate d is known; the others follow from their
own equations, and the drive must supply

    Q_drive = (J zdd + c - Q - Q_frame)_d                                                           (5)

A `Runtime` is one chart of a model made ready, once.  The free functions below take it with the coordinates z (nz,) of
the chart (axes, then stiff ones), their rates zd (nz,), the values of all model parameters (a list of floats is
fastest) and the inputs as `inputs` lays them out.  `lap` counts how often the motion has gone all round through several
charts; it is 0 where there is one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import StepError
from ..interface.inputs import InputSlots, drive_acceleration, input_slots
from ..interface.output_variables import output_variables
from ..interface.source import Source
from ..model.laws import forces, potential
from ..model.reduced_model import Array, Chart, IntArray, ReducedModel, WheelInfo
from ..model.rows import CHUNK, POSITION, TURNING, MarkerRows, Need, Rows, inertia_rows, load_places
from .cholesky import solve_inertia
from .devices import UNPRESSED, Memory, Response, respond, start_memory
from .ground import Ground, frame_force, ground_at
from .loads import load_weights
from .reading import Reading, prepare_reading, read
from .track import Track, track_of
from .wheels import carrier_moment, disc, wheel_inputs


@dataclass(frozen=True, eq=False)
class Runtime:
    """A chart of a reduced model made ready."""

    model: ReducedModel
    chart: Chart
    nf: int  # axes
    nz: int  # axes and stiff coordinates
    names: tuple[str, ...]  # nz
    rows: Rows
    slots: InputSlots
    sources: tuple[Source, ...]  # of the outputs
    driven: IntArray  # (nd,) which coordinates are driven
    equations: Reading  # of the rows that the equations of motion need
    everything: Reading  # of all rows
    curved: IntArray  # (nh,) rows whose second derivatives times a force are a stiffness: measures, S, ports
    measures: IntArray  # (ne,) rows of the elements' measures
    moment: IntArray  # (3,) rows of S
    ports: IntArray  # (3 np,) rows of the positions of ports and wheels
    turning: IntArray  # (3 np, nz) rows of their angular Jacobians
    wheels: tuple[tuple[WheelInfo, MarkerRows], ...]  # with the rows of their markers
    lap: Array  # (ne,) how much the measures grow each time the motion goes all round
    fixed: tuple[NDArray[np.bool_], Array]  # see `fixed_gradients`
    memory: Memory  # of devices at the start
    track: Track | None  # of a disc on the floor
    pressing: tuple[tuple[IntArray, float], ...]  # rows and factor of each load that devices read


class Mechanics(NamedTuple):
    """Everything that the equations of motion take from the tables at one z."""

    z: Array  # (nz,) where this is
    value: Array  # (nr,) the rows
    slopes: Array  # (nz, nr)
    J: Array  # (nz, nz) inertia
    dJ: Array  # (nz, nz, nz), dJ[k] = dJ/dz_k
    S: Array  # (3,) first moment of all masses [kg m]
    dS: Array  # (nz, 3)
    s: Array  # (ne,) measures of the elements
    ds: Array  # (nz, ne)
    dr: Array  # (nz, 3 np) of the positions of ports and wheels
    A: Array  # (3 np, nz) their angular Jacobians
    G: Array | None  # (nz, nz) slopes of the model's coordinates; None where they are the chart's own
    ground: Ground | None  # None where the ground is fixed
    memory: Memory  # of devices, whose states are part of where this is


class Energies(NamedTuple):
    """Energies [J]; gravity is counted from a plane through the origin."""

    kinetic: float
    gravity: float
    spring: float

    @property
    def total(self) -> float:
        """Kinetic and potential energy."""
        return self.kinetic + self.gravity + self.spring

    @property
    def shown(self) -> tuple[float, float, float]:
        """Kinetic, potential, total."""
        return self.kinetic, self.gravity + self.spring, self.total


def prepare(model: ReducedModel) -> tuple[Runtime, ...]:
    """Make the charts of a model ready to run.

    Args:
        model: a valid model (see `model_checks.check_model`).
    """
    return tuple(_prepare_chart(model, chart) for chart in model.charts)


def _prepare_chart(model: ReducedModel, chart: Chart) -> Runtime:
    rows, slots, about = chart.rows, input_slots(model), np.array([stiff.about for stiff in model.stiff])
    nz = len(chart.axes) + about.size
    wheels = tuple((wheel, rows.markers[wheel.marker]) for wheel in model.wheels)
    markers = [*(rows.markers[port.marker] for port in model.ports), *(marker for _, marker in wheels)]
    ports = np.array([marker.r + i for marker in markers for i in range(POSITION)], dtype=np.int64)
    turning = np.array([marker.A + i for marker in markers for i in range(TURNING * nz)], dtype=np.int64)
    measures, moment = np.array(rows.elements, dtype=np.int64), np.array(rows.S)
    needed = np.arange(rows.count) < rows.ends[Need.MOMENTS]
    pressing = _pressing_rows(model, chart)
    for own, _ in pressing:
        needed[own] = True
    curved = np.unique(np.concatenate((measures, moment, ports)))
    second = curved if model.quasistatic else None
    return Runtime(
        model=model,
        chart=chart,
        nf=len(chart.axes),
        nz=nz,
        names=(*(axis.name for axis in chart.axes), *(stiff.name for stiff in model.stiff)),
        rows=rows,
        slots=slots,
        sources=tuple(variable.source for variable in output_variables(model) if variable.source),
        driven=np.array([drive.axis for drive in slots.drives], dtype=np.int64),
        equations=prepare_reading(chart, about, rows.count, needed, second),
        everything=prepare_reading(chart, about, rows.count, np.ones(rows.count, dtype=bool), second),
        curved=curved,
        measures=measures,
        moment=moment,
        ports=ports,
        turning=turning.reshape(-1, nz),
        wheels=wheels,
        lap=np.array([element.lap for element in model.elements]),
        fixed=fixed_gradients(model, chart),
        memory=start_memory(model),
        track=track_of(model, nz),
        pressing=pressing,
    )


def _pressing_rows(model: ReducedModel, chart: Chart) -> tuple[tuple[IntArray, float], ...]:
    rows = chart.rows
    count = load_places(len(model.starts), rows.varying + rows.fixed, len(model.loaded), model.moving).count
    read = [own.load for device in model.devices for own in device.loads]
    return tuple((rows.loads[number] + np.arange(count), model.loads[number].factor) for number in read)


def fixed_gradients(model: ReducedModel, chart: Chart) -> tuple[NDArray[np.bool_], Array]:
    """Which measures (ne,) do not depend on table axes, and their gradients (nz, ne) where they are expanded about."""
    rows, nf = chart.rows, len(chart.axes)
    own = np.array(rows.elements, dtype=np.int64)
    gradient = np.zeros((nf + len(model.stiff), rows.count))
    for block in chart.blocks:
        if not block.axes:
            numbers = block.coefficients.reshape(-1, CHUNK)
            for (first, i, *others), cell in zip(block.cells.tolist(), numbers, strict=True):
                if i >= 0 > max(others):
                    gradient[nf + i, first : first + CHUNK] = cell
    return own >= rows.s + rows.varying, gradient[:, own]


def mechanics(runtime: Runtime, z: Array, lap: float = 0.0, memory: Memory | None = None) -> Mechanics:
    """Read the tables at z.

    Args:
        runtime: the chart.
        z: (nz,).
        lap: how often the motion has gone all round.
        memory: of devices; None: that at the start.

    Raises:
        TableRangeError: z has left the table.
        StepError: z is not finite.
    """
    return mechanics_of(runtime, z, *read(runtime.equations, z), lap, memory)


def mechanics_of(
    runtime: Runtime, z: Array, value: Array, slopes: Array, lap: float = 0.0, memory: Memory | None = None
) -> Mechanics:
    """The same from rows (nr,) and their slopes (nz, nr) at z."""
    nz, rows = runtime.nz, runtime.rows
    J = inertia_rows(nz)
    s = value[runtime.measures]
    model = runtime.model
    return Mechanics(
        z=z,
        value=value,
        slopes=slopes,
        J=value[J],
        dJ=slopes[:, J],
        S=value[runtime.moment],
        dS=slopes[:, runtime.moment],
        s=s + lap * runtime.lap if lap else s,
        ds=slopes[:, runtime.measures],
        dr=slopes[:, runtime.ports],
        A=value[runtime.turning],
        G=value[rows.G : rows.G + nz * nz].reshape(nz, nz) if len(model.charts) > 1 else None,
        ground=ground_at(rows, value, slopes, model.mass) if model.moving else None,
        memory=runtime.memory if memory is None else memory,
    )


def generalized_force(
    runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float], inputs: Array, devices: bool = True
) -> Array:
    """Q of equation (3), (nz,) [N or N.m]; with devices or without."""
    model, slots = runtime.model, runtime.slots
    gx, gy, gz = model.gravity
    force: Array = at.dS @ (parameters[gx], parameters[gy], parameters[gz])
    given = inputs[slots.forces]
    if at.G is None:
        force[slots.forced] += given
    else:
        force += given @ at.G
    if model.elements:
        force += at.ds @ element_forces(runtime, at, zd, parameters, inputs, devices)
    if runtime.ports.size:
        wrench = loads_at(runtime, at.value, inputs)
        force += at.dr @ wrench[:, 0].ravel() + wrench[:, 1].ravel() @ at.A
    return force


def element_forces(
    runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float], inputs: Array, devices: bool = True
) -> Array:
    """Generalized forces (ne,) of laws, and of devices, on the measures of all elements [N or N.m]."""
    found = np.array(forces(runtime.model, parameters, at.s.tolist(), (zd @ at.ds).tolist()))
    devices = devices and bool(runtime.model.devices)
    return found + response(runtime, at, zd, parameters, inputs).force if devices else found


def response(
    runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float], inputs: Array, slopes: bool = False
) -> Response:
    """What all devices do, with its slopes if these are asked for."""
    own, pressing = inputs[runtime.slots.devices], pressing_at(runtime, at, zd, parameters, inputs)
    return respond(runtime.model, parameters, own, at.s, zd @ at.ds, at.memory, slopes, pressing)


def pressing_at(runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float], inputs: Array) -> Array:
    """N_0 and N_k of equation (6) of all loads that devices read, as their slots have them."""
    if not runtime.pressing:
        return UNPRESSED
    model, rows = runtime.model, runtime.rows
    force = moving_force(runtime, at, zd, parameters, inputs, devices=False)
    zdd = solve_motion(runtime, at, zd, force, inputs)
    acting = element_forces(runtime, at, zd, parameters, inputs, devices=False)
    weights = weights_of_loads(runtime, at, zd, zdd, acting, parameters, inputs)
    on = np.array([c.element for device in model.devices if device.loads for c in device.connections], dtype=np.int64)
    others = np.setdiff1d(np.arange(runtime.nz), runtime.driven)
    follow = np.zeros((runtime.nz, len(on)))  # J^-1 ds
    if others.size:
        J: Array = at.J[np.ix_(others, others)]
        follow[others] = np.linalg.solve(J, at.ds[np.ix_(others, on)])
    places = load_places(runtime.nz, rows.varying + rows.fixed, len(model.loaded), model.moving)
    found = []
    for own, factor in runtime.pressing:
        R = at.value[own]
        per_force = R[places.J] @ follow - R[places.s][runtime.measures[on] - rows.s]
        found.append(factor * np.concatenate(([R @ weights], per_force)))
    return np.concatenate(found)


def weights_of_loads(
    runtime: Runtime,
    at: Mechanics,
    u: Array,
    zdd: Array,
    forces: Array,
    parameters: Sequence[float],
    inputs: Array,
) -> Array:
    """What the rows of all loads are multiplied by, with forces (ne,) on the measures of elements."""
    model, rows, slots = runtime.model, runtime.rows, runtime.slots
    measured, loaded = rows.varying + rows.fixed, model.loaded
    acting, wrenches = np.zeros(measured), np.zeros((len(loaded), 2, 3))
    np.add.at(acting, runtime.measures - rows.s, forces)
    markers = [*(port.marker for port in model.ports), *(wheel.marker for wheel in model.wheels)]
    np.add.at(wrenches, [loaded.index(m) for m in markers], loads_at(runtime, at.value, inputs))
    gravity = np.array([parameters[i] for i in model.gravity])
    ground = (inputs[slots.twist], inputs[slots.twist_rate]) if model.moving else ()
    places = load_places(runtime.nz, measured, len(loaded), model.moving)
    return load_weights(places, u, zdd, gravity, acting, wrenches, *ground)


def loads_at(runtime: Runtime, value: Array, inputs: Array) -> Array:
    """Force and moment (np, 2, 3) on ports and at the centres of wheels, where the rows (nr,) are read.

    Raises:
        StepError: a wheel lies flat on its road.
    """
    slots = runtime.slots
    loads = inputs[slots.loads].reshape(-1, 2, 3)
    if not runtime.wheels:
        return loads
    found = []
    for number, (wheel, rows) in enumerate(runtime.wheels):
        given = wheel_inputs(inputs, slots.wheels.start, number)
        loaded = given.F.any() or given.M.any() or given.torque
        moment = carrier_moment(disc(wheel, rows, value, given.n), given) if loaded else np.zeros(3)
        found.append((given.F, moment))
    return np.concatenate((loads, np.array(found)))


def quadratic_force(at: Mechanics, zd: Array, u: Array | None = None) -> Array:
    """Terms c of equation (2), (nz,), quadratic in the rates; u (nz,) is zd without those that have no inertia."""
    u = zd if u is None else u
    along = at.dJ @ u  # (nz, nz), [k, i] = sum_j d_k J_ij u_j
    return zd @ along - 0.5 * (along @ u)


def moving_force(
    runtime: Runtime,
    at: Mechanics,
    zd: Array,
    parameters: Sequence[float],
    inputs: Array,
    u: Array | None = None,
    devices: bool = True,
) -> Array:
    """What accelerates the coordinates, (nz,): Q + Q_frame - c, with devices or without; u as in `quadratic_force`.

    With a disc on the floor what accelerates its quasi-velocities, see `track`.
    """
    if runtime.track is not None:
        zd = u = runtime.track.rates(at.z, zd)
    force = generalized_force(runtime, at, zd, parameters, inputs, devices) - quadratic_force(at, zd, u)
    if at.ground is not None:
        V, Vd = inputs[runtime.slots.twist], inputs[runtime.slots.twist_rate]
        force += frame_force(at.ground, V, Vd, zd, zd if u is None else u)
    if runtime.track is not None:
        gravity = np.array([parameters[i] for i in runtime.model.gravity])
        force += runtime.track.force(at.z, zd, at.S, at.dS, gravity)
    return force


def static_force(runtime: Runtime, at: Mechanics, parameters: Sequence[float], inputs: Array) -> Array:
    """The same without rates, (nz,): what acts on a mechanism that is at rest in its ground."""
    still = np.zeros(runtime.nz)
    force = generalized_force(runtime, at, still, parameters, inputs)
    if at.ground is not None:
        V, Vd = inputs[runtime.slots.twist], inputs[runtime.slots.twist_rate]
        force += frame_force(at.ground, V, Vd, still, still)
    return force


def acceleration(
    runtime: Runtime,
    z: Array,
    zd: Array,
    parameters: Sequence[float],
    inputs: Array,
    lap: float = 0.0,
    memory: Memory | None = None,
) -> Array:
    """Solve equation (1) for zdd, (nz,).  One reading of the tables.

    Raises:
        TableRangeError: z has left the table.
        StepError: J is not positive definite, or the acceleration is not finite.
    """
    return acceleration_at(runtime, mechanics(runtime, z, lap, memory), zd, parameters, inputs)


def acceleration_at(runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float], inputs: Array) -> Array:
    """The same where the tables are already read."""
    return solve_motion(runtime, at, zd, moving_force(runtime, at, zd, parameters, inputs), inputs)


def solve_motion(runtime: Runtime, at: Mechanics, zd: Array, force: Array, inputs: Array) -> Array:
    """Accelerations of the first n coordinates from what accelerates them (n,); those of driven ones are known.

    The others follow from J_oo zdd_o = force_o - J_od zdd_d.
    """
    n, driven = force.size, runtime.driven
    J = at.J[:n, :n]
    if driven.size:
        others = np.setdiff1d(np.arange(n), driven)
        zdd = np.empty(n)
        zdd[driven] = drive_acceleration(runtime.slots, at.z, zd, inputs)
        right = force[others] - J[np.ix_(others, driven)] @ zdd[driven]
        zdd[others] = solve_inertia(J[np.ix_(others, others)], right, [runtime.names[i] for i in others])
    else:
        zdd = solve_inertia(J, force, runtime.names[:n])
    numbers = zdd.tolist()
    if not math.isfinite(sum(numbers)):
        for name, value in zip(runtime.names[:n], numbers, strict=True):
            if not math.isfinite(value):
                raise StepError(
                    f"the motion diverged: the acceleration of '{name}' is {value}; "
                    "reduce 'solver.step' or check the forces and rates"
                )
    if runtime.track is not None:
        return runtime.track.accelerations(at.z, runtime.track.rates(at.z, zd), zdd)
    return zdd


def drive_force(runtime: Runtime, at: Mechanics, zdd: Array, force: Array) -> Array:
    """What the drives must supply, (nd,) [N or N.m], equation (5), from the accelerations and `moving_force`."""
    n, driven = zdd.size, runtime.driven
    return at.J[driven, :n] @ zdd - force[driven]


def energies(runtime: Runtime, z: Array, zd: Array, parameters: Sequence[float], lap: float = 0.0) -> Energies:
    """Energies of equation (4)."""
    return energies_at(runtime, mechanics(runtime, z, lap), zd, parameters)


def energies_at(runtime: Runtime, at: Mechanics, u: Array, parameters: Sequence[float]) -> Energies:
    """The same where the tables are already read; u (nz,) are the rates of the coordinates that have inertia."""
    model = runtime.model
    gravity = [parameters[i] for i in model.gravity]
    spring = potential(model, parameters, at.s.tolist())
    return Energies(float(0.5 * u @ at.J @ u), float(-(at.S @ gravity)), float(spring))
