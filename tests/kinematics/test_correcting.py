import numpy as np
from helpers import MECHANISMS

from precompute.kinematics.coefficients import Closure
from precompute.kinematics.correcting import correct
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import JointCoordinate


def test_newton_converges_quadratically_and_reports_failure():
    m = load(MECHANISMS / "crank_slider.toml")
    t = spanning_tree(m)
    c = Closure(m, t, (JointCoordinate("slide"),))
    guess = np.array([[0.5, -0.7, 0.2, 0.2]])
    good = correct(c, guess, np.array([[0.2]]))
    assert good.converged.all()
    np.testing.assert_allclose(c.gap(c.poses(good.q)), 0.0, atol=1e-12)
    bad = correct(c, guess, np.array([[5.0]]))  # the slider travels from 0 to 2
    assert not bad.converged.any()
