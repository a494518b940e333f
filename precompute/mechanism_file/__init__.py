"""The mechanism file: TOML text <-> Mechanism.

    mechanism = load("front_axle.toml")         every problem of the file in one MechanismError
    save(mechanism, "copy.toml")                in SI units; loading it gives an equal mechanism

The format is described in docs/mechanism-file.md and, for editors, in mechanism.schema.json.  A *document* is the
file's content as dicts, lists, strings and numbers.

    schema/                            the file as pydantic models: keys, kinds of values, units, checks, messages
    geometry.py, *objects.py           points, axes, frames; checked entries -> dataclasses
    mounts.py                          joints for bodies that only bushings hold
    bounds.py                          how large a file may be
    telling.py                         problems as texts
    reading.py, writing.py, store.py   document -> Mechanism, Mechanism -> document, files
    file_places.py, retouch.py         places of a file, and how they are changed in its text
    json_schema.py                     writes mechanism.schema.json
"""

from precompute.mechanism_file.reading import parse_document
from precompute.mechanism_file.store import from_document, load, loads, rewrite, save, source_hash, telling_lines
from precompute.mechanism_file.writing import coordinates_text, to_document

__all__ = [
    "coordinates_text",
    "from_document",
    "load",
    "loads",
    "parse_document",
    "rewrite",
    "save",
    "source_hash",
    "telling_lines",
    "to_document",
]
