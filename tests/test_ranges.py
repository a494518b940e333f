import json

import numpy as np
import pytest
from helpers import GOLDEN, MECHANISMS

from precompute.assembly import close_loops
from precompute.coefficients import Closure
from precompute.mechanism import JointCoordinate
from precompute.mechanism_file import load
from precompute.ranges import feasible_range
from precompute.topology import spanning_tree

INCH = 0.0254


@pytest.fixture(scope="module")
def suspension():
    m = load(MECHANISMS / "double_wishbone.toml")
    t = spanning_tree(m)
    design = close_loops(m, t)
    closure = Closure(m, t, (JointCoordinate("pitman"), JointCoordinate("shock")))
    return [feasible_range(closure, design.q, np.zeros(2), k) for k in (0, 1)]


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
    found = feasible_range(closure, close_loops(m, t).q, np.zeros(1), 0)
    assert found.full_turn and not found.lower_singular and found.worst_condition < 100
