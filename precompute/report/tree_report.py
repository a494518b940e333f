"""What `kinetab check` says about the tree: its joints, and the cumulative freedoms of its branches.

A branch is an open chain from the ground outward.  Its cumulative freedom is the sum of those of its joints; loops are
cut where that keeps the largest of all branches smallest (see `kinematics.topology`), stiff directions not counted.
"""

from __future__ import annotations

from dataclasses import dataclass

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
