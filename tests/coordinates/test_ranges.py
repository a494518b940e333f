import json
from dataclasses import replace

import numpy as np
import pytest
from helpers import GOLDEN, MECHANISMS, planar_four_bar

from precompute.cli import main
from precompute.coordinates.charts import cover
from precompute.coordinates.independent import choose_coordinates
from precompute.coordinates.ranges import kind_of_limit
from precompute.coordinates.walks import both_ways, feasible_range, feasible_ranges, walk
from precompute.errors import SingularityError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure, condition_numbers
from precompute.kinematics.loops import loop_twists
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import Coordinate, JointCoordinate
from precompute.report.inspection import inspect
from precompute.report.report_text import text

INCH = 0.0254


@pytest.fixture(scope="module")
def suspension():
    m = load(MECHANISMS / "double_wishbone_rigid.toml")
    t = spanning_tree(m)
    design = close_loops(m, t)
    closure = Closure(m, t, (JointCoordinate("pitman"), JointCoordinate("shock")))
    return feasible_ranges(closure, design.q, np.zeros(2), (0, 1))


def test_shock_range_is_that_of_the_golden_data(suspension):
    golden = json.loads((GOLDEN / "suspension_rigid.json").read_text())["ranges"]
    shock = suspension[1]
    assert shock.lower / INCH == pytest.approx(golden["loop3_rebound_limit"]["t"], abs=1e-4)
    assert shock.upper / INCH == pytest.approx(golden["loop2_t_limits"][1], abs=1e-4)
    assert "loop 'lower_ball'" in shock.lower_cause and "loop 'shock'" in shock.upper_cause


def test_pitman_range_ends_at_the_tie_rod_and_at_the_change_point(suspension):
    pitman = suspension[0]
    assert np.rad2deg(pitman.lower) == pytest.approx(-60.83, abs=0.005)
    assert np.rad2deg(pitman.upper) == pytest.approx(90.0, abs=0.005)
    assert "outer_ball" in pitman.lower_cause and "pitman_link" in pitman.upper_cause
    assert not pitman.full_turn and pitman.lower_singular and pitman.upper_singular


@pytest.mark.parametrize("name", ["crank_slider", "four_bar", "rssr", "spatial_slider_crank"])
def test_cranks_turn_fully(name):
    m = load(MECHANISMS / f"{name}.toml")
    t = spanning_tree(m)
    closure = Closure(m, t, (JointCoordinate("crank"),))
    ways = both_ways(closure, close_loops(m, t).q, np.zeros(1), [0])[0]
    found = feasible_range(closure, 0, *ways)
    assert found.full_turn and not found.lower_singular
    for way in ways:
        assert condition_numbers(closure, closure.matrix(closure.poses(way.samples))).max() < 100


# -- dead centre or loss of rank --------------------------------------------------------------------------------------


def four_bar(g, crank):
    """The golden four-bar with its crank at an angle [rad]; revolutes a (crank), b, c, d (rocker)."""
    w = g["ground"] - g["l1"] * np.exp(1j * crank)
    inner = np.arccos((abs(w) ** 2 + g["l2"] ** 2 - g["l3"] ** 2) / (2 * abs(w) * g["l2"]))
    coupler = np.angle(w) + inner
    rocker = np.angle(w - g["l2"] * np.exp(1j * coupler))
    return planar_four_bar(*((g[n], np.rad2deg(a)) for n, a in (("l1", crank), ("l2", coupler), ("l3", rocker))))


def singular_values(closure, q, pin_d):
    """Of the planar closure in absolute angles, all columns and without the rocker's."""
    relative = np.array([[1.0, 0, 0], [-1, 1, 0], [0, -1, 1]])  # rates of a, b, c from those of the three links
    P_h = loop_twists(closure.topology, closure.poses(q), pin_d)[3:5, :3] @ relative
    return np.linalg.svd(P_h, compute_uv=False), np.linalg.svd(P_h[:, :2], compute_uv=False)


@pytest.fixture(scope="module")
def dead_centre():
    return json.loads((GOLDEN / "active_and_singular.json").read_text())["singular"]


def test_at_the_dead_centre_of_its_rocker_the_four_bar_keeps_its_rank(dead_centre):
    g = dead_centre
    m = planar_four_bar(
        *(
            (g[n], np.rad2deg(g[a]))
            for n, a in zip(("l1", "l2", "l3"), ("crank_angle",) * 2 + ("rocker_angle",), strict=True)
        )
    )
    t = spanning_tree(m)
    design = close_loops(m, t)
    closure = Closure(m, t, (JointCoordinate("d"),))
    all_columns, without_rocker = singular_values(closure, design.q, np.array([g["ground"], 0, 0]))
    np.testing.assert_allclose(all_columns, g["sv_Ph"], atol=1e-10)
    np.testing.assert_allclose(without_rocker, g["sv_Phf_q3_prescribed"], atol=1e-10)
    assert (all_columns > 1e-9).sum() == g["rank_Ph"]
    assert kind_of_limit(closure, design.q) == "dead centre"
    with pytest.raises(SingularityError, match="'d' cannot be independent at the design position"):
        choose_coordinates(replace(m, coordinates=(Coordinate("d", JointCoordinate("d"), -0.1, 0.1),)), t, design)
    unlimited = choose_coordinates(replace(m, coordinates=(Coordinate("d", JointCoordinate("d")),)), t, design)
    assert len(cover(unlimited, design).pieces) > 1  # without a range, charts lead over the dead centre
    assert choose_coordinates(m, t, design).free[0].name != "d"


def test_the_rocker_as_input_ends_at_its_dead_centre(dead_centre):
    """Diagnosed as the wrong input, not as lost rank; the crank goes on."""
    m = four_bar(dead_centre, 1.2)
    t = spanning_tree(m)
    design = close_loops(m, t)
    closure = Closure(m, t, (JointCoordinate("d"),))
    found = feasible_ranges(closure, design.q, np.zeros(1), [0])[0]
    assert (found.lower_limit, found.upper_limit) == ("dead centre", "dead centre")
    assert "another coordinate could go on" in found.lower_cause
    ends = [way.q for way in walk(closure, design.q, np.zeros(1), np.zeros(2, dtype=int), np.array([-np.pi, np.pi]))]
    cranks = [1.2 + q[t.q_slices[0]][0] for q in ends]
    nearest = int(np.argmin(np.abs(np.array(cranks) - dead_centre["crank_angle"])))
    assert cranks[nearest] == pytest.approx(dead_centre["crank_angle"], abs=2e-3)
    values, _ = singular_values(closure, ends[nearest], np.array([dead_centre["ground"], 0, 0]))
    np.testing.assert_allclose(values, dead_centre["sv_Ph"], atol=5e-3)
    crank = feasible_ranges(Closure(m, t, (JointCoordinate("a"),)), design.q, np.zeros(1), [0])[0]
    assert crank.full_turn and crank.lower_limit == "none"


def test_a_parallelogram_loses_rank_whatever_drives_it():
    m = planar_four_bar((1, 70), (2, 0), (1, 250))
    t = spanning_tree(m)
    design = close_loops(m, t)
    for joint in "ad":
        found = feasible_ranges(Closure(m, t, (JointCoordinate(joint),)), design.q, np.zeros(1), [0])[0]
        assert (found.lower_limit, found.upper_limit) == ("loss of rank", "loss of rank")
        assert "the loops themselves lose rank" in found.upper_cause
        assert np.rad2deg(found.upper - found.lower) == pytest.approx(180.0, abs=0.01)


def test_suspension_limits_are_told_apart(suspension):
    pitman, shock = suspension
    assert (pitman.lower_limit, pitman.upper_limit) == ("dead centre", "loss of rank")  # tie rod; rectangle folds flat
    assert (shock.lower_limit, shock.upper_limit) == ("dead centre", "dead centre")


def test_check_reports_margins_and_the_largest_safe_range(tmp_path, capsys):
    words = text(inspect(load(MECHANISMS / "double_wishbone_rigid.toml")))
    assert "below that, 0.7433" in words and "beyond the range: loop 'lower_ball' locks" in words
    wide = (MECHANISMS / "double_wishbone_rigid.toml").read_text().replace("from = -2.5", "from = -4")
    path = tmp_path / "wide.toml"
    path.write_text(wide)
    assert main(["check", str(path)]) == 1
    err = capsys.readouterr().err
    assert "leaves the feasible one" in err and "Largest safe range: -2.91" in err and "dead centre" in err
