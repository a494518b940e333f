"""Closed configurations at any points of the range, and columns there: each starts from the nearest one known."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.coordinates.held_check import check_curves
from precompute.coordinates.independent import Coordinates
from precompute.errors import SweepError
from precompute.kinematics.coefficients import Crossing, condition_numbers
from precompute.kinematics.continuation import follow
from precompute.progress import Progress, unheard
from precompute.tables.columns import ColumnData, Columns, evaluate
from precompute.tables.walking import Nodes, cleared, left_out, out_of_reach

ZERO_LENGTH = 1e-9
"""A spring shorter than this fraction of the reference length has no direction."""

CHUNK = 256
"""Points solved in one batch: large enough for array speed, small enough to report progress and to share."""


APPROACH = 2.0
"""How far the work is when as many points are solved as were expected: 86 %."""


class Solver:
    """Solves configurations at any points of the range from the nodes known so far, and evaluates all columns there.

    Works on all cores with threads, which the batched linear algebra lets run; use as a context manager.
    """

    def __init__(
        self,
        coordinates: Coordinates,
        columns: Columns,
        nodes: Nodes,
        progress: Progress = unheard,
        expected: float = 1.0,
    ):
        """With an estimate of how many points will be asked for."""
        self.coordinates, self.columns, self.nodes = coordinates, columns, nodes
        self.progress, self.expected, self.done = progress, expected, 0
        distances = {f for on, f in columns.fields.measures if on.segment}
        pairs = enumerate(zip(columns.field_of, columns.factors, strict=True))
        self.lengths = [c for c, (f, factors) in pairs if f in distances and not factors]
        self._pool = ThreadPoolExecutor(os.cpu_count())

    def __enter__(self) -> Solver:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def at(self, z: Array, what: str) -> tuple[Array, ColumnData]:
        """Configurations (n, nq) and columns at z (n, nz); next to a branch point from both sides of it."""
        for x in self.coordinates.closure.crossings:
            inside = left_out(x, z[:, x.axis])
            if inside.any():
                return self.across(x, inside, z, what)
        return self.solved(z, what)

    def across(self, x: Crossing, inside: NDArray[np.bool_], z: Array, what: str) -> tuple[Array, ColumnData]:
        """The same where some points are inside what a crossing leaves out: a polynomial through four on each side."""
        places, weights = around(x, z[inside, x.axis])
        beside = np.repeat(z[inside], len(places), axis=0)
        beside[:, x.axis] = np.tile(places, int(inside.sum()))
        q, data = self.at(np.concatenate([z[~inside], beside]), what)
        n = int((~inside).sum())

        def joined(plain: Array, among: Array) -> Array:
            out = np.empty((len(z), *plain.shape[1:]))
            out[~inside], out[inside] = plain, among
            return out

        def interpolated(a: Array) -> Array:
            return joined(a[:n], np.einsum("np,np...->n...", weights, a[n:].reshape(len(weights), -1, *a.shape[1:])))

        edge = np.where(z[inside, x.axis] < x.at, 3, 4)
        beside_q = q[n:].reshape(len(edge), len(places), -1)[np.arange(len(edge)), edge]
        return joined(q[:n], beside_q), ColumnData(interpolated(data.value), interpolated(data.gradient))

    def solved(self, z: Array, what: str) -> tuple[Array, ColumnData]:
        """The same, each point solved by itself; those that start from the same node one after the other."""
        guesses, from_z, node = self.nearest(z)
        order = np.argsort(node, kind="stable")
        parts = []
        for part in self._pool.map(lambda some: self.solve(guesses[some], from_z[some], z[some]), chunks(order)):
            parts.append(part)
            self.done += len(part[0])
            # nobody knows how often a grid is refined: what is left becomes ever less, and never nothing
            self.progress(what, 1.0 - math.exp(-APPROACH * self.done / self.expected))
        q, reached, z_last, value, gradient = (restored(pieces, order) for pieces in zip(*parts, strict=True))
        if not reached.all():
            i = int(np.flatnonzero(~reached)[0])
            k = int(np.argmax(np.abs(z[i] - z_last[i])))
            raise out_of_reach(self.coordinates, (guesses[i], from_z[i]), (q[i], z_last[i]), z[i], k)
        self.check_lengths(z, value)
        check_curves(self.coordinates.closure, q)
        return q, ColumnData(value, gradient)

    def solve(self, q: Array, z_from: Array, z: Array) -> tuple[NDArray[Any], ...]:
        """Follow a chunk to its points: configurations, which were reached, where it is, columns, their gradients."""
        done = follow(self.coordinates.closure, q, z_from, z)
        data = evaluate(self.coordinates.full, self.columns, done.q, self.nodes.block)
        return done.q, done.reached, done.z, data.value, data.gradient

    def worst_condition(self) -> float:
        """Largest condition number at the nodes known so far."""
        q = self.nodes.q.reshape(-1, self.nodes.q.shape[-1])
        return max(worst_condition(self.coordinates, q[some]) for some in chunks(np.arange(len(q))))

    def check_lengths(self, z: Array, value: Array) -> None:
        """A spring or damper between two points has no direction where they meet."""
        for column in self.lengths:
            smallest = int(np.argmin(value[:, column]))
            shortest = ZERO_LENGTH * self.coordinates.closure.length
            if value[smallest, column] < shortest:
                raise SweepError(
                    f"the two ends of {self.columns.names[column].removeprefix('measure.')} meet at "
                    f"{self.coordinates.point(z[smallest])}: a length of zero has no direction. Move one of its "
                    "points, or reduce the range."
                )

    def nearest(self, z: Array) -> tuple[Array, Array, NDArray[np.intp]]:
        """The nearest known node of each point: its configuration, its z and its number."""
        index = []
        from_z = np.repeat(self.coordinates.design[None], len(z), 0)
        for k, axis in zip(self.nodes.block, self.nodes.axes, strict=True):
            right = np.clip(np.searchsorted(axis, z[:, k]), 1, len(axis) - 1)
            index.append(right - (z[:, k] - axis[right - 1] < axis[right] - z[:, k]))
            from_z[:, k] = cleared(self.coordinates.closure.crossings, k, axis)[index[-1]]
        shape = tuple(len(axis) for axis in self.nodes.axes)
        return self.nodes.q[tuple(index)], from_z, np.ravel_multi_index(index, shape)

    def learn(self, nodes: Nodes) -> None:
        """Start later points from these nodes."""
        self.nodes = nodes


def worst_condition(coordinates: Coordinates, q: Array) -> float:
    """Largest condition number at configurations q (n, nq)."""
    closure = coordinates.closure
    return float(condition_numbers(closure, closure.matrix(closure.poses(q))).max())


def chunks(order: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Numbers of points, some at a time."""
    return [order[i : i + CHUNK] for i in range(0, len(order), CHUNK)]


def restored(pieces: Sequence[NDArray[Any]], order: NDArray[np.intp]) -> NDArray[Any]:
    """Results of chunks of the points in this order, in that of the points."""
    together = np.concatenate(pieces)
    out = np.empty_like(together)
    out[order] = together
    return out


def around(x: Crossing, value: Array) -> tuple[Array, Array]:
    """Eight places about a crossing, and weights (n, 8) of the polynomial through them at values (n,) between.

    Its error is less than 2e-3 times the eighth derivative times the eighth power of the half width.
    """
    at = np.array([-2.5, -2.0, -1.5, -1.0, 1.0, 1.5, 2.0, 2.5])
    t = (value - x.at) / x.half
    weights = [np.prod([(t - b) / (a - b) for b in at if b != a], axis=0) for a in at]
    return x.at + x.half * at, np.stack(weights, axis=-1)


def grid_points(axes: tuple[Array, ...]) -> Array:
    """All points of a tensor grid, last axis fastest.  -> (n, nz)."""
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))
