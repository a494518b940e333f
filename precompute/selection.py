"""Which coordinates serve best over the whole motion, not at one point.

The problem: of all measures that could be independent, find a set whose values determine the motion everywhere, and
that amplifies errors least.

With N (nv, f) the orthonormal allowable motions of the weighted joint rates and C the weighted gradients of a set,

    B = N (C N)^-1,   ||B|| = 1 / smallest singular value of C N             (1)
    weight = 1 / ||B||, for one coordinate |V_k| of the unit null vector     (2)
    condition = that of [phi_q; C], all rows and columns in metres           (3)

The answer must satisfy:
  1. a set that serves the whole sampled motion comes before one that meets a dead centre (C N singular); of those
     that do, the one that goes furthest;
  2. among sets that serve all of it the worst ||B|| and the worst condition number over the samples decide:
     score = sqrt(worst ||B|| * worst condition / smallest worst condition of all sets looked at);
  3. what an engineer would choose (see `candidates`) is taken while its score is within PREFERENCE of the best.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb, isfinite, prod, sqrt

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.candidates import Candidate, candidates, weighted_rows
from precompute.coefficients import Closure
from precompute.errors import SingularityError
from precompute.exploration import Path, allowed, explore
from precompute.mechanism import Coordinate, Mechanism
from precompute.subspace import RANK_TOLERANCE, Method, full_pivots
from precompute.topology import Topology

MAX_AMPLIFICATION = 30.0
"""Beyond this ||B|| a coordinate is at its dead centre: its tables would be steep there."""

MAX_SETS = 150
"""Sets of coordinates that are looked at; more candidates than that are thinned by how much they move."""

TINY = 1e-200
"""Instead of zero, where something is divided by it."""

MAX_TRIED = 12
"""Sets whose condition numbers are computed."""


@dataclass(frozen=True)
class Ranked:
    """A set of coordinates and how it does over the sampled motion."""

    labels: tuple[str, ...]
    amplification: float  # worst ||B||; infinite if it meets a dead centre
    condition: float  # worst where it serves
    weight: tuple[float, float]  # smallest and largest 1/||B||
    coverage: float  # share of the sampled motion that it serves, from design to its first dead centre
    score: float  # small is good; preference included
    why: str  # why an engineer would choose it, or ""

    @property
    def label(self) -> str:
        """The set in one word."""
        return " + ".join(self.labels)


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
        method: who proposes a set besides the search: "qr" (column-pivoted QR of the stacked null spaces) or "lu"
            (partitioning at design: Gauss with full pivoting).
        named: a set that is to be ranked in any case.

    Raises:
        SingularityError: no set is regular at design.
    """
    closure = Closure(mechanism, topology)
    found = candidates(mechanism)
    found += tuple(Candidate(c.name, c, 1.0, "") for c in named if all(c.of != x.coordinate.of for x in found))
    if len(found) < dof:
        return Selection((), (), "", 0)
    paths = explore(closure, q, dof)
    samples = flatten(closure, paths, found, dof)
    always = [propose(samples, dof, method)]
    if named:
        measured = [x.coordinate.of for x in found]
        always.append(tuple(sorted(measured.index(c.of) for c in named)))
    sets = sorted({*always, *small_sets(samples, found, dof)})
    tried = sorted(sets, key=lambda s: first_score(samples, found, s))[:MAX_TRIED]
    ranking, order = final_ranking(samples, found, [*tried, *(s for s in dict.fromkeys(always) if s not in tried)])
    if not isfinite(ranking[0].score):
        raise SingularityError(
            f"no joint coordinate, spring length or marker coordinate of '{mechanism.name}' can be independent at the "
            "design position: it is a dead centre of all of them. Move the design position, or add a marker."
        )
    members = tuple(tuple(found[i] for i in chosen) for chosen in order)
    return Selection(ranking, members, reason(ranking, paths), len(samples.ds))


def flatten(closure: Closure, paths: tuple[Path, ...], found: tuple[Candidate, ...], dof: int) -> Samples:
    """All paths as one batch."""
    q = np.concatenate([p.q for p in paths])
    N = np.concatenate([p.N for p in paths])
    P = closure.poses(q)
    A, _, _ = allowed(closure, P, dof)
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
        picked = scipy.linalg.qr(stacked.T, mode="r", pivoting=True)[1]
    return tuple(sorted(int(i) for i in picked[:dof]))


def small_sets(samples: Samples, found: tuple[Candidate, ...], dof: int) -> list[tuple[int, ...]]:
    """All sets of the candidates that move most, as many as MAX_SETS allows."""
    weight = np.minimum(np.median(np.linalg.norm(samples.G, axis=-1), axis=0), 1.0)
    order = np.argsort(-weight / [c.handicap for c in found], kind="stable")
    count = max(n for n in range(dof, len(found) + 1) if comb(n, dof) <= MAX_SETS)
    return list(combinations(sorted(order[:count].tolist()), dof))


def served(samples: Samples, chosen: tuple[int, ...]) -> tuple[Array, NDArray[np.bool_]]:
    """||B|| of a set at every sample (n,), and where it serves: before its first dead centre on each path (n,)."""
    M = samples.G[:, chosen]
    weight = np.linalg.svd(M, compute_uv=False)[:, -1] if len(chosen) > 1 else np.abs(M[:, 0, 0])
    sign = np.sign(np.linalg.det(M))
    good = (weight * MAX_AMPLIFICATION > 1.0) & (sign == sign[0])
    bad = np.cumsum(~good)
    start = np.searchsorted(samples.path, samples.path)  # where each sample's path begins, at design
    keep = bad - bad[start] + ~good[start] == 0
    return 1.0 / np.clip(weight, TINY, 1.0), keep


def quality(
    samples: Samples, found: tuple[Candidate, ...], chosen: tuple[int, ...]
) -> tuple[Array, NDArray[np.bool_], float, float]:
    """||B||, where it serves, the share of the motion served, and the handicap of a set."""
    amplification, keep = served(samples, chosen)
    share = float(samples.ds[keep].sum() / samples.ds.sum())
    return amplification, keep, share, float(prod(found[i].handicap for i in chosen) ** (1.0 / len(chosen)))


def first_score(samples: Samples, found: tuple[Candidate, ...], chosen: tuple[int, ...]) -> float:
    """The score without the condition number."""
    amplification, keep, share, handicap = quality(samples, found, chosen)
    if share == 0.0:
        return np.inf
    return handicap * (float(amplification.max()) if keep.all() else MAX_AMPLIFICATION / share)


def conditions(samples: Samples, chosen: tuple[int, ...]) -> Array:
    """(3) at every sample (n,)."""
    s = np.linalg.svd(np.concatenate([samples.A, samples.rows[:, chosen]], axis=1), compute_uv=False)
    return s[:, 0] / np.maximum(s[:, -1], TINY)


def worst_condition(samples: Samples, chosen: tuple[int, ...]) -> float:
    """The largest where the set serves; infinite if it serves nowhere."""
    _, keep = served(samples, chosen)
    return float(conditions(samples, chosen)[keep].max(initial=0.0)) or np.inf


def final_ranking(
    samples: Samples, found: tuple[Candidate, ...], tried: list[tuple[int, ...]]
) -> tuple[tuple[Ranked, ...], tuple[tuple[int, ...], ...]]:
    """The sets tried, best first, and which candidates they consist of."""
    worst = [worst_condition(samples, s) for s in tried]
    out = []
    for chosen, condition in zip(tried, worst, strict=True):
        amplification, keep, share, handicap = quality(samples, found, chosen)
        score = first_score(samples, found, chosen)
        if keep.all():
            score = handicap * sqrt(float(amplification.max()) * condition / min(worst))
        members = [found[i] for i in chosen]
        ranked = Ranked(
            labels=tuple(c.label for c in members),
            amplification=float(amplification.max()) if keep.all() else np.inf,
            condition=condition,
            weight=(float(1.0 / amplification.max()), float(1.0 / amplification.min())),
            coverage=share, score=score,
            why=", ".join(dict.fromkeys(c.why for c in members if c.why)) if all(c.why for c in members) else "",
        )  # fmt: skip
        out.append((ranked, chosen))
    out.sort(key=lambda item: item[0].score)
    return tuple(ranked for ranked, _ in out), tuple(chosen for _, chosen in out)


def reason(ranking: tuple[Ranked, ...], paths: tuple[Path, ...]) -> str:
    """Why the first one was chosen, in plain words."""
    best = ranking[0]
    ends = ", ".join(dict.fromkeys(p.end for p in paths))
    whole = f"over the whole motion from design ({sum(len(p.s) for p in paths)} positions, {ends})"
    if np.isfinite(best.amplification):
        text = f"errors grow at most {best.amplification:.3g} times {whole}"
    else:
        text = f"serves {100 * best.coverage:.0f} % of the motion from design before a dead centre ({ends})"
    return f"chosen automatically: {text}" + (f"; preferred, as {best.why}" if best.why else "")


def table(ranking: tuple[Ranked, ...], rows: int, chosen: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The ranking as lines: the first rows, and the chosen set wherever it is, marked with a star."""
    shown = [r for i, r in enumerate(ranking) if (i < rows and isfinite(r.score)) or set(r.labels) == set(chosen)]
    width = max((len(r.label) for r in shown), default=0) + 2
    head = f"  {'':{width}}{'worst ||B||':>12}{'worst condition':>17}{'weight':>15}{'serves':>9}"
    lines = [
        f"{'*' if set(r.labels) == set(chosen) else ' '} {r.label:{width}}"
        f"{f'{r.amplification:.3g}' if isfinite(r.amplification) else 'dead centre':>12}"
        f"{r.condition:>17.3g}{f'{r.weight[0]:.3f}-{r.weight[1]:.3f}':>15}{100 * r.coverage:>7.0f} %"
        for r in shown
    ]
    return (head, *lines)
