"""Which coordinates serve best over the whole motion, not at one point.

The problem: of all measures that could be independent, find a set whose values determine the motion everywhere, and
that amplifies errors least.

With N (nv, f) the orthonormal allowable motions of the weighted joint rates and C the weighted gradients of a set,

    B = N (C N)^-1,   ||B|| = 1 / smallest singular value of C N             (1)
    weight = 1 / ||B||, for one coordinate |V_k| of the unit null vector     (2)
    condition = that of [phi_q; C], all rows and columns in metres           (3)

Which set comes first is the matter of `ranking`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from math import comb, inf, isfinite, sqrt

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.coordinates.candidates import JOINT, Candidate, candidates, weighted_rows
from precompute.coordinates.exploration import Path, explore, weighted_jacobian
from precompute.coordinates.ranking import PREFERENCE, Ranked, acceptable, preferred_order, reason
from precompute.errors import SingularityError
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.subspace import RANK_TOLERANCE, Method, full_pivots
from precompute.kinematics.topology import Topology
from precompute.model.mechanism import Coordinate, Measure, Mechanism

MAX_AMPLIFICATION = 30.0
"""Beyond this ||B|| a coordinate is at its dead centre: its tables would be steep there."""

MAX_SETS = 150
"""Sets of coordinates that are looked at; more candidates are thinned by preference and how much they move."""

TINY = 1e-200
"""Instead of zero, where something is divided by it."""

MAX_TRIED = 12
"""Sets whose condition numbers are computed: half of them the best, half the preferred ones."""

ALIKE = 1e-8
"""Two candidates whose gradients differ by less over the whole motion are the same."""


@dataclass(frozen=True, eq=False)
class Selection:
    """Sets in order of preference, the chosen one first."""

    ranking: tuple[Ranked, ...]
    members: tuple[tuple[Candidate, ...], ...]  # of each set of the ranking
    reason: str
    samples: int

    @property
    def chosen(self) -> tuple[Coordinate, ...]:
        """The best set."""
        return tuple(c.coordinate for c in self.members[0]) if self.members else ()


@dataclass(frozen=True, eq=False)
class Samples:
    """The explored motion, flattened."""

    A: Array  # (n, nc, nv) weighted loop Jacobians
    rows: Array  # (n, number of candidates, nv)
    G: Array  # (n, number of candidates, f) rows over allowable motions
    path: NDArray[np.int64]  # (n,) which path
    ds: Array  # (n,) the way from the sample before [m]


def select(
    mechanism: Mechanism,
    topology: Topology,
    q: Array,
    dof: int,
    method: Method = "qr",
    named: tuple[Coordinate, ...] = (),
) -> Selection:
    """Rank sets of `dof` coordinates over the motion reached from the design q (nq,).

    Args:
        mechanism: the mechanism; its own coordinates are not looked at.
        topology: its topology.
        q: (nq,) the closed design configuration.
        dof: degrees of freedom.
        method: who proposes a set: "qr" (pivoted, of the stacked null spaces) or "lu" (full pivoting, at design).
        named: a set that is to be ranked in any case.

    Raises:
        SingularityError: no set is regular at design.
    """
    closure = Closure(mechanism, topology)
    measured = [c.of for c in named]
    found = candidates(mechanism)
    found += tuple(Candidate(c.name, c, JOINT, "") for c in named if all(c.of != x.coordinate.of for x in found))
    if len(found) < dof:
        return Selection((), (), "", 0)
    paths = explore(closure, q, dof)
    samples, found = without_doubles(flatten(closure, paths, found), found, measured)
    always = [propose(samples, dof, method)]
    if named:
        always.append(tuple(i for i, x in enumerate(found) if x.coordinate.of in measured))
    sets = {*always, *small_sets(samples, found, dof)}
    tried = {*shortlist(found, {s: service(samples, s) for s in sorted(sets)}), *always}
    ranking, order = final_ranking(samples, found, sorted(tried))
    if not isfinite(ranking[0].score):
        raise none_regular(mechanism)
    members = tuple(tuple(found[i] for i in chosen) for chosen in order)
    return Selection(ranking, members, reason(ranking, paths), len(samples.ds))


def none_regular(mechanism: Mechanism) -> SingularityError:
    """The error when every candidate is at its dead centre."""
    return SingularityError(
        f"no joint coordinate, spring length or marker coordinate of '{mechanism.name}' can be independent at the "
        "design position: it is a dead centre of all of them. Move the design position, or add a marker."
    )


def flatten(closure: Closure, paths: tuple[Path, ...], found: tuple[Candidate, ...]) -> Samples:
    """All paths as one batch."""
    q = np.concatenate([p.q for p in paths])
    N = np.concatenate([p.N for p in paths])
    P = closure.poses(q)
    A = weighted_jacobian(closure, P)
    rows = weighted_rows(closure, P, found)
    number = np.repeat(np.arange(len(paths)), [len(p.s) for p in paths])
    ds = np.concatenate([np.diff(p.s, prepend=0.0) for p in paths])
    return Samples(A, rows, rows @ N, number, ds)


def propose(samples: Samples, dof: int, method: Method) -> tuple[int, ...]:
    """The set that one factorization would pick: pivots of the candidates' rows over the allowable motions."""
    if method == "lu":
        picked, _ = full_pivots(samples.G[0], RANK_TOLERANCE)
    else:
        stacked = np.moveaxis(samples.G, 1, 0).reshape(samples.G.shape[1], -1)
        R = np.linalg.qr(stacked.T, mode="r")  # has the same pivots, and is small
        picked = scipy.linalg.qr(R, mode="r", pivoting=True)[1]
    return tuple(sorted(int(i) for i in picked[:dof]))


def without_doubles(
    samples: Samples, found: tuple[Candidate, ...], named: list[Measure]
) -> tuple[Samples, tuple[Candidate, ...]]:
    """Leave out lengths of springs that a slide or another spring measures as well; it is preferred in their stead."""
    kept: dict[int, Candidate] = {}
    for i, c in enumerate(found):
        same = [j for j in kept if c.coordinate.of.segment and alike(samples.G[:, i], samples.G[:, j])]
        for j in same:
            if c.rank < kept[j].rank:
                kept[j] = replace(kept[j], rank=c.rank, why=c.why)
        if not same or c.coordinate.of in named:
            kept[i] = c
    here = list(kept)
    return replace(samples, rows=samples.rows[:, here], G=samples.G[:, here]), tuple(kept.values())


def alike(a: Array, b: Array) -> bool:
    """Whether two gradients (n, f) are the same everywhere, but for their sign."""
    return bool(min(np.abs(a - b).max(), np.abs(a + b).max()) < ALIKE)


def small_sets(samples: Samples, found: tuple[Candidate, ...], dof: int) -> list[tuple[int, ...]]:
    """All sets of the candidates that move most, as many as MAX_SETS allows."""
    weight = np.minimum(np.median(np.linalg.norm(samples.G, axis=-1), axis=0), 1.0)
    order = np.argsort(-weight * PREFERENCE ** -np.array([float(c.rank) for c in found]), kind="stable")
    count = max(n for n in range(dof, len(found) + 1) if comb(n, dof) <= MAX_SETS)
    return list(combinations(sorted(order[:count].tolist()), dof))


@dataclass(frozen=True, eq=False)
class Service:
    """How a set does over the samples, but for its condition number."""

    amplification: Array  # (n,) ||B||
    keep: NDArray[np.bool_]  # (n,) where it serves: before its first dead centre on each path
    share: float  # of the way that it serves

    @property
    def worst(self) -> float:
        """||B||; a dead centre counts as MAX_AMPLIFICATION over the share served."""
        if self.keep.all():
            return float(self.amplification.max())
        return MAX_AMPLIFICATION / self.share if self.share else inf


def service(samples: Samples, chosen: tuple[int, ...]) -> Service:
    """||B|| of a set at every sample, and where it serves."""
    M = samples.G[:, chosen]
    weight = np.linalg.svd(M, compute_uv=False)[:, -1] if len(chosen) > 1 else np.abs(M[:, 0, 0])
    sign = np.sign(np.linalg.det(M))
    good = (weight * MAX_AMPLIFICATION > 1.0) & (sign == sign[0])
    bad = np.cumsum(~good)
    start = np.searchsorted(samples.path, samples.path)  # where each sample's path begins, at design
    keep = bad - bad[start] + ~good[start] == 0
    whole = float(samples.ds.sum())
    share = float(samples.ds[keep].sum()) / whole if whole else float(keep.all())
    return Service(1.0 / np.clip(weight, TINY, 1.0), keep, share)


def shortlist(found: tuple[Candidate, ...], sets: dict[tuple[int, ...], Service]) -> list[tuple[int, ...]]:
    """The best sets but for their condition numbers, and those that may be preferred to them."""
    score = {s: sqrt(x.worst) for s, x in sets.items()}
    best = sorted(sets, key=score.__getitem__)
    top, share = score[best[0]], sets[best[0]].share
    near = [s for s in best if acceptable(score[s] / PREFERENCE, sets[s].share, top, share)]
    near.sort(key=lambda s: rank_of(found, s))
    return [*best[: MAX_TRIED // 2], *near[: MAX_TRIED // 2]]


def rank_of(found: tuple[Candidate, ...], chosen: tuple[int, ...]) -> int:
    """How late an engineer would choose a set."""
    return sum(found[i].rank for i in chosen)


def worst_condition(samples: Samples, chosen: tuple[int, ...], keep: NDArray[np.bool_]) -> float:
    """The largest (3) where the set serves; infinite if it serves nowhere."""
    s = np.linalg.svd(np.concatenate([samples.A[keep], samples.rows[keep][:, chosen]], axis=1), compute_uv=False)
    return float((s[:, 0] / np.maximum(s[:, -1], TINY)).max(initial=0.0)) or inf


def final_ranking(
    samples: Samples, found: tuple[Candidate, ...], tried: list[tuple[int, ...]]
) -> tuple[tuple[Ranked, ...], tuple[tuple[int, ...], ...]]:
    """The sets tried, the one to take first, and which candidates they consist of."""
    services = [service(samples, chosen) for chosen in tried]
    conditions = [worst_condition(samples, c, x.keep) for c, x in zip(tried, services, strict=True)]
    ranking = []
    for chosen, x, condition in zip(tried, services, conditions, strict=True):
        members = [found[i] for i in chosen]
        ranked = Ranked(
            labels=tuple(c.label for c in members),
            amplification=x.worst if x.keep.all() else inf,
            condition=condition,
            weight=(float(1.0 / x.amplification.max()), float(1.0 / x.amplification.min())),
            coverage=x.share,
            score=sqrt(x.worst * condition / min(conditions)) if isfinite(condition) else inf,
            rank=rank_of(found, chosen),
            why=", ".join(dict.fromkeys(c.why for c in members if c.why)) if all(c.why for c in members) else "",
        )
        ranking.append(ranked)
    order = preferred_order(ranking)
    return tuple(ranking[i] for i in order), tuple(tried[i] for i in order)
