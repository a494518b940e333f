"""What `kinetab check` has to say about the tree, the loops and the order in which they are solved.

A branch is an open chain from the ground outward.  Its cumulative freedom is the sum of those of its joints; loops are
cut where that keeps the largest of all branches smallest (see `kinematics.topology`), stiff directions not counted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.coordinates.decouple import Axes
from precompute.coordinates.solving_order import SolvingOrder
from precompute.kinematics.assembly import RANK_TOLERANCE
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.topology import Topology, free_freedom
from precompute.model.mechanism import Mechanism


@dataclass(frozen=True)
class ArcReport:
    """A joint of the tree, and what moves the body that it carries."""

    base: str
    joint: str
    body: str
    freedoms: int  # of all joints from the ground to the body
    stiff: int  # directions of the same that are stiff
    ends: bool  # no other body hangs on this one: a branch ends here

    @property
    def path(self) -> str:
        """In signs."""
        return f"{self.base} -{self.joint}-> {self.body}"

    @property
    def cumulative(self) -> str:
        """In words."""
        return f"{self.freedoms}" + (f" and {self.stiff} stiff" if self.stiff else "")


@dataclass(frozen=True)
class LoopReport:
    """One loop."""

    cut: str
    joints: tuple[str, ...]
    equations: int
    redundant: int  # how many of its equations follow from the others
    coordinates: tuple[str, ...]  # that move its corners


@dataclass(frozen=True)
class StepReport:
    """A block of equations that is solved at one go, after those before it."""

    coordinates: tuple[str, ...]  # that it depends on
    joints: tuple[str, ...]  # that it is solved for
    equations: int
    loops: tuple[str, ...]  # and idle spins, that the equations are from; none: the joint is a coordinate itself


def tree_report(mechanism: Mechanism, topology: Topology) -> tuple[ArcReport, ...]:
    """The joints of the tree, each after that of its base."""
    sums = {0: (0, 0)}
    for arc in topology.arcs:
        joint, (freedoms, stiff) = mechanism.joints[arc.joint], sums[arc.base]
        sums[arc.body] = freedoms + free_freedom(joint), stiff + len(joint.stiff)
    bases = {arc.base for arc in topology.arcs}
    return tuple(
        ArcReport(
            topology.bodies[arc.base],
            mechanism.joints[arc.joint].name,
            topology.bodies[arc.body],
            *sums[arc.body],
            ends=arc.body not in bases,
        )
        for arc in topology.arcs
    )


def loop_reports(
    closure: Closure, phi_q: Array, moved_by: tuple[Axes, ...], order: SolvingOrder, coordinates: tuple[str, ...]
) -> tuple[LoopReport, ...]:
    """Each loop, in solving order, with the rank of its own rows (nc, nv) and the coordinates that move it."""
    mechanism, topology = closure.mechanism, closure.topology
    names = np.array(closure.row_names)
    out = []
    for i in range(topology.n_loops):
        joints = topology.loop_joints(mechanism, i)
        rows = phi_q[names == joints[0]]
        movers = tuple(coordinates[k] for k in moved_by[i])
        out.append(LoopReport(joints[0], joints, len(rows), len(rows) - rank(rows), movers))
    return tuple(sorted(out, key=lambda loop: order.closing.get(loop.cut, -1)))  # nothing to solve comes first


def step_reports(closure: Closure, order: SolvingOrder, coordinates: tuple[str, ...]) -> tuple[StepReport, ...]:
    """The blocks of the loop equations in solving order."""
    owner = [
        j.name
        for j, s in zip(closure.mechanism.joints, closure.topology.v_slices, strict=True)
        for _ in range(s.start, s.stop)
    ]
    return tuple(
        StepReport(
            coordinates=tuple(coordinates[k] for k in block.axes),
            joints=tuple(dict.fromkeys(owner[i] for i in block.rates)),
            equations=block.equations,
            loops=block.owners,
        )
        for block in order.blocks
    )


def rank(A: Array) -> int:
    """Numerical rank."""
    if not A.size:
        return 0
    s = np.linalg.svd(A, compute_uv=False)
    return int((s > RANK_TOLERANCE * s[0]).sum())
