"""In which order the loop equations can be solved, and which coordinates each joint rate can depend on.

The problem: given which joint rates occur in which equation, find blocks of equations, as small as possible, that can
be solved one after the other, each for rates of its own from the coordinates and the rates of blocks before it.

    [phi_q; c_q] qdot = [0; zdot]     permuted to block-triangular form                  (1)

A loop has six equations in ground axes, and in these almost every rate occurs everywhere.  So each loop's rows are
compressed: first the combinations that hold the balls of this loop alone, then those of what is left that hold balls
shared with other loops, then those without balls.  A loop between two balls leaves one row, along the line of the
balls; a planar loop three rows.  How many, and over which rates, is decided at sampled configurations.

The answer must satisfy:
  1. a rate may depend on a coordinate only if its block, or one before it, holds that coordinate's equation;
  2. equations that repeat others do no harm: what they touch is one block (the overdetermined part of the
     Dulmage-Mendelsohn decomposition);
  3. what is found is never less than the numerical dependence (see `decouple`).

A block depends on all coordinates of the blocks that it needs; so tables that are made in the order of the number of
their coordinates are made in solving order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components, maximum_bipartite_matching

from precompute.arrays import Array
from precompute.kinematics.assembly import RANK_TOLERANCE
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.loops import SPIN

OCCURS = 1e-11
"""A rate whose part in an equation, in metres per metre, is below this in all samples does not occur in it."""


@dataclass(frozen=True)
class Equations:
    """Equations that are alike: the same rates may occur in each."""

    owner: str  # loop, rod or idle spin; "" for the equation of a coordinate
    count: int
    rates: NDArray[np.bool_]  # (nv,)
    coordinate: int = -1  # whose equation it is


@dataclass(frozen=True)
class SolvedBlock:
    """Equations that are solved together."""

    owners: tuple[str, ...]  # loops, rods and idle spins that they belong to
    equations: int
    rates: tuple[int, ...]  # that are solved for
    needs: tuple[int, ...]  # blocks before it whose rates occur
    axes: tuple[int, ...]  # coordinates that its rates can depend on, ascending


@dataclass(frozen=True)
class SolvingOrder:
    """Blocks, each after those that it needs."""

    blocks: tuple[SolvedBlock, ...]
    closing: dict[str, int]  # loop, rod or idle spin -> block of its equations with the fewest balls, if it has any

    def axes_of_rates(self, occurs: NDArray[np.bool_]) -> tuple[int, ...]:
        """Coordinates that something made of these rates (nv,) can depend on."""
        found = {k for block in self.blocks for k in block.axes if occurs[list(block.rates)].any()}
        return tuple(sorted(found))

    def loop_axes(self, owner: str) -> tuple[int, ...]:
        """Coordinates that close a loop."""
        return self.blocks[self.closing[owner]].axes if owner in self.closing else ()


def solving_order(closure: Closure, q: Array) -> SolvingOrder:
    """Order the equations of a mechanism with coordinates, their structure taken at configurations q (n, nq)."""
    rows = compressed_rows(closure, q)
    each = [r for r in rows for _ in range(r.count)]
    incidence = np.array([r.rates for r in each])
    matched = match(incidence)
    part, needs = block_graph(incidence, matched)
    blocks: list[SolvedBlock] = []
    number: dict[int, int] = {}
    while len(number) < len(needs):
        ready = [b for b in needs if b not in number and needs[b] <= number.keys()]
        b = min(ready, key=lambda b: (not is_given(each, part, b), int(np.flatnonzero(part == b)[0])))
        own = np.flatnonzero(part == b)
        before = tuple(sorted(number[x] for x in needs[b]))
        axes = {each[i].coordinate for i in own} - {-1} | {k for x in before for k in blocks[x].axes}
        owners = tuple(dict.fromkeys(each[i].owner for i in own if each[i].owner))
        rates = tuple(sorted(int(c) for c in matched[own] if c >= 0))
        number[b] = len(blocks)
        blocks.append(SolvedBlock(owners, len(own), rates, before, tuple(sorted(axes))))
    return SolvingOrder(tuple(blocks), {r.owner: number[int(part[i])] for i, r in enumerate(each) if r.owner})


def is_given(each: list[Equations], part: NDArray[np.int64], b: int) -> bool:
    """Whether a block is just the equation of a coordinate."""
    return all(each[i].coordinate >= 0 for i in np.flatnonzero(part == b))


def match(incidence: NDArray[np.bool_]) -> NDArray[np.int64]:
    """A rate for each equation (ne,), -1 where none is left."""
    found = maximum_bipartite_matching(csr_array(incidence.astype(np.int8)), perm_type="column")
    assert np.unique(found[found >= 0]).size == incidence.shape[1], "a rate without equation: z cannot determine it"
    return np.asarray(found, dtype=np.int64)


def block_graph(
    incidence: NDArray[np.bool_], matched: NDArray[np.int64]
) -> tuple[NDArray[np.int64], dict[int, set[int]]]:
    """Blocks of the equations: the number of each one's block (ne,), and which other blocks each block needs.

    An equation needs the one that is solved for a rate occurring in it.  Equations that need each other are a block; so
    are a spare equation and all that it needs, since any of them could be the one that repeats the others.
    """
    solves = np.full(incidence.shape[1], -1)
    solves[matched[matched >= 0]] = np.flatnonzero(matched >= 0)
    graph = np.zeros((len(incidence), len(incidence)), dtype=np.int8)
    graph[:, solves] = incidence
    for spare in np.flatnonzero(matched < 0):
        reached = breadth_first_order(csr_array(graph), spare, return_predecessors=False)
        graph[reached, spare] = 1
    count, part = connected_components(csr_array(graph), connection="strong")
    a, b = part[np.nonzero(graph)[0]], part[np.nonzero(graph)[1]]
    return part.astype(np.int64), {i: set(b[(a == i) & (b != i)].tolist()) for i in range(count)}


def compressed_rows(closure: Closure, q: Array) -> list[Equations]:
    """The equations of all loops, rods and idle spins, then one per coordinate."""
    m, t = closure.mechanism, closure.topology
    A = closure.matrix(closure.poses(q)) * closure.rate_weight  # (n, nc + nz, nv), metres per metre
    names = np.array(closure.row_names[: A.shape[-2] - len(closure.coordinates)])
    ball = np.zeros(t.nv, dtype=bool)
    for joint, rates in zip(m.joints, t.v_slices, strict=True):
        ball[rates] = [p.kind == "ball" for p in joint.primitives for _ in range(p.rates)]
    groups = {owner: A[:, : len(names)][:, names == owner] for owner in dict.fromkeys(names.tolist())}
    closing = [np.abs(rows).max(axis=(0, 1)) > OCCURS for owner, rows in groups.items() if not owner.startswith(SPIN)]
    own = ball & (np.sum(closing, axis=0) == 1)
    out = [group for owner, rows in groups.items() for group in compress(owner, rows, (own, ball))]
    for k in range(len(closure.coordinates)):
        out.append(Equations("", 1, np.abs(A[:, len(names) + k]).max(axis=0) > OCCURS, k))
    return out


def compress(owner: str, A: Array, levels: tuple[NDArray[np.bool_], ...]) -> list[Equations]:
    """Rows of one loop (n, ne, nv) as full-rank groups: those that hold the rates of each level, then the rest."""
    out = []
    scale = np.linalg.norm(A, axis=(1, 2)).max(initial=0.0)
    for level in (*levels, np.ones(A.shape[2], dtype=bool)):
        if not (A.shape[0] and A.shape[1]):
            break
        U, s, _ = np.linalg.svd(A * level)
        rank = (s > RANK_TOLERANCE * scale).sum(axis=1)
        A, U = A[rank == rank.max()], U[rank == rank.max()]  # a special position has more rows to spare
        rows = np.swapaxes(U, -1, -2) @ A
        if rank.max():
            occurs = np.abs(rows[:, : rank.max()]).max(axis=(0, 1)) > OCCURS * scale
            out.append(Equations(owner, int(rank.max()), occurs))
        A = rows[:, rank.max() :]
    return out
