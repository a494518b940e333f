"""What `kinetab check` prints: in the units of the file, on one screen unless everything is asked for."""

import json
from dataclasses import replace

import pytest
from helpers import MECHANISMS
from helpers_chains import four_bars

from precompute.coordinates import selection
from precompute.kinematics import coefficients, loops, poses
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load, loads
from precompute.report.inspection import inspect, inspect_drawable
from precompute.report.report_text import LONG, listed, shortened, text

SCREEN = 55
"""Lines."""


@pytest.fixture(scope="module")
def chain():
    """The report of a chain of twelve four-bars whose coordinate is named, without its ranking."""
    return inspect_drawable(loads(four_bars(12)), everything=False)[0]


def test_a_large_mechanism_fits_on_a_screen(chain):
    lines = text(chain).split("\n")
    assert len(lines) <= SCREEN and max(map(len, lines)) < 250
    assert lines[0].startswith(
        "Chain: 25 bodies (crank, coupler0, rocker0, coupler1, rocker1, coupler2, rocker2, coupler3, rocker3"
    )
    assert f"  ... and {25 - LONG + 1} more; --all lists them" in lines  # of the tree
    assert lines.count(f"  ... and {12 - LONG + 1} more; --all lists them") == 2  # loops, blocks
    assert any(line.startswith("  crank -> crank, coupler0") and line.endswith(" and 16 more") for line in lines)


def test_everything_is_printed_where_it_is_asked_for(chain):
    words = text(chain, everything=True)
    assert "more" not in words and len(words.split("\n")) > 60
    assert "ground -c11-> rocker11" in words and "a11, c10, c11, b11: 6 equations" in words and "rocker11," not in words


def test_a_small_mechanism_is_printed_in_full():
    report = inspect(load(MECHANISMS / "crank_slider.toml"))
    assert text(report) == text(report, everything=True) == str(report) and "Ranking over the motion" in text(report)


def test_freedoms_add_up_along_the_branches_of_the_tree():
    """Of the strut as published, four at most; those of its bushings are told apart."""
    words = text(report := inspect(load(MECHANISMS / "macpherson.toml")))
    assert "* ends a branch, the largest has 4)" in words
    assert "\n  ground -lower_arm_mount-> lower_arm  1 and 5 stiff\n" in words
    assert "\n  lower_arm -lower_ball-> upright      4 and 5 stiff *\n" in words
    for arc in report.tree:
        inner = next((other for other in report.tree if other.body == arc.base), None)
        own = {"lower_arm_mount": 1, "rack": 1, "top_mount": 2, "lower_ball": 3}[arc.joint]
        assert arc.freedoms == own + (inner.freedoms if inner else 0)
    assert report.as_dict()["tree"][1] == {
        "base": "ground", "joint": "rack", "body": "rack", "freedoms": 1, "stiff": 0, "ends": True,
    }  # fmt: skip


def test_lists_are_cut_only_if_that_makes_them_shorter():
    lines = [f"  {i}" for i in range(LONG)]
    assert shortened(lines) == lines
    assert shortened([*lines, "  x"]) == [*lines[:-1], "  ... and 2 more; --all lists them"]
    assert listed(["a"] * LONG, False).count("a") == LONG and listed(["a"] * 99, True).count("a") == 99


def test_named_coordinates_of_many_loops_are_not_ranked_unless_asked_for(chain, monkeypatch):
    assert chain.ranking == chain.chosen == () and "Ranking" not in text(chain)
    calls = []
    monkeypatch.setattr(selection, "explore", lambda *_: calls.append(1) or pytest.fail("it explores"))
    inspect_drawable(loads(four_bars(11)), everything=False)
    assert not calls


def test_the_number_of_solutions_does_not_grow_with_the_loops(monkeypatch):
    """A longer chain takes as many Newton steps as a short one: each costs more, but there are no more of them."""
    counts = {}
    for number in (4, 12):
        calls = []
        original = poses.Tree.poses
        monkeypatch.setattr(poses.Tree, "poses", lambda *a, f=original, c=calls: c.append(1) or f(*a))
        inspect_drawable(loads(four_bars(number)), everything=False)
        monkeypatch.setattr(poses.Tree, "poses", original)
        counts[number] = len(calls)
    assert 100 < counts[12] < 1.25 * counts[4]  # the small one is ranked too


def test_poses_and_equations_are_made_at_one_go(monkeypatch):
    """The rotations of all joints are one call, and so are the logarithms of all loops."""
    calls = []
    for module, name in ((poses, "rotation"), (loops, "so3_log"), (loops, "gap_rows")):
        original = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, f=original, n=name: calls.append(n) or f(*a))
    mechanism = loads(four_bars(5))
    topology = spanning_tree(mechanism)
    closure = coefficients.Closure(mechanism, topology)
    P = closure.poses(poses.design_configuration(mechanism, topology))
    closure.gap(P), closure.matrix(P)
    assert calls == ["rotation", "so3_log", "gap_rows"]


# -- units ------------------------------------------------------------------------------------------------------------


def test_a_file_in_inches_is_told_in_inches():
    report = inspect(load(MECHANISMS / "double_wishbone_rigid.toml"))
    words = text(report)
    assert "Reference length (makes angles and lengths comparable): 27 in" in words and " mm" not in words
    assert "shock (joint shock): -2.5 in to 2.5 in" in words and "upper_arm" in words.split("\n")[0]


def test_a_file_in_metres_and_radians_is_told_in_these():
    source = four_bars(1).replace('units = { length = "mm", angle = "deg" }', "")
    small = source.replace("from = -10\nto = 10", "from = -0.1\nto = 0.1")
    words = text(inspect(loads(small)))
    assert "crank (joint pivot): -0.1 rad to 0.1 rad" in words and " deg" not in words and " mm" not in words


def test_json_is_in_si_and_has_the_warnings(chain):
    values = json.loads(json.dumps(chain.as_dict()))
    assert "units" not in values and "units" not in values["coordinates"][0]
    assert values["coordinates"][0]["upper"] == pytest.approx(0.17453292519943295)
    assert values["warnings"] == []


def test_a_note_stands_apart_and_one_body_is_no_bodies():
    said = text(inspect(load(MECHANISMS / "short" / "trailing_arm.toml")))
    assert said.startswith("TrailingArm: 1 body (arm)")
    noted = replace(inspect(load(MECHANISMS / "four_bar.toml")), notes=("look here.",))
    assert "\n\nNote: look here.\n\n" in text(noted)
