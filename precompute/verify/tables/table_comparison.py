"""Tables beside their witness: every number that a chart holds, the exact one, and the largest error that passes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from fmu_src.model.reduced_model import Element, ReducedModel
from fmu_src.model.rows import inertia_rows
from precompute.arrays import Array
from precompute.coordinates.candidates import candidates
from precompute.model.mechanism import Measure, Mechanism
from precompute.verify.tables.promise import Promise
from precompute.verify.tables.table_motion import TableMotion
from precompute.verify.tables.witness import Witness

TENSOR = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""Entries of an inertia tensor in the order of its rows."""

TURN = 2.0 * np.pi


@dataclass(frozen=True, eq=False)
class Compared:
    """Some numbers of one kind at n configurations."""

    quantity: str  # what all of them are
    names: tuple[str, ...]  # m: what tells them apart, or nothing
    units: tuple[str, ...]  # m, SI
    table: Array  # (n, m)
    exact: Array  # (n, m)
    limit: Array  # (n, m)
    turns: bool = False  # whole turns are no error

    @property
    def error(self) -> Array:
        """(n, m)."""
        error = self.table - self.exact
        return np.abs((error + 0.5 * TURN) % TURN - 0.5 * TURN if self.turns else error)


@dataclass(frozen=True, eq=False)
class Side:
    """All that is compared with at one chart."""

    model: ReducedModel
    mechanism: Mechanism
    tables: TableMotion
    witness: Witness
    promise: Promise
    stirred: NDArray[np.bool_]  # (n,) where stiff coordinates move

    @property
    def names(self) -> tuple[str, ...]:
        """nz coordinates."""
        return self.tables.runtime.names

    def whole(
        self,
        quantity: str,
        names: tuple[str, ...],
        unit: str,
        rows: list[int],
        exact: tuple[Array, Array, Array],
        size: float,
        turns: bool = False,
    ) -> Iterator[Compared]:
        """Rows whose value, slopes and second derivative are known."""
        place, sizes, m = np.array(rows, dtype=np.int64), np.full(len(rows), size), len(rows)
        value, slopes, second = exact
        pace, tables, promise = self.promise.pace, self.tables, self.promise
        yield Compared(quantity, names, (unit,) * m, tables.value(place), value, promise.values(value, sizes), turns)
        fast = slopes * pace
        limit = promise.slopes(fast, value, sizes)
        along = tuple(f"{name} along {k}".strip() for name in names for k in self.names)
        flat = (len(value), -1)
        yield Compared(
            f"{quantity}, rate",
            along,
            (f"{unit}/s",) * len(along),
            (tables.slopes(place) * pace).reshape(flat),
            fast.reshape(flat),
            limit.reshape(flat),
        )
        limit = promise.seconds(second, fast, sizes, self.stirred)
        yield Compared(f"{quantity}, acceleration", names, (f"{unit}/s2",) * m, tables.second(place), second, limit)


XYZ = ("x", "y", "z")


def compared(side: Side) -> Iterator[Compared]:
    """Everything that the rows of the chart hold."""
    yield from markers(side)
    yield from measures(side)
    yield from coordinates(side)
    yield from masses(side)


def markers(side: Side) -> Iterator[Compared]:
    """Position, rotation, velocity, angular velocity and accelerations of all markers, and of wheels without one."""
    promise, nz = side.promise, len(side.names)
    for marker, rows in zip(side.mechanism.frames, side.tables.runtime.rows.markers, strict=True):
        name = f"marker.{marker.name}"
        exact = side.witness.position(marker)
        yield from side.whole(f"{name}.r", XYZ, "m", list(range(rows.r, rows.r + 3)), exact, promise.length)
        R, A, alpha = side.witness.rotation(marker)
        one, R = np.ones(9), R.reshape(-1, 9)
        table = side.tables.now.value[:, rows.R : rows.R + 9]
        entries = tuple(f"{i}{j}" for i in XYZ for j in XYZ)
        yield Compared(f"{name}, rotation", entries, ("rad",) * 9, table, R, promise.values(R, one))
        fast, size = (A * promise.pace).reshape(-1, 3 * nz), np.tile(promise.weight * promise.pace, 3)
        table = side.tables.now.value[:, rows.A : rows.A + 3 * nz] * np.tile(promise.pace, 3)
        along = tuple(f"{i} along {k}" for i in XYZ for k in side.names)
        units = ("rad/s",) * len(along)
        yield Compared(f"{name}.w", along, units, table, fast, promise.values(fast, size))
        table = side.tables.angular_acceleration(rows.A)
        limit = promise.seconds(alpha, A * promise.pace, np.ones(3), side.stirred, derivatives=2)
        yield Compared(f"{name}.w, acceleration", XYZ, ("rad/s2",) * 3, table, alpha, limit)


def measures(side: Side) -> Iterator[Compared]:
    """What springs, dampers, forces and bushings measure, and what is only read; each row once."""
    rows, mechanism = side.tables.runtime.rows, side.mechanism
    acting = zip(side.model.elements, mechanism.acting, rows.elements, strict=True)
    found: dict[int, tuple[str, Measure]] = {}
    for element, of, row in acting:
        found.setdefault(row, (element_variable(element), of))
    for read, row in zip(mechanism.read, rows.measures, strict=True):
        found.setdefault(row, (read.output, read.of))
    for row, (name, of) in found.items():
        yield from measured(side, name, of, row)


def measured(side: Side, name: str, of: Measure, row: int) -> Iterator[Compared]:
    """A measure that is a row."""
    turns = of.is_angle(side.mechanism)
    size = 1.0 if turns else side.promise.length
    return side.whole(name, ("",), of.unit(side.mechanism), [row], side.witness.measure(of), size, turns)


def element_variable(element: Element) -> str:
    """The FMU's name of what an element measures."""
    if element.direction:
        return f"{element.name}.deflection[{element.direction}]"
    if not element.laws:  # of an element with formulas
        return element.name
    return f"{element.name}.{'angle' if element.unit == 'rad' else 'length'}"


def coordinates(side: Side) -> Iterator[Compared]:
    """The model's coordinates and those of the charts that take over, where there are several charts."""
    runtime, known = side.tables.runtime, coordinate_measures(side.mechanism)
    rows = runtime.rows
    if len(side.model.charts) == 1:
        return
    for i, c in enumerate(side.model.coordinates):
        yield from measured(side, f"q.{c.name}", known[c.name], rows.c + i)
        G = rows.G + i * runtime.nz
        table = side.tables.now.value[:, G : G + runtime.nz] * side.promise.pace
        exact = side.witness.measure(known[c.name])[1][:, 0] * side.promise.pace
        size = side.promise.weight * side.promise.pace * (1.0 if c.unit == "rad" else side.promise.length)
        along = tuple(f"along {k}" for k in side.names)
        limit = side.promise.values(exact, size)
        yield Compared(f"qd.{c.name}", along, (f"{c.unit}/s",) * len(along), table, exact, limit)
    for border, first in zip(runtime.chart.borders, rows.borders, strict=True):
        for k, axis in enumerate(side.model.charts[border.chart].axes):
            yield from measured(side, f"{axis.name} beyond a border", known[axis.name], first + k)


def masses(side: Side) -> Iterator[Compared]:
    """Inertia, first moment, and where the ground moves momentum and inertia tensor."""
    promise, runtime, now, names = side.promise, side.tables.runtime, side.tables.now, side.names
    nz, rows, mass, length = len(names), runtime.rows, sum(b.mass for b in side.mechanism.bodies), promise.length
    yield from side.whole("S", XYZ, "kg m", list(rows.S), side.witness.first_moment(), length * mass)
    J = side.witness.inertia()
    largest = np.sqrt(np.abs(np.diagonal(J, axis1=1, axis2=2)).max(axis=0))  # (nz,)
    pairs = list(combinations_with_replacement(range(nz), 2))
    i, j = np.array(pairs).T
    entries = tuple(f"[{names[a]},{names[b]}]" for a, b in pairs)
    powers = np.where(promise.is_angle, 1, 0)
    units = tuple(("kg", "kg m", "kg m2")[powers[a] + powers[b]] for a, b in pairs)
    limit = promise.values(J[:, i, j], largest[i] * largest[j])
    yield Compared("J", entries, units, now.value[:, inertia_rows(nz)[i, j]], J[:, i, j], limit)
    yield inertia_forces(side, J)
    if not side.model.moving:
        return
    size = np.multiply.outer(np.repeat([length, 1.0], 3), largest * np.sqrt(mass)).ravel()
    N, table = side.witness.momentum().reshape(-1, 6 * nz), now.value[:, rows.N : rows.N + 6 * nz]
    entries = tuple(f"[{a + 1},{name}]" for a in range(6) for name in names)
    units = tuple(("kg m/s", "kg m2/s")[a < 3] for a in range(6) for _ in names)
    yield Compared("N", entries, units, table, N, promise.values(N, size))
    tensor = np.stack([side.witness.tensor()[:, a, b] for a, b in TENSOR], axis=1)
    entries, table = tuple(XYZ[a] + XYZ[b] for a, b in TENSOR), now.value[:, rows.I : rows.I + 6]
    limit = promise.values(tensor, np.full(6, length**2 * mass))
    yield Compared("I", entries, ("kg m2",) * 6, table, tensor, limit)


def inertia_forces(side: Side, J: Array) -> Compared:
    """J zdd + c of the equations of motion: slopes of J count."""
    exact, units = side.witness.inertia_force(), tuple(np.where(side.promise.is_angle, "N m", "N").tolist())
    limit = side.promise.inertia_forces(exact, J, side.stirred, side.mechanism.tables.inertia)
    along = tuple(f"along {name}" for name in side.names)
    return Compared("inertia force", along, units, side.tables.inertia_force(), exact, limit)


def coordinate_measures(mechanism: Mechanism) -> dict[str, Measure]:
    """What coordinates measure, those of the file and all that could be one."""
    found = {c.coordinate.name: c.coordinate.of for c in candidates(mechanism)}
    return found | {c.name: c.of for c in mechanism.coordinates or ()}
