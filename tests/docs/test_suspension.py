"""The tutorial on a suspension: its commands give the numbers that it tells."""

import pytest
from helpers import ROOT
from helpers_pages import blocks, put_into

import kinetab as kt
from precompute.cli import main

PAGE = ROOT / "docs" / "suspension.md"
TEXT = " ".join(PAGE.read_text(encoding="utf-8").split())
STRUT, RUBBER, _ = (block.text for block in blocks(PAGE) if block.kind == "toml")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """strut.toml, strut2.toml by the command of the page, and the latter on rubber."""
    folder = tmp_path_factory.mktemp("strut")
    (folder / "strut.toml").write_text(STRUT)
    command = "kinetab design strut.toml --change point.tie_outer.z=-1.8mm -o strut2.toml"
    assert command in TEXT
    with pytest.MonkeyPatch.context() as here:
        here.chdir(folder)
        assert main(command.split()[1:]) == 0
    cured = (folder / "strut2.toml").read_text()
    return [kt.loads(text) for text in (STRUT, cured, put_into(cured, RUBBER, ["joints.arm", "joints.top_mount"]))]


def test_what_check_begins_with(files):
    (axle,) = kt.check(files[0]).axles
    words = " ".join(str(kt.check(files[0])).split())
    assert axle.name == "front" and "wheel rate 27.8" in words and "ride frequency 1.169 Hz" in words
    assert "stops touch bump from 46.9 mm on, rebound from -72.7 mm on" in words
    assert "stops that touch from 46.9 mm of bump and 72.7 mm of rebound on" in TEXT
    assert "wheel rate 27.8 N/mm, ride frequency 1.17 Hz, bump steer -1.96 deg/m" in TEXT


def test_bump_steer_and_its_cure(files):
    slopes = [mechanism.kc(cases=["bump"]).gradient("toe.left", "travel") for mechanism in files]
    assert [f"{slope:.2f}" for slope in slopes] == ["-1.95", "0.03", "-0.09"]
    assert all(told in TEXT for told in ("-1.955 deg per metre", "+0.03 deg/m", "-0.09 deg/m"))
    assert f"{slopes[0]:.3f}" == "-1.955"


def test_what_rubber_does(files):
    kc = files[2].kc(cases=["lateral", "braking"])
    assert f"{kc.gradient('toe.left', 'lateral'):.3f} deg/kN of toe" in TEXT
    assert f"{kc.gradient('camber.left', 'lateral'):.3f} deg/kN of camber" in TEXT
    assert f"{-kc.gradient('centre_longitudinal.left', 'braking'):.1f} mm/kN fore and aft" in TEXT


def test_the_modes(files):
    modes = kt.natural_modes(files[2].linearize())
    assert [f"{mode.natural_frequency:.1f}" for mode in modes[:2]] == ["12.5", "23.0"]
    assert "wheel hop at 12.5 Hz with 21 % of critical damping, fore-aft at 23 Hz with 2 %" in TEXT
    assert [f"{mode.damping:.0%}" for mode in modes[:2]] == ["21%", "2%"]
