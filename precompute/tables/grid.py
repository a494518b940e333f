"""Placing the nodes of a table axis: as many as the measured error asks for, denser where it is larger."""

from __future__ import annotations

import numpy as np

from precompute.arrays import Array

GRADING = 3.0
"""Largest ratio of cell sizes along an axis."""

UNIFORM = 1.5
"""Axes whose cells would differ by less than this ratio are kept uniform."""

GROWTH = 2.0
"""Largest growth of the number of cells in one round; estimates from a coarse grid are not trusted further."""


def regrade(axis: Array, excess: Array, periodic: bool, order: int, most: int) -> Array:
    """New nodes such that every cell's error falls to what is allowed.

    Args:
        axis: (n,) present nodes.
        excess: (n - 1,) measured error of each cell over the allowed one.
        periodic: keep the cells equal.
        order: with which power of a cell its error falls: that of first derivatives with the degree of the spline.
        most: nodes that there may be.

    Returns:
        More nodes with the same ends, but not more than that.
    """
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
