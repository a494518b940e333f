"""The mechanism that a file with other numbers describes.

A change is written into the document as a user would edit the file, and the document is read again:

    number     the number changes
    place      a name becomes the numbers of its point; these change
    side       the place of a joint becomes a pair, one of its parent and one of its child
    turn       the axes of a joint become vectors, turned together by the rotation vector of the three changes
    derived    what the file leaves to a rule (the length of a rod, the radius of a wheel) becomes a number: what the
               rule gives with all other changes, plus its own

Points come first, so that places that bear their names begin where these have come to lie.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.design.variables import Variable, chosen, variables
from precompute.errors import MechanismError
from precompute.geometry.spatial import quaternion_exp, quaternion_rotation
from precompute.mechanism_file.document import document_of, points_of
from precompute.mechanism_file.geometry import Geometry
from precompute.mechanism_file.reading import parse_document
from precompute.model.mechanism import Mechanism, Rod
from precompute.units import Units

Document = dict[str, Any]
Changed = Iterable[tuple[Variable, float]]
"""Variables with their changes [SI]."""

Points = Mapping[str, list[float]]
"""Points in the units of the file."""


def moved(mechanism: Mechanism, changes: Mapping[str, float]) -> Mechanism:
    """The mechanism with design variables changed by so much [SI]; see `Design`, which does it many times.

    Raises:
        MechanismError: a variable is unknown, or the mechanism is faulty with the changes.
    """
    return Design.of(mechanism).moved(changes)


@dataclass(frozen=True, eq=False)
class Design:
    """A mechanism with the document that describes it."""

    mechanism: Mechanism
    document: Document

    @classmethod
    def of(cls, mechanism: Mechanism) -> Design:
        """Of a mechanism, read from a file or put together."""
        return cls(mechanism, document_of(mechanism))

    @cached_property
    def units(self) -> Units:
        """Of the document."""
        return Units(**self.document.get("units", {}))

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """All design variables by name."""
        return variables(self.mechanism, self.document, self.units)

    def chosen(self, names: Iterable[str]) -> list[Variable]:
        """Some of them.

        Raises:
            MechanismError: there are none of that name.
        """
        return chosen(self.variables, [*names], self.mechanism.name)

    def moved(self, changes: Mapping[str, float]) -> Mechanism:
        """The mechanism with design variables changed by so much [SI].

        Raises:
            MechanismError: a variable is unknown, a change not finite, or the mechanism faulty with the changes.
        """
        return self._read(self.edited(changes), changes)

    def edited(self, changes: Mapping[str, float]) -> Document:
        """The document of the same."""
        some = list(zip(self.chosen(changes), changes.values(), strict=True))
        if bad := [
            f"the change of '{v.name}' is {x}; it must be a finite number" for v, x in some if not np.isfinite(x)
        ]:
            raise MechanismError(bad, f"mechanism '{self.mechanism.name}'")
        document = deepcopy(self.document)
        for variable, change in _of_kind(some, "number"):
            _set(document, variable.path, _get(document, variable.path) + variable.scale.back(change))
        points = points_of(document, self.mechanism.axes)
        for variable, change in _of_kind(some, "place"):
            _move(document, variable, change, points)
        for variable, change in _of_kind(some, "side"):
            _move_side(document, variable, change, points)
        for path in dict.fromkeys(variable.path for variable, _ in _of_kind(some, "turn")):
            own = [(v, change) for v, change in _of_kind(some, "turn") if v.path == path]
            _turn(_get(document, path), _rotation(own), self._geometry(points))
        derived = _of_kind(some, "derived")
        if derived:
            found = self._read(document, changes)
            for variable, change in derived:
                _derive(document, variable, change, found)
        return document

    def _read(self, document: Document, changes: Mapping[str, float]) -> Mechanism:
        told = ", ".join(f"{name} changed by {self.variables[name].change(x)}" for name, x in changes.items())
        return parse_document(document, f"mechanism '{self.mechanism.name}'" + (f" with {told}" if told else ""))

    def _geometry(self, points: Points) -> Geometry:
        """Points in SI."""
        scale = self.units.measure()
        return Geometry(self.units, {name: scale(np.array(p)) for name, p in points.items()})


def _of_kind(some: Changed, kind: str) -> list[tuple[Variable, float]]:
    return [(variable, change) for variable, change in some if variable.kind == kind and change != 0.0]


# -- the document -----------------------------------------------------------------------------------------------------


def _get(document: Any, path: Iterable[str | int]) -> Any:
    for key in path:
        document = document[key]
    return document


def _set(document: Any, path: tuple[str | int, ...], value: Any) -> None:
    above = _get(document, path[:-1])
    if isinstance(above, tuple):
        above = [*above]
        _set(document, path[:-1], above)
    above[path[-1]] = value


def _shift(place: Any, i: int, variable: Variable, change: float, points: Points) -> list[float]:
    """A place by its numbers, with one of them changed."""
    p = [*points[place]] if isinstance(place, str) else [*place]
    p[i] += variable.scale.back(change)
    return p


def _move(document: Document, variable: Variable, change: float, points: Points) -> None:
    """A place, of a joint on both sides."""
    *above, key = variable.path
    if above[0] != "joints":
        _set(document, variable.path, _shift(_get(document, variable.path), variable.index, variable, change, points))
        return
    entry = _get(document, above)
    at = joint_place(entry)
    if is_pair(at):
        entry[key] = [_shift(p, variable.index, variable, change, points) for p in at]
    else:
        entry[key] = _shift(at, variable.index, variable, change, points)


def _move_side(document: Document, variable: Variable, change: float, points: Points) -> None:
    """The place of a joint, on one side."""
    entry = _get(document, variable.path[:-1])
    at = joint_place(entry)
    pair = [*at] if is_pair(at) else [at, at]
    side, i = divmod(variable.index, 3)
    pair[side] = _shift(pair[side], i, variable, change, points)
    entry["at"] = pair


def joint_place(entry: Mapping[str, Any]) -> Any:
    """Where a joint is: as its entry says it, or the first point of its axis, or the origin."""
    axis = entry.get("axis")
    named = isinstance(axis, list | tuple) and len(axis) == 2
    return entry.get("at", axis[0] if named else [0.0, 0.0, 0.0])  # type: ignore[index]


def is_pair(at: Any) -> bool:
    """Whether a place is one on the parent and one on the child."""
    return not isinstance(at, str) and len(at) == 2


def _rotation(own: Changed) -> Array:
    """The rotation of one joint's changes [rad] together."""
    vector = np.zeros(3)
    for variable, change in own:
        vector[variable.index] = change
    return quaternion_rotation(quaternion_exp(vector))


def _turn(entry: Document, R: Array, geometry: Geometry) -> None:
    """A joint that stays where it is, with its axes turned."""

    def turned(axis: Any) -> list[float]:
        return [float(x) for x in R @ geometry.direction(axis if isinstance(axis, str) else tuple(axis))]

    if "primitives" in entry:
        for each in entry["primitives"]:
            each |= {key: turned(each[key]) for key in ("rotation", "translation") if key in each}
        return
    if "at" not in entry and "axis" in entry:
        entry["at"] = joint_place(entry)
    given = {key: entry[key] for key in ("axis", "axis2", "second") if key in entry} or {"axis": "x", "second": "y"}
    entry |= {key: turned(axis) for key, axis in given.items()}


def _derive(document: Document, variable: Variable, change: float, found: Mechanism) -> None:
    """A number in place of a rule, or another number if there is one."""
    section, name, key = map(str, variable.path)
    entry = document[section][name]
    if key in entry:
        entry[key] = entry[key] + variable.scale.back(change)
        return
    if section == "joints":
        rule = next(rod.length for rod in found.connections if rod.name == name and isinstance(rod, Rod))
    else:
        rule = found.wheel(name).radius
        entry.pop("contact")
    entry[key] = variable.scale.back(rule) + variable.scale.back(change)
