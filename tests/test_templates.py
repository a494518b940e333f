"""`kinetab new`: files to begin with, each of which can be checked, measured, baked and verified as it is."""

import re
import tomllib

import numpy as np
import pytest
from helpers import MECHANISMS, ROOT
from helpers_baked import baked

import kinetab as kt
from fmu_src.build.python_fmu import build_fmu
from precompute.cli import main
from precompute.errors import PrecomputeError
from precompute.mechanism_file import load
from precompute.report.axle_report import axle_reports
from precompute.running.input_table import read_inputs
from precompute.templates.library import descriptions, template, templates
from precompute.verify.verification import verify

NAMES = [
    "crank-slider",
    "double-wishbone",
    "five-link",
    "four-bar",
    "macpherson",
    "pushrod-rocker",
    "solid-axle",
    "trailing-arm",
    "twist",
]
ROWS = dict(
    re.findall(r"^\| `([\w-]+)` \| (.*) \|$", (ROOT / "docs" / "templates.md").read_text(encoding="utf-8"), re.M)
)
"""What the page says of each."""
WITH_WHEELS = [name for name in NAMES if name not in ("crank-slider", "four-bar")]
STEERED = ["double-wishbone", "macpherson", "pushrod-rocker"]
COMMENTED = re.compile(r"^# ((?:\[.+\]|\w+ = ).*)$", re.MULTILINE)
"""Lines of TOML that are comments, of what can be added."""


@pytest.fixture
def written(tmp_path):
    """The file of a template, as the command writes it."""

    def written(name, *options):
        path = tmp_path / f"{name}.toml"
        assert main(["new", name, "-o", str(path), *options]) == 0
        return path

    return written


def test_the_list_has_a_line_for_each(capsys):
    assert main(["new"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == NAMES == list(templates())
    assert all(40 < len(line) <= 120 for line in lines)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_checked_without_a_word(name, written, capsys):
    path = written(name, "--name", "MyOwn")
    out = capsys.readouterr().out
    assert f"{name} -> {path}" in out and f"kinetab bake {path}" in out and "MyOwn.fmu" in out
    assert main(["check", str(path)]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("MyOwn: ") and not said.err and "Note:" not in said.out


@pytest.mark.parametrize("name", NAMES)
def test_it_explains_itself(name):
    text = templates()[name]
    document = tomllib.loads(text)
    assert text.startswith("# ") and "\n# " in text and max(map(len, text.splitlines())) <= 132
    assert document["units"] == {"length": "mm", "mass": "kg", "angle": "deg", "force": "N"}
    assert document["description"] == descriptions()[name]
    if "wheels" in document:
        assert "ISO 8855" in text and "axes" not in document  # which are the default
        assert all(text.count(f"[{part}") for part in ("vehicle", "axles.", "ports.", "bodies.", "joints."))


@pytest.mark.parametrize("name", WITH_WHEELS)
def test_what_the_rig_measures_is_that_of_a_car(name):
    found = kt.loads(template(name)).kc(cases=("bump", "roll"))
    racing = name == "pushrod-rocker"
    assert abs(found.gradient("toe.left", "travel")) < 5 and np.ptp(found["bump"]["toe.left"]) < 2  # deg/m, deg
    assert -40 < found.gradient("camber.left", "travel") < 1
    assert 0 < found.at_design("roll_centre_height") < 550
    assert (2 if racing else 1) < found.at_design("ride_frequency") < (3.5 if racing else 1.6)
    dampers = [key for key in found["bump"] if re.fullmatch(r"damper_motion_ratio\.(\w+)_left\.left", key)]
    assert len(dampers) == 1 and 0.4 < found.at_design(dampers[0]) < 1.2
    assert 300 < found.at_design("roll_stiffness") < 2000
    ride, steer, centre = (float(cell.split()[0]) for cell in ROWS[name].split(" | ")[-3:])
    assert ride == pytest.approx(found.at_design("ride_frequency"), abs=0.006)
    assert steer == pytest.approx(found.gradient("toe.left", "travel"), abs=0.06)
    assert centre == pytest.approx(found.at_design("roll_centre_height"), abs=0.6)


@pytest.mark.parametrize("name", WITH_WHEELS)
def test_its_stops_touch_within_its_range_and_not_at_design(name):
    (axle,) = axle_reports(kt.loads(template(name)))
    stops = dict(axle.values)["stops touch"]
    assert stops.startswith("bump from ") and "nowhere" not in stops and "pressed" not in stops


def test_the_axle_that_is_a_comment_works(tmp_path):
    path = tmp_path / "axle.toml"
    text = template("double-wishbone", "Axle")
    assert set(tomllib.loads(text)["wheels"]) == {"left"} and len(COMMENTED.findall(text)) == 7
    path.write_text(COMMENTED.sub(r"\1", text))
    axle = load(path)
    assert [wheel.name for wheel in axle.wheels] == ["left", "right"] and len(axle.bodies) == 7
    assert main(["check", str(path)]) == 0
    assert main(["kc", str(path), "--cases", "roll"]) == 0


def test_a_file_that_is_there_stays_as_it_is(tmp_path, capsys):
    path = tmp_path / "mine.toml"
    path.write_text("mine")
    assert main(["new", "four-bar", "-o", str(path)]) == 1
    assert "is there already and stays as it is" in capsys.readouterr().err and path.read_text() == "mine"


def test_without_an_output_it_is_called_after_the_template(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "four-bar"]) == 0
    assert (tmp_path / "four-bar.toml").read_text(encoding="utf-8") == templates()["four-bar"]


def test_mistakes_are_told(tmp_path, capsys):
    with pytest.raises(PrecomputeError, match="no template 'mcpherson'; did you mean 'macpherson'"):
        template("mcpherson")
    with pytest.raises(PrecomputeError, match="'My car' is not a name; use letters"):
        template("four-bar", "My car")
    assert main(["new", "zzz", "-o", str(tmp_path / "x.toml")]) == 1
    assert "known: crank-slider, double-wishbone" in capsys.readouterr().err
    assert main(["new", "four-bar", "-o", str(tmp_path / "x.csv")]) == 1
    assert "its name must end in .toml" in capsys.readouterr().err


def test_the_inputs_of_the_demo_are_those_of_its_corner():
    names = (MECHANISMS / "corner_inputs.csv").read_text().splitlines()[0].split(",")
    corner = kt.loads(template("double-wishbone"))
    ports = {port.name for port in corner.ports}
    assert names[0] == "time" and {name.split(".")[1] for name in names[1:]} <= ports


@pytest.mark.fmu
@pytest.mark.parametrize("name", ["four-bar", "crank-slider"])
def test_a_linkage_goes_all_the_way(name, tmp_path):
    found = verify(build_fmu(baked(kt.loads(template(name))), tmp_path / "x.fmu"))
    assert found.passed, found.faults


@pytest.mark.fmu
@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_WHEELS)
def test_a_suspension_goes_all_the_way(name, tmp_path):
    fmu = build_fmu(baked(kt.loads(template(name))), tmp_path / "x.fmu")
    found = verify(fmu)
    assert found.passed, found.faults
    if name == "double-wishbone":  # the manoeuvre of the demo
        found = verify(fmu, inputs=read_inputs(MECHANISMS / "corner_inputs.csv", fmu))
        assert found.passed, found.faults
        assert found.dynamics.stop == 2.0 and min(c.share for c in found.dynamics.coverage) > 0.2
