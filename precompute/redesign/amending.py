"""The text of a mechanism file with other numbers in it and all else, comments too, left as it is.

    text, the document that it is to say -> text

The document has the structure of the text's own: numbers and texts differ, keys may be new.  Points that the text takes
from a file of their own are written into it, each on a line, since that file keeps what it says.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

from precompute.files import write_file
from precompute.geometry.spatial import Transform
from precompute.mechanism_file.document import differences, short
from precompute.mechanism_file.point_file import file_of_points
from precompute.mechanism_file.reading import parse_document
from precompute.mechanism_file.retouch import apply, equal, joined_places, retouched, says
from precompute.mechanism_file.schema.toml_text import Path, key_text, value_spans, value_text
from precompute.mechanism_file.store import save, text_of
from precompute.mechanism_file.writing import to_document
from precompute.model.mechanism import Mechanism


def amended(text: str, document: Mapping[str, Any]) -> str | None:
    """The text as it says `document`, or None if that cannot be had by changing values, adding keys and dropping lines.

    Args:
        text: of a valid mechanism file.
        document: of a valid mechanism, with all its points.
    """
    points = document.get("points", {})
    if file_of_points(tomllib.loads(text)) is not None:
        text = with_own_points(text, points)
    found = dict(differences((), tomllib.loads(text), document))
    changed = apply(text, {path: value for path, value in found.items() if value is not None})
    for path in (path for path, value in found.items() if value is None):
        changed = without(changed, path)
    if changed is None or not equal(to_document(parse_document(tomllib.loads(changed))), _plain(document)):
        return None
    return changed


def rewritten(
    source: FilePath, target: FilePath, document: dict[str, Any], new: Mechanism, poses: Mapping[str, Transform]
) -> bool:
    """Write a mechanism with other numbers that was then drawn anew, as the text of its file with these changed.

    Args:
        source: the file of the mechanism before.
        target: the new one.
        document: that of the mechanism before, with other numbers.
        new: the mechanism of that, drawn anew.
        poses: where each body was moved to for it.

    Returns:
        Whether the text was kept; otherwise it is written anew, as `save` does.

    Raises:
        PrecomputeError: the file cannot be written.
    """
    text = amended(text_of(source), document)
    if text is not None and not says(text, new):
        text = retouched(text, new, poses)
    if text is None:
        save(new, target)
        return False
    text = amended(text, joined_places(tomllib.loads(text))) or text
    write_file(target, text.encode("utf-8"))
    return True


def _plain(document: Mapping[str, Any]) -> dict[str, Any]:
    return to_document(parse_document(dict(document)))


def without(text: str | None, path: Path) -> str | None:
    """The text without a key that has a line of its own, or None if it has not."""
    if text is None or path not in (spans := value_spans(text)):
        return None
    start, end = spans[path]
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    alone = re.fullmatch(r'\s*"?[\w-]+"?\s*=\s*', text[first:start]) and re.match(r"\s*(#.*)?\r?$", text[end:last])
    return text[:first] + text[last + 1 :] if alone and last >= 0 else None


def with_own_points(text: str, points: Mapping[str, Any]) -> str:
    """The text with points in place of the name of the file that it takes them from."""
    named = tomllib.loads(text)["points"]
    own = set(named) if isinstance(named, dict) else set()
    place: Path = ("points", "file") if isinstance(named, dict) else ("points",)
    prefix = "" if isinstance(named, dict) else "points."
    start, end = value_spans(text)[place]
    start = text.rindex(str(place[-1]), 0, start)
    line = "\r\n" if "\r\n" in text else "\n"
    rows = [f"{prefix}{key_text(name)} = {value_text(short(p))}" for name, p in points.items() if name not in own]
    return text[:start] + line.join(rows) + text[end:]
