"""Lines of keys, and documents that survive writing and reading."""

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from precompute.mechanism_file.schema.toml_text import TextPlaces, dumps, key_lines
from precompute.mechanism_file.telling import with_line

TEXT = '''a = 1  # [not.a.table]
"quoted.key".b = 'it [ = # '
units = { length = "mm", list = [ 1,
  2 ], inner.most = 3 }
when = 1979-05-27 07:32:00
text = """
[no.table]
no = "key"
""""  # three quotes and one more

[ bodies . crank ]
mass = 1.2
table = [
  [0, 1],  # ] comment
  # another

  { x = "]" },
]
[[many]]
k = 1
[last."name.with.dots"]
"" = 2'''


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("a",), 1),
        (("quoted.key", "b"), 2),
        (("units", "length"), 3),
        (("units", "list", 0), 3),
        (("units", "list", 1), 4),
        (("units", "inner", "most"), 4),
        (("when",), 5),
        (("text",), 6),
        (("bodies",), 11),
        (("bodies", "crank"), 11),
        (("bodies", "crank", "mass"), 12),
        (("bodies", "crank", "table", 0, 1), 14),
        (("bodies", "crank", "table", 1, "x"), 17),
        (("many", "k"), 20),
        (("last", "name.with.dots", ""), 22),
    ],
)
def test_key_lines(place: tuple[str | int, ...], line: int) -> None:
    tomllib.loads(TEXT)
    assert key_lines(TEXT)[place] == line


def test_text_inside_strings_and_comments_is_no_key() -> None:
    keys = {part for place in key_lines(TEXT) for part in place}
    assert not keys & {"no", "not", "table]"}


def test_lines_of_nothing() -> None:
    assert key_lines("") == {}
    assert key_lines("# only a comment") == {}


values = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.text(), values, max_size=4))
def test_written_document_reads_back(document: dict) -> None:
    text = dumps(document)
    assert tomllib.loads(text) == document


def places(value: object, place: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place] + [inner for key, item in items for inner in places(item, (*place, key))]


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.text(), values, max_size=4))
def test_every_place_of_a_written_document_has_a_line(document: dict) -> None:
    text = dumps(document)
    lines = key_lines(text)
    assert set(lines) == set(places(document)) - {()}
    assert all(1 <= line <= text.count("\n") for line in lines.values())


def test_values_that_toml_does_not_have() -> None:
    with pytest.raises(TypeError, match="NoneType"):
        dumps({"a": None})


@pytest.mark.parametrize(
    "problem, told",
    [
        ("bodies.crank.table: is bad: very", "line 13, bodies.crank.table: is bad: very"),
        ("bodies.crank.com[2]: is bad", "line 11, bodies.crank.com[2]: is bad"),
        ("bodies.rod.mass: is bad", "bodies.rod.mass: is bad"),
        ("a: too short a place", "a: too short a place"),
        ("joint 'a' has no place", "joint 'a' has no place"),
    ],
)
def test_problems_that_begin_with_their_place_get_its_line(problem, told):
    assert with_line(problem, TextPlaces(TEXT)) == told
