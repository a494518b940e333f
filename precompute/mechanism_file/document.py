"""The document behind a mechanism: what it was read from, where its points are, how it differs from another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

import numpy as np

from precompute.geometry.placement import Placement, mirror
from precompute.mechanism_file.file_places import DIGITS
from precompute.mechanism_file.mirroring import Images, mirror_plane
from precompute.mechanism_file.reading import checked, parse_document
from precompute.mechanism_file.schema.document import MechanismFile
from precompute.mechanism_file.schema.toml_text import Path, value_text
from precompute.mechanism_file.store import source_hash
from precompute.mechanism_file.writing import to_document
from precompute.model.mechanism import Axes, Mechanism


def document_of(mechanism: Mechanism) -> dict[str, Any]:
    """The document that a mechanism was read from, points of other files in it; one made anew if it says otherwise.

    It does so where the mechanism was put together, or changed after it was read.
    """
    if mechanism.source is not None:
        document = deepcopy(dict(mechanism.source))
        if source_hash(parse_document(document)) == source_hash(mechanism):
            return document
    return to_document(mechanism)


def entries_of(document: Mapping[str, Any]) -> tuple[MechanismFile, Images]:
    """The checked entries of a valid document, and what has mirror images."""
    file, images, _ = checked(dict(document), [])
    return file, images


def points_of(document: Mapping[str, Any], axes: Axes) -> dict[str, list[float]]:
    """The points of a valid document, mirror images too, in its own units."""
    own = {name: [float(x) for x in p] for name, p in document.get("points", {}).items()}
    if "mirror" not in document:
        return own
    _, images = entries_of(document)
    there = mirror_of(document, axes)
    mirrored = {image: there.point(np.array(own[name])).tolist() for name, image in images["points"].items()}
    return mirrored | own


def mirror_of(document: Mapping[str, Any], axes: Axes) -> Placement:
    """The mirror of a document that has one."""
    return mirror(mirror_plane(document["mirror"].get("plane"), axes.left))


def differences(path: Path, old: Any, new: Any) -> Iterator[tuple[Path, str | None]]:
    """Places in a document and what is to be written there; None where something is to go."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in (*old, *(key for key in new if key not in old)):
            if key not in new:
                yield (*path, key), None
            elif key not in old:
                yield (*path, key), value_text(short(new[key]))
            else:
                yield from differences((*path, key), old[key], new[key])
    elif isinstance(old, list) and isinstance(new, (list, tuple)) and len(old) == len(new):
        for i, (a, b) in enumerate(zip(old, new, strict=True)):
            yield from differences((*path, i), a, b)
    elif old != new or isinstance(old, bool) != isinstance(new, bool):
        yield path, value_text(short(new))


def short(value: Any) -> Any:
    """A value without the digits that rounding has made of its numbers."""
    if isinstance(value, Mapping):
        return {key: short(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [short(each) for each in value]
    if not isinstance(value, float):
        return value
    number = float(f"{value:.{DIGITS}g}")
    return int(number) if number.is_integer() else number
