import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_branching import equal_crank_slider

from precompute.kinematics.coefficients import Closure
from precompute.kinematics.restarts import RESTARTS, from_anywhere, scatter
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import JointCoordinate


def closure_of(name):
    m = load(MECHANISMS / f"{name}.toml")
    return Closure(m, spanning_tree(m), tuple(c.of for c in m.coordinates))


@pytest.mark.parametrize("name", ["four_bar", "crank_slider", "rssr", "spatial_slider_crank"])
def test_every_start_closes_the_loops_with_the_input_held(name):
    closure = closure_of(name)
    found = from_anywhere(closure, np.array([0.3]))
    assert found.closed.all() and len(found.q) == RESTARTS
    P = closure.poses(found.q)
    assert np.abs(closure.gap(P)).max() < closure.gap_tolerance
    np.testing.assert_allclose(closure.values(P)[:, 0], 0.3, atol=1e-12)


def test_starts_are_the_same_every_time_and_hold_what_is_held():
    closure = closure_of("macpherson")
    z = np.array([0.01, 0.02])
    q = scatter(closure, z, 50)
    np.testing.assert_array_equal(q, scatter(closure, z, 50))
    np.testing.assert_array_equal(closure.values(closure.poses(q)), np.broadcast_to(z, (50, 2)))
    t = closure.topology
    locked = [iq for iq, iv in t.scalars.values() if iv in t.locked]
    assert locked and not q[:, locked].any()


def test_a_start_that_does_not_arrive_says_so():
    closure = closure_of("crank_slider_charts")
    found = from_anywhere(closure, np.array([50.0]), 40)  # the slider is 50 m away
    assert not found.closed.any() and (found.missed > 1.0).all()


def test_a_double_root_is_found_too():
    """With its slider as far out as it goes, a crank-slider has one assembly, where the equations are singular."""
    m = equal_crank_slider(start=0.5)
    closure = Closure(m, spanning_tree(m), (JointCoordinate("output"),))
    straight = 2.0 - 2.0 * np.cos(0.5)
    found = from_anywhere(closure, np.array([-straight]), 100)  # the slide's parent is the slider
    assert found.closed.mean() > 0.9
    angles = np.cos(0.5 + found.q[found.closed][:, closure.topology.scalars["crank", 0][0]])
    np.testing.assert_allclose(angles, 1.0, atol=1e-9)
