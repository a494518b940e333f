from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, rod_four_bar

from precompute.errors import AssemblyError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load

Z = np.array([0.0, 0.0, 1.0])


def test_a_design_that_fits_is_not_moved():
    m = load(MECHANISMS / "double_wishbone_rigid.toml")
    design = close_loops(m, spanning_tree(m))
    assert design.iterations == 0 and design.residual < 1e-15


@pytest.mark.parametrize("length", [2.3, 1.2, 3.5])
def test_a_rough_design_is_assembled(length):
    m = rod_four_bar(length)
    t = spanning_tree(m)
    design = close_loops(m, t)
    P = Closure(m, t).poses(design.q)
    ends = P.X[1].point(m.rods[0].p_P), P.X[2].point(m.rods[0].p_C)
    assert np.linalg.norm(ends[0] - ends[1]) == pytest.approx(length, abs=1e-11)
    assert design.given_gap == pytest.approx(abs(length - 2.0))


def test_two_points_of_a_joint_are_brought_together():
    m = load(MECHANISMS / "crank_slider.toml")
    off = [replace(j, p_C=j.p_C + [0.05, 0.03, 0.0]) if j.name == "slider_pin" else j for j in m.joints]
    rough = replace(m, joints=tuple(off))
    design = close_loops(rough, spanning_tree(rough))
    assert design.given_gap == pytest.approx(0.05) and design.residual < 1e-11 and design.iterations > 0


@pytest.mark.parametrize("length", [4.5, 30.0])
def test_a_loop_that_cannot_close_is_named(length):
    m = rod_four_bar(length)
    with pytest.raises(
        AssemblyError, match=r"loop 'link' \(through link, a, b\) cannot be closed: a gap of .* mm is left"
    ):
        close_loops(m, spanning_tree(m))
