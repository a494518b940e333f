"""Which loads are defined, and which coordinates the motions that give them depend on.

Opening a locked direction moves some bodies, by velocities that are functions of some coordinates: not always of those
that move these bodies, so the derivatives of the velocities decide, at the same scattered configurations that tell the
dependence of bodies and measures.

A load is defined where the closed mechanism can move so.  Where a loop holds a direction several times over, as a
planar one its own plane, it cannot; then nothing tells how the joints of the loop share the load.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from precompute.arrays import Array
from precompute.kinematics import loops
from precompute.kinematics.coefficients import Closure, Factor, Triangular
from precompute.kinematics.motion import Motion
from precompute.kinematics.openings import Opened, Opening, opened, openings
from precompute.kinematics.poses import Poses
from precompute.kinematics.topology import Topology
from precompute.model.bushings import bushings_across
from precompute.model.mechanism import GROUND, Measure, Mechanism

Axes = tuple[int, ...]  # coordinate numbers, ascending
Changes = tuple[Array, Array]

MISFIT = 1e-7
"""What may be missing in the loops when a direction opens by one: more than this, and they cannot follow."""

RANK = 1e-8
"""Singular values below this share of the largest are none."""

ZERO = 1e-9
"""Motion below this share of an opening, and change of it over the whole range of a coordinate, is none."""


@dataclass(frozen=True)
class LoadDependence:
    """A load that is defined: what its opening moves, and the coordinates that this motion depends on."""

    opening: Opening
    bodies: tuple[Axes | None, ...]  # nb; None for those that do not move
    measures: tuple[tuple[Measure, Axes], ...]  # of force elements, those that change
    frames: tuple[tuple[int, Axes], ...]  # markers where forces act that move, by number

    def table_axes(self, nf: int) -> set[Axes]:
        """Those of all that it has, without stiff coordinates, which are numbered from nf."""
        moved = (axes for axes in self.bodies if axes is not None)
        every = (*moved, *(axes for _, axes in self.measures), *(axes for _, axes in self.frames))
        return {tuple(k for k in axes if k < nf) for axes in every}


@dataclass(frozen=True)
class UndefinedLoad:
    """A load that is not: the loops that hold the direction several times over, by the joints that close them."""

    opening: Opening
    closed_by: tuple[str, ...]
    repeated: int  # equations of these loops that repeat others


def find_loads(
    closure: Closure, P: Poses, factor: Factor | Triangular, B: Array, span: Array, bodies: tuple[Axes, ...]
) -> tuple[tuple[LoadDependence, ...], tuple[UndefinedLoad, ...]]:
    """Look at all loads that a mechanism asks for, at a batch of configurations.

    Args:
        closure: with all nz coordinates.
        P: the configurations.
        factor: of A there.
        B: (n, nv, nz) there.
        span: (nz,) how far each coordinate goes.
        bodies: coordinates that each body depends on.

    Returns:
        Those that are defined, and those that are not.
    """
    every = openings(closure.mechanism)
    if not every:
        return (), ()
    gap = opened(closure, P, factor, B, every).gap.max(axis=0)  # (ne, nk)
    torn = gap.max(axis=0, initial=0.0) > MISFIT
    some = tuple(opening for opening, undefined in zip(every, torn, strict=True) if not undefined)
    around = {k: torn_loops(closure, gap[:, k]) for k in np.flatnonzero(torn).tolist()}
    undefined = tuple(UndefinedLoad(every[k], own, repeated(closure, P, own)) for k, own in around.items())
    if not some:
        return (), undefined
    along = opened(closure, P, factor, B, some)
    look = Look(closure, some, along, along.motion(closure, factor, some), span)
    return tuple(look.dependence(opening, k, bodies) for k, opening in enumerate(some)), undefined


def torn_loops(closure: Closure, gap: Array) -> tuple[str, ...]:
    """What closes the loops that cannot follow an opening, from what is missing in their rows (ne,)."""
    rows = np.flatnonzero(gap > 0.1 * gap.max())
    return tuple(dict.fromkeys(closure.row_names[i] for i in rows if closure.row_names[i]))


def repeated(closure: Closure, P: Poses, closed_by: tuple[str, ...]) -> int:
    """How many equations of some loops repeat others of the same, or else of all loops; at the first configuration."""
    A = loops.jacobian(P, closure.rows, closure.length)[0] * closure.rate_weight
    own = [i for i, name in enumerate(closure.row_names) if name in closed_by]
    every = [i for i, name in enumerate(closure.row_names) if name]
    missing = (len(rows) - int(np.linalg.matrix_rank(A[rows], tol=RANK * A.max())) for rows in (own, every))
    return next((count for count in missing if count), 1)


@dataclass(frozen=True, eq=False)
class Look:
    """Motions along openings, and how far coordinates go."""

    closure: Closure
    openings: tuple[Opening, ...]
    opened: Opened
    motion: Motion
    span: Array  # (nz,)

    @cached_property
    def measures(self) -> tuple[tuple[Measure, Changes], ...]:
        """What elements act on, each once."""
        found: list[tuple[Measure, Changes]] = []
        for on in self.closure.mechanism.acting:
            if not any(on.same(known) for known, _ in found):
                found.append((on, self.changes(on)))
        return tuple(found)

    def changes(self, on: Measure) -> Changes:
        """How much a measure changes along each opening (nk,), and that over ranges (nk, nz); as one unit of it."""
        m, nz, nv = self.closure.mechanism, self.span.size, self.closure.topology.nv
        unit = 1.0 if on.is_angle(m) else self.closure.length
        own = np.array([is_across(m, opening, on) for opening in self.openings])
        row, B = on.row(self.opened.P), self.opened.B[..., nz:]
        follows = np.concatenate([B[:, :nv], np.zeros_like(B[:, nv:])], axis=1)
        change = row[:, None] @ np.where(own, follows, B)
        slopes = on.second(self.motion)[:, nz:]
        if own.any():
            slopes = np.where(own[:, None], on.second(self.opened.followed(self.motion, self.openings))[:, nz:], slopes)
        return np.abs(change).max(axis=(0, 1)) / unit, np.abs(slopes * self.span).max(axis=0) / unit

    def dependence(self, opening: Opening, k: int, bodies: tuple[Axes, ...]) -> LoadDependence:
        """What one opening, the k-th, moves."""
        m, nz, length = self.closure.mechanism, self.span.size, self.closure.length
        size = 1.0 if opening.turns else 1.0 / length  # of the opening, as an angle
        weight = np.repeat([1.0, 1.0 / length], 3) / size
        W = np.abs(self.motion.W[:, 1:, :, nz + k] * weight).max(axis=(0, 2))  # (nb,)
        dW = np.abs(self.motion.dW[:, 1:, :, nz + k] * weight[:, None] * self.span).max(axis=(0, 2))  # (nb, nz)
        moved = tuple(_union(own, _above(dW[b])) if W[b] > ZERO else None for b, own in enumerate(bodies))
        measures = tuple(
            (on, _above(slopes[k] / size))
            for on, (change, slopes) in self.measures
            if change[k] > ZERO * size or (slopes[k] > ZERO * size).any()
        )
        names = [GROUND, *(body.name for body in m.bodies)]
        on_ground: tuple[Axes | None, ...] = (None, *moved)
        depends = [(i, on_ground[names.index(m.frames[i].body)]) for i in loaded_frames(m)]
        frames = tuple((i, axes) for i, axes in depends if axes is not None)
        return LoadDependence(opening, moved, measures, frames)


def is_across(mechanism: Mechanism, opening: Opening, measure: Measure) -> bool:
    """Whether a measure is that of a bushing between the bodies of the joint that opens.

    What such a bushing carries is part of the joint's load: it counts as far as the joint's own motion follows the
    opening, and not as far as it opens.
    """
    if opening.carrier == "row":
        return False
    across = bushings_across(mechanism.joint(opening.part), mechanism.bushings)
    return any(("bushing", bushing.name) in measure.refers for bushing in across)


def loaded_frames(mechanism: Mechanism) -> tuple[int, ...]:
    """Numbers of the frames where forces act, of ports and then of wheels, each once."""
    names = [marker.name for marker in mechanism.frames]
    ports = [names.index(port.marker) for port in mechanism.ports]
    own = [mechanism.marker_of(wheel) for wheel in mechanism.wheels]
    wheels = [
        names.index(f"wheel.{wheel.name}" if marker is None else marker.name)
        for wheel, marker in zip(mechanism.wheels, own, strict=True)
    ]
    return tuple(dict.fromkeys((*ports, *wheels)))


def grouped(names: Sequence[str]) -> list[str]:
    """Names of loads in as few words: "joint.A.F[1], F[2]" for those of one joint."""
    found: dict[str, list[str]] = {}
    for name in names:
        part, _, last = name.rpartition(".")
        found.setdefault(part, []).append(last)
    return [f"{part}.{', '.join(own)}" for part, own in found.items()]


def undefined_lines(mechanism: Mechanism, topology: Topology, undefined: tuple[UndefinedLoad, ...]) -> tuple[str, ...]:
    """Which loads are not defined, why, and what would define them: a line for those of the same loops."""
    chords = topology.closings(mechanism)
    lines = []
    for closed_by in dict.fromkeys(load.closed_by for load in undefined):
        names = [load.opening.name for load in undefined if load.closed_by == closed_by]
        around = [topology.loop_joints(mechanism, chords.index(name)) for name in closed_by if name in chords]
        joints = ", ".join(dict.fromkeys(joint for loop in around for joint in loop)) or ", ".join(closed_by)
        count = next(load.repeated for load in undefined if load.closed_by == closed_by)
        lines.append(
            f"{'; '.join(grouped(names))}. The loop of {joints} holds these directions more than once, so nothing "
            f"tells how its joints share what they carry. Joints with {count} freedom{'s' * (count != 1)} more in that "
            "loop would (in place of a hinge a ball has two more, a cylindrical joint one), or stiff directions with "
            "bushings."
        )
    return tuple(lines)


def _above(change: Array) -> Axes:
    return tuple(int(k) for k in np.flatnonzero(change > ZERO))


def _union(a: Axes, b: Axes) -> Axes:
    return tuple(sorted({*a, *b}))
