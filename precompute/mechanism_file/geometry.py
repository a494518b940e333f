"""Points and axes of a mechanism file resolved to metres in the global frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from precompute.arrays import UNIT_ROUNDING, Array, unit_vector
from precompute.mechanism_file.schema.annotations import Axis
from precompute.mechanism_file.schema.checks import Faults, Point, fault
from precompute.units import Units

COINCIDENT = 1e-9  # [m] distance below which two points give no direction
PARALLEL = 1e-9  # sine of the angle below which two directions count as parallel
PERPENDICULAR = 1e-9  # how far the dot products of three axes given in full may be from zero

_GLOBAL = {"x": np.eye(3)[0], "y": np.eye(3)[1], "z": np.eye(3)[2]}


@contextmanager
def placed(*place: str | int) -> Iterator[None]:
    """Whatever goes wrong inside is a fault at `place`."""
    try:
        yield
    except Faults as faults:
        raise Faults(*(((*place, *inner), message) for inner, message in faults.items)) from None
    except ValueError as error:
        key = f"{place[-1]} " if place else ""
        raise fault(str(error).removeprefix(key), *place) from None


@dataclass(frozen=True)
class Geometry:
    """The units of a file and its points; a point that is faulty itself is not among them."""

    units: Units
    points: Mapping[str, Array]  # (3,) each, in G [m]

    def position(self, point: Point) -> Array:
        """(3,) in G [m].  A point that is missing here has been reported: raise without a word."""
        if not isinstance(point, str):
            return self.units.measure()(np.array(point))
        if point not in self.points:
            raise Faults()
        return self.points[point]

    def apart(self, points: Sequence[Point]) -> tuple[Array, Array]:
        """Two points that must not coincide, (3,) each in G [m]."""
        p, q = (self.position(point) for point in points)
        if (gap := float(np.linalg.norm(q - p))) < COINCIDENT:
            one, other = (f"'{point}'" if isinstance(point, str) else f"{list(point)}" for point in points)
            apart = self.units.shown(gap)
            raise fault(f"the points {one} and {other} coincide ({apart} apart): they give no direction")
        return p, q

    def direction(self, axis: Axis) -> Array:
        """(3,) in G, of any length."""
        if isinstance(axis, str):
            return -_GLOBAL[axis[1]] if axis.startswith("-") else _GLOBAL[axis]
        if isinstance(axis[0], str):
            return self._through([name for name in axis if isinstance(name, str)])
        return np.array(axis)

    def _through(self, names: list[str]) -> Array:
        """From the first point to the second, or the normal of the plane of three."""
        for pair in combinations(names, 2):
            self.apart(pair)
        p, q, *more = (self.position(name) for name in names)
        if not more:
            return q - p
        u, v = q - p, more[0] - p
        normal = np.cross(u, v)
        if np.linalg.norm(normal) <= PARALLEL * np.linalg.norm(u) * np.linalg.norm(v):
            raise fault(f"the points '{names[0]}', '{names[1]}' and '{names[2]}' lie on one line: they give no plane")
        return unit_vector(normal)

    def frame(self, x_axis: Axis, y_axis: Axis | None, z_axis: Axis | None) -> Array:
        """(3, 3) rotation whose columns are the axes; y or z is made perpendicular to x.

        With x alone, z stays as close to the global z as it can; if x itself is the global z, y does.
        """
        with placed("x_axis"):
            x = unit_vector(self.direction(x_axis))
        y = z = None
        if y_axis is not None:
            with placed("y_axis"):
                y = self.direction(y_axis)
        if z_axis is not None:
            with placed("z_axis"):
                z = self.direction(z_axis)
        if y is not None and z is not None:
            return complete_frame(x, y, z)
        if y is None and z is None:
            vertical = np.hypot(x[0], x[1]) < PARALLEL
            y, z = (_GLOBAL["y"], None) if vertical else (None, _GLOBAL["z"])
        return completed_frame(x, y, z)

    def axes(self, axis: Axis, second: Axis | None) -> Array:
        """(3, 3) axes of a joint or bushing: x along `axis`, y along `second` made perpendicular; see `frame`."""
        try:
            return settled_frame(self.frame(axis, second, None))
        except Faults as faults:
            keys = {"x_axis": "axis", "y_axis": "second", "z_axis": "axis"}
            raise Faults(*(((keys[str(at[0])], *at[1:]), text) for at, text in faults.items)) from None


def settled_frame(R: Array) -> Array:
    """The frame that completing its own x and y axes leaves as it is, bit for bit, so that they are all to be saved."""
    for _ in range(4):
        last, R = R, completed_frame(R[:, 0], R[:, 1], None)
        if np.array_equal(last, R):
            break
    return R


def completed_frame(x: Array, y: Array | None, z: Array | None) -> Array:
    """The frame of a unit vector x and one of y and z."""
    if y is not None:
        with placed("y_axis"):
            y = _perpendicular(y, x)
        return np.column_stack([x, y, unit_vector(np.cross(x, y))])
    assert z is not None
    with placed("z_axis"):
        z = _perpendicular(z, x)
    return np.column_stack([x, unit_vector(np.cross(z, x)), z])


def complete_frame(x: Array, y: Array, z: Array) -> Array:
    """The frame of three axes, which must fit."""
    R = np.column_stack([x, unit_vector(y), unit_vector(z)])
    if np.abs(R.T @ R - np.eye(3)).max() > PERPENDICULAR or np.linalg.det(R) < 0.0:
        raise fault("x_axis, y_axis and z_axis are not perpendicular and right-handed; leave out y_axis or z_axis")
    return R


def _perpendicular(vector: Array, x: Array) -> Array:
    """The unit vector in the plane of `vector` and x that is perpendicular to x; unchanged if it is that already."""
    vector = unit_vector(vector)
    along = float(vector @ x)
    rest = vector if abs(along) <= UNIT_ROUNDING else vector - along * x
    if np.linalg.norm(rest) < PARALLEL:
        raise fault("is parallel to the x axis")
    return unit_vector(rest)
