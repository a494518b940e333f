"""`kinetab design` as a user meets it."""

import re

import numpy as np
import pytest
from helpers import MECHANISMS

from precompute.cli import main
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import JointCoordinate

STRUT = MECHANISMS / "macpherson_rigid.toml"
UP = "point.tie_outer.z=+5mm"


@pytest.fixture
def design(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def design(*arguments, file=STRUT):
        code = main(["design", str(file), *map(str, arguments)])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return code, out, err

    return design


def test_what_moved_by_how_much_and_what_is_left(design, tmp_path):
    absorb = "rod.tie_rod.length,point.rack_end.z"
    code, out, err = design("--change", UP, "--absorb", absorb, "--hold", "wheel.left.toe@travel=0", "-o", "new.toml")
    assert code == 0 and not err
    assert "MacPhersonRigid: least change, 4 iterations\n" in out
    assert re.search(r"point\.tie_outer\.z +250 +255 +\+5  mm", out)
    assert re.search(r"rod\.tie_rod\.length +329\.2066 +329\.1535 +-0\.0531619  mm", out)
    assert re.search(r"point\.rack_end\.z +256 +256\.0002 +\+0\.000161537  mm", out)
    assert re.search(r"wheel\.left\.toe@travel=0 +0 +\+0\.0e\+00  deg", out)
    assert "an angle of 1 rad counts 513.012 mm, the reference length" in out
    assert re.search(r"largest gap of the loops (0|\S+e-1\d) mm\nwrote new.toml\n", out)
    before, after = STRUT.read_text().splitlines(), (tmp_path / "new.toml").read_text().splitlines()
    rack_end, tie_outer, length = (line for line in after if line not in before)
    assert rack_end.startswith("rack_end = [-140, 361, 256.00016153") and tie_outer == "tie_outer = [-130, 690, 255]"
    assert length.startswith("length = 329.15346014") and len(after) == len(before) + 1
    new = load("new.toml")
    configuration = close_loops(new, spanning_tree(new))
    assert configuration.iterations == 0


def test_joints_that_may_stand_elsewhere(design, tmp_path):
    """Their design is where joint coordinates of the new file are zero; comments stay."""
    code, out, _ = design("--change", "rod.tie_rod.length=+5mm", "--absorb", "joints", "-o", "new.toml")
    assert code == 0
    assert re.search(r"rack +4\.6948 mm +0 deg", out) and re.search(r"upright +0\.0945\d* mm +0\.1348\d* deg", out)
    new, text = load("new.toml"), (tmp_path / "new.toml").read_text()
    assert close_loops(new, spanning_tree(new)).residual < 1e-12
    assert re.findall(r"#.*", text) == re.findall(r"#.*", STRUT.read_text())
    (rod,) = new.rods
    assert np.linalg.norm(rod.p_C - rod.p_P) == pytest.approx(rod.length, abs=1e-12)
    rack = next(c for c in new.coordinates if c.of.same(JointCoordinate("rack", 0)))
    assert (rack.lower, rack.upper) == pytest.approx((-0.06530523, 0.07469477), abs=1e-8)


def test_a_place_on_one_body_that_the_other_follows(design, tmp_path):
    """Both places of the joint are one again; the marker on the arm stays where the arm has it."""
    code, _, _ = design(
        "--change", "joint.lower_ball.parent.z=+5mm", "--absorb", "joint.lower_ball.child", "-o", "new.toml"
    )
    before, after = STRUT.read_text().splitlines(), (tmp_path / "new.toml").read_text().splitlines()
    assert code == 0 and [line for line in after if line not in before] == ["at = [8, 718, 205]"]


def test_increments(design):
    arguments = ("--change", "rod.tie_rod.length=-5mm", "--absorb", "rod.tie_rod.child,rod.tie_rod.parent.y")
    _, least, _ = design(*arguments)
    code, out, _ = design(*arguments, "--method", "increments", "--steps", 3)
    assert code == 0 and "increments of minimum norm, " in out and "rod.tie_rod.child.x" in out
    norms = [float(re.search(r"norm of what absorbs it (\S+) mm", text)[1]) for text in (least, out)]
    assert norms[0] <= norms[1] < 1.01 * norms[0]


def test_nothing_is_written_unless_it_is_asked_for(design, tmp_path):
    assert design("--change", UP)[0] == 0
    assert not [*tmp_path.iterdir()]
    (tmp_path / "x.toml").write_text(STRUT.read_text())
    code, _, err = design("--change", UP, "-o", "x.toml", file="x.toml")
    assert code == 1 and "this command reads or writes that file itself" in err
    (tmp_path / "other.toml").write_text("kept = true\n")
    code, _, _ = design("--change", "rod.tie_rod.length=+5mm", "-o", "other.toml")
    assert code == 1 and (tmp_path / "other.toml").read_text() == "kept = true\n"


@pytest.mark.parametrize(
    "arguments, told",
    [
        (("--change", "point.tie_outr.z=+5mm"), r"no design variable 'point\.tie_outr\.z'; did you mean"),
        (("--change", UP, "--absorb", "rod.tie_rod.lenght"), r"did you mean 'rod\.tie_rod\.length'\?"),
        (("--change", ","), r"nothing is asked to change: name a design variable"),
        (("--change", "point.tie_outer.z"), r"write NAME=AMOUNT, such as point\.outer\.z=\+5mm"),
        (("--change", "point.tie_outer.z=5mm"), r"by how much it changes, with sign and unit, such as \+5mm"),
        (("--change", "point.tie_outer.z=+5"), r"by how much it changes, with sign and unit, such as \+5mm"),
        (("--change", "point.tie_outer.z=+5deg"), r"deg is no unit of a length"),
        (("--change", "point.tie_outer.z=+5mm,point.tie_outer.z=+1mm"), r"'point\.tie_outer\.z' is changed twice"),
        (("--change", UP, "--absorb", "point.tie_outer"), r"tie_outer\.z: asked to change and to absorb; keep one"),
        (
            ("--change", UP, "--absorb", "point.rack_end", "--hold", "point.rack_end.y"),
            r"point\.rack_end\.y: asked to absorb and to hold; keep one of them",
        ),
        (("--change", UP, "--hold", "wheel.left.tow@travel=0"), r"no metric 'tow' of wheels; did you mean 'toe'\?"),
        (("--change", UP, "--hold", "wheel.lef.toe@travel=0"), r"no wheel 'lef'; did you mean 'left'\?"),
        (("--change", UP, "--hold", "wheel.left.toe@trvel=0"), r"no position 'trvel'; did you mean 'travel'\?"),
        (("--change", UP, "--hold", "wheel.left.toe@travel"), r"write what is to stay and where, as in wheel\.left"),
        (("--change", UP, "--hold", "wheel.left.toe@travel=5deg"), r"'wheel\.left\.toe@travel=5deg': deg is no"),
        (("--change", UP, "--hold", "wheel.left.toe@travel=900"), r"does not follow there"),
        (("--change", UP, "--steps", "3"), r"--steps 3: it is the number of parts"),
        (("--change", "rod.tie_rod.length=+5mm"), r"left open by 5 mm\. Let one more absorb it: .*--absorb joints"),
        (
            ("--change", "rod.tie_rod.length=-200mm", "--absorb", "point.rack_end.z"),
            r"is out of reach: at best the loop at 'tie_rod' is left open by .* with point\.rack_end\.z",
        ),
    ],
)  # fmt: skip
def test_mistakes(design, arguments, told):
    code, out, err = design(*arguments, "-o", "new.toml")
    assert code == 1 and not out and re.search(told, err), err
