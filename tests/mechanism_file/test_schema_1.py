"""Mechanism files of schema 1 keep their meaning: those in schema_1 say what was recorded when they were added.

python tests/mechanism_file/test_schema_1.py        writes the records of new files
"""

import json
import tomllib
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from precompute.mechanism_file import load, to_document
from precompute.mechanism_file.json_schema import json_schema

FOLDER = Path(__file__).with_name("schema_1")
FILES = sorted(FOLDER.glob("*.toml"))
SCHEMA = json_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
ROUND_OFF = 1e-12
"""Relative to the largest of some numbers; square roots and products of other processors may differ by this much."""
FITTED = {"keys_element_fit": 1e-5, "keys_element_beside": 1e-5}
"""Files with numbers that an optimizer finds."""

NEVER = {f"FreeEntry.{key}" for key in ("stiff", "stiff_axes", "axis", "second", "load", "load_axes")}
"""Keys that the schema has for all joints, but no file can use: a free joint locks nothing, and carries nothing."""


def flat(document: Any, at: str = "") -> dict[str, Any]:
    """A document as places and what stands there."""
    if isinstance(document, list) and document and isinstance(document[0], dict):
        document = {str(number + 1): item for number, item in enumerate(document)}
    if not isinstance(document, dict):
        return {at: document}
    return {place: x for key, value in document.items() for place, x in flat(value, f"{at}.{key}".lstrip(".")).items()}


def same(a: Any, b: Any, round_off: float) -> bool:
    """Equality but for round-off."""
    x, y = np.array(a), np.array(b)
    if x.dtype.kind == y.dtype.kind == "f" and x.shape == y.shape:
        return bool(np.abs(x - y).max(initial=0.0) <= round_off * np.abs(x).max(initial=0.0))
    return type(a) is type(b) and a == b


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_still_means_what_it_meant(file):
    recorded, now = json.loads(file.with_suffix(".json").read_text(encoding="utf-8")), meaning(file)
    differences = [
        f"{at}: was {recorded.get(at, 'nothing')}, is {now.get(at, 'nothing')}"
        for at in dict.fromkeys((*recorded, *now))
        if at not in recorded or at not in now or not same(recorded[at], now[at], FITTED.get(file.stem, ROUND_OFF))
    ]
    assert not differences, "\n".join([f"{file.name} means something else now:", *differences])
    assert list(recorded) == list(now), "its parts come in another order"


def meaning(file: Path) -> dict[str, Any]:
    """What a file means; of ready types of elements its numbers: which formulas these go into may become better.

    How far hinges are drawn counts only where the file says it: it is for pictures alone.
    """
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    typed = {name: entry for name, entry in document.get("elements", {}).items() if "type" in entry}
    drawn = any("reach" in joint for joint in document.get("joints", {}).values())
    found = {at: x for at, x in flat(to_document(load(file))).items() if given(at.split("."), typed)}
    return {at: x for at, x in found.items() if drawn or not at.endswith(".reach")}


def given(place: list[str], typed: dict[str, Any]) -> bool:
    """Whether a place is none of a ready type, or tells what the file says of it."""
    if place[0] != "elements" or place[1] not in typed:
        return True
    keys = {*typed[place[1]], "rate_1", "rate_2", "time_1", "time_2", "stiffness"}
    number = place[2] in ("parameters", "inputs") and (place[3] in keys or f"{place[3]}_start" in keys)
    return place[2] == "on" or (number and place[-1] in ("value", "start", "unit"))


def resolved(node: dict[str, Any], entry: str) -> tuple[dict[str, Any], str]:
    """What a reference leads to, and the name of that entry."""
    if "$ref" not in node:
        return node, entry
    name, *below = node["$ref"].removeprefix("#/$defs/").split("/")
    return reduce(lambda at, key: at[key], below, SCHEMA["$defs"][name]), name


def choices(node: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The values that a node lists, each as a text and itself."""
    listed = node.get("enum", [node["const"]] if "const" in node else [])
    yield from ((f"{value!r} of {listed}", value) for value in listed)


def writing(option: dict[str, Any]) -> str:
    """One of several ways to write something; the same wherever it occurs."""
    return "written as " + json.dumps({key: value for key, value in option.items() if key != "description"})


def offered(node: dict[str, Any], entry: str) -> set[str]:
    """All keys, choices and ways of writing below a node of the schema."""
    node, entry = resolved(node, entry)
    found = {text for text, _ in choices(node)}
    for key, value in node.get("properties", {}).items():
        found |= {f"{entry}.{key}"} | offered(value, entry)
    for option in (*node.get("anyOf", ()), *node.get("oneOf", ())):
        found |= {writing(option)} | offered(option, entry)
    for inner in (*node.get("patternProperties", {}).values(), *([node["items"]] if "items" in node else [])):
        found |= offered(inner, entry)
    return found


def used(node: dict[str, Any], entry: str, value: Any) -> set[str]:
    """Those of them that a value uses."""
    node, entry = resolved(node, entry)
    found = {text for text, choice in choices(node) if type(choice) is type(value) and choice == value}
    for option in (*node.get("anyOf", ()), *node.get("oneOf", ())):
        if VALIDATOR.evolve(schema={**option, "$defs": SCHEMA["$defs"]}).is_valid(value):
            found |= {writing(option)} | used(option, entry, value)
    if isinstance(value, dict):
        for key, inner in value.items():
            known = node.get("properties", {}).get(key)
            found |= {f"{entry}.{key}"} | used(known, entry, inner) if known else set()
            for pattern in node.get("patternProperties", {}).values():
                found |= used(pattern, entry, inner)
    if isinstance(value, list) and "items" in node:
        found |= {text for item in value for text in used(node["items"], entry, item)}
    return found


def test_the_files_use_every_key_every_choice_and_every_way_of_writing():
    everything = {text for file in FILES for text in used(SCHEMA, "file", tomllib.loads(file.read_text("utf-8")))}
    missing = offered(SCHEMA, "file") - everything
    assert missing == NEVER, "add a file to schema_1 that uses them"


def main() -> None:
    """Record what new files mean; a record that is there is never written again."""
    for file in FILES:
        record = file.with_suffix(".json")
        if not record.exists():
            lines = (f"{json.dumps(at)}: {json.dumps(value)}" for at, value in meaning(file).items())
            record.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
