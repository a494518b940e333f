"""A mechanism drawn as points and unit vectors that frames share.

A frame is a body, or a massless one inside a joint.  Its features are points and vectors, known in its own axes, which
are those of the ground at design.  Joints give features to two frames at once; that is all that joins them.

Of a frame with points P_0, P_1, ... and vectors u_j, r <= 3 of P_i - P_0 and u_j carry it, chosen by pivoted QR:

    e_a . e_b = constant                  r (r + 1)/2 rows                                              (1)
    P_i = P_0 + sum_a c_a e_a, u_j = sum_a c_a e_a    for all others, a fixed combination               (2)

The combinations are linear, with one number for all three components, and are solved for as many features as they
determine: these are no unknowns any more.  Lengths are counted in units of a length of the mechanism's size.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import qr, solve_triangular

from precompute.arrays import Array
from precompute.errors import AssemblyError
from precompute.natural.expressions import Coordinates, Polynomial, Vector, combination, constant
from precompute.natural.rows import Row, held_dot

RANK_TOLERANCE = 1e-10
"""Pivots below this part of the largest one count as zero, or below this length."""

WEAK = 0.2
"""Pivots below this, in units of the mechanism's size, call for a vector of the frame's own."""

ROUNDING = 1e-12
"""Factors of a row below this are what is left of terms that cancel: all others are about one."""

AGREE = 1e-8
"""Rows without unknowns must agree to this, in units of the mechanism's size."""


@dataclass(frozen=True)
class Feature:
    """A point or a vector that frames share, by its number."""

    number: int
    is_point: bool


@dataclass
class Frame:
    """A body with the features it has so far: each with its place in the frame's own axes."""

    name: str
    features: dict[Feature, Array] = field(default_factory=dict)
    turns: bool = True  # has an orientation; a link between two balls has none about its own line

    @property
    def points(self) -> list[Feature]:
        """Its points."""
        return [f for f in self.features if f.is_point]


@dataclass(frozen=True, eq=False)
class Carrier:
    """How a frame is carried: a point and r vectors, as expressions and in the frame's own axes."""

    name: str
    origin: Vector
    p: Array  # (3,) the origin in the frame's axes, in units of length
    vectors: tuple[Vector, ...]  # r of them
    E: Array  # (3, r) the same in the frame's axes


class Drawing:
    """Frames and features while they are being drawn; then columns, rows and carriers."""

    def __init__(self, ground: str, length: float) -> None:
        self.ground = ground
        self.length = length
        self.frames: dict[str, Frame] = {ground: Frame(ground)}
        self.names: list[str] = []
        self.start: list[Array] = []  # of each feature at design

    def frame(self, name: str) -> Frame:
        """The frame of that name, a new one if there is none."""
        return self.frames.setdefault(name, Frame(name))

    def point(self, name: str, *frames: tuple[str, Array]) -> Feature:
        """A point of one or more frames, at p (3,) [m] of each."""
        return self._feature(name, True, [(f, p / self.length) for f, p in frames])

    def vector(self, name: str, *frames: tuple[str, Array]) -> Feature:
        """A vector of one or more frames."""
        return self._feature(name, False, list(frames))

    def _feature(self, name: str, is_point: bool, frames: list[tuple[str, Array]]) -> Feature:
        feature = Feature(len(self.names), is_point)
        self.names.append(name)
        self.start.append(np.mean([place for _, place in frames], axis=0))
        for frame, place in frames:
            self.frame(frame).features[feature] = np.asarray(place, dtype=float)
        return feature

    def own(self, frame: str, name: str, place: Array, is_point: bool) -> Feature:
        """A feature of a frame: one that it has already there, else a new one."""
        at = place / self.length if is_point else place
        for feature, known in self.frame(frame).features.items():
            if feature.is_point == is_point and np.array_equal(known, at):
                return feature
        return self._feature(name, is_point, [(frame, at)])

    def drawn(self) -> Drawn:
        """Columns for what is unknown, (1) as rows, (2) solved."""
        for frame in self.frames.values():
            if frame.turns and frame.name != self.ground:
                self._complete(frame)
        shapes = {name: shape(frame) for name, frame in self.frames.items() if name != self.ground}
        kept, factors, constants = self._solved(list(shapes.values()))
        coordinates = Coordinates()
        unknown = [coordinates.vector(self.names[k], self.start[k]) for k in kept]
        features = [combination([*factors[k], 1.0], [*unknown, constant(constants[k])]) for k in range(len(self.names))]
        rows: list[Row] = []
        carriers = {}
        for name, s in shapes.items():
            origin = features[s.origin.number]
            vectors = tuple(features[b.number] - origin if b.is_point else features[b.number] for b in s.base)
            carriers[name] = Carrier(name, origin, s.p, vectors, s.E)
            rows += shape_rows(name, vectors, s.E)
        drawn = Drawn(coordinates, features, carriers)
        drawn.add(rows)
        return drawn

    def _complete(self, frame: Frame) -> None:
        """Vectors of its own for a frame whose features tell not, or hardly, how it is turned.

        One that lies almost in the plane of the others would carry it badly; with a vector across that plane it is a
        combination like any other.
        """
        s = shape(frame)
        Q, R = np.linalg.qr(s.E, mode="complete")
        size = np.abs(np.diag(R))
        for i in range(max(2, len(size))):
            if i >= len(size) or size[i] < WEAK:
                self._feature(f"{frame.name} own {i}", False, [(frame.name, Q[:, i])])

    def _solved(self, shapes: list[Shape]) -> tuple[list[int], Array, Array]:
        """All combinations (2), solved for as many features as they determine.

        Returns:
            kept: features that stay unknown.
            factors: (number of features, number kept).
            constants: (number of features, 3); feature = factors @ kept + constants.
        """
        n = len(self.names)
        fixed = self.frames[self.ground].features
        left = [row for s in shapes for row in s.combinations(n)]
        A = np.array([*left, *(np.eye(n)[f.number] for f in fixed)]).reshape(-1, n)
        b = np.vstack([np.zeros((len(left), 3)), *(place[None] for place in fixed.values())])
        Q, R, order = qr(A, pivoting=True)
        pivots = np.abs(np.diag(R))
        rank = int((pivots > RANK_TOLERANCE * max(pivots[0], 1.0)).sum()) if len(pivots) else 0
        rest = Q.T @ b
        if np.abs(rest[rank:]).max(initial=0.0) > AGREE:
            raise AssemblyError("points that joints share with the ground do not lie on it at the same time")
        determined, kept = order[:rank], order[rank:]
        factors, constants = np.zeros((n, len(kept))), np.zeros((n, 3))
        factors[determined] = -solve_triangular(R[:rank, :rank], R[:rank, rank:])
        constants[determined] = solve_triangular(R[:rank, :rank], rest[:rank])
        factors[kept] = np.eye(len(kept))
        factors[np.abs(factors) < RANK_TOLERANCE] = 0.0
        return kept.tolist(), factors, constants


@dataclass(frozen=True, eq=False)
class Shape:
    """What of a frame's features carries it."""

    name: str
    features: dict[Feature, Array]
    origin: Feature
    p: Array  # (3,) the origin in the frame's axes
    base: tuple[Feature, ...]
    E: Array  # (3, r) P_i - P_0 or u_j of the base, in the frame's axes

    def combinations(self, n: int) -> list[Array]:
        """(2) as rows over all n features, whose sum is zero."""
        rows = []
        for feature, place in self.features.items():
            if feature in (self.origin, *self.base):
                continue
            relative = place - self.p if feature.is_point else place
            c = np.linalg.lstsq(self.E, relative, rcond=None)[0] if self.base else np.zeros(0)
            row = np.zeros(n)
            row[feature.number] = 1.0
            if feature.is_point:
                row[self.origin.number] -= 1.0
            for factor, b in zip(c, self.base, strict=True):
                row[b.number] -= factor
                if b.is_point:
                    row[self.origin.number] += factor
            rows.append(row)
        return rows


def shape(frame: Frame) -> Shape:
    """Its carrying vectors, chosen by pivoted QR."""
    if not frame.points:
        raise AssertionError(f"frame '{frame.name}' has no point")
    origin = frame.points[0]
    p = frame.features[origin]
    others = [f for f in frame.features if f != origin]
    vectors = np.array([frame.features[f] - p * f.is_point for f in others]).reshape(-1, 3).T
    if not others:
        return Shape(frame.name, frame.features, origin, p, (), np.zeros((3, 0)))
    _, R, order = qr(vectors, mode="economic", pivoting=True)
    rank = int((np.abs(np.diag(R)) > RANK_TOLERANCE).sum())
    chosen = order[:rank]
    return Shape(frame.name, frame.features, origin, p, tuple(others[i] for i in chosen), vectors[:, chosen])


def shape_rows(name: str, vectors: tuple[Vector, ...], E: Array) -> list[Row]:
    """(1)."""
    pairs = [(a, b) for a in range(len(vectors)) for b in range(a, len(vectors))]
    dots = [held_dot(f"body '{name}'", vectors[a], vectors[b], float(E[:, a] @ E[:, b])) for a, b in pairs]
    return [row for rows in dots for row in rows]


@dataclass
class Drawn:
    """The drawing as columns and rows; joints and drivers add theirs."""

    coordinates: Coordinates
    features: list[Vector]
    carriers: dict[str, Carrier]
    rows: list[Row] = field(default_factory=list)

    def at(self, feature: Feature) -> Vector:
        """A feature as an expression."""
        return self.features[feature.number]

    def add(self, rows: list[Row] | tuple[Row, ...]) -> None:
        """Rows without the rounding of terms that cancel; of those without unknowns it is only seen that they hold."""
        for row in rows:
            terms = {key: value for key, value in row.polynomial.terms.items() if not key or abs(value) > ROUNDING}
            if any(terms) or row.bent:
                self.rows.append(Row(row.label, Polynomial(terms), row.bent))
            elif abs(terms.get((), 0.0)) > AGREE:
                raise AssemblyError(f"{row.label} cannot be held as its points and axes are given")
