"""Every motion must move some mass: the smallest eigenvalue of the reduced inertia, sought on the tables."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from precompute.arrays import Array
from precompute.coordinates.independent import Coordinates
from precompute.errors import SingularityError
from precompute.tables.blocks import TableBlock
from precompute.tables.columns import Columns
from precompute.tables.field_data import smallest_inertia, total_inertia
from precompute.tables.splines import evaluate_blocks

SINGULAR_INERTIA = 1e-7
"""Smallest eigenvalue of J over the total mass, below which some motion has no inertia."""

INERTIA_SAMPLES = 512
"""Random points of the range at which the inertia is looked at."""

INERTIA_STARTS = 3
"""Of them, how many are starts of a search for its smallest value."""


def check_inertia(coordinates: Coordinates, columns: Columns, blocks: tuple[TableBlock, ...]) -> None:
    """SingularityError where some motion of the tables moves no mass."""
    at_rest = columns.at_rest()

    quasistatic = coordinates.closure.mechanism.tables.stiff == "quasistatic"
    closure = coordinates.closure if quasistatic else coordinates.full
    moved = len(closure.coordinates)  # what must have inertia

    def smallest(z: Array) -> Array:
        value = evaluate_blocks(blocks, np.atleast_2d(z))[:, at_rest]
        return smallest_inertia(closure, total_inertia(columns.fields, value)[:, :moved, :moved])

    bounds = [(c.lower, c.upper) for c in coordinates.free]
    lower, upper = np.array(bounds).T
    z = np.random.default_rng(4).uniform(lower, upper, (INERTIA_SAMPLES, len(bounds)))
    starts = z[np.argsort(smallest(z))[:INERTIA_STARTS]]
    found = [minimize(lambda x: smallest(x)[0], s, bounds=bounds, method="Nelder-Mead") for s in starts]
    best = min(found, key=lambda result: result.fun)
    if best.fun < SINGULAR_INERTIA:
        raise no_inertia(coordinates, best.x, best.fun)


def no_inertia(coordinates: Coordinates, z: Array, smallest: float) -> SingularityError:
    """The error for a motion that moves no mass."""
    return SingularityError(
        f"the reduced inertia is singular at {coordinates.point(z)} ({max(smallest, 0.0):.2g} of the total mass): some "
        f"motion of {', '.join(repr(n) for n in coordinates.all_names)} moves no mass there, so it has no "
        "acceleration. Give the bodies that move with it a mass or an inertia; if they have, the coordinates do not "
        "serve there (gimbal lock): narrow the range or choose others."
    )
