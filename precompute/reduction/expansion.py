"""The deflections that tables are expanded about.

The tables of a chart hold Taylor polynomials in the stiff coordinates about one point, the same everywhere in the
range: no deflection, or with `tables.about = "static"` that of the equilibrium in which the motion starts, under
gravity, springs and the start loads of the ports.  All configurations of the sweep then have these deflections.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from precompute.arrays import Array
from precompute.coordinates.cam_borders import with_borders
from precompute.coordinates.charts import Atlas
from precompute.coordinates.decouple import deflections
from precompute.coordinates.independent import Coordinates
from precompute.kinematics.assembly import Configuration
from precompute.kinematics.continuation import follow
from precompute.model.mechanism import Mechanism
from precompute.reduction.exact_rest import ExactRest, exact_rest
from precompute.reduction.statics import StaticsError

LARGEST = 5.0
"""Deflections of more than this many times a large one are not expanded about."""


def expanded(mechanism: Mechanism, atlas: Atlas, design: Configuration) -> Atlas:
    """The atlas, its tables to be expanded about what the file asks for.

    Raises:
        StaticsError: there is no equilibrium, or a stiff direction cannot be held as it is in it.
    """
    if mechanism.tables.about == "zero":
        return atlas
    (piece,) = atlas.pieces  # with stiff directions there is one
    try:
        rest = static_rest(mechanism, piece.coordinates, design)
        check_small(piece.coordinates, rest)
    except StaticsError as error:
        raise StaticsError(
            f"the tables cannot be expanded about the static deflection, as `tables.about` asks for: {error}. Check "
            "springs, bushings and the loads of the ports, or leave out `about`."
        ) from None
    about = rest.z[len(piece.coordinates.free) :]
    centre = replace(piece.centre, q=moved(piece.coordinates, piece.centre.q, about))
    closure = replace(piece.coordinates.closure, about=tuple(about.tolist()))
    closure, free = with_borders(closure, centre.q, piece.coordinates.design, piece.coordinates.free)
    coordinates = replace(piece.coordinates, closure=closure, free=free)
    return replace(atlas, pieces=(replace(piece, coordinates=coordinates, centre=centre),))


def static_rest(mechanism: Mechanism, coordinates: Coordinates, design: Configuration) -> ExactRest:
    """The equilibrium in which the motion starts, exactly.

    Stiff coordinates are sought, and with `experiment.static` the free ones that are not driven and have no start of
    their own; the others are where the motion starts.  States of devices are at rest with it too, or where a preload is
    asked of statics; otherwise they are as they start.
    """
    free, full = coordinates.free, coordinates.full
    start = np.array([*(float(c.start or 0.0) for c in free), *coordinates.about])
    given = {c.name for c in mechanism.coordinates or () if c.start is not None}
    loose = [k for k, c in enumerate(free) if not (c.driven or c.name in given)] if mechanism.experiment.static else []
    there = follow(full, design.q[None], full.values(full.poses(design.q))[None], start[None])
    if not there.reached[0]:
        raise StaticsError(f"the start, {coordinates.point(start)}, cannot be reached")
    settling = mechanism.experiment.static or any(spring.static_preload for spring in mechanism.springs)
    return exact_rest(full, design.q, there.q[0], [*loose, *range(len(free), len(start))], mechanism.ports, settling)


def check_small(coordinates: Coordinates, rest: ExactRest) -> None:
    """StaticsError where a deflection is too large for any polynomial about it."""
    nf = len(coordinates.free)
    for k, (d, most) in enumerate(zip(rest.z[nf:], LARGEST * deflections(coordinates), strict=True)):
        if abs(d) > most:
            at, limit = (coordinates.stiff[k].shown(coordinates.closure.mechanism, float(x)) for x in (d, most))
            name = coordinates.all_names[nf + k]
            raise StaticsError(f"'{name}' would deflect by {at}, more than {limit}, and is not held stiffly enough")


def moved(coordinates: Coordinates, q: Array, about: Array) -> Array:
    """The configuration (nq,) with its free coordinates as they are in q, deflected by `about` (ns,)."""
    full = coordinates.full
    z = full.values(full.poses(q))
    to = np.concatenate([z[: len(coordinates.free)], about])
    there = follow(full, q[None], z[None], to[None])
    if not there.reached[0]:
        raise StaticsError("the design position cannot be reached with the static deflection")
    return there.q[0]
