"""A mount with an inertia track against its linear transfer function, and what its turbulence does."""

import numpy as np
import pytest
from helpers_devices import STIFF, Rig
from scipy.integrate import simpson

from precompute.device_types import TYPES
from precompute.device_types.hydraulic_mount import complex_stiffness

MOUNT = {
    "stiffness": 2e5, "damping": 100.0, "area": 5e-3, "compliance": 3e-11, "track_length": 0.2, "track_area": 6e-5,
    "resistance": 3e8, "bellows": 1e8, "reference": 0.05,
}  # fmt: skip
ALL = {key.name: key.default for key in TYPES["hydraulic_mount"].keys} | MOUNT


def excited(rig, frequency, amplitude=1e-4, cycles=1):
    """Complex stiffness of the first harmonic in steady motion: by the slopes at rest, then some cycles."""
    w = 2.0 * np.pi * frequency
    slopes = rig.at(0.05, 0.0, slopes=True).R
    A, drive = slopes[:, 2:], amplitude * (slopes[:, 0] + 1j * w * slopes[:, 1])
    x0 = np.linalg.solve(1j * w * np.eye(2) - A, drive).imag
    times = np.linspace(0.0, cycles / frequency, 64 * cycles + 1)

    def motion(t):
        return 0.05 + amplitude * np.sin(w * t), amplitude * w * np.cos(w * t)

    x = rig.driven(motion, times, x0, rtol=1e-9, atol=1e-16)
    force = np.array([rig.force(*motion(t), row) for t, row in zip(times, x, strict=True)])[-65:-1]
    return -2j * np.mean(force * np.exp(-1j * w * times[-65:-1])) / amplitude


@pytest.mark.parametrize("frequency", [1.0, 5.0, 10.0, 15.0, 20.0, 50.0])
def test_it_answers_as_its_transfer_function_says(frequency):
    found = excited(Rig.of("hydraulic_mount", **MOUNT), frequency)
    np.testing.assert_allclose(found, complex_stiffness(np.array([frequency]), ALL)[0], rtol=1e-5)


def test_it_is_soft_when_slow_stiff_when_fast_and_lossy_between():
    frequency = np.geomspace(0.01, 500.0, 400)
    K = complex_stiffness(frequency, ALL | {"bellows": 0.0, "damping": 0.0})
    loss = np.degrees(np.angle(K))
    np.testing.assert_allclose(K[0].real, 2e5, rtol=1e-3)
    np.testing.assert_allclose(K[-1].real, 2e5 + 5e-3**2 / 3e-11, rtol=1e-2)
    resonance = 1.0 / (2.0 * np.pi * np.sqrt(3e-11 * 1060.0 * 0.2 / 6e-5))
    assert 0.4 * resonance < frequency[loss.argmax()] < resonance
    assert loss.max() > 30.0


def test_turbulence_makes_it_less_lossy_where_it_moves_much():
    """The resistance grows with the flow, so that the fluid's resonance is damped out."""
    rig = Rig.of("hydraulic_mount", **MOUNT, quadratic=2e13)
    small, large = (excited(rig, 12.0, amplitude, cycles=6) for amplitude in (1e-6, 1e-3))
    np.testing.assert_allclose(small, complex_stiffness(np.array([12.0]), ALL)[0], rtol=0.05)
    assert np.degrees(np.angle(large)) < 0.8 * np.degrees(np.angle(small))


def test_at_rest_the_fluid_has_followed_and_gives_no_force():
    rig = Rig.of("hydraulic_mount", **(MOUNT | {"bellows": 0.0}))
    x = rig.driven(lambda t: (0.045, 0.0), np.array([0.0, 20.0]), **STIFF, first_step=1e-4)[-1]
    np.testing.assert_allclose(rig.state(x, "volume"), 5e-3 * 0.005, rtol=1e-6)
    np.testing.assert_allclose(rig.force(0.045, 0.0, x), 2e5 * 0.005, rtol=1e-6)


def test_work_goes_into_springs_fluid_and_heat():
    rig = Rig.of("hydraulic_mount", **MOUNT, quadratic=2e13)
    times = np.linspace(0.0, 0.25, 2001)

    def motion(t):
        return 0.05 + 2e-3 * np.sin(60.0 * t), 0.12 * np.cos(60.0 * t)

    x = rig.driven(motion, times, rtol=1e-9, atol=1e-16)
    done = [rig.at(*motion(t), row) for t, row in zip(times, x, strict=True)]
    power = [-d.force[0] * motion(t)[1] - d.outputs["loss"] for t, d in zip(times, done, strict=True)]

    def energy(t, row, d):
        fluid = 1060.0 * 0.2 / 6e-5 * row[1] ** 2 + 1e8 * row[0] ** 2 + 3e-11 * d.outputs["pressure"] ** 2
        return (fluid + 2e5 * (0.05 - motion(t)[0]) ** 2) / 2.0

    ends = [energy(times[i], x[i], done[i]) for i in (0, -1)]
    np.testing.assert_allclose(simpson(power, x=times), ends[1] - ends[0], atol=1e-5 * max(abs(e) for e in power))
