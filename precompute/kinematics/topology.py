"""Which joints form the tree, which close the loops.  Graph code; it knows no geometry.

The problem: bodies are nodes, joints are edges, several joints may join the same two bodies.  Given the degrees of
freedom of each joint, find a spanning tree rooted at the ground and the chords (cut joints) that close the loops.

The answer must satisfy:
  1. every body is reached from the ground by exactly one path of tree joints (arcs);
  2. the sum of joint freedoms along each such path is the smallest possible, so the largest is too; ties go to the
     path with fewer joints;
  3. rods are never in the tree, each is a chord with one equation; nor is what else is held, by two bodies or more;
  4. Ra Ca = 1, Rc = -Cc Ra, and the row of Rc of a loop lists the joints that it contains, with their direction.

Reference: the graph representation of precomputed closed-loop systems, chapter 3.2 (see docs/equations.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from precompute.model.mechanism import GROUND, Joint, Mechanism, Rod
from precompute.model.spins import Spin, idle_spins

SignArray = NDArray[np.int64]

EDGE_WEIGHT = 1e-3
"""Added to each joint's freedoms: breaks ties in favour of short paths and keeps a fixed joint's weight positive."""


@dataclass(frozen=True)
class Arc:
    """A tree joint that carries `body`, seen from `base`.  Backward if the joint's parent is the outer body."""

    joint: int  # index into Mechanism.joints
    base: int  # body index, 0 is the ground
    body: int
    forward: bool


@dataclass(frozen=True, eq=False)
class Topology:
    """Tree, chords and the sign matrices built from them.

    Bodies are numbered 0 (ground), 1..nb in the file's order; arcs are in an order in which each base comes first.
    """

    bodies: tuple[str, ...]  # nb + 1 names
    arcs: tuple[Arc, ...]  # nb
    chords: tuple[int, ...]  # indices into Mechanism.joints
    spins: tuple[Spin, ...]
    notes: tuple[str, ...]  # what a user should know, in plain words
    q_slices: tuple[slice, ...]  # configuration of each joint of Mechanism.joints
    v_slices: tuple[slice, ...]  # rates of each joint
    nq: int
    nv: int
    scalars: dict[tuple[str, int], tuple[int, int]]  # joint, primitive -> index of configuration, of rate
    stiff: tuple[int, ...]  # rates of the stiff directions
    locked: tuple[int, ...]  # those of them that are held at zero; all, until they become independent
    Ca: SignArray  # (nb, nb) arc connectivity: +1 on the diagonal, -1 at an arc's inner neighbour; rows follow `arcs`
    Ra: SignArray  # (nb, nb) reachability, Ca^-1: row i marks the arcs on the path to the i-th arc's body
    Cc: SignArray  # (nl, nb) chord connectivity over joints and rods: -1 parent side, +1 child side
    Rc: SignArray  # (nl, nb) -Cc Ra: the arcs of each loop
    held: tuple[
        tuple[str, tuple[str, ...]], ...
    ]  # couplings and constraints: their names, and the joints that move them
    reach: SignArray  # (nb + 1, nv) which joint rates move which body, with sign
    loop_reach: SignArray  # (number of chords, nv) which rates act around each cut joint's loop, with sign
    reach_before: SignArray  # (nv, nv) row k: which rates move the frame that carries the motion axis of rate k

    @property
    def n_loops(self) -> int:
        """Loops: cut joints, rods, and what else is held."""
        return len(self.Cc) + len(self.held)

    def unlocked(self) -> Topology:
        """The same with stiff directions that may move: they are then among the independent coordinates."""
        return replace(self, locked=())

    def loop_joints(self, mechanism: Mechanism, loop: int) -> tuple[str, ...]:
        """Names of the joints around a loop, what closes it first."""
        if loop >= len(self.Cc):
            label, joints = self.held[loop - len(self.Cc)]
            return label, *joints
        arcs = [mechanism.joints[a.joint].name for a in self.arcs]
        return (self.closings(mechanism)[loop], *(arcs[i] for i in np.flatnonzero(self.Rc[loop])))

    def closings(self, mechanism: Mechanism) -> tuple[str, ...]:
        """What closes each loop: cut joints, rods, then couplings and constraints."""
        joined = (*(mechanism.joints[c].name for c in self.chords), *(rod.name for rod in mechanism.rods))
        return (*joined, *(label for label, _ in self.held))


def spanning_tree(mechanism: Mechanism) -> Topology:
    """Cut the mechanism's loops so that the largest cumulative freedom of a branch is smallest."""
    bodies = (GROUND, *(b.name for b in mechanism.bodies))
    number = {name: i for i, name in enumerate(bodies)}
    arcs = shortest_arcs(mechanism.joints, number)
    chords = tuple(i for i in range(len(mechanism.joints)) if i not in {a.joint for a in arcs})
    q_slices, nq = slices([sum(p.width for p in j.primitives) for j in mechanism.joints])
    v_slices, nv = slices([joint_freedom(j) for j in mechanism.joints])
    scalars = scalar_indices(mechanism.joints, q_slices, v_slices)
    stiff = tuple(scalars[c.joint, c.index][1] for c in mechanism.stiff_coordinates)
    spins, notes = idle_spins(mechanism, number)
    Ca, Ra = arc_matrices(arcs)
    Cc = chord_matrix(arcs, [mechanism.joints[c] for c in chords] + list(mechanism.rods), number)
    reach = reach_matrix(arcs, Ra, v_slices, nv)
    held = tuple(held_joints(mechanism, arcs, Ra, number).items())
    return Topology(
        bodies=bodies, arcs=arcs, chords=chords, spins=spins, notes=notes, q_slices=q_slices, v_slices=v_slices,
        held=held,
        nq=nq, nv=nv, scalars=scalars, stiff=stiff, locked=stiff, Ca=Ca, Ra=Ra, Cc=Cc, Rc=-Cc @ Ra, reach=reach,
        loop_reach=loop_reach_matrix(mechanism, number, reach, chords, v_slices, nv),
        reach_before=reach_before_matrix(mechanism, number, reach, v_slices, nv),
    )  # fmt: skip


def joint_freedom(joint: Joint) -> int:
    """Number of rates of a joint."""
    return sum(p.rates for p in joint.primitives)


def free_freedom(joint: Joint) -> int:
    """Number of rates of a joint that are not stiff."""
    return joint_freedom(joint) - len(joint.stiff)


def scalar_indices(
    joints: tuple[Joint, ...], q_slices: tuple[slice, ...], v_slices: tuple[slice, ...]
) -> dict[tuple[str, int], tuple[int, int]]:
    """Where each scalar primitive is, by joint and number: in the configuration, and among the rates."""
    found = {}
    for joint, qs, vs in zip(joints, q_slices, v_slices, strict=True):
        iq, iv = qs.start, vs.start
        for number, primitive in enumerate(joint.primitives):
            if primitive.rates == 1:
                found[joint.name, number] = iq, iv
            iq, iv = iq + primitive.width, iv + primitive.rates
    return found


def slices(sizes: list[int]) -> tuple[tuple[slice, ...], int]:
    """Consecutive slices of the sizes given, and their total."""
    ends = np.cumsum([0, *sizes]).tolist()
    return tuple(slice(a, b) for a, b in zip(ends, ends[1:], strict=False)), int(ends[-1])


def shortest_arcs(joints: tuple[Joint, ...], number: dict[str, int]) -> tuple[Arc, ...]:
    """The tree of smallest cumulative freedom: Dijkstra from the ground, weight = freedom without stiff directions."""
    best: dict[tuple[int, int], int] = {}  # body pair -> its joint of least freedom
    for i, joint in enumerate(joints):
        a, b = sorted((number[joint.parent], number[joint.child]))
        if (a, b) not in best or free_freedom(joint) < free_freedom(joints[best[a, b]]):
            best[a, b] = i
    pairs = np.array(list(best), dtype=int).reshape(-1, 2)
    weights = [free_freedom(joints[i]) + EDGE_WEIGHT for i in best.values()]
    graph = csr_array((weights, (pairs[:, 0], pairs[:, 1])), shape=(len(number), len(number)))
    distance, base = dijkstra(graph, directed=False, indices=0, return_predecessors=True)
    arcs = []
    for body in np.argsort(distance, kind="stable")[1:].tolist():
        inner = int(base[body])
        i = best[min(inner, body), max(inner, body)]
        arcs.append(Arc(i, inner, body, forward=number[joints[i].child] == body))
    return tuple(arcs)


def arc_matrices(arcs: tuple[Arc, ...]) -> tuple[SignArray, SignArray]:
    """Ca and its inverse Ra (3.2.8, 3.2.16); rows and columns follow `arcs`."""
    row = {a.body: i for i, a in enumerate(arcs)}
    Ca = np.eye(len(arcs), dtype=np.int64)
    Ra = np.eye(len(arcs), dtype=np.int64)
    for i, arc in enumerate(arcs):
        if arc.base:
            Ca[i, row[arc.base]] = -1
            Ra[i] += Ra[row[arc.base]]
    return Ca, Ra


def chord_matrix(arcs: tuple[Arc, ...], chords: list[Joint | Rod], number: dict[str, int]) -> SignArray:
    """Cc (3.2.23): -1 at the parent's arc, +1 at the child's."""
    row = {a.body: i for i, a in enumerate(arcs)}
    Cc = np.zeros((len(chords), len(arcs)), dtype=np.int64)
    for i, chord in enumerate(chords):
        for body, sign in ((number[chord.parent], -1), (number[chord.child], +1)):
            if body:
                Cc[i, row[body]] += sign
    return Cc


def held_joints(
    mechanism: Mechanism, arcs: tuple[Arc, ...], Ra: SignArray, number: dict[str, int]
) -> dict[str, tuple[str, ...]]:
    """Of each coupling and constraint, by name, the joints whose motion moves what it holds.

    They are those that lead to some of the bodies of a measure and not to others (a measure of one body is against the
    ground), and those whose coordinates it is.
    """
    row = {a.body: i for i, a in enumerate(arcs)}
    found: dict[str, list[str]] = {}
    for held in mechanism.held[len(mechanism.rods) :]:
        names = found.setdefault(held.label, [])
        for _, term in held.measure.terms:
            bodies = [number[body] for body in term.bodies(mechanism)]
            paths = np.array(
                [Ra[row[b]] if b else np.zeros(len(arcs)) for b in (bodies if bodies[1:] else [*bodies, 0])]
            )
            moving = [
                mechanism.joints[arcs[i].joint].name for i in np.flatnonzero(paths.min(axis=0) < paths.max(axis=0))
            ]
            names += [name for kind, name in term.refers if kind == "joint"] + moving
    return {label: tuple(dict.fromkeys(names)) for label, names in found.items()}


def reach_matrix(arcs: tuple[Arc, ...], Ra: SignArray, v_slices: tuple[slice, ...], nv: int) -> SignArray:
    """Row of a body: +1 or -1 at the rates of the joints on its path, by the direction in which they are passed."""
    reach = np.zeros((len(arcs) + 1, nv), dtype=np.int64)
    for i, arc in enumerate(arcs):
        for k in np.flatnonzero(Ra[i]):
            reach[arc.body, v_slices[arcs[k].joint]] = 1 if arcs[k].forward else -1
    return reach


def loop_reach_matrix(
    mechanism: Mechanism,
    number: dict[str, int],
    reach: SignArray,
    chords: tuple[int, ...],
    v_slices: tuple[slice, ...],
    nv: int,
) -> SignArray:
    """Row of a chord: out along the path to its parent, across the cut joint, back along the path to its child."""
    rows = np.zeros((len(chords), nv), dtype=np.int64)
    for row, c in zip(rows, chords, strict=True):
        joint = mechanism.joints[c]
        row += reach[number[joint.parent]] - reach[number[joint.child]]
        row[v_slices[c]] += 1
    return rows


def reach_before_matrix(
    mechanism: Mechanism, number: dict[str, int], reach: SignArray, v_slices: tuple[slice, ...], nv: int
) -> SignArray:
    """Row k: the joint's parent, plus the primitives of the same joint that are walked before that of rate k."""
    before = np.zeros((nv, nv), dtype=np.int64)
    for joint, rates in zip(mechanism.joints, v_slices, strict=True):
        ends = rates.start + np.cumsum([0, *(p.rates for p in joint.primitives)])
        walked: list[int] = []
        for i in joint.walk:
            own = list(range(ends[i], ends[i + 1]))
            before[own] = reach[number[joint.parent]]
            before[np.ix_(own, walked)] += 1
            walked += own
    return before
