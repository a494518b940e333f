"""Files that are damaged, hostile or odd: every one is told in plain words, and none is read as something else."""

import json
import math
import random
import time
import zipfile
from copy import deepcopy

import pytest
from helpers import ROOT

from precompute.cli import main
from precompute.errors import PrecomputeError
from precompute.importing import Asked, imported
from precompute.mechanism_file import loads

SAMPLES = ROOT / "tests" / "importing" / "samples"

FILES = {
    "double_wishbone.json": Asked(),
    "solid_axle.json": Asked(),
    "double_wishbone.csv": Asked(template="double-wishbone"),
    "double_wishbone.sub": Asked(template="double-wishbone"),
    "multi_link.yaml": Asked(),
    "suspensions.ini": Asked(),
}

NONE = (
    *(b"", b" \n\t", b"\0" * 100, b"1" * 5000, b"null", b"[1, 2]", b'"x"', b"{}", b"=,;[({" * 1000),
    *("Motor\xf6l".encode("latin-1"), "x: 1".encode("utf-16")),
    *(b"[" * 50_000, b'{"a":' * 50_000, b'"' + b'\\"' * 50_000, b"/*" * 50_000),
)

LAUGHS = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12))
"""A list of lists of lists: 9^11 texts, in 400 bytes."""


def sample(name):
    return (SAMPLES / name).read_text(encoding="utf-8")


def told(tmp_path, name, data, asked=None):
    path = tmp_path / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    with pytest.raises(PrecomputeError) as error:
        imported(path, asked or FILES.get(name, Asked(template="double-wishbone")))
    assert len(str(error.value)) < 5000
    return str(error.value)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("odd", ["byte order mark", "CRLF", "CR"])
def test_what_editors_do_to_a_file_changes_nothing(tmp_path, name, odd):
    text, path = sample(name), tmp_path / name
    data = {"byte order mark": "\ufeff" + text, "CRLF": text.replace("\n", "\r\n"), "CR": text.replace("\n", "\r")}[odd]
    if odd == "CR" and name.endswith("json"):
        data = data.partition("\r")[2] if data.startswith("//") else data  # such a comment ends with the line
    path.write_bytes(data.encode())
    (tmp_path / "arm.bus").write_text(sample("arm.bus"), encoding="utf-8")
    assert imported(path, FILES[name]).text == imported(SAMPLES / name, FILES[name]).text


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("data", NONE, ids=lambda data: repr(data[:12]))
def test_what_is_no_suspension_is_told_soon(tmp_path, name, data):
    started = time.process_time()
    assert told(tmp_path, name, data)
    assert time.process_time() - started < 10.0


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e400", "1" + "0" * 400, "-1e13", "true", '"1"', "null", "[1]"])
def test_numbers_of_json_that_are_none(tmp_path, value):
    text = sample("solid_axle.json").replace('"Mass": 72.0', f'"Mass": {value}')
    assert "Axle Tube: 'Mass' has " in told(tmp_path, "solid_axle.json", text)


def test_numbers_with_thousands_of_digits(tmp_path):
    text = sample("solid_axle.json").replace('"Mass": 72.0', f'"Mass": {"1" * 5000}')
    assert "a number with thousands of digits" in told(tmp_path, "solid_axle.json", text)


@pytest.mark.parametrize("value", ["nan", "inf", "1e400", "1e13", "x"])
@pytest.mark.parametrize(
    ("name", "number"),
    [("double_wishbone.csv", "-0,020"), ("double_wishbone.sub", "-715.0"), ("suspensions.ini", "36"),
     ("multi_link.yaml", "790")],
)  # fmt: skip
def test_numbers_of_texts_that_are_none(tmp_path, name, number, value):
    text = sample(name)
    assert number in text
    assert told(tmp_path, name, text.replace(number, value, 1))


def test_keys_that_are_there_twice_are_told(tmp_path):
    """Readers differ in which one they take."""
    text = sample("solid_axle.json").replace('"Mass": 72.0', '"Mass": 72.0, "Mass": 27.0')
    assert "the key 'Mass' is there twice" in told(tmp_path, "solid_axle.json", text)
    text = sample("multi_link.yaml") + "\ntype: macpherson\n"
    assert "the key 'type' twice" in told(tmp_path, "multi_link.yaml", text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("type: !!python/object/apply:os.system ['ls']", "could not determine a constructor"),
        ("type: 2001-99-99", "it is no YAML"),
        ("type: !!timestamp x", "it is no YAML"),
        ("type: !!int x", "it is no YAML"),
        ("type: multi_link\n1: 2", "the key '1' twice, or as no text"),
        ("type: multi_link\nhardpoints: {null: {x: 1}}", "twice, or as no text"),
        ("type: &t multi_link\nhardpoints: *t\nconfig: *t", "'hardpoints' is 'multi_link'; a table is expected"),
        ("a: &a [*a]\ntype: *a", "'type' is a list with 1 entries"),
        (LAUGHS + "type: *a11", "'type' is a list with 9 entries"),
        (LAUGHS + "type: multi_link\nhardpoints: {x: {x: *a11}}\nconfig: *a11", "'config' is a list with 9 entries"),
        ("type: multi_link\nhardpoints: 3\nconfig: {wheel: 4}", "'hardpoints' is 3; a table is expected"),
        (f"type: {'0x' + 'f' * 9000}", "a whole number beyond all measure"),
    ],
)
def test_yaml_that_is_more_than_text(tmp_path, text, said):
    assert said in told(tmp_path, "multi_link.yaml", text)


def test_decimal_commas_need_no_header(tmp_path):
    """As many commas as semicolons."""
    rows = [line for line in sample("double_wishbone.csv").splitlines() if not line.startswith(("#", "name"))]
    path = tmp_path / "double_wishbone.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    found = imported(path, Asked(template="double-wishbone", unit="m")).text
    assert found == imported(SAMPLES / "double_wishbone.csv", FILES["double_wishbone.csv"]).text


def test_tables_that_are_none(tmp_path):
    text = sample("double_wishbone.csv").replace("-0,240; 0,385; 0,200", "0,005; 0,715; 0,185")
    assert "'lower_ball' and 'lower_rear' are the same point" in told(tmp_path, "double_wishbone.csv", text)
    assert "field larger than" in told(tmp_path, "a.csv", "a," + "1" * 200_000 + ",2,3")
    assert "is not name, x, y, z" in told(tmp_path, "a.csv", 'a,1,2,3\n"b,1,2,3\n')


def workbook(path, **parts):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["a", 1, 2, 3])
    book.save(path)
    with zipfile.ZipFile(path) as archive:
        files = {entry: archive.read(entry) for entry in archive.namelist()} | parts
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, data in files.items():
            archive.writestr(entry, data)
    return path.read_bytes()


SHEET = "xl/worksheets/sheet1.xml"


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"xl/media/zeros": b"0" * 60_000_000}, "unpacks to 57 MiB: that is no table"),
        ({SHEET: b"<worksheet>"}, "no workbook that openpyxl can read"),
        ({SHEET: b"<!DOCTYPE a [<!ENTITY b '" + b"b" * 50 + b"'>]><worksheet>&b;</worksheet>"}, "a.xlsx'"),
        ({"xl/workbook.xml": b"\xff"}, "no workbook that openpyxl can read"),
        ({"[Content_Types].xml": b"<Types/>"}, "no workbook that openpyxl can read"),
    ],
    ids=["bomb", "torn", "entity", "bytes", "empty"],
)
def test_workbooks_that_are_damaged(tmp_path, parts, said):
    assert said in told(tmp_path, "a.xlsx", workbook(tmp_path / "b.xlsx", **parts))


def test_workbooks_with_rows_without_end(tmp_path):
    row = b'<row r="1048576"><c r="A1048576"><v>1</v></c></row>'
    space = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    data = workbook(tmp_path / "b.xlsx", **{SHEET: space + row + b"</sheetData></worksheet>"})
    assert "more than 10000 rows" in told(tmp_path, "a.xlsx", data)


def test_property_files_that_are_none(tmp_path):
    for text, said in (
        (sample("arm.bus").replace("800", "nan"), "no finite number"),
        ("$" * 1_100_000, "that is no bushing"),
        ("\0", "it has no [FX_CURVE]"),
    ):
        (tmp_path / "arm.bus").write_text(text, encoding="utf-8")
        assert said in told(tmp_path, "double_wishbone.sub", sample("double_wishbone.sub"))


def places(value, at=()):
    """Of everything in a document."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*at, key)
        yield from places(inner, (*at, key))


@pytest.mark.parametrize("name", ["double_wishbone.json", "macpherson.json", "multi_link.json", "three_link.json",
                                  "solid_axle.json", "solid_three_link.json", "solid_bellcrank.json"])  # fmt: skip
def test_anything_may_be_anything_else(tmp_path, name):
    """Whatever stands at some place: a mechanism that loads comes of it, or a plain error."""
    text = "\n".join(line for line in sample(name).splitlines() if not line.startswith("//"))
    document, chance = json.loads(text), random.Random(name)
    others = [
        None,
        True,
        0,
        -1,
        1e-300,
        1e12,
        math.nan,
        10**400,
        "x",
        [],
        [0, 0, 0],
        [[0, 0], [0, 0]],
        {},
        {"a": 1},
        [1e11] * 3,
    ]
    path, read = tmp_path / name, 0
    for _ in range(25):
        at, changed = chance.choice(list(places(document))), deepcopy(document)
        inner = changed
        for key in at[:-1]:
            inner = inner[key]
        inner[at[-1]] = chance.choice(others)
        path.write_text(json.dumps(changed), encoding="utf-8")
        try:
            assert loads(imported(path, Asked()).text)
            read += 1
        except PrecomputeError as error:
            assert "Traceback" not in str(error)
    assert read < 25


def test_a_file_that_is_there_stays_as_it_is(tmp_path, capsys):
    (tmp_path / "bad.json").write_text(sample("solid_axle.json").replace("72.0", "NaN"), encoding="utf-8")
    out = tmp_path / "mine.toml"
    out.write_text("mine")
    assert main(["import", str(tmp_path / "bad.json"), "-o", str(out)]) == 1
    assert out.read_text() == "mine" and "Axle Tube: 'Mass' has nan" in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {"bad.json", "mine.toml"}
    good = tmp_path / "good.toml"
    good.write_text(sample("suspensions.ini"), encoding="utf-8")
    source = good.rename(tmp_path / "good.ini")
    (tmp_path / "link.toml").symlink_to(source)
    assert main(["import", str(source), "-o", str(tmp_path / "link.toml")]) == 1
    assert "reads or writes that file itself" in capsys.readouterr().err
