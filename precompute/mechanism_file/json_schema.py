"""What is written from the description of the mechanism file: its JSON Schema, and the list of measures in its page.

python -m precompute.mechanism_file.json_schema        writes mechanism.schema.json beside this file, and the list
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from precompute.mechanism_file.schema.document import MechanismFile
from precompute.mechanism_file.schema.measure_words import OWNED_SHOWN, OWNED_TEXT, WORDS
from precompute.mechanism_file.schema.values import SAME_AS

SCHEMA_FILE = Path(__file__).with_name("mechanism.schema.json")
PAGE = Path(__file__).parents[2] / "docs" / "mechanism-file.md"
MEASURES = re.compile(r"(?<=<!-- measures; see json_schema.py -->).*?(?=<!-- end of measures -->)", re.S)

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
    """The page about the mechanism file, with the list of measures as it is now."""
    rows = [(words.shown, words.text, words.unit) for words in WORDS]
    rows += [(OWNED_SHOWN, OWNED_TEXT, "as that measure")]
    lines = ["", "", "| Written | Measures | Unit |", "|---|---|---|"]
    lines += [f"| `{shown}` | {what} | {unit} |" for shown, what, unit in rows]
    return MEASURES.sub(lambda _: "\n".join([*lines, "", ""]), text)


def main() -> None:
    """Write the schema file, and the list."""
    SCHEMA_FILE.write_text(json.dumps(json_schema(), indent=2) + "\n", encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
