import numpy as np
import pytest
from helpers import MECHANISMS, rod_four_bar
from helpers_rough import rough_four_bar

from precompute.errors import ReachError
from precompute.kinematics.assembly import assemble, close_loops
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.open_loops import rigid_sides, too_short
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load, loads


def short(m):
    return too_short(m, spanning_tree(m), 0)


@pytest.mark.parametrize(
    ("lengths", "longest"),
    [((1.0, 0.5, 1.0, 3.0), "ground"), ((1.0, 6.5, 1.0, 3.0), "coupler"), ((1.0, 1.0, 5.1, 3.0), "rocker")],
)
def test_links_are_called_too_short_where_one_is_longer_than_all_others(lengths, longest):
    assert f"'{longest}' spans" in short(loads(rough_four_bar(*lengths)))


def test_links_that_just_meet_are_not_too_short():
    assert short(loads(rough_four_bar(1.0, 0.5, 1.5, 3.0))) == ""
    assert short(loads(rough_four_bar(1.0, 0.5, 1.499999, 3.0))) != ""
    assert short(rod_four_bar(4.0)) == "" and "'link' spans 4001 mm" in short(rod_four_bar(4.001))


def test_a_slide_makes_no_length():
    m = load(MECHANISMS / "crank_slider.toml")
    t = spanning_tree(m)
    assert rigid_sides(m, t, 0) is None and too_short(m, t, 0) == ""


def test_of_several_inputs_each_is_told_how_far_it_reaches_while_the_others_are_there():
    m = load(MECHANISMS / "double_wishbone_rigid.toml")
    t = spanning_tree(m)
    closure = Closure(m, t, tuple(c.of for c in m.coordinates))
    with pytest.raises(ReachError) as caught:
        assemble(closure, close_loops(m, t).q, np.array([0.0, 0.5]))
    text = str(caught.value)
    assert "pitman = 0 deg, shock = 19.685 in is out of reach" in text
    assert "'shock' reaches from" in text and "while pitman = 0 deg" in text and "--at pitman=" in text
