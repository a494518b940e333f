"""A spring and a damper in series against closed forms."""

import numpy as np
import pytest
from helpers_devices import STIFF, Rig
from scipy.integrate import simpson
from scipy.linalg import expm

from precompute.device_types.prony_series import Series

K, C = 1000.0, 50.0
PRINTED = {0.1: (0.02866836, -0.34689284, 1.73050499), 0.5: (0.02021922, -0.0036582, 0.1460535)}
"""Of 1 kg on it, x0 = F0 = 0, v0 = 1: time -> x, v, F, from issue 20."""


def exact(t):
    """x, v, F of 1 kg on it."""
    A = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [0.0, K, -K / C]])
    return expm(A * t) @ [0.0, 1.0, 0.0]


def test_a_mass_on_it_moves_as_the_closed_form_says():
    times = np.array([0.0, 0.1, 0.5])
    found = Rig.of("maxwell", stiffness=K, damping=C).moved(1.0, 0.0, 1.0, times)
    for t, row in zip(times[1:], found[1:], strict=True):
        np.testing.assert_allclose(row, exact(t), atol=1e-9)
        np.testing.assert_allclose(row, PRINTED[t], atol=6e-9)  # half of the last digit, and a little


def test_with_a_hard_spring_it_is_its_damper():
    times = np.linspace(0.0, 0.1, 6)
    found = Rig.of("maxwell", stiffness=1e9, damping=C).moved(1.0, 0.0, 1.0, times, **STIFF)
    np.testing.assert_allclose(found[:, 0], (1.0 - np.exp(-C * times)) / C, atol=1e-7)


def test_it_relaxes_with_its_time_constant():
    times = np.linspace(0.0, 0.2, 5)
    rig = Rig.of("maxwell", stiffness=K, damping=C)
    found = rig.driven(lambda t: (0.01, 0.0), times, x0=np.array([10.0]))
    np.testing.assert_allclose(found[:, 0], 10.0 * np.exp(-times * K / C), atol=1e-8)


def test_the_spring_beside_it_acts_from_its_reference():
    rig = Rig.of("maxwell", stiffness=K, damping=C, parallel=300.0, reference=0.1)
    assert rig.force(0.1) == 0.0
    np.testing.assert_allclose(rig.force(0.15), -15.0)


@pytest.mark.parametrize("unit", ["m", "rad"])
def test_energy_goes_into_springs_and_heat(unit):
    """Work done on it = energy of the springs + heat, along any motion."""
    rig = Rig.of("maxwell", unit, stiffness=K, damping=C, parallel=200.0)
    times = np.linspace(0.0, 1.0, 2001)
    s, v = 0.05 * np.sin(7.0 * times), 0.35 * np.cos(7.0 * times)
    x = rig.driven(lambda t: (0.05 * np.sin(7.0 * t), 0.35 * np.cos(7.0 * t)), times)
    done = [rig.at(*row[:2], row[2:]) for row in np.column_stack((s, v, x))]
    power = np.array([-d.force[0] * rate - d.outputs["loss"] for d, rate in zip(done, v, strict=True)])
    gained = done[-1].outputs["energy"] - done[0].outputs["energy"]
    np.testing.assert_allclose(simpson(power, x=times), gained, rtol=1e-5)


def test_it_is_a_prony_series_of_one_branch():
    series = Series(300.0, (K,), (C / K,))
    times = np.linspace(0.0, 2.0, 9)
    one = Rig.of("maxwell", stiffness=K, damping=C, parallel=300.0)
    other = Rig.of("prony", stiffness=series.stiffness, rates=series.rates, times=series.times)
    np.testing.assert_allclose(one.moved(1.0, 0.0, 1.0, times), other.moved(1.0, 0.0, 1.0, times), atol=1e-9)
