"""Short files without coordinates: check, bake, run and verify."""

import re

import pytest
from helpers import MECHANISMS

from precompute.cli import main
from precompute.mechanism_file import load
from precompute.pipeline import survey

SHORT = sorted((MECHANISMS / "short").glob("*.toml"))
LONG = ("pushrod_axle",)


def test_the_four_are_there_short_and_without_coordinates():
    assert [path.stem for path in SHORT] == ["macpherson_corner", "pushrod_axle", "scissor_lift", "trailing_arm"]
    for path in SHORT:
        lines = path.read_text().splitlines()
        assert 20 <= len(lines) <= 60 and "coordinates]" not in path.read_text() and max(map(len, lines)) <= 140
        assert load(path).coordinates is None


@pytest.mark.fmu
@pytest.mark.parametrize(
    "path", [pytest.param(p, marks=[pytest.mark.slow] * (p.stem in LONG), id=p.stem) for p in SHORT]
)
def test_check_bake_run_verify(path, tmp_path, capsys):
    assert main(["check", str(path)]) == 0
    said = capsys.readouterr()
    assert said.err == "" and "Note" not in said.out
    block = re.findall(r"^  (\[coordinates\.free\.\w+\]\n(?:  .*\n)+)", said.out, re.M)
    assert block and "from = " in block[0]
    fmu = tmp_path / "short.fmu"
    assert main(["bake", "-q", str(path), "-o", str(fmu)]) == 0
    said = capsys.readouterr()
    assert said.err == "" and all(line in said.out for line in block[0].splitlines())
    assert main(["run", str(fmu)]) == 0
    assert main(["verify", str(fmu)]) == 0
    moved = [float(x) for x in re.findall(r" ([\d.e+-]+) mm   +at ", capsys.readouterr().out)]
    assert max(moved) > 1.0  # something was compared


def test_the_pushrod_axle_can_be_swept():
    found = survey(load(MECHANISMS / "short" / "pushrod_axle.toml"))
    assert found.problems == () and found.note is None
    assert len(found.atlas.pieces[0].coordinates.free) == 2
