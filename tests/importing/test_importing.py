"""Suspensions of other programs, in samples of our own, against what their formats mean."""

import json
import tomllib
from dataclasses import replace

import numpy as np
import pytest
from helpers import ROOT
from scipy.spatial.transform import Rotation

from kinetab import check
from precompute.arrays import Array
from precompute.cli import main
from precompute.errors import MechanismError, PrecomputeError
from precompute.importing import Asked, imported
from precompute.importing.chrono import chrono
from precompute.importing.chrono_parts import frame
from precompute.importing.draft import Draft
from precompute.importing.drafted_text import drafted_text
from precompute.importing.fields import Fields
from precompute.importing.layouts import rods
from precompute.importing.notes import Notes
from precompute.importing.points_only import Known
from precompute.mechanism_file import loads
from precompute.sheets.result import kc

SAMPLES = ROOT / "tests" / "importing" / "samples"

WISHBONES = Asked(template="double-wishbone")

CASES = {
    "double_wishbone.json": Asked(),
    "macpherson.json": Asked(),
    "multi_link.json": Asked(known=Known(rack=False)),
    "three_link.json": Asked(),
    "solid_axle.json": Asked(known=Known(rack=False)),  # steered it has an axis more
    "solid_three_link.json": Asked(),
    "solid_bellcrank.json": Asked(),
    "double_wishbone.csv": WISHBONES,
    "double_wishbone.sub": Asked(
        template="double-wishbone", known=Known(rack=False)
    ),  # five stiff directions: one axis
    "multi_link.yaml": Asked(),
    "suspensions.ini": Asked(),
    "suspensions.ini rear": Asked(known=Known(end="rear")),
}


def read(case: str, asked: Asked | None = None):
    return imported(SAMPLES / case.split()[0], asked or CASES[case])


def changed(tmp_path, sample: str, *changes: tuple[str, str]):
    text = (SAMPLES / sample).read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / sample
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("case", CASES)
def test_it_is_a_corner_that_tells_what_it_is_made_of(case):
    found = read(case)
    mechanism = loads(found.text)
    assert not mechanism.warnings and mechanism.wheels[0].side == "left"
    assert all(port.force[2] > 2000.0 for port in mechanism.ports)
    told = [line.removeprefix("# ").strip() for line in found.text.splitlines() if line.startswith("#")]
    plain = " ".join(told)
    assert found.notes.taken and found.notes.left_out and found.notes.assumed
    assert all(" ".join(note.split()) in plain for note in found.notes.lines())


# -- what the formats mean --------------------------------------------------------------------------------------------


def test_the_same_points_are_the_same_suspension():
    """A table with names of Adams in m, and a subsystem whose x points rearward and y to the right."""
    table, subsystem = (
        tomllib.loads(read(case).text)["points"] for case in ("double_wishbone.csv", "double_wishbone.sub")
    )
    own = {"contact_patch", "spring_low", "spring_top"}
    assert {k: v for k, v in table.items() if k not in own} == {k: v for k, v in subsystem.items() if k not in own}
    assert table["lower_ball"] == [5, 715, 185]


def test_points_of_a_right_wheel_are_mirrored(tmp_path):
    lines = (SAMPLES / "double_wishbone.csv").read_text(encoding="utf-8").splitlines()
    cells = [line.split(";") for line in lines if not line.startswith("#")]
    right = [cells[0]] + [[a, x, f" -{y.strip()}", z] for a, x, y, z in cells[1:]]
    path = tmp_path / "double_wishbone.csv"
    path.write_text("\n".join(";".join(row) for row in right), encoding="utf-8")
    found = imported(path, WISHBONES)
    assert tomllib.loads(found.text)["points"] == tomllib.loads(read("double_wishbone.csv").text)["points"]
    assert any("mirrored" in note for note in found.notes.assumed)


def test_axes_and_units_of_a_table(tmp_path):
    path = tmp_path / "in.csv"
    rows = [line.split(";") for line in (SAMPLES / "double_wishbone.csv").read_text().splitlines() if line[0] != "#"]
    places = [(row[0], *(float(x.replace(",", ".")) / 0.0254 for x in row[1:])) for row in rows[1:]]
    path.write_text("\n".join(f"{n},{z!r},{-x!r},{-y!r}" for n, x, y, z in places), encoding="utf-8")
    out = tmp_path / "o.toml"
    words = ["import", str(path), "-o", str(out), "--template", "double-wishbone", "--unit", "in", "--axes=-y,-z,x"]
    assert main(words) == 0
    new = tomllib.loads(out.read_text(encoding="utf-8"))["points"]
    old = tomllib.loads(read("double_wishbone.csv").text)["points"]
    assert new.keys() == old.keys()
    np.testing.assert_allclose([new[k] for k in old], list(old.values()), atol=1e-5)


def test_workbooks_are_tables(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for line in (SAMPLES / "double_wishbone.csv").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip().replace(",", ".") for cell in line.split(";")]
        book.active.append([cell if i == 0 or "[" in cell else float(cell) for i, cell in enumerate(cells)])
    book.save(tmp_path / "double_wishbone.xlsx")
    found, table = imported(tmp_path / "double_wishbone.xlsx", WISHBONES), read("double_wishbone.csv")
    assert found.text.splitlines()[1:] == table.text.splitlines()[1:]


def test_bodies_of_chrono_have_their_inertia_about_the_axes_of_the_arm():
    """Columns F - B; its normal in the arm's plane; the plane's normal (B - U) x (F - U), from the file's points."""
    given = json.loads(read_json())["Lower Control Arm"]
    F, B, U = (np.array(given[f"Location {end}"]) for end in ("Chassis Front", "Chassis Back", "Upright"))
    w = np.cross(B - U, F - U)
    u = F - B
    R = np.column_stack([a / np.linalg.norm(a) for a in (u, np.cross(w, u), w)])
    arm = next(b for b in loads(read("double_wishbone.json").text).bodies if b.name == "lower_arm")
    np.testing.assert_allclose(arm.inertia, R @ np.diag(given["Moments of Inertia"]) @ R.T, rtol=1e-6, atol=1e-9)
    assert arm.mass == given["Mass"]


def read_json() -> str:
    text = (SAMPLES / "double_wishbone.json").read_text(encoding="utf-8")
    return "\n".join(line for line in text.splitlines() if not line.startswith("//"))


def test_upright_and_spindle_together_have_the_moments_of_both():
    """Mass, first moment and tensor about the origin add up."""
    given = json.loads(read_json())
    upright = next(b for b in loads(read("double_wishbone.json").text).bodies if b.name == "upright")
    parts = [(given[k]["Mass"], np.array(given[k]["COM"])) for k in ("Upright", "Spindle")]
    xx, yy, zz = given["Upright"]["Moments of Inertia"]
    xy, xz, yz = given["Upright"]["Products of Inertia"]
    own = [np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), np.diag(given["Spindle"]["Inertia"])]
    about = sum(about_origin(m, c, J) for (m, c), J in zip(parts, own, strict=True))
    np.testing.assert_allclose(about_origin(upright.mass, upright.com, upright.inertia), about, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(upright.mass * upright.com, sum(m * c for m, c in parts), rtol=1e-7)


def about_origin(m: float, c: Array, J: Array) -> Array:
    return J + m * (c @ c * np.eye(3) - np.outer(c, c))


def test_curves_of_chrono_are_forces_over_lengthening():
    """The spring pushes with -curve(length - free length); the table is over compression."""
    spring = loads(read("macpherson.json").text).springs[0]
    curve = np.array(json.loads((SAMPLES / "macpherson.json").read_text())["Spring"]["Curve Data"])
    length = np.array([0.30, 0.37, 0.47, 0.52])
    pushes = -np.interp(length - 0.47, curve[:, 0], curve[:, 1])
    assert spring.free_length == pytest.approx(0.47)
    np.testing.assert_allclose(np.interp(0.47 - length, spring.table.x, spring.table.force), pushes, atol=1e-9)


def test_preloads_of_chrono_shift_the_free_length(tmp_path):
    path = changed(tmp_path, "double_wishbone.json", ('"Free Length": 0.48', '"Free Length": 0.48, "Preload": 300'))
    assert loads(imported(path, Asked()).text).springs[0].free_length == pytest.approx(0.48 + 300 / 60000)


def test_a_wheel_rate_carries_its_load(tmp_path):
    """k times ROD_LENGTH and the hub's weight, where the wheel stands upright and the arms have no mass."""
    path = changed(tmp_path, "suspensions.ini", ("STATIC_CAMBER=-1.5", "STATIC_CAMBER=0"))
    load = loads(imported(path, CASES["suspensions.ini rear"]).text).ports[0].force[2]
    assert load == pytest.approx(34000 * 0.12 + 38 * 9.80665, abs=1e-2)


def test_points_of_assetto_corsa_are_relative_to_the_wheel():
    points = tomllib.loads(read("suspensions.ini rear").text)["points"]
    assert points["lower_ball"] == [5, 750 - 40, 310 - 130]
    struts = tomllib.loads(read("suspensions.ini").text)["points"]
    assert struts["lower_ball"] == [6, 740 - (35 - 10), 310 - 115]  # RIM_OFFSET is taken off


def test_progressive_springs_and_dampers_of_assetto_corsa():
    mechanism = loads(read("suspensions.ini").text)
    table = mechanism.springs[0].table
    compressed = table.x[table.x >= 0]
    np.testing.assert_allclose(table.force[table.x >= 0], (32000 + 20000 * compressed) * compressed, rtol=1e-9)
    assert table.force[0] == 0.0 and table.x[0] < 0.0  # it cannot pull
    damper = mechanism.dampers[0].table
    rates, forces = [0.1, 0.3, -0.1, -0.3], [420, 4200 * 0.15 + 2800 * 0.15, -240, -2400 * 0.15 - 1600 * 0.15]
    np.testing.assert_allclose(np.interp(rates, damper.x, damper.force), forces)


def test_bushings_take_the_place_of_a_hinge():
    mechanism = loads(read("double_wishbone.sub").text)
    front = next(b for b in mechanism.bushings if b.name == "lower_front")
    degree = np.radians(1.0)
    np.testing.assert_allclose(
        np.diag(front.stiffness), [0, 9e6, 9e6, 1.2 / degree, 15 / degree, 15 / degree], rtol=1e-9
    )
    np.testing.assert_allclose(front.tables[0].force, [-2400, -800, 0, 800, 2400])
    assert [b.name for b in mechanism.bushings] == ["lower_front", "lower_rear"]


def test_toe_and_camber_follow_from_two_points_of_the_axle():
    wheel = loads(read("multi_link.yaml").text).wheels[0]
    spin = np.array([0.2, 150.0, 2.0])
    np.testing.assert_allclose(wheel.spin_axis, spin / np.linalg.norm(spin), atol=1e-7)
    centre = np.array([0.2, 790, 312]) - 30 * spin / np.linalg.norm(spin)
    np.testing.assert_allclose(wheel.centre, centre / 1000, atol=1e-9)


def test_arms_are_round_rods():
    """One rod in closed form; a path of them like its pieces about a common point."""
    com, inertia = rods(np.array([[0.0, 0, 0], [100, 0, 0]]), 3.0)
    np.testing.assert_allclose(com, [50, 0, 0])
    across = 3 * (100**2 / 12 + 12**2 / 4)
    np.testing.assert_allclose(inertia, [3 * 12**2 / 2, across, across, 0, 0, 0], atol=1e-9)
    path = np.array([[0.0, 0, 0], [100, 0, 0], [100, 50, 0]])
    pieces = [rods(path[:2], 2.0), rods(path[1:], 1.0)]
    com, whole = rods(path, 3.0)
    total = sum(about_origin(m, c, matrix(J)) for m, (c, J) in zip([2.0, 1.0], pieces, strict=True))
    np.testing.assert_allclose(about_origin(3.0, com, matrix(whole)), total, rtol=1e-12, atol=1e-6)


def matrix(values: Array) -> Array:
    xx, yy, zz, xy, xz, yz = values
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def test_frames_are_right_handed():
    R = frame(np.array([1.0, 2.0, 0.5]), np.array([0.3, 1.0, 0.0]))
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-14)
    assert np.linalg.det(R) == pytest.approx(1.0)


# -- axles ------------------------------------------------------------------------------------------------------------


def body(mechanism, name):
    return next(b for b in mechanism.bodies if b.name == name)


def test_an_axle_has_both_sides_as_mirror_images():
    mechanism = loads(read("solid_bellcrank.json").text)
    left, right = body(mechanism, "knuckle_left"), body(mechanism, "knuckle_right")
    flip = np.diag([1.0, -1.0, 1.0])
    np.testing.assert_allclose(right.com, flip @ left.com, atol=1e-12)
    np.testing.assert_allclose(right.inertia, flip @ left.inertia @ flip, atol=1e-12)
    assert abs(left.inertia[0, 1]) > 1e-3  # which a mirror turns round
    assert [wheel.side for wheel in mechanism.wheels] == ["left", "right"]


def test_masses_of_links_go_with_the_axle_and_the_knuckles():
    given = json.loads((SAMPLES / "solid_axle.json").read_text())
    mechanism = loads(read("solid_axle.json").text)
    links = given["Upper Link"]["Mass"] + given["Lower Link"]["Mass"] + given["Trackbar"]["Mass"] / 2
    assert body(mechanism, "axle").mass == pytest.approx(given["Axle Tube"]["Mass"] + links)
    knuckle = given["Knuckle"]["Mass"] + given["Spindle"]["Mass"] + given["Tierod"]["Mass"] / 2
    assert body(mechanism, "knuckle_right").mass == pytest.approx(knuckle)
    assert body(mechanism, "bell_crank").mass == given["Bell Crank"]["Mass"]


def test_spindles_of_an_axle_without_knuckles_are_in_it():
    """Mass, first moment and tensor about the origin add up, of tube, spindles and half of the links."""
    given = json.loads((SAMPLES / "solid_three_link.json").read_text())
    axle = body(loads(read("solid_three_link.json").text), "axle")
    tube, spindle, link = given["Axle Tube"], given["Spindle"], given["Longitudinal Link"]
    parts = [(tube["Mass"], np.array(tube["COM"]), np.diag(tube["Inertia"]))]
    for side in (1.0, -1.0):
        flip = np.array([1.0, side, 1.0])
        parts.append((spindle["Mass"], spindle["COM"] * flip, np.diag(spindle["Inertia"])))
        parts.append((link["Mass"] / 2, link["Location Axle"] * flip, np.zeros((3, 3))))
    np.testing.assert_allclose(axle.mass, sum(m for m, _, _ in parts))
    np.testing.assert_allclose(
        about_origin(axle.mass, axle.com, axle.inertia),
        sum(about_origin(*part) for part in parts),
        rtol=1e-7,
        atol=1e-9,
    )


def test_toe_and_camber_of_chrono_are_in_and_outward():
    """There spindles are turned by -toe about z, then by -camber about x on the left; the other way on the right."""
    given = json.loads((SAMPLES / "solid_axle.json").read_text())
    toe, camber = (np.radians(given[f"{what} Angle (deg)"]) for what in ("Toe", "Camber"))
    for wheel, sign in zip(loads(read("solid_axle.json").text).wheels, (-1.0, 1.0), strict=True):
        spin = Rotation.from_euler("ZX", [sign * toe, sign * camber]).apply([0.0, 1.0, 0.0])
        np.testing.assert_allclose(wheel.spin_axis, spin, atol=1e-9)


def test_the_roll_axis_goes_through_the_triangles_ball_and_where_the_links_meet():
    """In closed form: both links' lines meet in the plane of symmetry; the wheels are at x = 0."""
    given = json.loads((SAMPLES / "solid_three_link.json").read_text())
    ball = np.array(given["Triangular Link"]["Location Axle"])
    inner, outer = (np.array(given["Longitudinal Link"][f"Location {end}"]) for end in ("Chassis", "Axle"))
    meet = inner + (outer - inner) * inner[1] / (inner[1] - outer[1])
    height = ball[2] + (0.0 - ball[0]) * (meet[2] - ball[2]) / (meet[0] - ball[0]) + 0.31
    found = kc(loads(read("solid_three_link.json").text), cases=["roll"], points=3)
    assert found.at_design("roll_centre_height") == pytest.approx(1000 * height, rel=1e-7)


def test_with_a_trackbar_the_upper_links_are_one():
    """And without it they are two: in both cases bump and roll are free."""
    with_it, without = read("solid_axle.json"), json.loads((SAMPLES / "solid_axle.json").read_text())
    joints = tomllib.loads(with_it.text)["joints"]
    rods = {name for name in joints if name.startswith(("upper", "trackbar"))}
    assert rods == {"upper_link", "trackbar"} and any("upper links as one" in note for note in with_it.notes.assumed)
    del without["Trackbar"]
    draft = Draft("A", "", Notes())
    chrono(Fields(without), draft, None, False)
    assert {"upper_left", "upper_right"} <= draft.sections["joints"].keys()
    mechanism = loads(drafted_text(draft, "a test"))
    assert check(mechanism).dof == check(loads(with_it.text)).dof == 2


def test_a_steered_axle_is_steered_by_its_drag_link():
    """Forward at the drag link turns the bell crank, that the tie rod, and that both wheels the same way."""
    found = kc(loads(read("solid_axle.json", Asked()).text), cases=["steering"], points=3)
    steer = [found.cases["steering"].columns[f"steer.{side}"].values for side in ("left", "right")]
    assert all(abs(s[2] - s[0]) > 10.0 for s in steer) and (steer[0][2] - steer[0][0]) * (steer[1][2] - steer[1][0]) > 0


# -- what is told -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "told"),
    [
        ("double_wishbone.json", "'Bushing Data' of 'Lower Control Arm'"),
        ("double_wishbone.json", "Cooling Duct"),
        ("solid_axle.json", "'Draglink': its mass and inertia"),
        ("solid_bellcrank.json", "'Axle': inertia of the shaft"),
        ("double_wishbone.csv", "points that 'double-wishbone' does not have: drop_link"),
        (
            "double_wishbone.sub",
            "the bushing 'uca_front': its file 'mdids://ours/bushings.tbl/upper.bus' is not beside",
        ),
        ("double_wishbone.sub", "the bushing 'subframe_front'"),
        ("double_wishbone.sub", "the blocks PARAMETER"),
        ("multi_link.yaml", "config: cg_position"),
        ("suspensions.ini", "PACKER_RANGE of the strut"),
        ("suspensions.ini", "TOE_OUT"),
        ("suspensions.ini rear", "[ARB]"),
    ],
)
def test_what_is_not_taken_is_named(case, told):
    assert any(told in note for note in read(case).notes.left_out)


def test_names_of_others_stay_in_comments(tmp_path):
    path = changed(
        tmp_path, "double_wishbone.json", ("Cooling Duct", "x\\nmass = 3\\u0000"), ("Roadster front", "1 \\n]x")
    )
    found = imported(path, Asked())
    assert "\nmass = 3" not in found.text.replace("x\nmass", "") and loads(found.text).name == "Imported_1_x"


def test_it_tells_on_the_terminal_too(tmp_path, capsys):
    out = tmp_path / "corner.toml"
    words = [str(SAMPLES / "double_wishbone.csv"), "-o", str(out), "--template", "double-wishbone"]
    assert main(["import", *words, "--wheel-load", "3500", "--wheel-radius", "320", "--no-rack", "--name", "Mine"]) == 0
    shown = capsys.readouterr().out
    found = imported(SAMPLES / "double_wishbone.csv", replace(WISHBONES, name="Mine", known=Known(320, 3500, False)))
    assert all(note in shown for note in found.notes.lines())
    assert out.read_text(encoding="utf-8") == found.text
    mechanism = loads(found.text)
    assert mechanism.name == "Mine" and mechanism.ports[0].force[2] == 3500 and mechanism.wheels[0].radius == 0.32


# -- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sample", "changes", "asked", "told"),
    [
        (
            "double_wishbone.json",
            [('"Location Chassis Back": [-0.13', '"Location Chasis Back": [-0.13'), ('"Mass": 9.0', '"Mass": "9"')],
            Asked(),
            [
                "Upper Control Arm: 'Location Chassis Back' is missing; did you mean it by 'Location Chasis Back'?",
                "Upright: 'Mass' has '9'; a finite number is expected",
            ],
        ),
        ("double_wishbone.json", [('"Tierod"', '"Tie"')], Asked(), ["'Tierod' is missing"]),
        ("double_wishbone.json", [('"DoubleWishbone"', '"DeDionAxle"')], Asked(), ["'DeDionAxle', which is not read"]),
        ("solid_axle.json", [("[0.01, 0.40, 0.0]", "[0.01, 0.25, 0.0]")], Asked(), ["of 0 mm for the drag link"]),
        (
            "solid_bellcrank.json",
            [('"Longitudinal Link"', '"Long Link"'), ("[-0.21, 0.06, -0.04]", "3")],
            Asked(),
            ["'Longitudinal Link' is missing", "Bellcrank: 'Location Tierod' is 3"],
        ),
        ("double_wishbone.json", [('"DoubleWishbone"', '"DoubleWish"')], Asked(), ["did you mean 'DoubleWishbone'?"]),
        ("double_wishbone.json", [('"Suspension",', '"Tire",')], Asked(), ["it is of the type 'Tire'"]),
        ("double_wishbone.json", [('"Upright": {', '"Upright": ')], Asked(), ["line 11: it is no JSON"]),
        ("double_wishbone.csv", [], Asked(), ["--template: double-wishbone, macpherson, five-link"]),
        ("double_wishbone.csv", [], Asked(template="five-lnk"), ["did you mean 'five-link'?"]),
        ("double_wishbone.csv", [], Asked(template="macpherson"), ["'strut_low' of", "'strut_top' of"]),
        (
            "double_wishbone.csv",
            [("0,460", "high"), ("uca_rear", "uca_outer"), ("[m]", "[furlong]")],
            WISHBONES,
            ["row 6: uca_front, 0.100, high, 0.480 is not", "row 8: the point 'uca_outer'", "'furlong' of its"],
        ),
        ("double_wishbone.csv", [("uca_outer", "upper_bal")], WISHBONES, ["by 'upper_bal'?"]),
        ("double_wishbone.csv", [("drop_link", "lower_ball")], WISHBONES, ["are both 'lower_ball'"]),
        ("double_wishbone.csv", [("outer; -0,130", "outer; 0,0001")], WISHBONES, ["no lever to steer with"]),
        ("double_wishbone.sub", [("-5.0 -715.0", "left")], WISHBONES, ["line 20:", "is not name, symmetry, x, y, z"]),
        ("double_wishbone.sub", [("'mm'", "'parsec'")], WISHBONES, ["LENGTH = 'parsec' is not known"]),
        ("double_wishbone.sub", [("[HARDPOINT]", "[POINT]")], WISHBONES, ["it has no [HARDPOINT]"]),
        ("multi_link.yaml", [("type: multi_link", "type: trailing_arm")], Asked(), ["type 'trailing_arm' is not read"]),
        ("multi_link.yaml", [("units: millimeters", "units: feet")], Asked(), ["its units are 'feet'"]),
        ("multi_link.yaml", [("offset: 30", "ofset: 30")], Asked(), ["config: wheel: 'offset' is missing; did"]),
        ("multi_link.yaml", [("{type: direct", "{type: ]direct")], Asked(), ["it is no YAML"]),
        ("suspensions.ini", [("TYPE=STRUT", "TYPE=AXLE")], Asked(), ["[FRONT] TYPE = AXLE is not read: a live axle"]),
        (
            "suspensions.ini",
            [("STRUT_TYRE=0.085,0.10,-0.005", "STRUT_TIRE=1,2,3"), ("HUB_MASS=36", "HUB_MASS=heavy")],
            Asked(),
            ["FRONT: 'STRUT_TYRE' is missing; did you mean it by 'STRUT_TIRE'?", "FRONT: 'HUB_MASS' has 'heavy'"],
        ),
    ],
)  # fmt: skip
def test_all_that_is_wrong_is_told_at_once(tmp_path, sample, changes, asked, told):
    path = changed(tmp_path, sample, *changes)
    with pytest.raises(PrecomputeError) as error:
        imported(path, asked)
    assert all(text in str(error.value) for text in told), str(error.value)


def test_files_that_are_none(tmp_path):
    with pytest.raises(PrecomputeError, match="no such file"):
        imported(tmp_path / "x.json", Asked())
    (tmp_path / "x.step").write_text("")
    with pytest.raises(PrecomputeError, match=r"files ending in \.json, .* not in '\.step'"):
        imported(tmp_path / "x.step", Asked())
    for name in ("x.json", "x.csv", "x.ini", "x.sub"):
        (tmp_path / name).write_bytes(b"\xff\xfe\x00")
        with pytest.raises(PrecomputeError, match="as UTF-8 text"):
            imported(tmp_path / name, WISHBONES)
    (tmp_path / "x.xlsx").write_bytes(b"no zip")
    with pytest.raises(PrecomputeError, match="no workbook"):
        imported(tmp_path / "x.xlsx", WISHBONES)


@pytest.mark.parametrize(("module", "name"), [("openpyxl", "x.xlsx"), ("yaml", "x.yaml")])
def test_packages_that_are_not_there_are_named(tmp_path, monkeypatch, module, name):
    monkeypatch.setitem(__import__("sys").modules, module, None)
    (tmp_path / name).write_text("")
    with pytest.raises(PrecomputeError, match=r"pip install 'kinetab\[import\]'"):
        imported(tmp_path / name, WISHBONES)


@pytest.mark.parametrize("words", ["x,y", "x,y,w", "x,x,z", "y,x,z", ""])
def test_axes_that_are_none(tmp_path, capsys, words):
    given = ["import", str(SAMPLES / "double_wishbone.csv"), "-o", str(tmp_path / "x.toml"), f"--axes={words}"]
    assert main([*given, "--template", "double-wishbone"]) == 1
    assert "no right-handed set of forward, left, up" in capsys.readouterr().err


def test_fields_find_what_nobody_asked_for():
    fields = Fields({"a": 1, "b": {"c": [1, 2], "d": "x"}, "e": 3})
    assert fields.number("a") == 1.0 and fields.table("b").numbers("c", 2) == [1.0, 2.0]
    assert fields.unread() == ["e", "b: d"]
    fields.table("b").numbers("c", 3)
    fields.table("b").flag("d")
    fields.table("z").number("more")
    with pytest.raises(MechanismError) as error:
        fields.check("it")
    assert len(error.value.problems) == 3


def test_drafts_leave_out_what_is_none():
    draft = Draft("A", "", Notes())
    draft.add("joints", "a", at=None, axis=np.array([0.1 * 3, 1.0, 0.0]))
    assert draft.sections["joints"]["a"] == {"axis": [0.3, 1, 0]}


# -- all the way ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_from_the_file_to_a_verdict(tmp_path, capsys, case):
    path, fmu = tmp_path / "it.toml", tmp_path / "it.fmu"
    path.write_text(read(case).text, encoding="utf-8")
    assert main(["check", str(path)]) == 0
    assert main(["kc", str(path), "--json"]) == 0
    assert main(["bake", str(path), "-o", str(fmu)]) == 0
    assert main(["verify", str(fmu)]) == 0
    assert "PASS" in capsys.readouterr().out
