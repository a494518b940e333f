"""A draft as TOML that a person can go on with: what the import tells on top, headings, comments."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from precompute.importing.draft import Draft, tidy
from precompute.mechanism_file.schema.toml_text import key_text, value_text

WIDTH = 118

HEADINGS = {
    "points": "hardpoints: all are given once, at the design position, in one global frame",
    "bodies": "bodies; the vehicle's body is 'ground'",
    "joints": "joints and rods",
    "bushings": "bushings: rates along and about the axis, then across it",
    "springs": "springs, stops and dampers",
    "markers": "what is observed, where forces enter",
    "wheels": "wheel and axle: what kinetab kc needs",
    "coordinates": "how far it is moved",
}
"""By the first section below a heading."""

ORDER = (
    "bodies joints bushings springs stops dampers markers ports wheels axles vehicle coordinates tables experiment"
).split()


def drafted_text(draft: Draft, origin: str) -> str:
    """The mechanism file.

    Args:
        draft: complete.
        origin: the file and its format, in words.
    """
    lines = [f"# Imported by kinetab from {origin}."]
    for note in draft.notes.lines():
        lines += textwrap.wrap(_plain(note), WIDTH, initial_indent="#   ", subsequent_indent="#     ")
    lines += ["#", "# ISO 8855 axes: x forward, y left, z up. Millimetres, kilograms, degrees, newtons."]
    document = draft.document()
    for key in ("schema", "name", "description", "units", "gravity"):
        lines.append(f"{key} = {value_text(document[key])}")
    lines += ["", *_heading("points"), "[points]"]
    for name, place in document["points"].items():
        lines.append(f"{key_text(name)} = {value_text(place)}{_behind(draft, 'points', name)}")
    for section in ORDER:
        if section in document:
            lines += _heading_of(section) + list(_section(draft, section, document[section]))
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """On one line, and without what TOML forbids in comments: names come from files of others."""
    return "".join(character if character.isprintable() else " " for character in text)


def _heading(section: str) -> list[str]:
    title = f"# -- {HEADINGS[section]} "
    return [title.ljust(WIDTH + 2, "-")]


def _heading_of(section: str) -> list[str]:
    return ["", *_heading(section)] if section in HEADINGS else []


def _behind(draft: Draft, section: str, name: str) -> str:
    comment = draft.comments.get((section, name))
    return f" # {_plain(comment)}" if comment else ""


def _section(draft: Draft, section: str, objects: dict[str, dict[str, object]]) -> Iterator[str]:
    first = section in HEADINGS
    if section in ("vehicle", "tables", "experiment"):
        yield from ("", f"[{section}]")
        yield from (f"{key} = {value_text(tidy(value))}" for key, value in objects.items())
        return
    inner = objects["free"] if section == "coordinates" else objects
    head = "coordinates.free" if section == "coordinates" else section
    for name, entry in inner.items():
        assert isinstance(entry, dict)
        yield from [] if first else [""]
        first = False
        yield f"[{head}.{key_text(name)}]{_behind(draft, section, name)}"
        yield from (f"{key} = {value_text(value)}" for key, value in entry.items())
