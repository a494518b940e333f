"""Other numbers in the text of a mechanism file: the same text but for these, and the mechanism that it should be."""

import re
import tomllib
from copy import deepcopy

import pytest
from helpers import MECHANISMS, ON_DISCS

from precompute.mechanism_file import from_document, load, loads
from precompute.mechanism_file.retouch import joined_places
from precompute.mechanism_file.writing import to_document
from precompute.redesign.amending import amended

FILES = sorted(path for path in MECHANISMS.glob("*.toml") if path.stem not in ON_DISCS)
STRUT = MECHANISMS / "macpherson_rigid.toml"


def changed_lines(before, after):
    return [line for line in after.splitlines() if line not in before.splitlines()]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_nothing_changes_where_nothing_differs(file):
    text = file.read_text(encoding="utf-8")
    assert amended(text, tomllib.loads(text)) == text


def test_numbers_change_in_their_places():
    text = STRUT.read_text(encoding="utf-8")
    document = tomllib.loads(text)
    document["points"]["tie_outer"][2] += 5.0
    document["bodies"]["rack"]["mass"] = 8.1 + 1e-15
    document["joints"]["tie_rod"]["length"] = 1000.0 / 3.0
    document["joints"]["lower_ball"]["at"] = [[9, 718, 200], "lower_ball"]
    changed = amended(text, document)
    assert changed_lines(text, changed) == [
        "tie_outer = [-130, 690, 255]",
        "mass = 8.1",
        'at = [[9, 718, 200], "lower_ball"]',
        "length = 333.3333333333",
    ]
    assert re.findall(r"#.*", changed) == re.findall(r"#.*", text)
    assert tomllib.loads(changed)["joints"]["tie_rod"]["length"] == 333.3333333333


def test_windows_ends_of_lines_stay():
    text = STRUT.read_text(encoding="utf-8").replace("\n", "\r\n")
    document = tomllib.loads(text)
    document["joints"]["tie_rod"]["length"] = 330.0
    changed = amended(text, document)
    assert changed.count("\r\n") == changed.count("\n") == text.count("\n") + 1


def test_a_key_that_goes_takes_its_line_along():
    text = STRUT.read_text(encoding="utf-8")
    document = tomllib.loads(text)
    del document["wheels"]["left"]["contact"]
    document["wheels"]["left"]["radius"] = 315.0
    changed = amended(text, document)
    assert [line for line in text.splitlines() if line not in changed.splitlines()] == ['contact = "contact_patch"']
    assert changed_lines(text, changed) == ["radius = 315"]


def test_a_table_that_goes_cannot_be_had():
    text = STRUT.read_text(encoding="utf-8")
    document = tomllib.loads(text)
    del document["markers"]["lower_ball"]
    assert amended(text, document) is None


def test_a_key_among_others_on_a_line_cannot_go():
    text = STRUT.read_text(encoding="utf-8")
    document = tomllib.loads(text)
    del document["vehicle"]["drive_share"]["front"]
    assert amended(text, document) is None


@pytest.mark.parametrize("named", ['points = "p.csv"', '[points]\nfile = "p.csv" # the rest\nown = [1, 2, 3]'])
def test_points_of_a_file_are_written_into_the_text(tmp_path, named):
    """That file keeps what it says, and the new file may be elsewhere."""
    text = STRUT.read_text(encoding="utf-8")
    head, _, rest = text.partition("[points]\n")
    points, _, rest = rest.partition("\n[bodies.lower_arm]")
    rows = "\n".join(f"{name},{','.join(map(str, p))}" for name, p in tomllib.loads(points).items())
    (tmp_path / "p.csv").write_text(rows, encoding="utf-8")
    source = tmp_path / "x.toml"
    first = f"{named}\n{head}" if named.startswith("points") else f"{head}{named}\n"
    source.write_text(f"{first}\n[bodies.lower_arm]{rest}", encoding="utf-8")
    m = load(source)
    document = deepcopy(dict(m.source))
    document["points"]["tie_outer"][2] += 5.0
    changed = amended(source.read_text(encoding="utf-8"), document)
    assert "p.csv" not in changed and "tie_outer = [-130, 690, 255]" in changed
    assert to_document(loads(changed)) == to_document(from_document(document))
    assert all(f"[{body}]" in changed for body in ("bodies.lower_arm", "joints.rack"))


def test_two_places_that_are_the_same_become_one():
    document = tomllib.loads(STRUT.read_text(encoding="utf-8"))
    ball = document["joints"]["lower_ball"]
    for at, joined in [
        ([[8, 718, 200], [8, 718 + 1e-12, 200]], [8, 718, 200]),
        ([[8, 718, 200], "lower_ball"], "lower_ball"),
        ([[9, 718, 200], "lower_ball"], [[9, 718, 200], "lower_ball"]),
    ]:
        ball["at"] = at
        assert joined_places(document)["joints"]["lower_ball"]["at"] == joined
    assert joined_places(document)["joints"]["tie_rod"]["at"] == ["rack_end", "tie_outer"]
