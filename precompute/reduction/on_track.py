"""From tables relative to the track of a disc to those of the disc on the floor: the inertia for all its velocities.

Seen from the track, with V the twist of the track in its own axes, the kinetic energy is (1) of `ground.py`,

    T = 1/2 V^T M_bb V + V^T N zd + 1/2 zd^T J zd,    M_bb = [[I, [S]], [-[S], m]]

and V is no input here but follows from the velocities u of all coordinates, V = K u with a constant K.  So

    J' = J + K^T N + N^T K + K^T M_bb K                                                               (1)

whose entries are sums of what is tabulated, with constant factors: columns are added to the blocks that have it.
Coordinates on which nothing depends follow: heading, x and y.  Where x and y have no velocity of their own, as of a
disc that rolls, the mass stands in their place in J'.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from fmu_src.model.reduced_model import FACTORS, Axis, CoordinateInfo, ReducedModel, StartInfo
from fmu_src.model.rows import TURNING, inertia_rows
from fmu_src.model.tracks import CYCLIC, TrackInfo
from fmu_src.numpy_runtime.ground import SYMMETRIC
from fmu_src.numpy_runtime.track import Track
from precompute.arrays import Array
from precompute.model.contacts import WheelContact
from precompute.model.mechanism import JointCoordinate, Mechanism
from precompute.reduction.loose import LooseChart, Quantities, quantities_of
from precompute.tables.blocks import TableBlock

Sum = dict[int, float]
"""Quantity -> factor; -1 stands for one."""

ONE = -1


def on_track(
    model: ReducedModel, mechanism: Mechanism, chart: LooseChart, sizes: tuple[int, int, int]
) -> tuple[ReducedModel, LooseChart]:
    """The model with its disc on the floor, and its chart.

    Args:
        model: as seen from the track, without its chart.
        mechanism: whose ground is the track.
        chart: of the model.
        sizes: how many elements, markers and read measures there are.
    """
    contact = mechanism.contact
    assert contact is not None, "there is no disc on the floor"
    moved = cyclic(model, mechanism, contact)
    assert moved.track is not None
    nz = len(moved.starts)
    track = Track(moved.track, nz, moved.mass)
    K = np.array([track.twist(e) for e in np.eye(nz)]).T
    old, new = (quantities_of(n, *sizes, 1, 0, True) for n in (nz - len(CYCLIC), nz))
    chart = replace(chart, axes=(*chart.axes, *cyclic_axes(mechanism, contact)))
    inertia = inertia_sums(K, old, new, moved.mass, moved.track.rolling)
    return moved, with_sums(renumbered(chart, old, new), chart, old, inertia)


# -- the model without tables -----------------------------------------------------------------------------------------


def cyclic(model: ReducedModel, mechanism: Mechanism, contact: WheelContact) -> ReducedModel:
    """The model with heading, x and y, and where they start."""
    start, P = contact.start, contact.point
    place = [
        float(P @ along) if given is None else given
        for along, given in zip(contact.floor, (start.x, start.y), strict=True)
    ]
    texts = (
        "Heading of the disc since design",
        *(f"Place of contact {contact.name} along {axis} of the floor" for axis in CYCLIC[1:]),
    )
    values, rates = (start.heading, *place), (start.heading_rate, start.x_rate, start.y_rate)
    units = ("rad", "m", "m")
    spin = next(i for i, c in enumerate(mechanism.coordinates or ()) if c.of.same(JointCoordinate(contact.spin)))
    errors = model.errors
    if errors is not None:  # no error depends on them: function 0 is one
        own = errors.functions
        errors = replace(errors, functions=np.hstack([own, np.zeros((len(own), len(CYCLIC)), dtype=own.dtype)]))
    more = zip(CYCLIC, units, texts, strict=True)
    return replace(
        model,
        coordinates=(*model.coordinates, *(CoordinateInfo(name, unit, text) for name, unit, text in more)),
        starts=(*model.starts, *(StartInfo(*each) for each in zip(values, rates, texts, strict=True))),
        errors=errors,
        track=TrackInfo(
            name=contact.name,
            rolling=contact.kind == "rolling",
            spin=spin,
            radius=float(contact.radius),
            point=_three(P),
            normal=_three(contact.normal),
            forward=_three(contact.forward),
            floor=(_three(contact.floor[0]), _three(contact.floor[1])),
        ),
    )


def cyclic_axes(mechanism: Mechanism, contact: WheelContact) -> tuple[Axis, ...]:
    """Their axes, without tables: a turn, and as far as the disc rolls in a turn."""
    round_ = {"rad": 2.0 * np.pi, "m": 2.0 * np.pi * float(contact.radius)}
    units = mechanism.units
    return tuple(
        Axis(
            name,
            unit,
            -0.5 * round_[unit],
            0.5 * round_[unit],
            True,
            "error",
            units.told(unit),
            units.told_effort(unit),
        )
        for name, unit in zip(CYCLIC, ("rad", "m", "m"), strict=True)
    )


def _three(vector: Array) -> tuple[float, float, float]:
    x, y, z = (float(number) for number in vector)
    return x, y, z


# -- tables -----------------------------------------------------------------------------------------------------------


def inertia_sums(K: Array, old: Quantities, new: Quantities, mass: float, rolling: bool) -> dict[int, Sum]:
    """What the entries of J' are sums of: new quantity -> old ones with their factors, (1)."""
    nz, relative, row = new.nz, old.nz, inertia_rows(old.nz)
    M_bb = chassis_entries(old, mass)
    found: dict[int, Sum] = {}
    for i in range(nz):
        for j in range(i, nz):
            total: Sum = {}

            def add(factor: float, quantities: Mapping[int, float], total: Sum = total) -> None:
                for quantity, own in quantities.items():
                    total[quantity] = total.get(quantity, 0.0) + factor * own

            if j < relative:
                add(1.0, {old.J.start + int(row[i, j]): 1.0})
            for a in range(6):
                if j < relative:
                    add(K[a, i], {old.N.start + a * relative + j: 1.0})
                if i < relative:
                    add(K[a, j], {old.N.start + a * relative + i: 1.0})
                for b in range(6):
                    add(K[a, i] * K[b, j], M_bb[a][b])
            if rolling and i == j >= nz - 2:
                add(mass, {ONE: 1.0})
            found[new.J.start + int(inertia_rows(nz)[i, j])] = {q: x for q, x in total.items() if x != 0.0}
    return found


def chassis_entries(old: Quantities, mass: float) -> list[list[Sum]]:
    """(6, 6) of M_bb: the quantities that each entry is made of."""
    found: list[list[Sum]] = [[{} for _ in range(6)] for _ in range(6)]
    cross = np.array([[-1, 2, 1], [2, -1, 0], [1, 0, -1]])  # which component of S an entry of [S] has
    sign = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    for i in range(3):
        found[3 + i][3 + i] = {ONE: mass}
        for j in range(3):
            found[i][j] = {old.I.start + int(SYMMETRIC[i, j]): 1.0}
            if i != j:
                S = old.S.start + int(cross[i, j])
                found[i][3 + j] = {S: float(sign[i, j])}
                found[3 + i][j] = {S: -float(sign[i, j])}
    return found


def renumbered(chart: LooseChart, old: Quantities, new: Quantities) -> LooseChart:
    """The chart with its quantities in their new order, without those of J."""
    place = np.full(old.count, -1)
    n, m = old.nz, new.nz
    for part in ("S", "I", "s", "read"):
        place[getattr(old, part)] = np.arange(getattr(new, part).start, getattr(new, part).stop)
    columns = np.arange(n)
    for a in range(6):
        place[old.N.start + a * n + columns] = new.N.start + a * m + columns
    for marker in range((old.markers.stop - old.markers.start) // old.marker_size):
        (r, R, A), (r_new, R_new, A_new) = old.marker(marker), new.marker(marker)
        place[r], place[R] = np.arange(r_new.start, r_new.stop), np.arange(R_new.start, R_new.stop)
        for a in range(TURNING):
            place[A.start + a * n + columns] = A_new.start + a * m + columns
    terms = chart.terms[place[chart.terms[:, 0]] >= 0].copy()
    terms[:, 0] = place[terms[:, 0]]
    return replace(chart, terms=terms)


def with_sums(chart: LooseChart, source: LooseChart, old: Quantities, sums: Mapping[int, Sum]) -> LooseChart:
    """The chart with sums of quantities of another as quantities: a new column in each block that one has a part in.

    Args:
        chart: to which they are added; with the blocks of the other.
        source: whose quantities they are sums of.
        old: the quantities of that.
        sums: quantity of the chart -> sum.
    """
    blocks = with_constants(source.blocks)
    ends = np.cumsum([0, *(len(block.columns) for block in blocks)])
    constants = next(b for b, block in enumerate(blocks) if not block.axes)
    columns_of: dict[int, list[int]] = {}
    for quantity, column, *factors in source.terms.tolist():
        assert max(factors) < 0, "nothing is stiff on a track"
        columns_of.setdefault(quantity, []).append(column)
    added: list[list[tuple[int, Array, float]]] = [[] for _ in blocks]  # new quantity, factors of columns, a constant
    for quantity, total in sums.items():
        weights = [np.zeros(len(block.columns)) for block in blocks]
        for own, factor in total.items():
            for column in columns_of.get(own, ()):
                b = int(np.searchsorted(ends, column, side="right")) - 1
                weights[b][column - ends[b]] += factor
        for b, weight in enumerate(weights):
            more = total.get(ONE, 0.0) if b == constants else 0.0
            if weight.any() or more:
                added[b].append((quantity, weight, more))
    grown = tuple(with_columns(block, own) for block, own in zip(blocks, added, strict=True))
    first = np.cumsum([0, *(len(block.columns) for block in grown)])
    block_of = np.searchsorted(ends, chart.terms[:, 1], side="right") - 1
    terms: list[list[Any]] = chart.terms.tolist()
    for term, b in zip(terms, block_of.tolist(), strict=True):
        term[1] += int(first[b] - ends[b])
    none = (-1,) * FACTORS
    for b, sums_here in enumerate(added):
        start = int(first[b] + ends[b + 1] - ends[b])
        terms += [[quantity, start + k, *none] for k, (quantity, _, _) in enumerate(sums_here)]
    return replace(chart, blocks=grown, terms=np.array(terms, dtype=np.int64).reshape(-1, 2 + FACTORS))


def with_constants(blocks: tuple[TableBlock, ...]) -> tuple[TableBlock, ...]:
    """The blocks with one without axes among them: the last one, if there was none."""
    if any(not block.axes for block in blocks):
        return blocks
    none, stored = np.zeros(0), np.zeros(0, dtype=np.int64)
    return (*blocks, TableBlock((), (), (), none, none, np.zeros((0, 0)), stored, none))


def with_columns(block: TableBlock, added: list[tuple[int, Array, float]]) -> TableBlock:
    """The block with sums of its columns as further ones."""
    if not added:
        return block
    assert block.changes is None, "nothing is designed on a track"
    W = np.array([weight for _, weight, _ in added])  # (n, nc)
    splined = block.stored >= 0
    core, stored = block.core, np.full(len(added), -1)
    moved = W[:, splined].any(axis=1)
    if moved.any():
        stored[moved] = core.shape[-1] + np.arange(moved.sum())
        core = np.concatenate([core, core[..., block.stored[splined]] @ W[np.ix_(moved, splined)].T], axis=-1)
    return replace(
        block,
        columns=(*block.columns, *(f"on the floor {quantity}" for quantity, _, _ in added)),
        constant=np.concatenate([block.constant, W @ block.constant + [more for *_, more in added]]),
        slope=np.concatenate([block.slope, W @ block.slope]),
        stored=np.concatenate([block.stored, stored]),
        core=core,
    )
