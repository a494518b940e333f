"""Placing the nodes of a table axis: as many as the measured error asks for, denser where it is larger.

Where a cam's profile has a border, second derivatives jump.  There an axis has two nodes, one on each side and closer
together than anything else is: a seam.  It parts the axis into segments, each of which has splines and a grading of
its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array

GRADING = 3.0
"""Largest ratio of cell sizes along an axis."""

UNIFORM = 1.5
"""Axes whose cells would differ by less than this ratio are kept uniform."""

GROWTH = 2.0
"""Largest growth of the number of cells in one round; estimates from a coarse grid are not trusted further."""

BESIDE = 1e-12
"""How far from a border its two nodes are, over the axis's length: a thousand roundings of a closed configuration."""

SEAM = 10.0 * BESIDE
"""Nodes that are closer together than this, over the axis's length, are the two of a border."""

LEAST_NODES = 7
"""Of a segment: so many make slopes of slopes at its ends."""


def first_nodes(lower: float, upper: float, borders: Sequence[float], count: int) -> Array:
    """Uniform nodes of an axis; with borders, some for each segment, about `count` in all.

    The ends of an axis that has borders are looked at from inside, since one may be on them.
    """
    if not borders:
        return np.linspace(lower, upper, count)
    beside, parts = BESIDE * (upper - lower), []
    inner = [b for b in sorted(borders) if SEAM * (upper - lower) < b - lower < (1.0 - SEAM) * (upper - lower)]
    for a, b in zip([lower, *inner], [*inner, upper], strict=True):
        nodes = max(LEAST_NODES, round(count * (b - a) / (upper - lower)))
        parts.append(np.linspace(a + beside, b - beside, nodes))
    return np.concatenate(parts)


def is_seam(axis: Array) -> NDArray[np.bool_]:
    """(n - 1,) which cells are none, but lie between the two nodes of a border."""
    return np.asarray(np.diff(axis) <= SEAM * (axis[-1] - axis[0]))


def segments(axis: Array) -> list[slice]:
    """The nodes between the borders of an axis."""
    after = [0, *(np.flatnonzero(is_seam(axis)) + 1).tolist(), len(axis)]
    return [slice(a, b) for a, b in zip(after[:-1], after[1:], strict=True)]


def placed(axis: Array, lower: float, upper: float) -> Array:
    """Where splines take the nodes to be: the two of a border on it, the outermost at the ends of the axis."""
    out = axis.copy()
    first = np.flatnonzero(is_seam(axis))
    out[first] = out[first + 1] = 0.5 * (axis[first] + axis[first + 1])
    out[0], out[-1] = lower, upper
    return out


def beside_borders(axis: Array, x: Array) -> Array:
    """Points x (n,) of an axis, those on a border moved beyond it, to where there is one side."""
    out = np.clip(x, axis[0], axis[-1])
    for i in np.flatnonzero(is_seam(axis)):
        out = np.where((out > axis[i]) & (out < axis[i + 1]), axis[i + 1], out)
    return out


def thinned(axis: Array) -> Array:
    """Every other node; all of an axis in segments, which have few."""
    return axis if is_seam(axis).any() else axis[::2]


def regrade(axis: Array, excess: Array, periodic: bool, order: int, most: int) -> Array:
    """New nodes such that every cell's error falls to what is allowed.

    Args:
        axis: (n,) present nodes.
        excess: (n - 1,) measured error of each cell over the allowed one; of seams it does not matter.
        periodic: keep the cells equal.
        order: with which power of a cell its error falls: that of first derivatives with the degree of the spline.
        most: nodes that there may be.

    Returns:
        More nodes with the same ends and borders, but not more than that.
    """
    own = segments(axis)
    if len(own) == 1:
        return _regraded(axis, excess, periodic, order, most)
    cells = [excess[some.start : some.stop - 1] for some in own]
    coarse = [i for i, found in enumerate(cells) if found.max() > 1.0]
    room, parts = most - len(axis), [axis[some] for some in own]
    for number, i in enumerate(coarse):
        share = room // len(coarse) + (number < room % len(coarse))
        if share:
            parts[i] = _regraded(parts[i], cells[i], False, order, len(parts[i]) + share)
    return np.concatenate(parts)


def _regraded(axis: Array, excess: Array, periodic: bool, order: int, most: int) -> Array:
    """The same of one segment."""
    width = np.diff(axis)
    density = np.maximum(excess, 1e-12) ** (1.0 / order) / width
    density = np.maximum(density, density.max() / GRADING)
    padded = np.concatenate([density[:1], density, density[-1:]])
    density = np.maximum(density, np.convolve(padded, [0.25, 0.5, 0.25], mode="valid"))
    uniform = periodic or density.max() < UNIFORM * density.min()
    if uniform:
        density = np.full_like(density, density.max())
    wanted = 1.05 * float(density @ width)
    cells = min(int(np.ceil(np.clip(wanted, len(width) + 2, GROWTH * len(width)))), most - 1)
    if uniform:
        return np.linspace(axis[0], axis[-1], cells + 1)
    cumulative = np.concatenate([[0.0], np.cumsum(density * width)])
    nodes = np.interp(np.linspace(0.0, cumulative[-1], cells + 1), cumulative, axis)
    nodes[0], nodes[-1] = axis[0], axis[-1]
    return nodes
