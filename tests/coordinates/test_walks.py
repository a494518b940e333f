"""Ranges of several coordinates, walked together."""

from dataclasses import asdict, replace

import numpy as np
import pytest
from helpers import MECHANISMS

from precompute.coordinates.independent import SHRINK, choose_coordinates, reachable_share, shrunk
from precompute.coordinates.walks import feasible_ranges
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load


@pytest.fixture(scope="module")
def suspension():
    m = load(MECHANISMS / "double_wishbone_rigid.toml")
    t = spanning_tree(m)
    return Closure(m, t, tuple(c.of for c in m.coordinates)), close_loops(m, t).q


@pytest.mark.parametrize("name", ["crank_slider", "double_wishbone_rigid"])
def test_walking_together_finds_what_walking_alone_finds(name):
    m = load(MECHANISMS / f"{name}.toml")
    t = spanning_tree(m)
    closure, q = Closure(m, t, tuple(c.of for c in m.coordinates)), close_loops(m, t).q
    z = closure.values(closure.poses(q))
    for k, found in enumerate(feasible_ranges(closure, q, z, range(len(z)))):
        alone = asdict(feasible_ranges(closure, q, z, [k])[0])
        numbers = {key: alone[key] for key in ("lower", "upper")}
        assert {key: value for key, value in asdict(found).items() if key in numbers} == pytest.approx(
            numbers, rel=1e-6
        )
        assert found.lower_singular == alone["lower_singular"] and found.full_turn == alone["full_turn"]
        assert found.lower_limit == alone["lower_limit"] and found.upper_limit == alone["upper_limit"]


def test_a_box_shrinks_by_whole_steps_until_it_is_reachable(suspension):
    closure, q = suspension
    box = np.array([[-0.9, 0.9], [-0.08, 0.1]])
    share = reachable_share(closure, q, np.zeros(2), box)
    assert 0.5 < share < 1.0
    small = shrunk(closure, q, np.zeros(2), box, np.array([True, True]))
    np.testing.assert_allclose(small / box, SHRINK ** np.ceil(np.log(share) / np.log(SHRINK)))
    assert reachable_share(closure, q, np.zeros(2), small) == 1.0


def test_a_given_range_stays_and_the_other_gives_way(suspension):
    closure, q = suspension
    box = np.array([[-0.95, 0.9], [-0.08, 0.1]])
    small = shrunk(closure, q, np.zeros(2), box, np.array([False, True]))
    np.testing.assert_array_equal(small[0], box[0])
    assert np.abs(small[1]).max() < 0.1 and reachable_share(closure, q, np.zeros(2), small) == 1.0


def test_a_given_range_out_of_reach_comes_to_an_end():
    m = load(MECHANISMS / "double_wishbone_rigid.toml")
    pitman = replace(m.coordinates[0], lower=-1.5, upper=1.5)  # locks at -61 deg
    shock = replace(m.coordinates[1], lower=None, upper=None)
    t = spanning_tree(m)
    chosen = choose_coordinates(replace(m, coordinates=(pitman, shock)), t, close_loops(m, t))
    assert chosen.free[0].lower == -1.5 and chosen.free[1].upper - chosen.free[1].lower < 0.01
