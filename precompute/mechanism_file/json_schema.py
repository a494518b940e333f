"""What is written from the description of the mechanism file: its JSON Schema, and lists in its pages.

python -m precompute.mechanism_file.json_schema        writes mechanism.schema.json beside this file, and the lists
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from precompute.device_types import TYPES
from precompute.formulas.syntax import FUNCTIONS
from precompute.mechanism_file.schema.document import MechanismFile
from precompute.mechanism_file.schema.measure_words import OWNED_SHOWN, OWNED_TEXT, WORDS
from precompute.mechanism_file.schema.type_tables import default_text, key_text
from precompute.mechanism_file.schema.values import SAME_AS

SCHEMA_FILE = Path(__file__).with_name("mechanism.schema.json")
PAGES = tuple(Path(__file__).parents[2] / "docs" / f"{name}.md" for name in ("mechanism-file", "elements"))

REFERENCES = {SAME_AS: "$ref"}


def json_schema() -> dict[str, Any]:
    """The JSON Schema of the file, for editors and for validators of other languages."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "kinetab mechanism file"}
    return head | _tidy(MechanismFile.model_json_schema())


def _tidy(node: Any) -> Any:
    """Take out what TOML does not have (null) and the names of classes; forbid names that do not fit the pattern."""
    if isinstance(node, list):
        return [_tidy(item) for item in node]
    if not isinstance(node, dict):
        return node
    dropped = [("default", None), ("title", node.get("title"))]
    tidy = {REFERENCES.get(key, key): _tidy(value) for key, value in node.items() if (key, value) not in dropped}
    options = [option for option in tidy.get("anyOf", ()) if option != {"type": "null"}]
    if len(options) == 1:
        del tidy["anyOf"]
        tidy |= options[0]
    if "patternProperties" in tidy:
        tidy["additionalProperties"] = False
    return tidy


def page(text: str) -> str:
    """A page with all lists that it has as they are now: measures, functions of formulas, ready types of elements."""
    for what, made in (("measures", measures), ("functions", functions), ("types", types)):
        between = re.compile(rf"(?<=<!-- {what}; see json_schema.py -->).*?(?=<!-- end of {what} -->)", re.S)
        text = between.sub(lambda _, made=made: "\n".join(["", "", *made(), "", ""]), text)  # type: ignore[misc]
    return text


def measures() -> list[str]:
    """How the file writes them."""
    rows = [(words.shown, words.text, words.unit) for words in WORDS]
    rows += [(OWNED_SHOWN, OWNED_TEXT, "as that measure")]
    return [
        "| Written | Measures | Unit |",
        "|---|---|---|",
        *(f"| `{shown}` | {what} | {unit} |" for shown, what, unit in rows),
    ]


def functions() -> list[str]:
    """What formulas may call."""
    arguments = {1: "x", 2: "a, b", 3: "condition, a, b", -2: "a, b, ..."}
    own = {"atan2": "y, x", "sign": "x, w"}
    rows = [(f"{name}({own.get(name, arguments[count])})", text) for name, (count, text) in FUNCTIONS.items()]
    return ["| Function | |", "|---|---|", *(f"| `{shown}` | {text} |" for shown, text in rows)]


def types() -> list[str]:
    """Ready types with their diagrams and keys."""
    lines = []
    for kind in TYPES.values():
        keys = [f"| `{key.name}` | {key_text(key)} | {default_text(key)} |" for key in kind.keys]
        diagram = kind.diagram.strip("\n").splitlines()
        lines += [f"### `{kind.name}`", "", kind.text, "", "```", *diagram, "```", ""]
        if len(kind.measures) > 1:
            words = {"m": "length", "rad": "angle"}
            on = [f"| `{m.symbol}` | {m.text} | {words[m.unit]} |" for m in kind.measures]
            lines += ["| Measure | | |", "|---|---|---|", *on, ""]
        lines += ["| Key | Meaning | Default |", "|---|---|---|", *keys, ""]
    return lines[:-1]


def main() -> None:
    """Write the schema file, and the lists."""
    SCHEMA_FILE.write_text(json.dumps(json_schema(), indent=2) + "\n", encoding="utf-8")
    for file in PAGES:
        file.write_text(page(file.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
