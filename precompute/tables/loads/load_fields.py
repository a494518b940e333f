"""The fields of loads and of accelerations of markers, which are read on request alone; see `fmu_src.model.rows`.

A load is a sum of rows, each times a number that is the same for all loads.  What bodies contribute to a row is a sum
over groups of them that depend on the same table axes, a field each, as with the inertia.

    load.L.a*b.J[a]      inertia between the opening of load L and the coordinate a, of the bodies over a and b
    load.L.a*b.C[a,b]    force along it per product of the rates of a and b
    load.L.a*b.S[i]      slope of their first moment along it
    load.L.a*b.h[i]      slope of their angular momentum about the ground's origin along its rate,
    load.L.a*b.D[i,a]    moment of the ground's turning and the rate of a, and
    load.L.a*b.I[ij]     slope of their inertia tensor; all three only if the ground moves
    load.L.s.*           slope of a measure along it
    load.L.r.M[i]        the same of the position (1-3) and rotation (4-6) of a marker where forces act
    acceleration.M.J[i,a], .C[i,a,b]    slopes of position (1-3) and rotation (4-6) of marker M, and theirs

What is multiplied by two rates is of first order in deflections where both are of table axes or of the ground, which
move far, and of none where one is that of a deflection.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Protocol

from fmu_src.model.rows import LoadPlaces
from precompute.coordinates.load_dependence import Axes, LoadDependence
from precompute.kinematics.openings import Opening
from precompute.model.mechanism import Marker, Measure

Numbers = tuple[int, ...]
EXACT = 1
"""Order up to which derivatives along stiff coordinates are exact; of what is quadratic in rates none are."""


class Add(Protocol):
    """Makes a field from its name, the coordinates that it depends on and its order, and gives its number."""

    def __call__(self, name: str, depends: Axes, order: int, exact: int = EXACT) -> int:
        """Derivatives are exact up to an order; the next one is that of differences."""


TENSOR = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""Entries of the inertia tensor, in the order of the run-time."""

FREEDOMS = 6
"""Along and about the axes of the ground."""


@dataclass(frozen=True)
class LoadGroup:
    """Bodies whose motions along an opening depend on the same table axes; numbers of fields, -1 for zero."""

    bodies: Numbers  # from 0
    J: Numbers  # (nz,)
    C: Numbers  # (nz (nz + 1) / 2,)
    S: Numbers  # (3,)
    h: Numbers  # (3,) or none
    D: Numbers  # (3 nz,) row by row, or none
    I: Numbers  # noqa: E741  # (6,) or none


@dataclass(frozen=True)
class LoadFields:
    """A load."""

    opening: Opening
    groups: tuple[LoadGroup, ...]
    measures: tuple[tuple[Measure, int], ...]  # those that change
    frames: tuple[tuple[int, Numbers], ...]  # markers where forces act that move: position (3), rotation (3)

    @property
    def numbers(self) -> Numbers:
        """All fields."""
        return (*self.linear, *(n for g in self.groups for n in (*g.C, *g.D, *g.I) if n >= 0))

    @property
    def linear(self) -> Numbers:
        """All but those of products of rates."""
        groups = (n for g in self.groups for n in (*g.J, *g.S, *g.h) if n >= 0)
        return (*groups, *(n for _, n in self.measures), *(n for _, own in self.frames for n in own))


@dataclass(frozen=True)
class AccelerationFields:
    """Acceleration and angular acceleration of a marker, (6,) each."""

    frame: int  # its number
    J: tuple[Numbers, ...]  # (6, nz)
    C: tuple[Numbers, ...]  # (6, nz (nz + 1) / 2)

    @property
    def numbers(self) -> Numbers:
        """All fields."""
        return (*self.linear, *(n for part in self.C for n in part))

    @property
    def linear(self) -> Numbers:
        """All but those of products of rates."""
        return tuple(n for part in self.J for n in part)


def load_sums(load: LoadFields, places: LoadPlaces, acting: Sequence[Measure], frames: Sequence[int]) -> list[Numbers]:
    """The fields that each row of a load is the sum of.

    Args:
        load: the load.
        places: of its rows.
        acting: measures of force elements, in the order of the rows.
        frames: markers where forces act, in the order of the rows.
    """
    rows: list[Numbers] = [()] * places.count
    for group in load.groups:
        parts = (group.J, group.C, group.S, group.h, group.D, group.I)
        slices = (places.J, places.C, places.S, places.h, places.D, places.I)
        for part, where in zip(parts, slices, strict=True):
            for row, number in zip(range(where.start, where.stop), part, strict=True):
                rows[row] += (number,) * (number >= 0)
    for measure, number in load.measures:
        for e, on in enumerate(acting):
            if on.same(measure):
                rows[places.s.start + e] = (number,)
    for frame, numbers in load.frames:
        first = places.r.start + FREEDOMS * frames.index(frame)
        rows[first : first + FREEDOMS] = [(number,) for number in numbers]
    return rows


def acceleration_sums(own: AccelerationFields, places: LoadPlaces) -> list[list[Numbers]]:
    """The same of the six components of an acceleration, which have J and C alone."""
    alone: list[Numbers] = [()] * (places.count - places.C.stop)
    return [[*((number,) for number in (*J, *C)), *alone] for J, C in zip(own.J, own.C, strict=True)]


@dataclass(frozen=True)
class LoadPlan:
    """What the fields of a load are laid out from."""

    add: Add
    names: tuple[str, ...]  # nz
    nf: int
    moving: bool
    inertia: int  # order of what is made of inertia
    forces: int  # of what forces act on: slopes, so one less than that of measures and positions
    measure_name: Callable[[Measure], str]
    frames: tuple[Marker, ...]

    def load(self, load: LoadDependence, bodies: tuple[Axes, ...]) -> LoadFields:
        """The fields of a load; `bodies` are the coordinates that each body depends on."""
        name = f"load.{load.opening.name}"
        groups: dict[Axes, list[int]] = {}
        for b, depends in enumerate(load.bodies):
            if depends is not None:
                groups.setdefault(tuple(k for k in depends if k < self.nf), []).append(b)
        return LoadFields(
            opening=load.opening,
            groups=tuple(self.group(name, axes, own, load, bodies) for axes, own in groups.items()),
            measures=tuple(
                (on, self.add(f"{name}.s.{self.measure_name(on)}", depends, self.forces))
                for on, depends in load.measures
            ),
            frames=tuple(
                (i, tuple(self.add(f"{name}.r.{marker}[{c + 1}]", depends, self.forces) for c in range(FREEDOMS)))
                for i, marker, depends in ((i, self.frames[i].name, depends) for i, depends in load.frames)
            ),
        )

    def group(self, name: str, axes: Axes, own: list[int], load: LoadDependence, bodies: tuple[Axes, ...]) -> LoadGroup:
        """Those of a group of its bodies."""
        name = f"{name}.{'*'.join(self.names[k] for k in axes) or '-'}"
        depends = tuple(sorted({k for b in own for k in load.bodies[b] or ()}))
        nz, moved = range(len(self.names)), {k for b in own for k in bodies[b]}

        def put(what: str, order: int, *along: int, exact: int = EXACT) -> int:
            return self.add(f"{name}.{what}", depends, order, exact) if set(along) <= moved else -1

        threes = range(3) if self.moving else ()
        return LoadGroup(
            bodies=tuple(own),
            J=tuple(put(f"J[{self.names[j]}]", self.inertia, j) for j in nz),
            C=tuple(
                put(f"C[{self.names[i]},{self.names[j]}]", int(j < self.nf), i, j, exact=0)
                for i, j in combinations_with_replacement(nz, 2)
            ),
            S=tuple(put(f"S[{i + 1}]", self.forces) for i in range(3)),
            h=tuple(put(f"h[{i + 1}]", self.inertia) for i in threes),
            D=tuple(put(f"D[{i + 1},{self.names[j]}]", int(j < self.nf), j, exact=0) for i in threes for j in nz),
            I=tuple(put(f"I[{i + 1},{j + 1}]", 1, exact=0) for i, j in TENSOR) if self.moving else (),
        )

    def acceleration(self, number: int, depends: Axes) -> AccelerationFields:
        """The fields of the acceleration of a marker, on a body that depends on some coordinates."""
        name, nz = f"acceleration.{self.frames[number].name}", range(len(self.names))
        pairs = tuple(combinations_with_replacement(nz, 2))

        def put(what: str, order: int, exact: int = EXACT) -> int:
            return self.add(f"{name}.{what}", depends, order, exact)

        return AccelerationFields(
            frame=number,
            J=tuple(tuple(put(f"J[{c + 1},{self.names[j]}]", self.forces) for j in nz) for c in range(FREEDOMS)),
            C=tuple(
                tuple(put(f"C[{c + 1},{self.names[i]},{self.names[j]}]", int(j < self.nf), 0) for i, j in pairs)
                for c in range(FREEDOMS)
            ),
        )
