"""What couplings and constraints of a file should say once its mechanism is drawn anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from precompute.geometry.spatial import Transform
from precompute.mechanism_file.file_places import SAME, Item, Place, Value, Way, measured_items, rounded
from precompute.mechanism_file.geometry import Geometry
from precompute.mechanism_file.schema.toml_text import Path
from precompute.model.mechanism import Constraint, Coupling, Mechanism


def held_items(
    document: Mapping[str, Any], new: Mechanism, old: Geometry, poses: Mapping[str, Transform]
) -> Iterator[Item]:
    """Everything of couplings and constraints that has to do with places."""
    couplings, constraints = {c.name: c for c in new.couplings}, {c.name: c for c in new.constraints}
    for name, entry in document.get("couplings", {}).items():
        yield from _coupling(("couplings", name), entry, couplings[name], new, old, poses)
    for name, entry in document.get("constraints", {}).items():
        yield from _constraint(("constraints", name), entry, constraints[name])


def _coupling(
    path: Path,
    entry: Mapping[str, Any],
    coupling: Coupling,
    new: Mechanism,
    old: Geometry,
    poses: Mapping[str, Transform],
) -> Iterator[Item]:
    """Points and axes of its measures, and the rows of its table."""
    keys = (
        [("measures", i) for i in range(len(entry["measures"]))]
        if "measures" in entry
        else [("measure",), ("follows",)]
    )
    for key, of in zip(keys, coupling.of.made_of, strict=True):
        written: Any = entry
        for word in key:
            written = written[word]
        yield from measured_items((*path, *key), written, of, old, poses)
    if "table" not in entry:
        return
    following, followed = coupling.of.made_of
    curve = coupling.of.parts[-1].curve
    assert curve is not None, "what has a table follows it"
    columns = (new.units.measure(of.is_angle(new)) for of in (followed, following))
    rows = np.column_stack([scale.back(x) for scale, x in zip(columns, (curve.x, curve.y), strict=True)])
    size = float(np.abs(rows).max())
    if np.abs(rows - np.array(entry["table"], dtype=float)).max() > SAME * size:
        yield Value((*path, "table"), [rounded(row, size) for row in rows])


def _constraint(path: Path, entry: Mapping[str, Any], held: Constraint) -> Iterator[Item]:
    at = entry.get("at")
    if isinstance(at, list) and len(at) == 2:
        yield Place((*path, "at", 0), at[0], held.p_P)
        yield Place((*path, "at", 1), at[1], held.p_C)
    elif at is not None:
        yield Place((*path, "at"), at, held.p_C)
    for key, direction, body in (("axis", held.axis, held.parent), ("axis2", held.axis2, held.child)):
        if key in entry:
            yield Way((*path, key), entry[key], direction, body)
