"""Every motion that is not driven must move some mass: the smallest eigenvalue of the reduced inertia decides."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from precompute.arrays import Array
from precompute.coordinates.independent import Coordinates
from precompute.errors import SingularityError
from precompute.tables.blocks import TableBlock
from precompute.tables.columns import Columns
from precompute.tables.field_data import Asked, evaluate_fields, total_inertia
from precompute.tables.fields import Fields
from precompute.tables.splines import block_value

SINGULAR_INERTIA = 1e-7
"""Smallest eigenvalue of J over the total mass, below which some motion has no inertia."""

INERTIA_SAMPLES = 512
"""Random points of the range at which the inertia is looked at."""

INERTIA_STARTS = 3
"""Of them, how many are starts of a search for its smallest value."""

PART = 0.1
"""A coordinate takes part in a motion if it moves by this share of what the one that moves most does."""


def check_inertia(coordinates: Coordinates, columns: Columns, blocks: tuple[TableBlock, ...]) -> None:
    """SingularityError where some motion of the tables moves no mass, sought over the whole range."""
    moved = accelerated(coordinates)
    if not moved.size:
        return
    parts = inertia_tables(columns, blocks)

    def inertia(z: Array) -> Array:
        z = np.atleast_2d(z)
        value = np.zeros((len(z), len(columns.fields.items)))
        for fields, block in parts:
            value[:, fields] = block_value(block, z[:, block.axes])
        return total_inertia(columns.fields, value)[:, moved[:, None], moved]

    def smallest(z: Array) -> Array:
        return smallest_inertia(coordinates, moved, inertia(z))

    bounds = [(c.lower, c.upper) for c in coordinates.free]
    lower, upper = np.array(bounds).T
    z = np.random.default_rng(4).uniform(lower, upper, (INERTIA_SAMPLES, len(bounds)))
    starts = z[np.argsort(smallest(z))[:INERTIA_STARTS]]
    found = [minimize(lambda x: smallest(x)[0], s, bounds=bounds, method="Nelder-Mead") for s in starts]
    best = min(found, key=lambda result: result.fun)
    if best.fun < SINGULAR_INERTIA:
        raise no_inertia(coordinates, columns.fields, best.x, moved, inertia(best.x)[0])


def inertia_tables(columns: Columns, blocks: tuple[TableBlock, ...]) -> list[tuple[list[int], TableBlock]]:
    """What the tables hold of J at zero deflection: fields, and tables of these alone."""
    inertial = [f for row in columns.fields.inertia for part in row for f in part]
    wanted = columns.at_rest()[inertial]
    found = []
    for number, block in enumerate(blocks):
        own = columns.of_block(number)
        some = np.isin(own, wanted)
        if some.any():
            found.append(([columns.field_of[c] for c in own[some]], block.only(np.flatnonzero(some))))
    return found


def check_inertia_at(coordinates: Coordinates, fields: Fields, q: Array) -> None:
    """The same at configurations q (n, nq) alone, before there are tables."""
    moved = accelerated(coordinates)
    if not moved.size:
        return
    full = coordinates.full
    data = evaluate_fields(full, fields, q, Asked(frozenset(fields.inertial), frozenset(), ()))
    J = total_inertia(fields, data.value)[:, moved[:, None], moved]
    smallest = smallest_inertia(coordinates, moved, J)
    worst = int(np.argmin(smallest))
    if smallest[worst] < SINGULAR_INERTIA:
        z = full.values(full.poses(q[worst]))[: len(coordinates.free)]
        raise no_inertia(coordinates, fields, z, moved, J[worst])


def accelerated(coordinates: Coordinates) -> NDArray[np.intp]:
    """Numbers of the coordinates that forces accelerate: not the driven ones, nor stiff ones without inertia."""
    free = [k for k, c in enumerate(coordinates.free) if not c.driven]
    quasistatic = coordinates.closure.mechanism.tables.stiff == "quasistatic"
    stiff = [] if quasistatic else range(len(coordinates.free), len(coordinates.all_names))
    return np.array([*free, *stiff], dtype=np.intp)


def smallest_inertia(coordinates: Coordinates, moved: NDArray[np.intp], J: Array) -> Array:
    """Smallest eigenvalue of J (..., n, n) of some coordinates, all motions in metres, over the total mass."""
    closure = coordinates.full
    weight = closure.coordinate_weight[moved]
    mass = sum(b.mass + np.trace(b.inertia) / closure.length**2 for b in closure.mechanism.bodies)
    return np.linalg.eigvalsh(J / (weight[:, None] * weight))[..., 0] / max(mass, np.finfo(float).tiny)


def no_inertia(
    coordinates: Coordinates, fields: Fields, z: Array, moved: NDArray[np.intp], J: Array
) -> SingularityError:
    """The error for a motion at z (nf,) that moves no mass: of which coordinates, and which bodies could have some."""
    weight = coordinates.full.coordinate_weight[moved]
    motion = np.abs(np.linalg.eigh(J / (weight[:, None] * weight))[1][:, 0])
    parts = [int(moved[i]) for i in np.flatnonzero(motion > PART * motion.max())]
    bodies = coordinates.closure.mechanism.bodies
    carried = sorted({b for g in fields.groups if set(parts) & set(g.depends) for b in g.bodies})
    light = [bodies[b].name for b in carried if not (bodies[b].mass and np.trace(bodies[b].inertia))]
    names = " and ".join(f"'{coordinates.all_names[k]}'" for k in parts)
    drivable = all(k < len(coordinates.free) for k in parts)
    cures = [f"a mass or an inertia of {_or(light)}"] if light else []
    cures += [f"`driven = true` for {names}"] if drivable else []
    needs = f"It needs {', or '.join(cures)}. " if cures else ""
    if any(bodies[b].mass or np.trace(bodies[b].inertia) for b in carried):
        needs += "If no mass is missing, the coordinates do not serve there (gimbal lock): narrow the range, or choose "
        needs += "others."
    small = max(float(smallest_inertia(coordinates, moved, J)), 0.0)
    return SingularityError(
        f"the reduced inertia is singular at {coordinates.point(z)} ({small:.2g} of the total mass): a motion of "
        f"{names} moves no mass there, so that it has no acceleration. {needs}".rstrip()
    )


def _or(names: list[str]) -> str:
    return " or ".join(f"'{name}'" for name in names)
