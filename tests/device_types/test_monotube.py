"""A damper of one tube: its valves, the loop of its oil, its gas, the rubber that it is mounted in."""

import numpy as np
import pytest
from helpers_devices import STIFF, Rig
from scipy.integrate import simpson

from precompute.device_types import KeyFaults

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


# -- its mount ---------------------------------------------------------------------------------------------------------

RUBBER = {"mount_stiffness": 6e5, "mount_damping": 1e3}


def test_a_linear_valve_on_a_mount_has_the_complex_stiffness_of_the_series():
    """Of oil, valve and rubber: their compliances add."""
    c, k, w, X = 2000.0, 4e6, 60.0, 0.005
    rig = dry(valve=[[-1.0, -c], [0.0, 0.0], [1.0, c]], oil_stiffness=k, **RUBBER)
    series = 1.0 / (1.0 / k + 1.0 / (1j * w * c) + 1.0 / (6e5 + 1j * w * 1e3))
    _, force, lost = loop(rig, w, X)
    np.testing.assert_allclose(lost, np.pi * X**2 * series.imag, rtol=1e-5)
    np.testing.assert_allclose(force.max(), X * abs(series), rtol=1e-4)


def test_a_mount_widens_the_loop():
    bare, mounted = (width(*loop(dry(**mount), 40.0)[:2]) for mount in ({}, RUBBER))
    assert mounted > 2.0 * bare


def test_what_is_given_to_it_is_heat_of_valves_and_rubber_and_what_it_stores():
    """At any moment: oil F^2 / (2 oil_stiffness), rubber and gas store, whatever the motion."""
    rig, x = dry(**RUBBER, **GAS), np.array([400.0, -8e-4])
    done, v = rig.at(0.49, 0.3, x), 0.3
    F, mount = x
    Fd, mountd = done.rate
    stored = F * Fd / 4e6 + 6e5 * mount * mountd - done.outputs["gas_force"] * (v - mountd)
    heat = done.outputs["loss"] + done.outputs["mount_loss"]
    np.testing.assert_allclose(-done.force[0] * v, stored + heat, rtol=1e-12)


def test_at_rest_the_gas_presses_the_mount():
    rig, x = dry(**RUBBER, **GAS), np.zeros(2)
    for _ in range(5):
        done = rig.at(0.5, 0.0, x, slopes=True)
        x = x - np.linalg.solve(done.R[:, 2:], done.rate)
    np.testing.assert_allclose(done.rate, 0.0, atol=1e-6)
    inside = 1.2e-4 + 1.5e-4 * done.force[0] / 6e5
    np.testing.assert_allclose(done.force, 1.5e-4 * (2.5e6 * (1.2e-4 / inside) ** 1.3 - 101325.0), rtol=1e-12)
    np.testing.assert_allclose(x, [0.0, -done.force[0] / 6e5], rtol=1e-12, atol=1e-9)


def test_rubber_is_a_spring_and_a_damper():
    for given, missing in (("stiffness", "damping"), ("damping", "stiffness")):
        with pytest.raises(KeyFaults, match=f"mount_{missing}: is missing; 'mount_{given}' needs it"):
            dry(**{f"mount_{given}": 1e3})
