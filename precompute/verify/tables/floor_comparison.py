"""Tables of a disc on the floor beside their witness, which stands on the ground: a track with heading, x and y.

The tables are relative to the track, for the velocities u of `numpy_runtime.track`; with zd = E u, what the ground says
of J and of the forces that motions need is

    E^T J_ground E,   E^T F_ground = J' du/dt + c(u) - powerless terms                                             (1)

for the velocities that the disc may have.  Places, velocities and the force of the floor are compared on the ground:
so is all that the run-time makes of the tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement

import numpy as np

from fmu_src.model.rows import POSITION, ROTATION, TURNING
from fmu_src.numpy_runtime.dynamics import Mechanics, Runtime, mechanics_of, quadratic_force
from fmu_src.numpy_runtime.ground import cross, ground_at
from fmu_src.numpy_runtime.track import Track
from precompute.arrays import Array
from precompute.verify.tables.promise import STEEPER
from precompute.verify.tables.table_comparison import XYZ, Compared, Side, measures


def from_design(runtime: Runtime, z: Array) -> Array:
    """Coordinates (n, nz) of a model as the mechanism on the ground counts them: x and y since design."""
    if runtime.track is None:
        return z
    counted = z.copy()
    counted[:, -2:] -= runtime.track.floor @ runtime.track.point
    return counted


def floor_motion(runtime: Runtime, z: Array, zd: Array, zdd: Array) -> tuple[Array, Array]:
    """Rates and accelerations (n, nz) that the disc may have, near any: x and y follow if it rolls."""
    track = runtime.track
    if track is None:
        return zd, zdd
    rates, second = zd.copy(), zdd.copy()
    for i, at in enumerate(z):
        rates[i] = track.kept(at, zd[i])
        if track.info.rolling:
            second[i] = track.accelerations(at, track.rates(at, rates[i]), zdd[i])
    return rates, second


def floor_compared(side: Side) -> Iterator[Compared]:
    """All that the rows of the chart hold, on the ground."""
    track = side.tables.runtime.track
    assert track is not None, "there is no disc on the floor"
    yield from markers(side, track)
    yield from measures(side)
    yield from masses(side, track)


def places(side: Side) -> Iterator[tuple[Array, Array, Array, Mechanics]]:
    """z, u, du/dt and the tables at each configuration."""
    tables, runtime = side.tables, side.tables.runtime
    track = runtime.track
    assert track is not None
    for i, z in enumerate(tables.z):
        u = track.rates(z, tables.now.zd[i])
        ud = track.quasi_accelerations(z, u, tables.zdd[i])
        yield z, u, ud, mechanics_of(runtime, z, tables.now.value[i], tables.now.slopes[i])


def markers(side: Side, track: Track) -> Iterator[Compared]:
    """Position, rotation, velocity and angular velocity of all markers."""
    promise, now, nz = side.promise, side.tables.now, side.tables.z.shape[1]
    for marker, rows in zip(side.mechanism.frames, side.tables.runtime.rows.markers, strict=True):
        found = []
        for i, (z, u, _, at) in enumerate(places(side)):
            (R, p), V = track.pose(z), track.twist(u)
            r = at.value[rows.r : rows.r + POSITION]
            v = now.zd[i] @ at.slopes[:, rows.r : rows.r + POSITION] + V[3:] + cross(V[:3], r)
            w = at.value[rows.A : rows.A + TURNING * nz].reshape(TURNING, nz) @ now.zd[i] + V[:3]
            turned = R @ at.value[rows.R : rows.R + ROTATION].reshape(3, 3)
            found.append((p + R @ r, R @ v, R @ w, turned.ravel()))
        r, v, w, turned = (np.array(part) for part in zip(*found, strict=True))
        body, point = side.witness.moved.body(marker.body), side.witness.moved.point(marker.body, marker.p)
        name, one, length = f"marker.{marker.name}", np.ones(3), np.full(3, promise.length)
        fast = promise.pace.max()
        entries = tuple(f"{i}{j}" for i in XYZ for j in XYZ)
        exact = (body.R @ marker.R).reshape(-1, 9)
        yield Compared(f"{name}.r", XYZ, ("m",) * 3, r, point.p, promise.values(point.p, length))
        yield Compared(f"{name}, rotation", entries, ("rad",) * 9, turned, exact, promise.values(exact, np.ones(9)))
        limit = STEEPER * promise.values(point.v, length * fast)
        yield Compared(f"{name}.v", XYZ, ("m/s",) * 3, v, point.v, limit)
        yield Compared(f"{name}.w", XYZ, ("rad/s",) * 3, w, body.w, promise.values(body.w, one * fast))


def masses(side: Side, track: Track) -> Iterator[Compared]:
    """First moment, inertia, the forces that the motion needs, and that of the floor."""
    promise, names, model, witness = side.promise, side.names, side.model, side.witness
    z = side.tables.z
    exact_S, _, exact_a = witness.first_moment()
    E = np.array([velocities(track, at) for at in z])
    J = np.swapaxes(E, 1, 2) @ witness.inertia() @ E
    F = np.einsum("nik,ni->nk", E, witness.inertia_force())
    found = []
    for z_, u, ud, at in places(side):
        R, p = track.pose(z_)
        force = at.J @ ud + quadratic_force(at, u) - track.force(z_, u, at.S, at.dS, np.zeros(3))
        ground = ground_at(side.tables.runtime.rows, at.value, at.slopes, model.mass)
        floor = track.contact_wrench(z_, ground, u, ud, np.zeros(3))[0]
        found.append((R @ at.S + model.mass * p, at.J, force, floor))
    S, table_J, force, floor = (np.array(part) for part in zip(*found, strict=True))
    if track.info.rolling:
        table_J[:, -2:, -2:] -= model.mass * np.eye(2)
    size = np.full(3, promise.length * model.mass)
    yield Compared("S", XYZ, ("kg m",) * 3, S, exact_S, promise.values(exact_S, size))
    largest = np.sqrt(np.abs(np.diagonal(J, axis1=1, axis2=2)).max(axis=0))
    i, j = np.array(list(combinations_with_replacement(range(len(names)), 2))).T
    entries = tuple(f"[{names[a]},{names[b]}]" for a, b in zip(i, j, strict=True))
    limit = promise.values(J[:, i, j], largest[i] * largest[j])
    yield Compared("J", entries, ("kg m2",) * len(entries), table_J[:, i, j], J[:, i, j], limit)
    units, along = tuple(np.where(promise.is_angle, "N m", "N").tolist()), tuple(f"along {name}" for name in names)
    limit = promise.inertia_forces(F, J, side.stirred, side.mechanism.tables.inertia)
    yield Compared("inertia force", along, units, force, F, limit)
    limit = promise.seconds(exact_a, np.abs(exact_S[:, :, None]) * promise.pace, size, side.stirred)
    yield Compared("force of the floor", XYZ, ("N",) * 3, floor, exact_a, limit)


def velocities(track: Track, z: Array) -> Array:
    """(nz, nz) E: the rates for each velocity of u; those of a disc that rolls have none in the places of x and y."""
    E = np.eye(len(z))
    E[-2:, -2:] = 0.0
    E[-2:] += track.floor @ (track.turned(z)[:2].T @ track.along)
    return E
