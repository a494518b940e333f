"""Why a mechanism cannot move: the joints whose freedoms clash.

The problem: the loops take all freedoms of the joints.  Find a set of loops, as small as possible, that is rigid by
itself: its own equations over the rates of its own joints leave no motion.  Then say what is amiss among these joints.

What is looked for: axes that are not parallel where most are, or slides that lead out of the plane of the others;
otherwise there are too few freedoms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.kinematics.assembly import RANK_TOLERANCE
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.loops import LOCK, SPIN
from precompute.model.mechanism import Joint, Mechanism

PARALLEL = 1e-7
"""[rad] Axes that differ by less are parallel."""


@dataclass(frozen=True, eq=False)
class Equations:
    """The loop equations of all that is free to move at design."""

    A: Array  # (nc, nf) weighted, without stiff directions
    owner: tuple[str, ...]  # nc loops, rods, couplings and idle spins
    joint: tuple[str, ...]  # nf joints

    def rigid(self, loops: Sequence[tuple[str, ...]]) -> bool:
        """Whether the equations of some loops leave no motion to the joints in them; idle spins among these count."""
        inside = np.isin(self.joint, [name for loop in loops for name in loop])
        closing = np.isin(self.owner, [loop[0] for loop in loops])
        spins = np.array([name.startswith(SPIN) for name in self.owner], dtype=bool)
        spins &= ~(self.A[:, ~inside] != 0.0).any(axis=1)
        s = np.linalg.svd(self.A[np.ix_(closing | spins, inside)], compute_uv=False)
        return bool(inside.any() and (s > RANK_TOLERANCE * s.max(initial=0.0)).sum() == inside.sum())


def equations(closure: Closure, q: Array) -> Equations:
    """At the closed configuration q (nq,)."""
    m, t = closure.mechanism, closure.topology
    A = closure.matrix(closure.poses(q)) * closure.rate_weight
    free = np.setdiff1d(np.arange(t.nv), t.locked)
    rows = np.array([not name.startswith(LOCK) for name in closure.row_names], dtype=bool)
    owners = [j.name for j, s in zip(m.joints, t.v_slices, strict=True) for _ in range(s.start, s.stop)]
    names = tuple(name for name, keep in zip(closure.row_names, rows, strict=True) if keep)
    return Equations(A[np.ix_(rows, free)], names, tuple(owners[i] for i in free))


def why_it_cannot_move(closure: Closure, q: Array) -> str:
    """What clashes at the closed configuration q (nq,), and what to do about it, in plain words."""
    m, t = closure.mechanism, closure.topology
    if t.nv == len(t.locked):
        held = "its joints have stiff directions only" if t.nv else "all its joints are fixed"
        said = f"{held}. Free at least one direction of a joint: it becomes the coordinate of the tables."
        made = ", ".join(j.name for j in m.joints) if m.bushings else ""
        more = f" Joints made for bushings ({made}) give way to those of the file between the same bodies."
        return said + (more if made else "")
    found = equations(closure, q)
    loops = smallest_rigid(found, [t.loop_joints(m, i) for i in range(t.n_loops)])
    names = list(dict.fromkeys(name for loop in loops for name in loop))
    count = {name: found.joint.count(name) for name in names if name in found.joint}
    rods = [name for name in names if name in {rod.name for rod in m.rods}]
    also = [name for name in names if name in dict(t.held)]
    listed = ", ".join([*(f"{name} ({n})" for name, n in count.items()), *(f"rod {name}" for name in rods), *also])
    if also:
        one = "s" * (len(also) == 1)
        return (
            f"the freedoms of these clash: {listed}. Of {sum(count.values())} freedoms none is left: "
            f"{' and '.join(also)} hold{one} what others hold too, or contradict{one} them. Take one of them out, or "
            "free a joint."
        )
    what = "its loop takes" if len(loops) == 1 else f"their {len(loops)} loops take"
    return f"the freedoms of these joints clash: {listed}. Of {sum(count.values())} freedoms {what} all. " + hint(
        m, [m.joint(name) for name in names if name not in rods], single=len(loops) == 1
    )


def smallest_rigid(found: Equations, loops: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Loops that are rigid and would not be without any one of them."""
    kept = list(loops)
    for loop in loops:
        fewer = [other for other in kept if other is not loop]
        if fewer and found.rigid(fewer):
            kept = fewer
    return kept


# -- what is amiss ----------------------------------------------------------------------------------------------------


def hint(m: Mechanism, joints: Sequence[Joint], single: bool) -> str:
    """What to do about joints that clash, of a single loop or of several."""
    if amiss := odd_axes(m, joints):
        return f"{amiss}. Make the axes agree, or give one of these joints the freedom that is missing."
    return (
        "A loop in a plane moves with 4 freedoms or more, one in space with 7 or more. Free a joint, or take one out; "
        "a link between two balls should be a rod or have two spherical joints."
        if single
        else "One of them holds what the others move. Free a joint, or take one out."
    )


def odd_axes(m: Mechanism, joints: Sequence[Joint]) -> str:
    """Axes that are not parallel to those of most joints, and slides out of the plane across them, in words.

    Nothing, if the joints do not look as if they were meant to move in a plane: with balls, or most axes different.
    """
    primitives = [(joint.name, p) for joint in joints for p in joint.primitives if not p.stiff]
    turns = [(name, p.axis) for name, p in primitives if p.kind == "rotation" and p.axis is not None]
    if any(p.kind == "ball" for _, p in primitives) or not turns:
        return ""
    alike = [[name for name, axis in turns if angle_between(axis, other) < PARALLEL] for _, other in turns]
    most = max(range(len(turns)), key=lambda i: len(alike[i]))
    if len(alike[most]) < max(2, 0.5 * len(turns)):
        return ""
    normal = turns[most][1]
    others = [(name, x) for name, axis in turns if (x := angle_between(axis, normal)) >= PARALLEL]
    slides = {
        name: 0.5 * np.pi - angle_between(p.axis, normal)
        for name, p in primitives
        if p.kind == "translation" and p.axis is not None
    }
    told = [f"one of '{name}' is {m.units.shown(x, 'angle', 3)} off" for name, x in others]
    told += [
        f"'{name}' slides {m.units.shown(x, 'angle', 3)} out of their plane"
        for name, x in slides.items()
        if x >= PARALLEL
    ]
    return f"The axes of {', '.join(dict.fromkeys(alike[most]))} are parallel, but {', '.join(told)}" if told else ""


def angle_between(a: Array, b: Array) -> float:
    """Between two lines, up to a right angle [rad]; exact also for small ones."""
    return float(np.arctan2(np.linalg.norm(np.cross(a, b)), abs(a @ b)))
