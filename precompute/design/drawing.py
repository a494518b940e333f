"""Points, axes and frames of a mechanism file as functions of design variables: `mechanism_file.geometry`, as jets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from precompute.design.jets import Jet, columns, cross, dot, scaled, unit
from precompute.design.variables import Variable
from precompute.mechanism_file.geometry import PARALLEL, Geometry
from precompute.mechanism_file.schema.annotations import Axis
from precompute.mechanism_file.schema.checks import Point
from precompute.mechanism_file.schema.toml_text import Path


@dataclass(frozen=True, eq=False)
class Drawing:
    """The points of a file, and which variables move what."""

    geometry: Geometry
    points: Mapping[str, Jet]  # (3,) each; mirror images too
    variables: Sequence[Variable]
    changes: Sequence[Jet]  # () each, of the variables

    @classmethod
    def of(
        cls,
        geometry: Geometry,
        variables: Sequence[Variable],
        changes: Sequence[Jet],
        images: Mapping[str, str],
        mirror: np.ndarray,
    ) -> Drawing:
        """With the points where they are.

        Args:
            geometry: points of the file and their images.
            variables: what may change.
            changes: how much they do.
            images: points -> what their images are called.
            mirror: (3, 3) what mirrors.
        """
        plain = cls(geometry, {}, variables, changes)
        points = {name: plain.constant(p) for name, p in geometry.points.items()}
        moved = {v.path[1] for v in variables if v.path[0] == "points"}
        for name in moved:
            shift = plain.unit_steps({i: (("points", name, i), 0, "number") for i in range(3)})
            points[str(name)] += shift
            if (image := images.get(str(name))) is not None:
                points[image] += shift.linear(lambda x: x @ mirror.T)
        return cls(geometry, points, variables, changes)

    def constant(self, value: np.ndarray) -> Jet:
        """What no variable changes."""
        return self._zero.fixed(value, rank=0)

    @cached_property
    def _zero(self) -> Jet:
        """() of no variable."""
        like = self.changes[0] if self.changes else Jet.constant(np.zeros(()), 0)
        return Jet.constant(np.zeros((1,) * like.value.ndim), like.n)

    @cached_property
    def _numbers(self) -> dict[tuple[Path, int, str], int]:
        """Of the variables, by path, index and kind."""
        return {(v.path, v.index, v.kind): k for k, v in enumerate(self.variables)}

    def unit_steps(self, components: Mapping[int, tuple[Path, int, str]]) -> Jet:
        """(3,) the changes of the variables of these paths, indices and kinds; zero where there is none."""
        found = {i: self._numbers.get(asked) for i, asked in components.items()}
        return columns(*(self._zero if (k := found.get(i)) is None else self.changes[k] for i in range(3)))

    def own_place(self, path: Path) -> Jet:
        """(3,) how far an object's own variables move its place."""
        return self.unit_steps({i: (path, i, "place") for i in range(3)})

    def position(self, point: Point, path: Path) -> Jet:
        """(3,) in G, of what is given by this key."""
        given = self.points[point] if isinstance(point, str) else self.constant(self.geometry.position(point))
        return given + self.own_place(path)

    def direction(self, axis: Axis) -> Jet:
        """(3,) in G, of any length."""
        if isinstance(axis, str) or not isinstance(axis[0], str):
            return self.constant(self.geometry.direction(axis))
        p, q, *more = (self.points[str(name)] for name in axis)
        return cross(q - p, more[0] - p) if more else q - p


def frame(x: Jet, y: Jet | None = None, z: Jet | None = None) -> Jet:
    """(3, 3) as `Geometry.frame` makes it, of directions (3,) of any length."""
    x = unit(x)
    if y is not None and z is not None:
        return columns(x, unit(y), unit(z))
    if y is None and z is None:
        vertical = float(np.hypot(*x.here()[:2])) < PARALLEL
        e = x.fixed(np.eye(3)[1 if vertical else 2])
        y, z = (e, None) if vertical else (None, e)
    if y is not None:
        y = across(y, x)
        return columns(x, y, cross(x, y))
    assert z is not None
    z = across(z, x)
    return columns(x, cross(z, x), z)


def across(vector: Jet, x: Jet) -> Jet:
    """The unit vector (3,) in the plane of a vector and the unit vector x that is perpendicular to x."""
    return unit(vector - scaled(x, dot(vector, x)))


def plane_axes(normal: Jet) -> tuple[Jet, Jet]:
    """`model.joints.plane_axes` of a unit vector."""
    e = np.eye(3)[int(np.argmin(np.abs(normal.here())))]
    u = across(normal.fixed(e), normal)
    return u, cross(normal, u)
