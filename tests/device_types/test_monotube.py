"""A damper of one tube: its valves, the loop of its oil, its gas."""

import numpy as np
import pytest
from helpers_devices import STIFF, Rig
from scipy.integrate import simpson

VALVE = [[-1.0, -900.0], [-0.2, -400.0], [0.0, 0.0], [0.1, 500.0], [0.3, 1100.0], [1.0, 1800.0]]
RATES, FORCES = np.array(VALVE).T
GAS = {"rod_area": 1.5e-4, "gas_pressure": 2.5e6, "gas_volume": 1.2e-4, "reference": 0.5, "exponent": 1.3}


def dry(**values):
    return Rig.of("monotube", **({"valve": VALVE, "oil_stiffness": 4e6} | values))


@pytest.mark.parametrize("v", [-1.5, -1.0, -0.3, -0.05, 0.05, 0.2, 1.0, 1.4])
def test_in_steady_motion_its_force_is_that_of_the_table(v):
    """The end slopes continue."""
    rig = dry()
    x = rig.driven(lambda t: (v * t, v), np.array([0.0, 0.1]), **STIFF)[-1]
    i = np.clip(np.searchsorted(RATES, v) - 1, 0, len(RATES) - 2)
    slope = (FORCES[i + 1] - FORCES[i]) / (RATES[i + 1] - RATES[i])
    np.testing.assert_allclose(rig.force(0.0, v, x), -(FORCES[i] + slope * (v - RATES[i])), rtol=1e-6)


def loop(rig, w, amplitude=0.01):
    """Forces over the rates of a cycle in steady motion, and what it loses."""
    times = np.linspace(0.0, 8.0 * np.pi / w, 4001)

    def motion(t):
        return amplitude * np.sin(w * t), amplitude * w * np.cos(w * t)

    x = rig.driven(motion, times, method="LSODA", rtol=1e-8, atol=1e-6, max_step=times[2])
    rates = motion(times)[1][3000:]
    force = np.array([-rig.force(*motion(t), row) for t, row in zip(times, x, strict=True)])[3000:]
    return rates, force, simpson(force * rates, x=times[3000:])


def width(rates, force):
    """Of the loop where the rate is zero: the force there, positive while the damper still lengthens."""
    turn = np.flatnonzero(np.diff(np.sign(rates)) < 0)[0]
    return force[turn]


def test_its_loop_is_the_wider_the_faster_and_the_softer_the_oil():
    found = [width(*loop(dry(oil_stiffness=k), w)[:2]) for k, w in ((4e6, 10.0), (4e6, 40.0), (1e6, 40.0))]
    assert 5.0 < found[0] < 0.6 * found[1] < 0.6 * found[2]


def test_a_linear_valve_on_oil_is_a_maxwell_element():
    c, k, w, X = 2000.0, 1e5, 50.0, 0.01
    rates, force, lost = loop(dry(valve=[[-1.0, -c], [0.0, 0.0], [1.0, c]], oil_stiffness=k), w, X)
    wt = w * c / k
    np.testing.assert_allclose(lost, np.pi * X**2 * k * wt / (1.0 + wt**2), rtol=1e-5)
    np.testing.assert_allclose(force.max(), X * k * wt / np.sqrt(1.0 + wt**2), rtol=1e-4)


def test_hard_oil_leaves_the_table_alone():
    rates, force, _ = loop(dry(oil_stiffness=1e9), 20.0)
    np.testing.assert_allclose(force, np.interp(rates, RATES, FORCES), atol=1.0)


def test_the_scale_of_its_valves_scales_what_they_give():
    rig = dry(valve_scale=1.5)
    x = rig.driven(lambda t: (0.2 * t, 0.2), np.array([0.0, 0.1]), **STIFF)[-1]
    np.testing.assert_allclose(rig.force(0.0, 0.2, x), -1.5 * 800.0, rtol=1e-6)


def test_at_rest_its_gas_pushes_the_rod_out():
    rig = dry(**GAS)
    np.testing.assert_allclose(rig.force(0.5), 1.5e-4 * (2.5e6 - 101325.0), rtol=1e-12)
    deeper = 1.5e-4 * (2.5e6 * (1.2e-4 / (1.2e-4 - 1.5e-4 * 0.1)) ** 1.3 - 101325.0)
    np.testing.assert_allclose(rig.force(0.4), deeper, rtol=1e-12)
    assert "gas_force" not in dry().at(0.5).outputs
