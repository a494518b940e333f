"""Inputs of runs as the full model takes them."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from fmu_src.model.reduced_model import CoordinateInfo, StartInfo
from precompute.running.simulation import Run
from precompute.verify.motion.pieces import GivenInputs, filter_motion, filter_states


def run(time, **held):
    """A run that was given these inputs and gave nothing."""
    columns = {name.replace("__", "."): np.array(values, dtype=float) for name, values in held.items()}
    return Run("x", np.array(time), {}, columns, {}, len(time) - 1, 0.0, held=columns)


def test_the_filter_solves_its_equation():
    x, xd, target, T = 0.3, -2.0, 1.1, 0.02
    exact = solve_ivp(
        lambda t, y: [y[1], (target - y[0]) / T**2 - 2.0 * y[1] / T], (0.0, 0.05), [x, xd], rtol=1e-11, atol=1e-13
    ).y[:, -1]
    value, rate, acceleration = filter_motion(x, xd, target, T, 0.05)
    np.testing.assert_allclose([value, rate], exact, rtol=1e-8)
    assert acceleration == pytest.approx((target - value) / T**2 - 2.0 * rate / T)


def test_filters_go_on_from_step_to_step():
    c = CoordinateInfo("a", "rad", "", driven="filtered", filter_time=0.1)
    states = filter_states(c, StartInfo(0.5, 1.0, ""), run([0.0, 0.1, 0.3], drive__a__q=[2.0, 2.0, 7.0]), {})
    assert states[2] == pytest.approx(filter_motion(0.5, 1.0, 2.0, 0.1, 0.3)[:2])
    started = filter_states(c, StartInfo(0.5, 1.0, ""), run([0.0, 0.1], drive__a__q=[2.0, 2.0]), {"q_start.a": 2.0})
    assert started[0, 0] == 2.0


@pytest.mark.parametrize(
    ("held", "changes"),
    [
        ({"Q__a": [1, 1, 1, 1]}, [0]),
        ({"Q__a": [1, 1, 2, 2]}, [0, 2]),
        ({"drive__a__q": [0, 0, 0, 0], "drive__a__qd": [0, 3, 0, 0]}, [0, 1, 2]),
        ({"chassis__wd[1]": [1, 1, 1, 1]}, [0, 1, 2, 3]),
    ],
    ids=str,
)
def test_pieces_begin_where_inputs_change_or_are_set_anew(held, changes):
    given = GivenInputs(None, run([0.0, 1.0, 2.0, 3.0], **held), {})
    assert np.flatnonzero(given.changes).tolist() == changes
