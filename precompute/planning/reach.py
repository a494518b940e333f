"""Whether the ranges of a chart can be swept: the verdict of `check` and of `bake`.

The coarse grid of every block is walked as the sweep will walk it.  Ranges that the file leaves open are drawn in until
that succeeds; of ranges in the file it is said what stops them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from precompute.arrays import Array
from precompute.coordinates.charts import Atlas, Piece
from precompute.coordinates.decouple import Axes
from precompute.coordinates.independent import SHRINK, SMALLEST_BOX, Coordinates
from precompute.coordinates.walks import feasible_ranges, range_asked
from precompute.coordinates.working import drawn_in, margins
from precompute.errors import OutOfReach
from precompute.tables.inertia_check import check_inertia_at
from precompute.tables.layout import Layout, find_layout
from precompute.tables.walking import Walked, walk_block


@dataclass(frozen=True, eq=False)
class Reached:
    """The pieces of an atlas, with their final ranges, their layouts, and what stops them."""

    atlas: Atlas
    layouts: tuple[Layout, ...]  # per piece
    problems: tuple[str, ...]  # empty if all can be swept


def reach(atlas: Atlas) -> Reached:
    """Lay out every piece, with its ranges drawn in as far as need be."""
    found = [reach_piece(piece) for piece in atlas.pieces]
    pieces, layouts, problems = zip(*found, strict=True)
    named = pieces[0].coordinates.free if len(pieces) == 1 else atlas.named
    return Reached(replace(atlas, pieces=pieces, named=named), layouts, tuple(p for own in problems for p in own))


def reach_piece(piece: Piece) -> tuple[Piece, Layout, tuple[str, ...]]:
    """A piece whose open ranges can be swept, its layout, and what is wrong with ranges that the file gives."""
    left = 1.0
    while True:
        coordinates = piece.coordinates
        layout = find_layout(coordinates, piece.centre)
        walked, stop = walk_blocks(piece, layout)
        open_ends = np.array([c is not None for c in coordinates.chosen])
        if stop is None or not open_ends.any() or left < SMALLEST_BOX:
            break
        share = share_of(coordinates, stop.at, open_ends)
        left *= share
        piece = replace(piece, coordinates=narrowed(coordinates, share))
    at = np.concatenate([piece.centre.q[None], layout.samples])
    check_inertia_at(coordinates, layout.columns.fields, at)
    return piece, replace(layout, walked=walked), () if stop is None else range_problems(piece, stop)


def walk_blocks(piece: Piece, layout: Layout) -> tuple[dict[Axes, Walked], OutOfReach | None]:
    """Walk the coarse grid of each block; what was walked, and what stopped the first that cannot be."""
    walked: dict[Axes, Walked] = {}
    for axes in dict.fromkeys(axes for axes, _ in layout.columns.blocks):
        try:
            walked[axes] = walk_block(piece.coordinates, piece.centre, layout.dependence, axes)
        except OutOfReach as error:
            return walked, error
    return walked, None


def share_of(coordinates: Coordinates, at: Array, open_ends: Array) -> float:
    """By how much open ranges are drawn in so that a point z (nz,) lies outside: a whole number of steps."""
    box = np.array([(c.lower, c.upper) for c in coordinates.free], dtype=float)
    way = at - coordinates.design
    ends = np.where(way < 0.0, box[:, 0], box[:, 1]) - coordinates.design
    shares = np.where(open_ends & (ends != 0.0), way / np.where(ends == 0.0, 1.0, ends), 0.0)
    furthest = float(np.clip(shares.max(), SMALLEST_BOX, 1.0))
    return SHRINK ** max(1, math.ceil(math.log(furthest, SHRINK)))


def narrowed(coordinates: Coordinates, share: float) -> Coordinates:
    """The coordinates with all open ranges drawn in to a share of the way from the design."""
    chosen, free = list(coordinates.chosen), list(coordinates.free)
    for k, (known, found) in enumerate(zip(chosen, coordinates.feasible, strict=True)):
        if known is not None and found is not None:
            here = float(coordinates.design[k])
            ends = here + share * (np.array([known.lower, known.upper]) - here)
            less = drawn_in(coordinates.closure, k, here, known, ends, found)
            chosen[k], free[k] = less, replace(free[k], lower=less.lower, upper=less.upper, periodic=False)
    return replace(coordinates, chosen=tuple(chosen), free=tuple(free))


def range_problems(piece: Piece, stop: OutOfReach) -> tuple[str, ...]:
    """What is wrong with the ranges that the file gives: each end that no other coordinate is needed to stop."""
    coordinates, z = piece.coordinates, piece.coordinates.design
    every = range(len(coordinates.free))
    asked = [range_asked(c) for c in coordinates.free]
    found = feasible_ranges(coordinates.closure, piece.centre.q, z, every, asked)
    problems = []
    for k, (c, f) in enumerate(zip(coordinates.free, found, strict=True)):
        below = f.lower_singular and (c.periodic or c.lower < f.lower)  # type: ignore[operator]
        above = f.upper_singular and (c.periodic or c.upper > f.upper)  # type: ignore[operator]
        ends = ((below, f.lower, f.lower_cause), (above, f.upper, f.upper_cause))
        causes = [f"{cause} at {c.name} = {coordinates.shown(k, at)}" for beyond, at, cause in ends if beyond]
        if causes:
            low, high, safe_low, safe_high = (
                coordinates.shown(k, x) for x in (f.lower, f.upper, *margins(f, float(z[k])))
            )
            problems.append(
                f"{coordinates.range_in_words(k)} leaves the feasible one, {low} to {high}: {'; '.join(causes)}. "
                f"Largest safe range: {safe_low} to {safe_high}"
            )
    alone = "some corner of the ranges cannot be reached, though each range can be with the others at design: "
    return tuple(problems) or ((alone if len(found) > 1 else "") + str(stop),)
