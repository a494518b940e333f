"""What `kinetab check` has to say about the loops."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from precompute import loops
from precompute.arrays import Array
from precompute.assembly import RANK_TOLERANCE
from precompute.decouple import Axes
from precompute.mechanism import Mechanism
from precompute.topology import Topology


@dataclass(frozen=True)
class LoopReport:
    """One loop."""

    cut: str
    joints: tuple[str, ...]
    equations: int
    redundant: int  # how many of its equations follow from the others
    coordinates: tuple[str, ...]  # that move its corners


def loop_reports(
    mechanism: Mechanism, topology: Topology, phi_q: Array, moved_by: tuple[Axes, ...], coordinates: tuple[str, ...]
) -> tuple[LoopReport, ...]:
    """Each loop with the rank of its own rows and the coordinates that move it."""
    names = np.array(loops.row_names(mechanism, topology))
    out = []
    for i in range(topology.n_loops):
        joints = topology.loop_joints(mechanism, i)
        rows = phi_q[names == joints[0]]
        movers = tuple(coordinates[k] for k in moved_by[i])
        out.append(LoopReport(joints[0], joints, len(rows), len(rows) - rank(rows), movers))
    return tuple(out)


def rank(A: Array) -> int:
    """Numerical rank."""
    if not A.size:
        return 0
    s = np.linalg.svd(A, compute_uv=False)
    return int((s > RANK_TOLERANCE * s[0]).sum())
