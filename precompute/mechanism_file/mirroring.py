"""Which objects of a file have mirror images, and what these are called; found before anything is built.

A body has an image if `[mirror]` says so; a joint, spring, marker ... if it is on such a body, or on what is on one,
and not on an image as well.  What is on neither stays as it is and is shared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.measures.interfaces import Kind
from precompute.mechanism_file.schema.checks import Faults, Scope, check_word
from precompute.mechanism_file.schema.element_tables import is_measure
from precompute.mechanism_file.telling import Problem

Images = Mapping[str, Mapping[str, str]]
"""By section: objects -> what their images are called."""

KINDS: dict[str, Kind] = {
    "bodies": "body",
    "joints": "joint",
    "bushings": "bushing",
    "markers": "marker",
    "wheels": "wheel",
}
"""Sections that others refer to, in an order in which what an object is on comes before it."""

ELEMENTS: tuple[str, Kind] = ("elements", "element")
"""They are on all others, and refer to one another."""

ON_THEM = (
    *("couplings", "constraints", "springs", "anti_roll_bars", "stops", "dampers", "forces", "ports", "measures"),
    *("coordinates", ELEMENTS[0]),
)
SPRINGS = ("springs", "anti_roll_bars", "stops")
_KEYS = {"parent": "body", "child": "body", "body": "body", "between": "body", "joint": "joint", "marker": "marker"}
_KEYS |= {"wheels": "wheel"}

MEASURE_KEYS = ("on", "of", "measures", "measure", "follows")
"""What stands there is a measure, or several."""

Refs = frozenset[tuple[str, str]]


def image_names(
    mirror: Any, sections: Mapping[str, Any], mounts: Mapping[str, tuple[str, str]], problems: list[Problem]
) -> Images:
    """The objects of each section that have an image.

    Args:
        mirror: the table `[mirror]` as it stands in the document; None if there is none.
        sections: of the document, as they stand in it; coordinates by name.
        mounts: joints that will be made for bodies on bushings alone, by name, with their bodies.
        problems: gets names that clash.
    """
    if not isinstance(mirror, dict) or not _good_words(mirror):
        return {}
    naming = _Naming(mirror.get("from"), mirror["to"])
    found: dict[str, dict[str, str]] = {}
    originals: set[tuple[str, str]] = set()
    images: set[tuple[str, str]] = set()
    for section in (*KINDS, *ON_THEM):
        entries = dict(_entries(sections.get(section)))
        if section == "joints":
            entries |= {name: dict(zip(("parent", "child"), pair, strict=True)) for name, pair in mounts.items()}
        choose = _chosen_elements if section == "elements" else _chosen
        chosen = choose(section, mirror, entries, naming, originals, images)
        taken = {
            name for other in (SPRINGS if section in SPRINGS else (section,)) for name in sections.get(other) or ()
        }
        found[section] = {}
        for name in chosen:
            image = naming.image(name)
            if problem := _clash(name, image, taken, naming):
                problems.append(
                    (("coordinates", "free", name) if section == "coordinates" else (section, name), problem)
                )
            found[section][name] = image or name
            kind = "spring" if section in SPRINGS else KINDS.get(section, section.removesuffix("s"))
            originals.add((kind, name))
            images.add((kind, image or ""))
    points = sections.get("points")
    named = {name: naming.image(name) for name in points} if isinstance(points, dict) else {}
    found["points"] = {name: image for name, image in named.items() if image is not None}
    if naming.word is not None and not any(found.values()):
        bodies = ", ".join(name for name, _ in _entries(sections.get("bodies")))
        text = f"nothing has the word '{naming.word}' in its name, as hub_{naming.word} has; bodies: {bodies}"
        problems.append((("mirror", "from"), text))
    return found


def mirror_plane(word: str | None, left: Array) -> int:
    """The global axis across the mirror: the one that the file names, or that of the vehicle's left."""
    return int(np.argmax(np.abs(left))) if word is None else "xyz".index(word)


class _Naming:
    """How images are called."""

    def __init__(self, word: str | None, to: str) -> None:
        self.word, self.to = word, to

    def image(self, name: str) -> str | None:
        """The name with the word replaced, or put behind; None if it has no such word."""
        if self.word is None:
            return f"{name}_{self.to}"
        words = name.split("_")
        return "_".join(self.to if w == self.word else w for w in words) if self.word in words else None


def _good_words(mirror: dict[str, Any]) -> bool:
    try:
        check_word(mirror.get("to"), Scope())
        check_word(mirror.get("from", "word"), Scope())
    except Faults:
        return False  # which the check of the table reports
    return True


def _chosen(
    section: str,
    mirror: dict[str, Any],
    entries: dict[str, Any],
    naming: _Naming,
    originals: set[tuple[str, str]],
    images: set[tuple[str, str]],
) -> list[str]:
    """The objects of a section that have an image."""
    told = mirror.get(section) if section in ("bodies", "joints") else None
    listed = {name for name in told if isinstance(name, str)} if isinstance(told, list) else set()
    if section == "bodies":
        whole = not isinstance(told, list)
        return [n for n in entries if n in listed or (whole and (naming.word is None or naming.image(n) is not None))]
    found = []
    for name, entry in entries.items():
        on = _refers(entry)
        if name in listed or (on & originals and not on & images):
            found.append(name)
    return found


def _chosen_elements(
    section: str,
    mirror: dict[str, Any],
    entries: dict[str, Any],
    naming: _Naming,
    originals: set[tuple[str, str]],
    images: set[tuple[str, str]],
) -> list[str]:
    """The same of elements, which are also on those that their formulas read, wherever these stand in the file."""
    asked = {name: element_words(entry) for name, entry in entries.items()}
    named = {("element", image) for name in entries if (image := naming.image(name)) and image not in entries}
    found: list[str] = []
    while True:
        there = originals | {("element", name) for name in found}
        now = _chosen(section, mirror, asked, naming, there, images | named)
        if now == found:
            return found
        found = now


def element_words(entry: Any) -> dict[str, Any]:
    """The table of an element, with all that it names: measures, and elements that its formulas read."""
    if not isinstance(entry, dict):
        return {}
    on = entry.get("on", {})
    measures = [on] if is_measure(on) else [*on.values()]
    texts = [text for key in ("states", "unknowns", "forces", "outputs") for text in _texts(entry.get(key))]
    owners = dict.fromkeys(f"element.{found[1]}" for text in texts for found in OWNER.finditer(text))
    return {"on": [*measures, *owners]}


OWNER = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\.[A-Za-z_]", re.ASCII)
"""Another element, in a formula."""


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, str):
        yield value


def _clash(name: str, image: str | None, taken: set[str], naming: _Naming) -> str | None:
    """What is wrong with the name of an image."""
    if image is None:
        return (
            f"has a mirror image, but no '{naming.word}' in its name that '{naming.to}' could replace; call it for "
            f"example {name}_{naming.word}"
        )
    if image in taken:
        return (
            f"its mirror image would be called '{image}', a name that is taken; take that object out of the file, or "
            "choose another word in [mirror]"
        )
    return None


def _entries(section: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(section, dict):
        yield from ((name, entry) for name, entry in section.items() if isinstance(name, str))


def _refers(entry: Any) -> Refs:
    """What an object refers to by name, as far as its table tells."""
    if not isinstance(entry, dict):
        return frozenset()
    found: set[tuple[str, str]] = set()
    for key, value in entry.items():
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and key in _KEYS:
                found.add((_KEYS[key], text.partition("[")[0]))
            elif isinstance(text, str) and key in MEASURE_KEYS:
                kind, _, rest = text.partition(".")
                found.add((kind, rest.partition(".")[0].partition("[")[0]))
            elif isinstance(text, dict) and key in MEASURE_KEYS:
                found |= _refers(text)
    return frozenset(found)
