"""Stiff coordinates without inertia: deflections d that follow the forces at once, as on a slow test rig.

In every evaluation Newton's method finds d from the forces on the stiff coordinates,

    Q_s(z_f, d) = 0,   K_ss step = Q_s,   K = -dQ/dz                                                  (1)

with the exact stiffness of the polynomial rows: that of the laws, and forces times second derivatives of measures, of
the first moment and of the ports, and how the moments of wheels turn.  Then the deflections move with the axes,

    dd/dt = D zd_f,   D = -K_ss^-1 K_sf                                                               (2)

and the axes have the inertia J_ff(z_f, d).  Forces of dampers act on the axes through (2); on the deflections
themselves they are left out, as is all inertia of the motion of the mechanism.  On a moving ground the
deflections do see its motion, as they see gravity; only the change with d of the centrifugal force of its rotation is
left out of K, which costs an iteration or two, not accuracy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..errors import StepError
from ..model.laws import cardan_slopes
from ..model.reduced_model import Array
from .devices import Memory
from .dynamics import (
    Mechanics,
    Runtime,
    element_forces,
    loads_at,
    mechanics_of,
    moving_force,
    solve_motion,
    static_force,
)
from .reading import Reading, curvature_at, read_columns, rows_at
from .tangent import device_motion, law_tangents
from .wheels import carrier_moment_slopes, wheel_inputs

MOST_ITERATIONS = 30

TOLERANCE = 1e-12
"""Of deflection and radius together: the last step of Newton's method is below it."""


class Relaxed(NamedTuple):
    """A mechanism whose stiff coordinates are in equilibrium."""

    at: Mechanics  # at [z_f; d]
    zd: Array  # (nz,) rates with (2)
    u: Array  # (nz,) rates of the coordinates that have inertia: those of the axes, then zeros


def relax(
    runtime: Runtime,
    reading: Reading,
    z: Array,
    zd: Array,
    parameters: Sequence[float],
    inputs: Array,
    memory: Memory | None = None,
) -> Relaxed:
    """Find the deflections; those that float stay.

    Args:
        runtime: the chart.
        reading: of the rows wanted, with curvature.
        z: (nz,) axes, and deflections to start from.
        zd: (nz,) rates; only those of the axes matter.
        parameters: of the model.
        inputs: of the model.
        memory: of devices, whose states stay as they are; None: that at the start.

    Raises:
        TableRangeError: an axis has left its table.
        StepError: no equilibrium was found.
    """
    nf, held = runtime.nf, np.array([not stiff.floats for stiff in runtime.model.stiff])
    radius = np.array([stiff.radius for stiff in runtime.model.stiff])
    numbers = read_columns(reading, z)
    z, still = z.copy(), np.zeros(runtime.nz)
    enough, small = 2 if runtime.model.moving else 1, 0  # where convergence is only linear, one step more
    for _ in range(MOST_ITERATIONS):
        at = mechanics_of(runtime, z.copy(), *rows_at(reading, numbers, z), memory=memory)
        K = stiffness(runtime, at, curvature_at(reading, numbers, z), parameters, inputs)
        Q = static_force(runtime, at, parameters, inputs)[nf:]
        try:
            solved = np.zeros((held.size, 1 + nf))
            solved[held] = np.linalg.solve(K[:, nf:][np.ix_(held, held)], np.column_stack((Q, -K[:, :nf]))[held])
        except np.linalg.LinAlgError:
            break
        step = solved[:, 0]
        if not np.isfinite(step).all():
            break
        small += bool((np.abs(step) <= TOLERANCE * (np.abs(z[nf:]) + radius)).all())
        if small == enough:
            axes = zd[:nf]
            return Relaxed(at, np.concatenate((axes, solved[:, 1:] @ axes)), np.concatenate((axes, still[nf:])))
        z[nf:] += step
    raise _not_found(runtime, z)


def _not_found(runtime: Runtime, z: Array) -> StepError:
    """The error that no deflections were found; z (nz,) is where Newton's method ended."""
    deflections = z[runtime.nf :].tolist()
    sizes = [stiff.share(d) for d, stiff in zip(deflections, runtime.model.stiff, strict=True)]
    worst = sizes.index(max(sizes))
    info = runtime.model.stiff[worst]
    return StepError(
        "no static equilibrium of the stiff coordinates was found; "
        f"'{info.name}' went to {info.words.text(deflections[worst])}, its tables hold in "
        f"{info.words.range(info.lower, info.upper)}: check that every stiff coordinate is held by a bushing with a "
        "stiffness above zero, and the loads"
    )


def stiffness(runtime: Runtime, at: Mechanics, H: Array, parameters: Sequence[float], inputs: Array) -> Array:
    """Rows of the stiff coordinates of K = -dQ/dz without rates, (ns, nz).

    Args:
        runtime: the chart.
        at: the tables.
        H: (ns, nz, nh) second derivatives of measures, first moment and markers of ports, in this order.
        parameters: of the model.
        inputs: of the model.
    """
    model, nf = runtime.model, runtime.nf
    still = np.zeros(runtime.nz)
    K: Array = law_tangents(runtime, at, still, parameters)[0][nf:]
    if model.devices:
        K = K + device_motion(runtime, at, still, parameters, inputs).K[nf:]
    for first, slopes in zip(model.cardans, cardan_slopes(model, parameters, at.s.tolist()), strict=True):
        K = K - at.ds[nf:, first + 3 : first + 6] @ slopes @ at.ds[:, first : first + 6].T
    on_rows = np.zeros(runtime.rows.count)  # forces on the rows that H is of
    np.add.at(on_rows, runtime.measures, element_forces(runtime, at, still, parameters, inputs))
    on_rows[runtime.moment] = [parameters[i] for i in model.gravity]
    wrench = loads_at(runtime, at.value, inputs)
    np.add.at(on_rows, runtime.ports, wrench[:, 0].ravel())
    K = K - H @ on_rows[runtime.curved]
    if runtime.ports.size:
        A = runtime.turning[:, nf:]  # (3 np, ns) rows
        K = K - np.tensordot(wrench[:, 1].ravel(), at.slopes[:, A], axes=(0, 1)).T
    for number, (wheel, rows) in enumerate(runtime.wheels):
        given = wheel_inputs(inputs, runtime.slots.wheels.start, number)
        if wrench[len(model.ports) + number].any():
            own = at.value[rows.A : rows.A + 3 * runtime.nz].reshape(3, -1)[:, nf:]
            K = K - (carrier_moment_slopes(wheel, rows, at.value, at.slopes, given) @ own).T
    if at.ground is not None:
        K = K + (inputs[runtime.slots.twist_rate] @ at.ground.dN)[:, nf:].T
    return K


def relaxed_acceleration(
    runtime: Runtime, relaxed: Relaxed, parameters: Sequence[float], inputs: Array
) -> tuple[Array, Array]:
    """Accelerations (nf,) of the axes, and what accelerates them (nf,)."""
    at, zd, u = relaxed
    force = moving_force(runtime, at, zd, parameters, inputs, u)[: runtime.nf]
    return solve_motion(runtime, at, zd, force, inputs), force
