"""How states of rest change: along travels and steering, and under loads, which is compliance.

With z_i the change of z along rate i, from the tangent of the state of rest, and J the twists of the carriers along z,

    W_i = J z_i,    dW_ij = d(J)(z_i, z_j) + J z_ij                                         (1)

where z_ij vanishes if all of z is prescribed, and otherwise comes from central differences of the exact tangents.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from precompute.arrays import Array
from precompute.geometry.spatial import point_acceleration, point_velocity
from precompute.kinematics.correcting import correct
from precompute.rig.balance import Rest, Setting, flat, tangent
from precompute.rig.cases import copy_signs
from precompute.rig.mechanics import Corner, Mechanics, load_forces
from precompute.rig.stand import MIRROR, Place, Stand

STEP = 1e-3
"""Of the central differences of tangents, over the reference length (or in rad); their error is of its fourth power."""

LOOSE = 1e-12
"""Least singular value of the tangent under given loads, over its largest, for there to be a compliance."""


@dataclass(frozen=True, eq=False)
class Looked:
    """States of rest with all that is known of them."""

    at: Mechanics
    K: Array  # (n c, nz, nz) of everything
    rest: Rest
    setting: Setting


def looked(stand: Stand, rest: Rest, setting: Setting) -> Looked:
    """All that is known of states of rest."""
    at = stand.rig.at(rest.q, setting.road)
    _, K = load_forces(at, flat(setting.loads), rest.pads.reshape(-1, rest.pads.shape[-1]))
    return Looked(at, at.K + K, rest, setting)


@dataclass(frozen=True, eq=False)
class Rates:
    """Changes of states of rest along travel left, travel right and, if there is one, steering."""

    z: Array  # (n, c, nz, rates)
    pads: Array  # (n, c, nw, rates)
    second: Array | None = None  # (n, c, nz, rates, rates) z_ij of (1), where it was asked for


def rates(stand: Stand, found: Looked) -> Rates:
    """By the tangent of `balance`, heights of the centres and what is held prescribed."""
    n = len(found.rest.z)
    still = replace(stand, choices=replace(stand.choices, travel="centre")).still(n)
    solved = tangent(stand.rig, found.at, found.K, still.A_u, still.A_F)
    first_F, first_T = solved.copies * solved.nz, solved.copies * (solved.nz + solved.nw)
    size = solved.matrix.shape[-1]
    columns = [np.eye(size)[first_F + stand.row(side)] for side in stand.sides]
    if stand.steering is not None:
        k, column = list(stand.rig.bench.held).index(stand.steering), np.zeros(size)
        for copy, sign in enumerate(copy_signs(stand)):
            column[first_T + copy * solved.nh + k] = sign
        columns.append(column)
    z, pads, _ = solved.split(solved.solve(np.broadcast_to(np.stack(columns, -1), (n, size, len(columns)))))
    return Rates(z, pads)


def with_second(stand: Stand, found: Looked, first: Rates) -> Rates:
    """The same with z_ij."""
    bench, n_rates = stand.rig.bench, first.z.shape[-1]
    out = np.zeros((*first.z.shape, n_rates))
    if bench.z.size == len(bench.wheels) + len(bench.held):
        return replace(first, second=out)
    together = [[0, 1], *([j] for j in range(2, n_rates))] if stand.copies == 2 else [[j] for j in range(n_rates)]
    for columns in together:  # travels of two copies do not know of each other
        size = np.abs(bench.closure.coordinate_weight[:, None] * first.z[..., columns]).max()
        change = central(stand, found, first, columns, STEP * bench.closure.length / float(size))
        for j in columns:
            for copy in [stand.sides[j].copy] if len(columns) > 1 else range(stand.copies):
                out[:, copy, ..., j] = change[:, copy]
    return replace(first, second=out)


def central(stand: Stand, found: Looked, first: Rates, columns: list[int], h: float) -> Array:
    """Derivative of the rates (n, c, nz, rates) along the sum of some of them, of order four."""

    def change(step: float) -> Array:
        ahead, behind = (rates(stand, beside(stand, found, first, columns, h)).z for h in (step, -step))
        return ahead - behind

    return (8.0 * change(h) - change(2.0 * h)) / (12.0 * h)


def beside(stand: Stand, found: Looked, first: Rates, columns: list[int], h: float) -> Looked:
    """The states of rest a step h along some rates further, to first order in their equilibrium; loops closed."""
    closure, rest = stand.rig.bench.closure, found.rest
    dz, dF = (h * x[..., columns].sum(axis=-1) for x in (first.z, first.pads))
    step = (found.at.B @ dz.reshape(-1, dz.shape[-1], 1))[..., 0]
    guess = closure.move(rest.q.reshape(-1, rest.q.shape[-1]), step)
    q = correct(closure, guess, (rest.z + dz).reshape(-1, dz.shape[-1])).q
    moved = replace(rest, q=q.reshape(rest.q.shape), z=rest.z + dz, pads=rest.pads + dF)
    return looked(stand, moved, found.setting)


@dataclass(frozen=True, eq=False)
class Picked:
    """Takes what belongs to a wheel's copy out of arrays over all copies."""

    stand: Stand
    side: Place
    n: int

    def __call__(self, values: Array) -> Array:
        """(n c, ...) -> (n, ...)."""
        return values.reshape(self.n, self.stand.copies, *values.shape[1:])[:, self.side.copy]

    def twists(self, values: Array) -> Array:
        """(n c, 6, ...) in G -> (n, 6, ...) in axes of ISO 8855, mirrored if need be."""
        S = stand_axes(self.stand, self.side)
        turn = np.linalg.det(S)  # what turns has the other sign in a mirror
        both = np.zeros((6, 6))
        both[:3, :3], both[3:, 3:] = turn * S, S
        return np.einsum("ab,nb...->na...", both, self(values))


def stand_axes(stand: Stand, side: Place) -> Array:
    """(3, 3) from G to axes of ISO 8855, through the mirror where the wheel is seen in it."""
    return MIRROR @ stand.mechanism.axes.R if side.mirrored else stand.mechanism.axes.R


def jacobian(corner: Corner) -> tuple[Array, Array]:
    """Twist at the centre along z, (n, 6, nz), and its derivatives (n, 6, nz, nz), in G."""
    linear = point_velocity(corner.twist, corner.centre)
    bent = point_acceleration(corner.twist, corner.second, corner.centre)
    return np.concatenate([corner.twist[:, :3], linear], 1), np.concatenate([corner.second[:, :3], bent], 1)


def without_bars(stand: Stand, found: Looked) -> Array:
    """K (n c, nz, nz) with all anti-roll bars taken out."""
    laws, K = stand.rig.laws, found.K.copy()
    for number, spring in enumerate(stand.mechanism.springs):
        if spring.role == "anti_roll_bar":
            k = laws.acts_on[number]
            force, slope = laws.of_element(number, found.at.s)
            K += np.einsum("n,ni,nj->nij", slope, found.at.ds[:, k], found.at.ds[:, k])
            K += force[:, None, None] * found.at.dds[:, k]
    return K


def compliance_matrix(stand: Stand, found: Looked, K: Array) -> Array | None:
    """(n, 12, 12) twists of left and right wheel over wrenches on them, both at the centres; steering held, loads kept.

    None where nothing holds the wheels.
    """
    n = len(found.rest.z)
    still = stand.still(n)
    for side in stand.sides:
        still.A_u[:, stand.row(side)] = 0.0
        still.A_F[:, stand.row(side), stand.row(side)] = 1.0
    solved = tangent(stand.rig, found.at, K, still.A_u, still.A_F)
    values = np.linalg.svd(solved.matrix[0], compute_uv=False)
    if values[-1] < LOOSE * values[0]:
        return None
    rhs = np.zeros((n, solved.matrix.shape[-1], 12))
    J = [Picked(stand, side, n).twists(jacobian(found.at.corners[side.wheel])[0]) for side in stand.sides]
    for k, side in enumerate(stand.sides):
        rhs[:, side.copy * solved.nz : (side.copy + 1) * solved.nz, 6 * k : 6 * k + 6] = np.swapaxes(J[k], -1, -2)
    try:
        z, _, _ = solved.split(solved.solve(rhs))
    except np.linalg.LinAlgError:  # at some other point of the batch
        return None
    return np.concatenate([J[k] @ z[:, side.copy] for k, side in enumerate(stand.sides)], axis=1)
