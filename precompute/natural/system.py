"""The equations of a mechanism with certain coordinates given, and where its frames are.

NaturalSystem = columns x (unknown features, given coordinates), rows, carriers of frames
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.model.mechanism import GROUND, Measure, Mechanism
from precompute.natural import jets
from precompute.natural.cams.columns import Placed, sketch_cam
from precompute.natural.carrying import rotation
from precompute.natural.drawing import Carrier, Drawing, Drawn
from precompute.natural.drivers import Driver
from precompute.natural.held import Seen, draw_constraint, draw_spins, sketch_coupling
from precompute.natural.jets import Jet
from precompute.natural.joints import Links, draw_connections
from precompute.natural.measure_kinds import sketched
from precompute.natural.measuring import Pose, Poses
from precompute.natural.quadratic import quadratic_system
from precompute.natural.tangent import DrivenSystem


@dataclass(frozen=True, eq=False)
class KnownFeature:
    """A feature that is three columns of x, and where a frame has it."""

    columns: tuple[int, ...]
    frame: str
    place: Array  # (3,) in the frame's axes
    is_point: bool


@dataclass(frozen=True, eq=False)
class NaturalSystem:
    """A mechanism's equations with these drivers."""

    length: float  # [m], the unit of lengths in x
    driven: DrivenSystem
    start: Array  # (nx,) the design as drawn
    drivers: tuple[Driver, ...]  # free and driven coordinates, then stiff ones
    stiff: int  # how many of them are stiff
    carriers: tuple[Carrier, ...]  # of all frames but the ground
    known: tuple[KnownFeature, ...]  # features that are columns themselves
    links: Links
    more: bool = False  # some drivers have columns besides those that are given and those of frames
    counted: tuple[Seen | Placed, ...] = ()  # terms of couplings and places on cams, in columns of their own

    @property
    def names(self) -> tuple[str, ...]:
        """Of the drivers."""
        return tuple(d.name for d in self.drivers)

    @cached_property
    def scale(self) -> Array:
        """(nz,) makes coordinates comparable: in rad, or in units of the mechanism's size."""
        return np.array([1.0 if d.is_angle else 1.0 / self.length for d in self.drivers])

    @cached_property
    def undriven(self) -> DrivenSystem:
        """The same rows with only the stiff directions given: what the mechanism itself allows."""
        stiff = self.drivers[len(self.drivers) - self.stiff :]
        return DrivenSystem(self.driven.system, tuple(c for d in stiff for c in d.columns))

    # -- what is given ------------------------------------------------------------------------------------------------

    def given(self, z: Array) -> Array:
        """(n, ng) the given columns at z (n, nz)."""
        parts = [d.given(z[:, i]) for i, d in enumerate(self.drivers)]
        return np.concatenate([np.zeros((len(z), 0)), *parts], axis=1)

    def given_rates(self, z: Array, first: Array, second: Array, third: Array) -> tuple[Array, Array, Array]:
        """(n, ng) each, from derivatives (n, nz) of the coordinates."""
        every = [d.rates(z[:, i], first[:, i], second[:, i], third[:, i]) for i, d in enumerate(self.drivers)]
        parts = zip(*every, strict=True) if every else iter(((), (), ()))
        a, b, c = (np.concatenate([np.zeros((len(z), 0)), *part], axis=1) for part in parts)
        return a, b, c

    # -- where frames are ---------------------------------------------------------------------------------------------

    @cached_property
    def _affine(self) -> tuple[Array, Array]:
        """(4 frames, 3, nx) and (4 frames, 3): origin and three vectors of each frame from x; missing ones are zero."""
        nx = self.driven.system.nx
        M, c = np.zeros((4 * len(self.carriers), 3, nx)), np.zeros((4 * len(self.carriers), 3))
        for k, carrier in enumerate(self.carriers):
            for i, vector in enumerate((carrier.origin, *carrier.vectors)):
                for axis, component in enumerate(vector.components):
                    for columns, factor in component.terms.items():
                        if columns:
                            M[4 * k + i, axis, columns[0]] += factor
                        else:
                            c[4 * k + i, axis] += factor
        return M.reshape(-1, nx), c

    def poses(self, x: Jet) -> dict[str, Pose]:
        """All frames from x (n, nx) and its derivatives."""
        M, c = self._affine
        seen = [(d @ M.T).reshape(len(d), -1, 4, 3) for d in x]
        seen[0] = seen[0] + c.reshape(-1, 4, 3)
        n = len(x[0])
        still = (np.zeros((n, 3)), np.broadcast_to(np.eye(3), (n, 3, 3)))
        rest = [(np.zeros((n, 3)), np.zeros((n, 3, 3))) for _ in x[1:]]
        found: dict[str, Pose] = {GROUND: tuple(zip(still, *rest, strict=True))}  # type: ignore[dict-item]
        for k, carrier in enumerate(self.carriers):
            origin = tuple(self.length * d[:, k, 0] for d in seen)
            E = tuple(np.swapaxes(d[:, k, 1 : 1 + len(carrier.vectors)], 1, 2) for d in seen)
            R = rotation(carrier.E, E)
            arm = self.length * carrier.p
            found[carrier.name] = jets.plus(origin, jets.linear(R, lambda r, arm=arm: r @ arm), -1.0), R  # type: ignore[misc]
        return found

    def from_poses(self, poses: Poses, z: Array, terms: Sequence[Array] = ()) -> Array:
        """x (n, nx) of frames that stand so, the given columns at z (n, nz), terms of couplings at values (n,) each."""
        x = np.tile(self.start, (len(z), 1))
        for feature in self.known:
            (p, *_), (R, *_) = poses[feature.frame]
            x[:, feature.columns] = R @ feature.place + (p / self.length if feature.is_point else 0.0)
        for counted, value in zip(self.counted, terms, strict=True):
            x[:, list(counted.columns)] = counted.values(value, self.length)
        return self.driven.with_given(x, self.given(z))

    @cached_property
    def _handed(self) -> tuple[Array, Array]:
        """Carriers of three vectors, and the sign of their volume at design."""
        three = [k for k, c in enumerate(self.carriers) if len(c.vectors) == 3]
        return np.array(three, dtype=int), np.array([np.sign(np.linalg.det(self.carriers[k].E)) for k in three])

    def mirrored(self, x: Array) -> NDArray[np.bool_]:
        """(n,) whether some frame has turned into its mirror image: its dot products do not tell."""
        three, sign = self._handed
        M, c = self._affine
        if not len(three):
            return np.zeros(len(x), dtype=bool)
        seen = ((x @ M.T).reshape(len(x), -1, 3) + c).reshape(len(x), -1, 4, 3)[:, three, 1:]
        return np.asarray((np.linalg.det(seen) * sign <= 0.0).any(axis=1))


# -- drawing ---------------------------------------------------------------------------------------------------------


def natural_system(
    mechanism: Mechanism, coordinates: Mapping[str, Measure], stiff: Mapping[str, Measure]
) -> NaturalSystem:
    """The equations of a mechanism with free and stiff coordinates as drivers."""
    drawing = Drawing(GROUND, reference_length(mechanism))
    links, makers = draw_connections(drawing, mechanism)
    every = (*coordinates.items(), *stiff.items())
    sketches = [sketched(drawing, mechanism, links, name, of) for name, of in every]
    couplings = [sketch_coupling(drawing, mechanism, links, coupling) for coupling in mechanism.couplings]
    cams = [sketch_cam(drawing, mechanism, links, cam) for cam in mechanism.cams]
    makers += [draw_constraint(drawing, held) for held in mechanism.constraints]
    makers += draw_spins(drawing, mechanism)
    drawn = drawing.drawn()
    for maker in makers:
        drawn.add(tuple(maker(drawn)))
    made = tuple(sketch.made(drawn, drawing.length) for sketch in sketches)
    counted: tuple[Seen | Placed, ...] = tuple(
        own for sketch in couplings for own in sketch.made(mechanism, drawn, drawing.length)
    )
    counted += tuple(own for sketch in cams for own in sketch.made(drawn, drawing.length))
    start = drawn.coordinates.start
    system = quadratic_system(drawn.rows, len(start)).normalised(np.maximum(np.abs(start), 1.0))
    return NaturalSystem(
        length=drawing.length,
        driven=DrivenSystem(system, tuple(c for d in made for c in d.columns)),
        start=start,
        drivers=made,
        stiff=len(stiff),
        carriers=tuple(drawn.carriers.values()),
        known=known_features(drawing, drawn),
        links=links,
        more=bool(cams) or any(sketch.more for sketch in (*sketches, *(own for c in couplings for _, own in c.terms))),
        counted=counted,
    )


def reference_length(mechanism: Mechanism) -> float:
    """The size of the mechanism: half the longest side of the box around its joints [m]."""
    points = np.array([p for c in mechanism.connections for p in (c.p_P, c.p_C)])
    return 0.5 * float(np.ptp(points, axis=0).max()) or 1.0


def known_features(drawing: Drawing, drawn: Drawn) -> tuple[KnownFeature, ...]:
    """Features that are columns themselves, each with a frame that has it."""
    found: dict[tuple[int, ...], KnownFeature] = {}
    for frame in drawing.frames.values():
        for feature, place in frame.features.items():
            terms = [component.terms for component in drawn.at(feature).components]
            if all(list(t.values()) == [1.0] and len(next(iter(t))) == 1 for t in terms):
                columns = tuple(next(iter(t))[0] for t in terms)
                found.setdefault(columns, KnownFeature(columns, frame.name, place, feature.is_point))
    return tuple(found.values())
