"""What is said about faulty mechanism files: all problems at once, each with its line, in plain words."""

import math
import re
import tomllib
from typing import Any

import pytest
from helpers import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

from precompute.errors import MechanismError
from precompute.mechanism_file import from_document, loads

TEXT = (ROOT / "tests" / "demo.toml").read_text(encoding="utf-8")


def edited(*changes: tuple[str, str]) -> str:
    """TEXT with the first occurrence of each `old` replaced; it must be there."""
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def problems(text: str) -> list[str]:
    with pytest.raises(MechanismError) as caught:
        loads(text, "demo.toml")
    assert str(caught.value).startswith(f"demo.toml has {len(caught.value.problems)} problem")
    return list(caught.value.problems)


FAULTS = [
    # keys
    ("mass = 1.2", "mas = 1.2", "line 14, bodies.crank.mas: unknown key; did you mean 'mass'?"),
    ("mass = 1.2\n", "", "line 13, bodies.crank: 'mass' is missing; write for example mass = 1.2"),
    ('child = "crank"\n', "", "line 22, joints.pivot: 'child' is missing; write for example child = \"crank\""),
    ("gravity", "gravty", "line 5, gravty: unknown key; did you mean 'gravity'?"),
    ("[points]", "[point]", "line 7, point: unknown key; did you mean 'points'?"),
    ("units", "unit", "line 4, unit: unknown key; did you mean 'units'?"),
    (
        "max_nodes",
        "nodes_max",
        "line 75, tables.nodes_max: unknown key; known: about, inertia, max_nodes, stiff, stiff_tolerance, taylor, "
        "tolerance",
    ),
    # texts
    (
        "a crank with",
        "a\\u0001crank with",
        "line 3, description: contains the control character U+0001, which no FMU can hold; leave it out",
    ),
    (
        "a crank with",
        "a\\uFFFEcrank with",
        "line 3, description: contains the control character U+FFFE, which no FMU can hold; leave it out",
    ),
    # numbers
    ("mass = 1.2", "mass = -1", "line 14, bodies.crank.mass: is -1 kg; it must be zero or positive"),
    ("mass = 1.2", 'mass = "1.2"', "line 14, bodies.crank.mass: is '1.2'; it must be a number, without quotes"),
    ("mass = 1.2", "mass = true", "line 14, bodies.crank.mass: is true; it must be a number"),
    ("mass = 1.2", "mass = nan", "line 14, bodies.crank.mass: is nan; it must be a finite number"),
    ("mass = 1.2", "mass = 1e60", "line 14, bodies.crank.mass: is 1e+60; numbers beyond 1e+50 are not accepted"),
    ("mass = 1.2", "mass = 2020-01-01", "line 14, bodies.crank.mass: is 2020-01-01; it must be a number"),
    ("A = [0, 0, 0]", "A = [0, 0]", "line 8, points.A: is [0, 0]; it must be three numbers [x, y, z]"),
    ("A = [0, 0, 0]", "A = [0, 0, -inf]", "line 8, points.A[3]: is -inf; it must be a finite number"),
    ("= [0, 0, -9.80665]", "= -9.81", "line 5, gravity: is -9.81; it must be three numbers [x, y, z]"),
    ("max_nodes = 99", "max_nodes = 99.5", "line 75, tables.max_nodes: is 99.5; it must be a whole number"),
    ("max_nodes = 99", "tolerance = 5", "line 75, tables.tolerance: is 5; choose between 1e-11 and 0.1"),
    ("stop_time = 5", "stop_time = 0", "line 78, experiment.stop_time: is 0 s; it must be positive"),
    (
        "stop_time = 5",
        "stop_time = 1\nstep_size = 2",
        "line 79, experiment.step_size: is 2 s; it must be positive and not exceed stop_time",
    ),
    # inertia
    (
        "[800, 900, 1500, 10, 20, 30]",
        "[1, 2, 3, 4]",
        "line 16, bodies.crank.inertia: is [1, 2, 3, 4]; it must be [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]",
    ),
    (
        "[800, 900, 1500, 10, 20, 30]",
        "[-1, 1, 1]",
        "line 16, bodies.crank.inertia: the inertia tensor has a negative principal moment, -1 kg mm2; check the "
        "numbers and the products' signs",
    ),
    (
        "10, 20, 30]",
        '0, 0, 0]\ninertia_axes = ["x", "-x"]',
        "line 17, bodies.crank.inertia_axes[2]: is parallel to the x axis",
    ),
    # names
    ('at = "A"', 'at = "Aa"', "line 26, joints.pivot.at: there is no point 'Aa'; did you mean 'A'?"),
    ('"ground"', '"Ground"', "line 24, joints.pivot.parent: there is no body 'Ground'; did you mean 'ground'?"),
    ('"revolute"', '"revolut"', "line 23, joints.pivot.type: is 'revolut'; did you mean 'revolute'?"),
    ('type = "revolute"\n', "", "line 22, joints.pivot: 'type' is missing; write for example type = \"revolute\""),
    ('"mm"', '"cm"', "line 4, units.length: is 'cm'; did you mean 'm'? choose one of m, mm, in"),
    (
        'joint = "pivot"',
        'joint = "pivo"',
        "line 50, springs.torsion.joint: there is no joint 'pivo'; did you mean 'pivot'?",
    ),
    (
        'joint = "pivot"',
        'joint = "pivot[2]"',
        "line 50, springs.torsion.joint: joint 'pivot' (revolute) has no scalar coordinate [2]; it has [1]",
    ),
    (
        'joint = "pivot"',
        'joint = "guide[0]"',
        "line 50, springs.torsion.joint: is 'guide[0]'; the coordinates of a joint are numbered from 1",
    ),
    (
        'joint = "pivot"',
        'joint = "link"',
        "line 50, springs.torsion.joint: 'link' is a rod, which has no coordinate; name a joint of another type",
    ),
    (
        'marker = "wheel"',
        'marker = "whel"',
        "line 65, ports.load.marker: there is no marker 'whel'; did you mean 'wheel'?",
    ),
    (
        '"joint.pivot"',
        '"spring.shok.length"',
        "line 68, coordinates.free.crank.of: there is no spring 'shok'; did you mean 'shock'?",
    ),
    (
        "[tables]",
        '[measures.m]\nof = "marker.whel.x"\n[tables]',
        "line 75, measures.m.of: there is no marker 'whel'; did you mean 'wheel'?",
    ),
    (
        'joint = "pivot"',
        'on = "spring.shock.length"',
        'line 50, springs.torsion.on: is \'spring.shock.length\'; it must be "joint.NAME", "joint.NAME[2]", '
        '"marker.NAME.x" (or y, z), "marker.NAME.yaw" (or pitch, roll), '
        '"bushing.NAME.x" (or y, z, rx, ry, rz), "wheel.NAME.travel", '
        "{ between = [body, body], "
        "at = [point, point] }, { between = [body, body], axis = axis } or { measures = [measure, measure], "
        "factors = [1, -1] }",
    ),
    ("rate = 90", 'outside = "x"', "line 72, coordinates.free.crank.outside: is 'x'; choose one of error, linear"),
    (
        '"Demo"',
        '"My demo"',
        "line 2, name: 'My demo' is not a name; use letters, digits and underscores, starting with a letter",
    ),
    (
        "[ports.load]",
        "[ports.2load]",
        "line 64, ports.2load: '2load' is not a name; use letters, digits and underscores, starting with a letter",
    ),
    # geometry
    ('axis = "z"', "axis = [0, 0, 0]", "line 27, joints.pivot.axis: is [0, 0, 0]; an axis must not have zero length"),
    ('"A", "C"]', '"A", "E"]', "line 33, joints.guide.axis[2]: there is no point 'E'; known: A, B, C, D"),
    (
        '"A", "C"]',
        '"A", "A"]',
        "line 33, joints.guide.axis: the points 'A' and 'A' coincide (0 mm apart): they give no direction",
    ),
    (
        'axis = "z"',
        'axis = ["A", "B", "C"]',
        "line 27, joints.pivot.axis: the points 'A', 'B' and 'C' lie on one line: they give no plane",
    ),
    (
        'axis = "z"',
        'axis = "z"\naxis2 = "x"',
        "line 28, joints.pivot.axis2: a joint of type 'revolute' has no 'axis2'; known: at, axis, child, load, "
        "load_axes, parent, reach, second, stiff, stiff_axes, type",
    ),
    (
        'at = "A"\n',
        "",
        "line 22, joints.pivot: 'at' is missing; write for example at = \"A\", or give the axis as two points, "
        'axis = ["A", "B"]',
    ),
    (
        'at = ["B", "C"]',
        'at = ["B", "B"]',
        "line 39, joints.link.at: the points 'B' and 'B' coincide (0 mm apart): they give no direction",
    ),
    (
        'x_axis = ["A", "D"]',
        'y_axis = "x"',
        "line 58, markers.wheel: has 'y_axis' without 'x_axis'; add it, or leave out 'y_axis'",
    ),
    (
        'x_axis = ["A", "D"]',
        'x_axis = "y"\nz_axis = "y"',
        "line 62, markers.wheel.z_axis: is parallel to the x axis",
    ),
    (
        'x_axis = ["A", "D"]',
        'x_axis = "y"\ny_axis = "x"\nz_axis = "z"',
        "line 58, markers.wheel: x_axis, y_axis and z_axis are not perpendicular and right-handed; leave out y_axis "
        "or z_axis",
    ),
    (
        'spin_axis = "-y"',
        'spin_axis = "z"',
        "line 62, markers.wheel.spin_axis: is vertical: steer and camber have no meaning",
    ),
    # force laws
    ("stiffness = 20\n", "", "line 41, springs.shock: needs one of 'stiffness', 'table'"),
    ("stiffness = 20\n", "stifness = 20\n", "line 44, springs.shock.stifness: unknown key; did you mean 'stiffness'?"),
    (
        "preload = 500",
        "preload = 500\nfree_length = 1",
        "line 49, springs.torsion: has 'free_length' and 'preload'; keep one of them",
    ),
    (
        'at = [[0, 100, 0], "C"]\n',
        "",
        "line 41, springs.shock: has 'between' without 'at' or 'axis'; add one of them, or leave out 'between'",
    ),
    (
        '[[0, 100, 0], "C"]',
        '["C", "C"]',
        "line 43, springs.shock.at: the points 'C' and 'C' coincide (0 mm apart): they give no direction",
    ),
    ('["ground", "slider"]', '["slider", "slider"]', "line 41, springs.shock: both ends are on body 'slider'"),
    ("[[0, 0], [10", "[[1, 0], [10", "line 47, springs.shock.rebound_stop: the table of a stop must start with [0, 0]"),
    (
        "[10, 3000]]",
        "\n[10, 3000],\n[9, 1]]",
        "line 49, springs.shock.rebound_stop.table[3]: its x is 9 after 10; the first column must ascend",
    ),
    ("length = 250, ", "", "line 46, springs.shock.bump_stop: 'length' is missing; write for example length = 0.25"),
    ("damping = 5", "damping = -5", "line 56, dampers.slide.damping: is -5; it must be zero or positive"),
    # coordinates
    ("to = 360\n", "", "line 67, coordinates.free.crank: has 'from' without 'to'; add it, or leave out 'from'"),
    ("to = 360", "to = -5", "line 69, coordinates.free.crank.from: is 0 deg, but 'to' is -5 deg; the range is empty"),
    (
        "to = 360",
        "to = 350",
        "line 67, coordinates.free.crank: is periodic, so its range must be one full turn (360 deg)",
    ),
    (
        "periodic = true",
        "start = 400",
        "line 71, coordinates.free.crank.start: is 400 deg; the range is from 0 to 360 deg",
    ),
    (
        '"joint.pivot"',
        '"joint.guide"',
        "line 71, coordinates.free.crank.periodic: is true; only a joint angle can be periodic",
    ),
    # structure
    ("units = {", "units = 3 #", "line 4, units: is 3; it must be a table of keys and values"),
    (
        "[bodies.crank]",
        '[bodies.extra]\nmass = 1\ncom = "A"\n[bodies.crank]',
        "line 13, bodies.extra: no joint connects it to the ground; if it is meant to float, add a joint of type "
        '"free" with parent = "ground", child = "extra"',
    ),
    (
        "[bodies.crank]",
        '[bodies.ground]\nmass = 1\ncom = "A"\n[bodies.crank]',
        "line 13, bodies.ground: this name is taken by the frame that does not move; choose another",
    ),
    ('child = "crank"', 'child = "ground"', "line 22, joints.pivot: joins body 'ground' to itself"),
    ("schema = 1", "schema = 2", "line 1, schema: is 2; this program reads schema = 1 only"),
    ("schema = 1", "", "'schema' is missing; write for example schema = 1"),
]


@pytest.mark.parametrize(("old", "new", "problem"), FAULTS, ids=[fault[2].partition(":")[0] for fault in FAULTS])
def test_one_fault_gives_one_problem(old: str, new: str, problem: str) -> None:
    """With its line, and without complaints that only follow from it."""
    assert problems(edited((old, new))) == [problem]


def test_problems_are_told_in_the_units_of_the_file() -> None:
    (problem,) = problems(edited(("mass = 1.2", "mass = -1"), ('length = "mm"', 'mass = "lb", length = "mm"')))
    assert problem.endswith("is -1 lb; it must be zero or positive")


def test_all_problems_at_once_in_the_order_of_the_file() -> None:
    text = edited(
        ("A = [0, 0, 0]", "A = [0, 0]"),
        ("mass = 1.2", 'mas = "x"'),
        ("mass = 2", "mass = -2"),
        ("com = [400, 10, 0]", 'com = "Cc"'),
        ('axis = "z"', 'axis = "w"'),
        ("stiffness = 20", "stiffness = nan"),
        ("free_length = 300", "preload = 1\nfree_length = inf"),
        ("[[-90, -1000], [90, 1000]]", "[[0], 4]"),
        ("max_nodes", "tolerence"),
    )
    assert [problem.partition(":")[0] for problem in problems(text)] == [
        "line 8, points.A",
        "line 14, bodies.crank.mas",
        "line 19, bodies.slider.mass",
        "line 20, bodies.slider.com",
        "line 27, joints.pivot.axis",
        "line 41, springs.shock",
        "line 44, springs.shock.stiffness",
        "line 46, springs.shock.free_length",
        "line 52, springs.torsion.table[1]",
        "line 52, springs.torsion.table[2]",
        "line 76, tables.tolerence",
    ]


def test_all_problems_of_measures_at_once() -> None:
    wrong = {
        "a": '"joint.pivot[2]"',
        "b": '{ between = ["ground", "cranc"], at = ["A", "Q"] }',
        "c": '{ between = ["crank", "crank"], at = ["A", "B"] }',
        "d": '"bushing.none.rx"',
        "e": "3",
        "f": '"joint.link"',
    }
    text = TEXT + "".join(f"[measures.{name}]\nof = {of}\n" for name, of in wrong.items()) + "[measures.g]\n"
    assert [problem.partition(", ")[2] for problem in problems(text)] == [
        "measures.a.of: joint 'pivot' (revolute) has no scalar coordinate [2]; it has [1]",
        "measures.b.of.between[2]: there is no body 'cranc'; did you mean 'crank'?",
        "measures.b.of.at[2]: there is no point 'Q'; known: A, B, C, D",
        "measures.c.of: both ends are on body 'crank'",
        "measures.d.of: there is no bushing 'none'; known: none",
        'measures.e.of: is 3; it must be "joint.NAME", "joint.NAME[2]", "marker.NAME.x" (or y, z), '
        '"marker.NAME.yaw" (or pitch, roll), "bushing.NAME.x" '
        '(or y, z, rx, ry, rz), "wheel.NAME.travel", { between = [body, body], at = [point, point] }, '
        '{ between = [body, body], axis = axis }, "spring.NAME.length", "damper.NAME.length" or '
        "{ measures = [measure, measure], factors = [1, -1] }",
        "measures.f.of: 'link' is a rod, which has no coordinate; name a joint of another type",
        "measures.g: 'of' is missing; write for example of = \"joint.pivot\"",
    ]


def test_a_measure_of_a_faulty_part_is_set_aside_without_a_word() -> None:
    text = edited(('axis = "z"', 'axis = "w"')) + '[measures.m]\nof = "joint.pivot"\n'
    assert [problem.partition(":")[0] for problem in problems(text)] == ["line 27, joints.pivot.axis"]


def test_a_faulty_joint_hides_neither_connection_nor_coordinate_problems() -> None:
    text = edited(('axis = "z"', 'axis = "w"'), ('"joint.pivot"', '"joint.pivt"'))
    text += '[bodies.extra]\nmass = 1\ncom = "A"\n'
    assert [problem.partition(":")[0] for problem in problems(text)] == [
        "line 27, joints.pivot.axis",
        "line 68, coordinates.free.crank.of",
        "line 79, bodies.extra",
    ]


@pytest.mark.parametrize("section", ["bodies", "joints", "markers", "springs"])
def test_section_of_the_wrong_kind(section: str) -> None:
    with pytest.raises(MechanismError) as caught:
        from_document(tomllib.loads(TEXT) | {section: 3})
    assert caught.value.problems == (f"{section}: is 3; it must be a table of keys and values",)


def test_misspelt_sections_are_reported_once() -> None:
    for section, wrong in {"bodies": "body", "joints": "joint", "markers": "marker", "springs": "spring"}.items():
        (problem,) = problems(TEXT.replace(f"[{section}.", f"[{wrong}."))
        assert problem.endswith(f"{wrong}: unknown key; did you mean '{section}'?")


def test_faults_of_a_sequence_have_their_own_lines() -> None:
    primitives = '[\n{ rotation = "q" },\n{ ball = 1 },\n{},\n{ rotation = "x", ball = true },\n{ rotat = "x" },\n3]'
    text = edited(('"revolute"', '"sequence"'), ('axis = "z"', f"primitives = {primitives}"))
    found = problems(text)
    assert [problem.partition(":")[0] for problem in found] == [
        "line 28, joints.pivot.primitives[1].rotation",
        "line 29, joints.pivot.primitives[2].ball",
        "line 30, joints.pivot.primitives[3]",
        "line 31, joints.pivot.primitives[4]",
        "line 32, joints.pivot.primitives[5].rotat",
        "line 33, joints.pivot.primitives[6]",
    ]
    assert found[2].endswith("needs one of 'rotation', 'translation', 'ball'")
    (problem,) = problems(edited(('"revolute"', '"sequence"'), ('axis = "z"', "primitives = [{ ball = false }]")))
    assert "which is no motion" in problem


def test_empty_file() -> None:
    assert problems("") == [
        "'schema' is missing; write for example schema = 1",
        "'name' is missing; write for example name = \"CrankSlider\"",
        "bodies: there is none; add at least one",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "a = 1\nb = x",
            "line 2, column 5: there is no valid value; texts need quotes, lists end with ]; the line is: b = x",
        ),
        ("a 1", "line 1, column 3: expected 'key = value' or a table header '[name]'; the line is: a 1"),
        ("a = 1\r\na = 2\r\nb = 3", "line 2, column 6: this key is given twice; the line is: a = 2"),
        ("[a.b]\n[a.b]", "line 2, column 5: the table [a.b] is given twice; the line is: [a.b]"),
        ("a = [1", "at the end of the file: a list is not closed; a comma or its ] is missing"),
        (
            "m = 1,2",
            "line 1, column 6: the line should end here; decimals take a point; the line is: m = 1,2",
        ),
        ("a = " + "[" * 5000, "is nested too deeply to be a mechanism"),
        ("a = " + "1" * 5000, "contains a number with thousands of digits"),
    ],
)
def test_text_that_is_not_toml(text: str, problem: str) -> None:
    assert problems(text) == [problem]


@pytest.mark.parametrize("document", [3, None, [], "text"])
def test_document_that_is_no_table(document: Any) -> None:
    with pytest.raises(MechanismError, match="it must be a table"):
        from_document(document)


def test_documents_have_no_lines() -> None:
    document = tomllib.loads(edited(("mass = 1.2", "mass = -1")))
    with pytest.raises(MechanismError) as caught:
        from_document(document, "the FMU")
    assert str(caught.value) == ("the FMU has 1 problem:\n  - bodies.crank.mass: is -1 kg; it must be zero or positive")


junk = st.sampled_from(
    [
        None,
        True,
        "",
        "x",
        "ground",
        "joint.pivot",
        -1,
        0,
        1e300,
        10**400,
        math.nan,
        math.inf,
        [],
        [1],
        [1, 2],
        [1, 2, 3],
    ]
    + [["A", "B"], ["A", "A", "A"], [[0, 0], [1, 1]], {}, {"x": 1}, {"": {}}, [[]], [{}], {"between": 1, "at": 2}]
)


def leaves(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place] * bool(place) + [leaf for key, item in items for leaf in leaves(item, (*place, key))]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_junk_anywhere_gives_a_plain_message(data: st.DataObject) -> None:
    """Never another exception, never the words of a library."""
    document = tomllib.loads(TEXT)
    *parents, key = data.draw(st.sampled_from(leaves(document)))
    table: Any = document
    for parent in parents:
        table = table[parent]
    table[key] = data.draw(junk)
    try:
        from_document(document)
    except MechanismError as error:
        assert not re.search("Input should|pydantic|valid dictionary|shape|NoneType", str(error))
