"""The JSON Schema and the reference page of the mechanism file."""

import json
import re
import tomllib

import jsonschema
import pytest
from helpers import ROOT

from precompute.mechanism_file import loads
from precompute.mechanism_file.json_schema import PAGES, SCHEMA_FILE, json_schema, page

SCHEMA = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
TEXT = (ROOT / "tests" / "demo.toml").read_text(encoding="utf-8")
TEXTS = [file.read_text(encoding="utf-8") for file in PAGES]
EXAMPLE = re.findall(r"```toml\n(.*?)```", TEXTS[0], re.DOTALL)[0]


def test_schema_file_is_up_to_date() -> None:
    assert json_schema() == SCHEMA, "run: python -m precompute.mechanism_file.json_schema"


def test_lists_in_the_pages_are_up_to_date() -> None:
    assert [page(text) for text in TEXTS] == TEXTS, "run: python -m precompute.mechanism_file.json_schema"


def test_schema_is_a_schema_with_help_for_every_key() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    tables = [SCHEMA, *SCHEMA["$defs"].values()]
    assert all(table["description"] for table in tables)
    bare = [
        key
        for table in tables
        for key, entry in table["properties"].items()
        if not {"description", "$ref"} & set(entry)
    ]
    assert bare == []
    assert '"null"' not in json.dumps(SCHEMA)


def test_examples_load_and_fit_the_schema() -> None:
    files = sorted((ROOT / "integration" / "mechanisms").glob("*.toml"))
    for text in [TEXT, EXAMPLE, *(file.read_text(encoding="utf-8") for file in files)]:
        VALIDATOR.validate(tomllib.loads(text))
        loads(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mass = 1.2", "mas = 1.2"),
        ("mass = 1.2", "mass = -1"),
        ("mass = 1.2\n", ""),
        ('"revolute"', '"revolut"'),
        ('axis = "z"', 'axis = "w"'),
        ("stiffness = 20\n", ""),
        ("preload = 500", "preload = 500\nfree_length = 1"),
        ("to = 360\n", ""),
        ("[markers.wheel]", "[markers.2wheel]"),
        ('"joint.pivot"', '"pivot"'),
        ("schema = 1", "schema = 2"),
    ],
)
def test_schema_finds_what_it_can(old: str, new: str) -> None:
    assert old in TEXT
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(tomllib.loads(TEXT.replace(old, new, 1)))


def test_pages_name_every_key() -> None:
    keys = {key for table in [SCHEMA, *SCHEMA["$defs"].values()] for key in table["properties"]}
    assert {key for key in keys if not re.search(rf"\b{key}\b", "".join(TEXTS))} == set()
