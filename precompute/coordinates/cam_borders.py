"""Where along the table axes cams begin another piece of their profile.

Second derivatives jump there, so no spline may go across.  A table axis can have a border at a value of its coordinate;
so the place of contact on a cam must depend on one free coordinate alone, though not linearly: that of a swinging
follower depends on its own angle as well, which the cam determines.

Deflections may move it besides, by as little as they are.  Then the borders are where they are without these, or with
those that tables are expanded about, and pieces go on beyond them as far as a deflection takes the contact there: see
`CamSections`.  A deflection that moves the contact by the angle a puts the follower, of a track with the distance r,

    e = (r''_after - r''_before) a^2 / 2                                                                (1)

off the cam between its border and that of the tables.
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
from precompute.measures.cam_sections import CamSections
from precompute.model.cams import Cam
from precompute.model.mechanism import Coordinate, Measure

SAMPLES = 73
"""Of a range; between two of them the place of contact moves one way."""

STILL = 1e-9
"""Of a turn per range: what moves less does not move."""

SAME = 1e-11
"""Of a range: borders that are closer together are one."""


def with_borders(
    closure: Closure, q: Array, z: Array, free: tuple[Coordinate, ...]
) -> tuple[Closure, tuple[Coordinate, ...]]:
    """The coordinates with the borders of all cams, and the closure with cams whose pieces end there.

    Args:
        closure: with its coordinates.
        q: (nq,) design configuration.
        z: (nz,) values there.
        free: the coordinates with their ranges.

    Raises:
        SweepError: a cam is moved by several free coordinates, or by none.
    """
    if not closure.mechanism.cams:
        return closure, free
    plain = (cam if cam.sections is None else replace(cam, sections=None) for cam in closure.mechanism.cams)
    closure = with_cams(closure, tuple(plain))
    found: list[list[float]] = [[] for _ in free]
    names: list[list[str]] = [[] for _ in free]
    cams: list[Cam] = []
    lines = [samples(closure, q, z, k, c) for k, c in enumerate(free)]
    for cam in closure.mechanism.cams:
        contact = cam.measure(closure.mechanism, "contact")
        k, deflected = mover(closure, cam, contact, lines, free)
        own = crossings(closure, cam, contact, *lines[k], z, k)
        names[k].append(cam.name)
        found[k] += own
        if deflected and own:
            cam = replace(cam, sections=sections(closure, cam, contact, lines[k], z, (k, free[k]), own))
        cams.append(cam)
    borders = tuple(
        replace(c, borders=distinct(own, ends(c)), cams=tuple(by))
        for c, own, by in zip(free, found, names, strict=True)
    )
    return with_cams(closure, tuple(cams)), borders


def with_cams(closure: Closure, cams: tuple[Cam, ...]) -> Closure:
    """Of the mechanism with other cams between the same bodies, if they are others."""
    if all(a is b for a, b in zip(cams, closure.mechanism.cams, strict=True)):
        return closure
    return replace(closure, mechanism=replace(closure.mechanism, cams=cams))


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
) -> tuple[int, bool]:
    """The only free coordinate that moves the place of contact, and whether a deflection moves it too."""
    stiff = closure.mechanism.stiff_coordinates
    topology = closure.topology.unlocked() if stiff else closure.topology
    full = replace(closure, topology=topology, coordinates=(*closure.coordinates, *stiff))
    P = full.poses(np.concatenate([q for _, q in lines]))
    B = velocity_coefficients(full, factorize(full, full.matrix(P)))
    slopes = np.abs((contact.row(P)[:, None] @ B)[:, 0]).max(axis=0)
    span = [upper - lower for lower, upper in map(ends, free)]
    moving = [k for k, s in enumerate(span) if slopes[k] * s > STILL * TURN]
    if len(moving) == 1:
        return moving[0], bool((slopes[len(free) :] * closure.length > STILL).any())
    movers = [f"'{free[k].name}'" for k in moving]
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


def sections(
    closure: Closure,
    cam: Cam,
    contact: Measure,
    line: tuple[Array, Array],
    z: Array,
    along: tuple[int, Coordinate],
    borders: list[float],
) -> CamSections:
    """The pieces of a cam between its borders along a coordinate, by number; they are those in the middle of each."""
    (values, q), (k, c) = line, along
    begins = np.array(distinct(borders, ends(c)))
    lower, upper = ends(c)
    edges = np.concatenate([[lower], begins, [upper]])
    middle = 0.5 * (edges[1:] + edges[:-1])
    nearest = np.argmin(np.abs(values - middle[:, None]), axis=1)
    here, to = np.repeat(np.repeat(z[None, None], 2, axis=0), len(middle), axis=1)
    here[:, k], to[:, k] = values[nearest], middle
    angle = contact.value(closure.poses(follow(closure, q[nearest], here, to).q))
    return CamSections(c.of, lower, upper - lower if c.periodic else None, begins, cam.follower.track.piece_at(angle))


def root(miss: object, a: float, b: float) -> float:
    """Between a and b, or at one of them."""
    for end in (a, b):
        if miss(end) == 0.0:  # type: ignore[operator]
            return end
    return float(brentq(miss, a, b, xtol=1e-15 * max(abs(a), abs(b)), rtol=1e-15))


def distinct(values: list[float], range_: tuple[float, float]) -> tuple[float, ...]:
    """In order, without those that are one of them again."""
    kept: list[float] = []
    for x in sorted(values):
        if not kept or x - kept[-1] > SAME * (range_[1] - range_[0]):
            kept.append(x)
    return tuple(kept)
