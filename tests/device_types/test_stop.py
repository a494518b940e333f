"""A progressive stop: nothing within the gap, never a pull, energy only taken."""

import numpy as np
import pytest
from helpers_devices import Rig
from hypothesis import given
from hypothesis import strategies as st

STOP = {"above": 0.03, "stiffness": 2e4, "progressive": 1500.0, "depth": 0.02, "power": 3.0}


def test_beyond_its_gap_it_follows_its_curve():
    rig = Rig.of("stop", **STOP)
    assert rig.force(0.0) == rig.force(0.03) == 0.0
    np.testing.assert_allclose(rig.force(0.05), -(2e4 * 0.02 + 1500.0))
    np.testing.assert_allclose(rig.force(0.04), -(2e4 * 0.01 + 1500.0 / 8.0))


def test_below_it_is_the_same_turned_round():
    below = Rig.of("stop", **{("below" if k == "above" else k): -v if k == "above" else v for k, v in STOP.items()})
    above = Rig.of("stop", **STOP)
    for s in (-0.02, -0.04, -0.06):
        np.testing.assert_allclose(below.force(s), -above.force(-s))


def test_on_both_sides_it_is_both():
    rig = Rig.of("stop", "rad", **STOP, below=-0.1, damping=0.3)
    assert rig.force(0.0) == 0.0
    assert rig.force(0.05) < 0.0 < rig.force(-0.12)
    done = rig.at(0.05)
    np.testing.assert_allclose(done.outputs["push_above"], -done.force[0])
    assert done.outputs["push_below"] == 0.0


@given(st.floats(-0.1, 0.1), st.floats(-20.0, 20.0), st.floats(0.0, 10.0))
def test_it_never_pulls(s, v, damping):
    rig = Rig.of("stop", **STOP, below=-0.03, damping=damping)
    force = rig.force(s, v)
    assert force <= 0.0 if s > 0.0 else force >= 0.0
    assert force == 0.0 or abs(s) > 0.03


def test_without_damping_it_gives_back_what_it_took():
    found = Rig.of("stop", **STOP).moved(10.0, 0.0, 1.0, np.array([0.0, 0.2]))[-1]
    np.testing.assert_allclose(found[1], -1.0, rtol=1e-8)


@pytest.mark.parametrize("damping", [0.1, 0.5, 3.0])
def test_damping_takes_energy_at_the_impact(damping):
    """Whatever the curve: with m v dv = -e (1 + damping v) dd, what goes in is what comes out,

    x - log(1 + x) = -y - log(1 - y),  x = damping v before,  y = damping v after
    """
    found = Rig.of("stop", **STOP, damping=damping).moved(10.0, 0.0, 1.0, np.array([0.0, 0.25]), max_step=1e-3)[-1]
    y = -damping * found[1]
    np.testing.assert_allclose(-y - np.log1p(-y), damping - np.log1p(damping), rtol=1e-6)


def test_its_depth_at_an_impact_is_where_the_energy_is_stored():
    """1/2 m v^2 = 1/2 k d^2 + progressive depth / 4 (d / depth)^4."""
    rig = Rig.of("stop", **STOP)
    times = np.linspace(0.0, 0.1, 1001)
    d = rig.moved(10.0, 0.03, 1.0, times)[:, 0].max() - 0.03
    np.testing.assert_allclose(2e4 * d**2 / 2.0 + 1500.0 * 0.02 / 4.0 * (d / 0.02) ** 4, 5.0, rtol=1e-5)
