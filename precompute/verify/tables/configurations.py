"""Configurations spread over the whole of a model's tables, so that no part of them goes unseen.

Along every axis there is at least one in each cell of every grid, and some next to both ends; across the axes they are
spread by a Sobol sequence.  A coefficient of a table counts only where its B-spline does not vanish, so over two axes
more are added until each coefficient weighs SEEN of its most, or more, in some configuration: what is wrong anywhere
shows.

Stiff coordinates are deflected at some of these places: each alone to its radius both ways, and many at once within

    sum_i |d_i| / radius_i <= 1                                                                                    (1)

which is what the radii are measured for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline

from fmu_src.model.reduced_model import Block, Chart, ReducedModel
from precompute.arrays import Array

LEAST = 256
"""Configurations of a model at least, without those for deflections; a power of two, for the Sobol sequence."""

MOST = 1024
"""Of a chart, unless its cells need more: coefficients of three axes are too many to be seen one by one."""

SEEN = 0.03
"""The weight with which each coefficient over one or two axes must be seen, as a share of its largest."""

NEXT_TO = 0.02
"""From the ends of an axis to the first and last configuration, as a share of the outermost cell."""

COARSE = 16
"""Cells of an axis along which nothing is tabulated."""

SLIVER = 1e-9
"""Knots of two grids that are nearer than this share of an axis are the same."""

TOGETHER = 32
"""Configurations with many stiff coordinates deflected at once."""


@dataclass(frozen=True, eq=False)
class Configurations:
    """Of one chart: n of them."""

    chart: int
    z: Array  # (n, nz) axes of the chart, then stiff coordinates
    rest: int  # the first so many have no deflection, or that which tables are expanded about

    def only(self, kept: NDArray[np.bool_]) -> Configurations:
        """Some of them, (n,) which."""
        return Configurations(self.chart, self.z[kept], int(np.count_nonzero(kept[: self.rest])))

    @property
    def at_rest(self) -> NDArray[np.bool_]:
        """(n,) which of them have none."""
        return np.arange(len(self.z)) < self.rest


def configurations(model: ReducedModel) -> tuple[Configurations, ...]:
    """Of every chart of a model."""
    least = -(-LEAST // len(model.charts))
    radius, about = np.array([(stiff.radius, stiff.about) for stiff in model.stiff]).reshape(-1, 2).T
    found = []
    for number, chart in enumerate(model.charts):
        axes = over_axes(chart, least)
        z = np.concatenate([axes, np.zeros((len(axes), len(radius)))], axis=1)
        every = np.concatenate([z, deflected(axes, radius)])
        every[:, axes.shape[1] :] += about
        found.append(Configurations(number, every, len(z)))
    return tuple(found)


def over_axes(chart: Chart, least: int) -> Array:
    """(n, nf) spread over the axes of a chart."""
    cells = [breaks(chart, k) for k in range(len(chart.axes))]
    count = max(least, *(len(c) - 1 for c in cells))
    order = np.argsort(np.argsort(sobol(len(cells), count), axis=0), axis=0)
    z = np.stack([along(c, count)[order[:, k]] for k, c in enumerate(cells)], axis=1)
    return np.concatenate([z, unseen(chart, z, max(MOST - len(z), 0))])


def breaks(chart: Chart, k: int) -> Array:
    """Where cells of any grid along axis k begin and end, ascending."""
    axis = chart.axes[k]
    knots = [b.knots[b.axes.index(k)] for b in chart.blocks if k in b.axes]
    found = np.unique(np.concatenate([np.linspace(axis.lower, axis.upper, COARSE + 1) if not knots else [], *knots]))
    inside = found[(found > axis.lower) & (found < axis.upper)]
    ends = np.concatenate([[axis.lower], inside, [axis.upper]])
    width = axis.upper - axis.lower
    return np.concatenate([ends[:-1][np.diff(ends) > SLIVER * width], [axis.upper]])


def along(cells: Array, count: int) -> Array:
    """(count,) ascending values: one or more in each cell, more in wide ones, never where cells meet."""
    width, number = np.diff(cells), np.ones(len(cells) - 1, dtype=int)
    for _ in range(count - len(number)):
        number[np.argmax(width / number)] += 1
    inside = [a + w * (np.arange(m) + 0.5) / m for a, w, m in zip(cells, width, number, strict=False)]
    values = np.concatenate(inside)
    values[0], values[-1] = cells[0] + NEXT_TO * width[0], cells[-1] - NEXT_TO * width[-1]
    return values


def sobol(dimensions: int, count: int) -> Array:
    """(count, dimensions) between 0 and 1."""
    from scipy.stats import qmc  # half a second to import

    whole = 1 << (count - 1).bit_length()  # the sequence is balanced over powers of two only
    return np.asarray(qmc.Sobol(dimensions, seed=17).random(whole)[:count])


def unseen(chart: Chart, z: Array, most: int) -> Array:
    """(m, nf) more configurations, so that each coefficient over one or two axes is seen; at most so many."""
    added = np.zeros((0, z.shape[1]))
    elsewhere = np.random.default_rng(17)
    for block in (b for b in chart.blocks if 0 < len(b.axes) <= 2):
        at_peak = [peaks(block, k) for k in range(len(block.axes))]
        share = seen(block, np.concatenate([z, added]))
        while len(added) < most and share.min() < SEEN:
            point = z[elsewhere.integers(len(z))].copy()
            least = np.unravel_index(int(np.argmin(share)), share.shape)
            point[list(block.axes)] = [own[i] for own, i in zip(at_peak, least, strict=True)]
            added = np.concatenate([added, point[None]])
            share = np.maximum(share, seen(block, point[None]))
    return added


def partly_seen(chart: Chart, z: Array) -> Iterator[Block]:
    """Blocks of which some coefficients are not seen at configurations z (n, nz), or are too many to be looked at."""
    return (b for b in chart.blocks if b.axes and (len(b.axes) > 2 or seen(b, z).min() < SEEN))


def seen(block: Block, z: Array) -> Array:
    """(n_1, ..., n_nb) the largest weights of the coefficients of a block at z (n, nf), as shares of their most."""
    largest = outer([np.diag(design_matrix(block, k, peaks(block, k))) for k in range(len(block.axes))])
    return np.asarray(weights(block, z).max(axis=0) / largest)


def weights(block: Block, z: Array) -> Array:
    """(n, n_1, ..., n_nb) of the coefficients of a block at configurations z (n, nf)."""
    return outer([design_matrix(block, k, z[:, axis]) for k, axis in enumerate(block.axes)])


def outer(factors: list[Array]) -> Array:
    """(..., n_1, ..., n_nb) products of factors (..., n_k)."""
    found = factors[0]
    for factor in factors[1:]:
        found = found[..., None] * factor.reshape(*factor.shape[:-1], *[1] * (found.ndim - factor.ndim + 1), -1)
    return found


def design_matrix(block: Block, k: int, x: Array) -> Array:
    """(n, n_k) B-splines along axis k of a block at x (n,)."""
    return np.asarray(BSpline.design_matrix(x, block.knots[k], block.degree).toarray())


def peaks(block: Block, k: int) -> Array:
    """(n_k,) near where the B-splines along axis k of a block are largest, inside the table and not on knots."""
    t, p = block.knots[k], block.degree
    inside = t[p : len(t) - p]
    middle = np.convolve(t[1:-1], np.full(p, 1.0 / p), mode="valid").clip(inside[0], inside[-1])
    cell = (np.searchsorted(inside, middle, side="right") - 1).clip(0, len(inside) - 2)
    starts, ends = (own.clip(inside[0], inside[-1]) for own in (t[: -p - 1], t[p + 1 :]))
    cell = np.maximum(cell, np.searchsorted(inside, starts, side="right") - 1)  # at a border of a cam those of one side
    cell = np.minimum(cell, np.searchsorted(inside, ends, side="left") - 1)  # begin, and those of the other end
    width = inside[cell + 1] - inside[cell]
    found: Array = middle.clip(inside[cell] + NEXT_TO * width, inside[cell + 1] - NEXT_TO * width)
    return found


def deflected(axes: Array, radius: Array) -> Array:
    """(m, nf + ns) deflections at some of the places axes (n, nf): each alone, and within (1) all at once."""
    ns = len(radius)
    if not ns:
        return np.zeros((0, axes.shape[1]))
    alone = np.concatenate([np.diag(radius), -np.diag(radius)])
    rng = np.random.default_rng(17)
    share = rng.dirichlet(np.ones(ns), TOGETHER) * rng.choice([-1.0, 1.0], (TOGETHER, ns))
    d = np.concatenate([alone, share * radius])
    places = axes[np.linspace(0, len(axes) - 1, len(d)).round().astype(int)]
    return np.concatenate([places, d], axis=1)
