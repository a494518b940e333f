"""Where along the table axes cams begin another piece of their profile.

Second derivatives jump there, so no spline may go across.  A table axis can have a border at a value of its coordinate;
so the place of contact on a cam must depend on one coordinate alone, though not linearly: that of a swinging follower
depends on its own angle as well, which the cam determines.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import brentq

from precompute.arrays import Array
from precompute.cams.track import TURN
from precompute.errors import SweepError
from precompute.kinematics.coefficients import Closure, factorize, velocity_coefficients
from precompute.kinematics.continuation import follow
from precompute.model.cams import Cam
from precompute.model.mechanism import Coordinate, Measure

SAMPLES = 73
"""Of a range; between two of them the place of contact moves one way."""

STILL = 1e-9
"""Of a turn per range: what moves less does not move."""

SAME = 1e-11
"""Of a range: borders that are closer together are one."""


def with_borders(closure: Closure, q: Array, z: Array, free: tuple[Coordinate, ...]) -> tuple[Coordinate, ...]:
    """The coordinates with the borders of all cams.

    Args:
        closure: with its coordinates.
        q: (nq,) design configuration.
        z: (nz,) values there.
        free: the coordinates with their ranges.

    Raises:
        SweepError: a cam is moved by several coordinates, or by a deflection.
    """
    found: list[set[float]] = [set() for _ in free]
    cams: list[list[str]] = [[] for _ in free]
    if not closure.mechanism.cams:
        return free
    lines = [samples(closure, q, z, k, c) for k, c in enumerate(free)]
    for cam in closure.mechanism.cams:
        contact = cam.measure(closure.mechanism, "contact")
        k = mover(closure, cam, contact, lines, free)
        cams[k].append(cam.name)
        found[k] |= {*crossings(closure, cam, contact, *lines[k], z, k)}
    return tuple(
        replace(c, borders=distinct(sorted(borders), ends(c)), cams=tuple(names))
        for c, borders, names in zip(free, found, cams, strict=True)
    )


def ends(c: Coordinate) -> tuple[float, float]:
    """Of the range."""
    assert c.lower is not None and c.upper is not None
    return c.lower, c.upper


def samples(closure: Closure, q: Array, z: Array, k: int, c: Coordinate) -> tuple[Array, Array]:
    """Values (n,) of a coordinate over its range and closed configurations (n, nq), the others at design."""
    values = np.linspace(*ends(c), SAMPLES)
    nearest = int(np.argmin(np.abs(values - z[k])))
    out = np.zeros((SAMPLES, len(q)))
    for way in (range(nearest, SAMPLES), range(nearest, -1, -1)):
        here_q, here = q[None], z[None]
        for i in way:
            to = here.copy()
            to[0, k] = values[i]
            here_q, here = follow(closure, here_q, here, to).q, to  # what is out of reach is told by the sweep
            out[i] = here_q[0]
    return values, out


def mover(
    closure: Closure, cam: Cam, contact: Measure, lines: list[tuple[Array, Array]], free: tuple[Coordinate, ...]
) -> int:
    """The only coordinate that moves the place of contact."""
    stiff = closure.mechanism.stiff_coordinates
    topology = closure.topology.unlocked() if stiff else closure.topology
    full = replace(closure, topology=topology, coordinates=(*closure.coordinates, *stiff))
    P = full.poses(np.concatenate([q for _, q in lines]))
    B = velocity_coefficients(full, factorize(full, full.matrix(P)))
    slopes = np.abs((contact.row(P)[:, None] @ B)[:, 0]).max(axis=0)
    span = [upper - lower for lower, upper in map(ends, free)]
    moving = [k for k, s in enumerate(span) if slopes[k] * s > STILL * TURN]
    soft = [c.name for c, slope in zip(stiff, slopes[len(free) :], strict=True) if slope * closure.length > STILL]
    if len(moving) == 1 and not soft:
        return moving[0]
    movers = [f"'{free[k].name}'" for k in moving] + [f"the deflection of {name}" for name in soft]
    raise SweepError(
        f"cam '{cam.name}' meets its follower at a place that depends on {' and '.join(movers) or 'nothing'}. Its "
        "profile has borders, where accelerations jump, and tables can have them at values of one coordinate alone: "
        + ("let one coordinate turn the cam, and no other move cam or follower" if movers else "let something turn it")
    )


def crossings(closure: Closure, cam: Cam, contact: Measure, values: Array, q: Array, z: Array, k: int) -> list[float]:
    """Values of coordinate k at which the contact is at a border of the profile."""
    angle = contact.value(closure.poses(q))
    found = []
    for border in cam.follower.track.borders:
        for i in range(len(values) - 1):
            low, high = sorted((float(angle[i]), float(angle[i + 1])))
            for turn in range(int(np.ceil((low - border) / TURN)), int(np.floor((high - border) / TURN)) + 1):
                at = float(border) + TURN * turn

                def miss(x: float, i: int = i, at: float = at) -> float:
                    here, to = np.repeat(z[None], 2, axis=0)[:, None]
                    here[0, k], to[0, k] = values[i], x
                    done = follow(closure, q[i][None], here, to)
                    return float(contact.value(closure.poses(done.q))[0]) - at

                found.append(root(miss, float(values[i]), float(values[i + 1])))
    return found


def root(miss: object, a: float, b: float) -> float:
    """Between a and b, or at one of them."""
    for end in (a, b):
        if miss(end) == 0.0:  # type: ignore[operator]
            return end
    return float(brentq(miss, a, b, xtol=1e-15 * max(abs(a), abs(b)), rtol=1e-15))


def distinct(values: list[float], range_: tuple[float, float]) -> tuple[float, ...]:
    """Without those that are one of them again."""
    kept: list[float] = []
    for x in values:
        if not kept or x - kept[-1] > SAME * (range_[1] - range_[0]):
            kept.append(x)
    return tuple(kept)
