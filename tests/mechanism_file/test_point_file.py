"""Points in a CSV file: beside the table or instead of it, and every bad row with its line."""

import numpy as np
import pytest

from precompute.errors import MechanismError
from precompute.mechanism_file import from_document, load, loads, save, to_document

TEXT = """
schema = 1
name = "Points"
units = { length = "mm" }
points = "hardpoints.csv"

[bodies.link]
mass = 1
com = "A"

[joints.pin]
type = "revolute"
parent = "ground"
child = "link"
axis = ["A", "B"]
"""
TABLE = TEXT.replace('points = "hardpoints.csv"', "").replace(
    "[bodies.link]", '[points]\nfile = "hardpoints.csv"\nC = [1, 2, 3]\n[bodies.link]'
)


def loaded(folder, rows, text=TEXT):
    (folder / "hardpoints.csv").write_bytes(rows if isinstance(rows, bytes) else rows.encode())
    (folder / "m.toml").write_text(text)
    return load(folder / "m.toml")


def told(folder, rows, text=TEXT):
    with pytest.raises(MechanismError) as error:
        loaded(folder, rows, text)
    return list(error.value.problems)


@pytest.mark.parametrize(
    "rows",
    [
        "name,x,y,z\nA,100,0,0\nB,0,200,1e1\n",
        "A,100,0,0\nB,0,200,10",
        "# ours\n\n  A , 100 , 0 , 0 , ,\n B,0,200,10,,\n",
        "Name;X;Y;Z\r\nA;100;0;0\r\nB;0;200;10\r\n",
        "A\t100\t0\t0\nB\t0\t200\t10\n",
        '\ufeffname,x,y,z\nA,100,0,0\n"B",0,200,10\n',
    ],
)
@pytest.mark.parametrize("text", [TEXT, TABLE])
def test_rows_are_points_in_the_units_of_the_mechanism_file(tmp_path, rows, text):
    m = loaded(tmp_path, rows, text)
    np.testing.assert_array_equal(m.bodies[0].com, [0.1, 0, 0])
    np.testing.assert_allclose(m.joints[0].axes[0], np.array([-100, 200, 10]) / np.linalg.norm([-100, 200, 10]))


def test_what_is_stored_needs_no_other_file(tmp_path):
    m = loaded(tmp_path, "A,100,0,0\nB,0,200,10\n")
    document = to_document(m)
    assert "points" not in document
    assert to_document(from_document(document)) == document
    save(m, tmp_path / "elsewhere.toml")
    (tmp_path / "hardpoints.csv").unlink()
    assert to_document(load(tmp_path / "elsewhere.toml")) == document


def test_a_point_may_be_called_file(tmp_path):
    text = TABLE.replace('file = "hardpoints.csv"', "file = [1, 2, 3]\nA = [0, 0, 0]\nB = [0, 1, 0]")
    assert loads(text.replace('com = "A"', 'com = "file"')).bodies[0].com[0] == 0.001


def test_all_bad_rows_are_told_with_their_lines(tmp_path):
    rows = "name,x,y,z\nA,100,0,0\nB,0,2OO,10\n1C,0,0,0\nD,0,0\nA,1,1,1\nE,nan,0,0\nF,,0,0\nG,1e99,0,0\nH,0,0,0,5\n"
    found = told(tmp_path, rows)
    assert found == [
        "line 5, points: hardpoints.csv, line 3: y is '2OO'; it must be a number",
        "line 5, points: hardpoints.csv, line 4: '1C' is not a name; use letters, digits and underscores, starting "
        "with a letter",
        "line 5, points: hardpoints.csv, line 5: has 3 cells, ['D', '0', '0']; a row is name,x,y,z",
        "line 5, points: hardpoints.csv, line 6: the point 'A' is also in line 2; keep one of them",
        "line 5, points: hardpoints.csv, line 7: x is nan; it must be a finite number",
        "line 5, points: hardpoints.csv, line 8: x is empty; it must be a number",
        "line 5, points: hardpoints.csv, line 9: x is 1e+99; numbers beyond 1e+50 are not accepted",
        "line 5, points: hardpoints.csv, line 10: has 5 cells, ['H', '0', '0', '0', '5']; a row is name,x,y,z",
    ]


def test_decimal_commas_are_told(tmp_path):
    assert told(tmp_path, "A;100;0;0\nB;0,5;200;10\n") == [
        "line 5, points: hardpoints.csv, line 2: x is '0,5'; it must be a number; decimals take a point"
    ]


def test_a_point_in_both_places_is_told(tmp_path):
    (problem,) = told(tmp_path, "A,100,0,0\nB,0,200,10\nC,0,0,0\n", TABLE)
    assert "points.file: hardpoints.csv, line 3: the point 'C' is also in the mechanism file" in problem


def test_a_point_that_the_file_lacks_is_told_as_any_other(tmp_path):
    (problem,) = told(tmp_path, "A,100,0,0\nBB,0,200,10\n")
    assert "joints.pin.axis[2]: there is no point 'B'; did you mean 'BB'?" in problem


def test_files_that_cannot_be_read(tmp_path):
    (problem,) = told(tmp_path, "A,0,0,0\nB,1,0,0", TEXT.replace("hardpoints.csv", "hardpoint.csv"))
    assert problem == (
        "line 5, points: 'hardpoint.csv' cannot be read: there is no such file; there is hardpoints.csv beside"
    )
    (problem,) = told(tmp_path, b"A,0,0,0\nB\xff,1,0,0")
    assert "'hardpoints.csv' is not UTF-8 text; export it as CSV" in problem
    (problem,) = told(tmp_path, "".join(f"P{i},0,0,0\n" for i in range(1001)))
    assert "'hardpoints.csv' has 1001 rows; at most 1000 are taken" in problem
    with pytest.raises(MechanismError, match="a text is in no folder; load the mechanism from a file"):
        loads(TEXT)
