"""Which joints form the tree, which close the loops.  Graph code; it knows no geometry.

The problem: bodies are nodes, joints are edges, several joints may join the same two bodies.  Given the degrees of
freedom of each joint, find a spanning tree rooted at the ground and the chords (cut joints) that close the loops.

The answer must satisfy:
  1. every body is reached from the ground by exactly one path of tree joints (arcs);
  2. the sum of joint freedoms along each such path is the smallest possible, so the largest is too; ties go to the
     path with fewer joints;
  3. rods are never in the tree; each is a chord with one equation;
  4. Ra Ca = 1, Rc = -Cc Ra, and the row of Rc of a loop lists the joints that it contains, with their direction.

Reference: the graph representation of precomputed closed-loop systems, chapter 3.2 (see docs/equations.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from precompute.mechanism import GROUND, Distance, Joint, Mechanism, Rod

SignArray = NDArray[np.int64]

IDEAL = 1e-6
"""How far a link may be from a body of revolution, relative to its length or inertia, to count as one."""

EDGE_WEIGHT = 1e-3
"""Added to each joint's freedoms: breaks ties in favour of short paths and keeps a fixed joint's weight positive."""


@dataclass(frozen=True)
class Arc:
    """A tree joint that carries `body`, seen from `base`.  Backward if the joint's parent is the outer body."""

    joint: int  # index into Mechanism.joints
    base: int  # body index, 0 is the ground
    body: int
    forward: bool


@dataclass(frozen=True)
class Spin:
    """An idle rotation that is locked: `body` may not twist about its design direction from ball to ball.

    `ideal`: the group turns as one body of revolution about that line, so that nothing can set it spinning.
    """

    body: int
    balls: tuple[int, int]  # joint indices
    group: tuple[int, ...]  # all bodies that would spin together
    ideal: bool


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
    Ca: SignArray  # (nb, nb) arc connectivity: +1 on the diagonal, -1 at an arc's inner neighbour; rows follow `arcs`
    Ra: SignArray  # (nb, nb) reachability, Ca^-1: row i marks the arcs on the path to the i-th arc's body
    Cc: SignArray  # (nl, nb) chord connectivity over joints and rods: -1 parent side, +1 child side
    Rc: SignArray  # (nl, nb) -Cc Ra: the arcs of each loop
    reach: SignArray  # (nb + 1, nv) which joint rates move which body, with sign
    loop_reach: SignArray  # (number of chords, nv) which rates act around each cut joint's loop, with sign
    reach_before: SignArray  # (nv, nv) row k: which rates move the frame that carries the motion axis of rate k

    @property
    def n_loops(self) -> int:
        """Loops: cut joints and rods."""
        return self.Cc.shape[0]

    def loop_joints(self, mechanism: Mechanism, loop: int) -> tuple[str, ...]:
        """Names of the joints around a loop, its chord first."""
        chords = [mechanism.joints[c].name for c in self.chords] + [r.name for r in mechanism.rods]
        arcs = [mechanism.joints[a.joint].name for a in self.arcs]
        return (chords[loop], *(arcs[i] for i in np.flatnonzero(self.Rc[loop])))


def spanning_tree(mechanism: Mechanism) -> Topology:
    """Cut the mechanism's loops so that the largest cumulative freedom of a branch is smallest."""
    bodies = (GROUND, *(b.name for b in mechanism.bodies))
    number = {name: i for i, name in enumerate(bodies)}
    arcs = shortest_arcs(mechanism.joints, number)
    chords = tuple(i for i in range(len(mechanism.joints)) if i not in {a.joint for a in arcs})
    q_slices, nq = slices([sum(4 if p.kind == "ball" else 1 for p in j.primitives) for j in mechanism.joints])
    v_slices, nv = slices([joint_freedom(j) for j in mechanism.joints])
    spins, notes = idle_spins(mechanism, number)
    Ca, Ra = arc_matrices(arcs)
    Cc = chord_matrix(arcs, [mechanism.joints[c] for c in chords] + list(mechanism.rods), number)
    reach = reach_matrix(arcs, Ra, v_slices, nv)
    return Topology(
        bodies=bodies, arcs=arcs, chords=chords, spins=spins, notes=notes, q_slices=q_slices, v_slices=v_slices,
        nq=nq, nv=nv, Ca=Ca, Ra=Ra, Cc=Cc, Rc=-Cc @ Ra, reach=reach,
        loop_reach=loop_reach_matrix(mechanism, number, reach, chords, v_slices, nv),
        reach_before=reach_before_matrix(mechanism, number, reach, v_slices, nv),
    )  # fmt: skip


def joint_freedom(joint: Joint) -> int:
    """Number of rates of a joint."""
    return sum(3 if p.kind == "ball" else 1 for p in joint.primitives)


def slices(sizes: list[int]) -> tuple[tuple[slice, ...], int]:
    """Consecutive slices of the sizes given, and their total."""
    ends = np.cumsum([0, *sizes]).tolist()
    return tuple(slice(a, b) for a, b in zip(ends, ends[1:], strict=False)), int(ends[-1])


def shortest_arcs(joints: tuple[Joint, ...], number: dict[str, int]) -> tuple[Arc, ...]:
    """The tree of smallest cumulative freedom: Dijkstra from the ground, weight = freedom of the joint."""
    best: dict[tuple[int, int], int] = {}  # body pair -> its joint of least freedom
    for i, joint in enumerate(joints):
        a, b = sorted((number[joint.parent], number[joint.child]))
        if (a, b) not in best or joint_freedom(joint) < joint_freedom(joints[best[a, b]]):
            best[a, b] = i
    pairs = np.array(list(best), dtype=int).reshape(-1, 2)
    weights = [joint_freedom(joints[i]) + EDGE_WEIGHT for i in best.values()]
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
    """Row k: the joint's parent, plus the primitives of the same joint that come before that of rate k."""
    before = np.zeros((nv, nv), dtype=np.int64)
    for joint, rates in zip(mechanism.joints, v_slices, strict=True):
        first = rates.start
        for primitive in joint.primitives:
            last = first + (3 if primitive.kind == "ball" else 1)
            before[first:last] = reach[number[joint.parent]]
            before[first:last, rates.start : first] += 1
            first = last
    return before


def idle_spins(mechanism: Mechanism, number: dict[str, int]) -> tuple[tuple[Spin, ...], tuple[str, ...]]:
    """Groups of bodies that hang between exactly two balls and could spin about the line between them.

    Taking all ball joints away splits the mechanism into groups; a group without the ground that touches exactly two
    balls can turn about their line without moving anything else.  The spin stays free where a force acts on the group
    off that line, for then it is real motion.
    """
    balls = [i for i, j in enumerate(mechanism.joints) if [p.kind for p in j.primitives] == ["ball"]]
    others = [(j.parent, j.child) for i, j in enumerate(mechanism.joints) if i not in balls]
    others += [(rod.parent, rod.child) for rod in mechanism.rods]
    spins: list[Spin] = []
    notes: list[str] = []
    for group in groups_of(list(number), others):
        touching = [i for i in balls if (mechanism.joints[i].parent in group) != (mechanism.joints[i].child in group)]
        if GROUND in group or len(touching) != 2:
            continue
        a, b = (ball_point(mechanism.joints[i], group) for i in touching)
        if np.linalg.norm(b - a) < 1e-12:
            continue
        if force := off_axis_force(mechanism, group, a, b):
            notes.append(f"{' + '.join(sorted(group))} may spin between its two balls; kept, since {force} acts on it")
            continue
        members = tuple(sorted(number[name] for name in group))
        reason = why_not_ideal(mechanism, group, a, b)
        spins.append(Spin(members[0], (touching[0], touching[1]), members, ideal=reason is None))
        names = " and ".join(mechanism.joints[i].name for i in touching)
        held = f"held against twist as by a universal joint, since {reason}" if reason else "locked"
        notes.append(f"idle rotation of {' + '.join(sorted(group))} about the line of its balls {names}: {held}")
    return tuple(spins), tuple(notes)


def groups_of(names: list[str], edges: list[tuple[str, str]]) -> list[frozenset[str]]:
    """Connected components, in the order of their first member."""
    component = {name: frozenset([name]) for name in names}
    for a, b in edges:
        merged = component[a] | component[b]
        component.update(dict.fromkeys(merged, merged))
    return list(dict.fromkeys(component.values()))


def ball_point(joint: Joint, group: frozenset[str]) -> np.ndarray:
    """The ball's centre on the side of the group, at design."""
    return joint.p_P if joint.parent in group else joint.p_C


def why_not_ideal(mechanism: Mechanism, group: frozenset[str], a: np.ndarray, b: np.ndarray) -> str | None:
    """What keeps a group from being a body of revolution about the line a-b, if anything does."""
    u, length = (b - a) / np.linalg.norm(b - a), float(np.linalg.norm(b - a))
    for joint in mechanism.joints:
        if {joint.parent, joint.child} <= group and any(p.kind != "translation" for p in joint.primitives):
            return f"joint '{joint.name}' turns inside it"
    for body in mechanism.bodies:
        if body.name not in group:
            continue
        off = float(np.linalg.norm(np.cross(u, body.com - a)))
        if body.mass > 0.0 and off > IDEAL * length:
            return f"the centre of mass of '{body.name}' is {1e3 * off:.3g} mm off that line"
        across = body.inertia - (u @ body.inertia @ u) * np.outer(u, u)
        round_ = 0.5 * np.trace(across) * (np.eye(3) - np.outer(u, u))
        if np.abs(across - round_).max() > IDEAL * np.abs(body.inertia).max():
            return f"the inertia of '{body.name}' is not that of a body of revolution about it"
    return None


def off_axis_force(mechanism: Mechanism, group: frozenset[str], a: np.ndarray, b: np.ndarray) -> str | None:
    """Name of a port on the group, or of a spring or damper that acts on it off the line a-b, if there is one."""
    port = next((p.name for p in mechanism.ports if mechanism.marker(p.marker).body in group), None)
    if port:
        return f"port '{port}'"
    points = [
        (item.name, point)
        for item in mechanism.elements
        if isinstance(item.on, Distance)
        for body, point in ((item.on.body_a, item.on.p_a), (item.on.body_b, item.on.p_b))
        if body in group
    ]
    u = (b - a) / np.linalg.norm(b - a)
    scale = float(np.linalg.norm(b - a))
    return next((f"'{name}'" for name, p in points if np.linalg.norm(np.cross(u, p - a)) > 1e-9 * scale), None)
