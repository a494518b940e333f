"""What is asked for in words, from Python."""

import numpy as np
import pytest
from helpers import MECHANISMS

import kinetab as kt

MM = 1e-3


@pytest.fixture(scope="module")
def strut():
    return kt.load(MECHANISMS / "macpherson_rigid.toml")


def test_a_tie_rod_that_is_raised_at_both_ends(strut):
    """Bump steer stays where it was at two travels: the inner end follows the outer one."""
    hold = ["wheel.left.toe@travel=20", "wheel.left.toe@travel=0mm", "point.lower_ball"]
    new = strut.redesign({"point.tie_outer.z": 5 * MM}, ["rod.tie_rod.length", "point.rack_end.z"], hold)
    assert new.absorbed["point.rack_end.z"] == pytest.approx(4.49956 * MM, abs=1e-8)
    assert new.gap < 1e-12 and np.abs(new.held).max() < 1e-12
    toes = [kt.kc(m, travel=(-20, 20), points=3, cases=["bump"])["toe.left"].values for m in (strut, new.mechanism)]
    np.testing.assert_allclose(toes[0][1:], toes[1][1:], rtol=0, atol=1e-9)


def test_a_place_stands_for_its_three_coordinates(strut):
    new = strut.redesign({"rod.tie_rod.length": 1 * MM}, ["rod.tie_rod.parent"])
    assert list(new.absorbed) == [f"rod.tie_rod.parent.{axis}" for axis in "xyz"]
    way = strut.rods[0].p_C - strut.rods[0].p_P
    np.testing.assert_allclose(list(new.absorbed.values()), -MM * way / np.linalg.norm(way), atol=1e-9)


def test_joints_by_their_word(strut):
    new = strut.redesign({"rod.tie_rod.length": 1 * MM}, ["joints"])
    assert not new.absorbed and new.gap < 1e-12
    assert np.linalg.norm(new.redrawn().poses["rack"].p) > 0.5 * MM


def test_all_that_is_not_known_is_told_at_once(strut):
    with pytest.raises(kt.PrecomputeError) as told:
        strut.redesign(
            {"point.tie_outer.z": MM},
            ["rod.tie_rd.length", "point.tie_outer.z"],
            ["point.no", "wheel.lef.toe@travel=0", "wheel.left.toe@travel=x"],
        )
    lines = str(told.value).splitlines()
    assert len(lines) == 4 and "did you mean 'rod.tie_rod.length'?" in lines[0]
    for line, words in zip(lines[1:], ("'point.no'", "no wheel 'lef'", "'x' is no number"), strict=True):
        assert words in line


def test_nothing_to_change_is_told(strut):
    with pytest.raises(kt.PrecomputeError, match="nothing is asked to change"):
        strut.redesign({})


def test_all_that_is_asked_twice_is_told(strut):
    with pytest.raises(kt.PrecomputeError) as told:
        strut.redesign({"point.tie_outer.z": MM}, ["point.tie_outer", "point.rack_end.y"], ["point.rack_end"])
    assert str(told.value).splitlines() == [
        "point.tie_outer.z: asked to change and to absorb; keep one of them",
        "point.rack_end.y: asked to absorb and to hold; keep one of them",
    ]
