"""From solved places to new values of the coordinates, without leaving the branch; many at once.

`reach` solves places from the nearest that are solved already, in waves; `follow` leads them there.

Each place goes its own straight way in the coordinates.  A step predicts by velocity and acceleration (Garcia de Jalon
and Bayo, 3.10), corrects by Newton's method, and is accepted if the correction is small against the step, the velocity
has changed as the acceleration said, no joint has turned too far to count its laps, and no body has become its mirror
image.  Otherwise it is halved.  Places that have not arrived move on together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from precompute.arrays import Array
from precompute.natural.measuring import angles
from precompute.natural.system import NaturalSystem

FIRST_STEP = 0.4
"""Of the coordinates, in rad or in units of the mechanism's size."""

NEARER = 0.5
"""A place that was not reached is tried again from one that is nearer by this."""

SHORTEST = 2.0**-14
"""Part of its way below which a step is not halved any more."""

CORRECTION, BEND = 0.1, 0.3
"""Largest accepted correction, and change of velocity beyond that of the acceleration, over the step."""

GROWTH = 1.7
"""Of the next step, after one whose correction was small."""

LARGEST_TURN = 2.0
"""[rad] of a joint in one step."""

MOST_ITERATIONS = 8
SOLVED = 1e-12
"""A last step of Newton's method below this, in units of the mechanism's size."""

AGREE = 1e-8
"""Rows that repeat each other must agree to this."""

RIDGE = 1e-15
"""Keeps normal equations regular at dead centres; of their trace."""


@dataclass(frozen=True, eq=False)
class Followed:
    """Where places have arrived."""

    x: Array  # (n, nx) at z
    z: Array  # (n, nz) what was reached
    angles: Array  # (n, na)
    reached: NDArray[np.bool_]  # (n,)

    def some(self, which: NDArray[np.bool_]) -> Followed:
        """Some of them."""
        return Followed(self.x[which], self.z[which], self.angles[which], self.reached[which])

    def joined(self, other: Followed) -> Followed:
        """Both."""
        pairs = [(getattr(self, name), getattr(other, name)) for name in ("x", "z", "angles", "reached")]
        return Followed(*(np.concatenate(pair) for pair in pairs))


def follow(system: NaturalSystem, x: Array, z: Array, counted: Array, target: Array) -> Followed:
    """Lead solved places x (n, nx) from z (n, nz) to `target`; angles (n, na) of joints are counted on."""
    x, counted = np.array(x), np.array(counted)
    way = target - z
    far = np.abs(way * system.scale).max(axis=1, initial=0.0)
    done, step = np.zeros(len(x)), np.minimum(1.0, FIRST_STEP / np.maximum(far, 1e-12))
    line = Line(system, z, way)
    slope = line.slopes(x, done, np.arange(len(x)))
    active = np.arange(len(x))
    while active.size:
        h = np.minimum(step[active], 1.0 - done[active])
        xd, xdd = slope[0][active], slope[1][active]
        first = h[:, None] * xd
        guess = x[active] + first + 0.5 * h[:, None] ** 2 * xdd
        new, solved = corrected(system, guess, system.given(line.at(done[active] + h, active)))
        ahead = line.slopes(new, done[active] + h, active)
        size = np.linalg.norm(first, axis=1) + 1e-9
        moved = np.linalg.norm(new - guess, axis=1) / size
        bent = np.linalg.norm(h[:, None] * (ahead[0] - xd - h[:, None] * xdd), axis=1) / size
        turned = angles(system.links, system.poses((new,)), counted[active])
        good = solved & (moved < CORRECTION) & (bent < BEND) & ~system.mirrored(new)
        good &= np.abs(turned - counted[active]).max(axis=1, initial=0.0) < LARGEST_TURN

        on = active[good]
        x[on], counted[on] = new[good], turned[good]
        done[on] = np.where(h[good] >= 1.0 - done[on], 1.0, done[on] + h[good])
        for d in (0, 1):
            slope[d][on] = ahead[d][good]
        small = (moved < 0.2 * CORRECTION) & (bent < 0.3 * BEND)
        step[active] = np.where(good, np.where(small, GROWTH, 1.0), 0.5) * np.where(good, step[active], h)
        active = active[(done[active] < 1.0) & (step[active] > SHORTEST)]
    arrived = done >= 1.0
    return Followed(x, np.where(arrived[:, None], target, line.at(done, np.arange(len(x)))), counted, arrived)


def reach(system: NaturalSystem, begin: Followed, target: Array) -> Followed:
    """Solve places at `target` (n, nz), each from the nearest one that is solved already; `begin` are the first ones.

    What is no farther than a step from a solved place goes there together; then what is no farther from these, and so
    on.  A place that cannot be reached from the nearest one waits for others to come much nearer.
    """
    scale, n = system.scale, len(target)
    solved, rows = begin, np.arange(n)
    x, z = np.zeros((n, begin.x.shape[1])), np.zeros((n, begin.z.shape[1]))
    angles, reached = np.zeros((n, begin.angles.shape[1])), np.zeros(n, dtype=bool)
    far, nearest = nearest_of(begin.z * scale, target * scale)
    refused = np.full(n, np.inf)  # how far the place is from which it was not reached
    while (left := rows[~reached & np.isfinite(far)]).size:
        going = left[far[left] <= max(FIRST_STEP, 1.5 * float(far[left].min()))]
        base = nearest[going]
        done = follow(system, solved.x[base], solved.z[base], solved.angles[base], target[going])
        x[going], z[going], angles[going], reached[going] = done.x, done.z, done.angles, done.reached
        refused[going], far[going] = NEARER * far[going], np.inf

        fresh, left = done.some(done.reached), rows[~reached]
        if len(fresh.x) and left.size:
            gap, index = nearest_of(fresh.z * scale, target[left] * scale)
            closer = gap < np.minimum(far[left], refused[left])
            far[left[closer]], nearest[left[closer]] = gap[closer], len(solved.x) + index[closer]
        solved = solved.joined(fresh)
    return Followed(x, z, angles, reached)


def nearest_of(known: Array, points: Array) -> tuple[Array, NDArray[np.intp]]:
    """(n,) how far each of the points (n, nz) is from the nearest of the known ones (k, nz), and which that is."""
    if not points.size:
        return np.zeros(len(points)), np.zeros(len(points), dtype=np.intp)
    gap, index = KDTree(known).query(points, p=np.inf)
    return np.asarray(gap), np.asarray(index, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class Line:
    """The straight way of each place."""

    system: NaturalSystem
    begin: Array  # (n, nz)
    way: Array  # (n, nz)

    def at(self, share: Array, which: NDArray[np.intp]) -> Array:
        """The coordinates after a share (k,) of the ways of these places."""
        return self.begin[which] + share[:, None] * self.way[which]

    def slopes(self, x: Array, share: Array, which: NDArray[np.intp]) -> tuple[Array, Array]:
        """First and second derivatives of x (k, nx) along the ways."""
        driven, way = self.system.driven, self.way[which]
        still = np.zeros_like(way)
        first, second, _ = self.system.given_rates(self.at(share, which), way, still, still)
        full = driven.system.jacobian(x)
        J, columns = full[:, :, driven.unknown], full[:, :, list(driven.given)]
        normal = normal_matrix(J)
        out: list[Array] = []
        for given in (first, second):
            right = -np.einsum("nmg,ng->nm", columns, given)
            if out:
                right = right - driven.system.second(out[0], out[0]) - driven.system.bends(x, 2, out[0] ** 2)
            whole = np.zeros_like(x)
            whole[:, list(driven.given)] = given
            whole[:, driven.unknown] = least_squares(normal, J, right)
            out.append(whole)
        return out[0], out[1]


def corrected(system: NaturalSystem, x: Array, given: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Newton's method from guesses x (n, nx) at given columns (n, ng), and which places it has solved."""
    driven = system.driven
    x = driven.with_given(x, given)
    good = np.zeros(len(x), dtype=bool)
    rest = np.arange(len(x))
    for _ in range(MOST_ITERATIONS):
        phi = driven.system.value(x[rest])
        J = driven.system.jacobian(x[rest])[:, :, driven.unknown]
        change = least_squares(normal_matrix(J), J, -phi)
        size = np.abs(change).max(axis=1, initial=0.0)
        x[np.ix_(rest, driven.unknown)] += change
        good[rest] = size < SOLVED
        rest = rest[(size >= SOLVED) & (size < 1.0)]
        if not rest.size:
            break
    good &= np.abs(driven.system.value(x)).max(axis=1, initial=0.0) < AGREE
    return x, good


def normal_matrix(J: Array) -> Array:
    """J^T J with a ridge.  (n, m, nq) -> (n, nq, nq)."""
    N = np.swapaxes(J, 1, 2) @ J
    ridge = RIDGE * np.trace(N, axis1=1, axis2=2)
    return N + ridge[:, None, None] * np.eye(N.shape[1])


def least_squares(normal: Array, J: Array, right: Array) -> Array:
    """(n, nq) the solution for right-hand sides (n, m)."""
    return np.asarray(np.linalg.solve(normal, np.swapaxes(J, 1, 2) @ right[:, :, None])[:, :, 0])
