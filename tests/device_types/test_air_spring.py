"""A volume of gas: what stays, what comes in, how stiff it is."""

import numpy as np
import pytest
from helpers_devices import STIFF, Rig
from scipy.integrate import simpson

GAS = {"pressure": 6e5, "volume": 1.5e-3, "area": 5e-3, "reference": 0.25}
PV, R, T = 6e5 * 1.5e-3, 287.05, 293.15


def swing(t):
    """A motion through most of the travel."""
    return 0.25 + 0.08 * np.sin(20.0 * t), 1.6 * np.cos(20.0 * t)


@pytest.mark.parametrize("n", [1.0, 1.2, 1.4])
def test_pressure_times_volume_to_the_exponent_stays(n):
    """To the last bits after any motion: its rate is zero."""
    rig = Rig.of("air_spring", exponent=n, area_slope=2e-3, **GAS)
    times = np.linspace(0.0, 10.0, 101)
    x = rig.driven(swing, times)
    done = [rig.at(*swing(t), row).outputs for t, row in zip(times, x, strict=True)]
    kept = np.array([d["gas_pressure"] * d["gas_volume"] ** n for d in done]) / (6e5 * 1.5e-3**n)
    np.testing.assert_allclose(kept, 1.0, rtol=1e-13)


@pytest.mark.parametrize("n", [1.0, 1.4])
def test_its_force_is_the_slope_of_its_energy(n):
    """Against the work of the gas and of the air around it."""
    rig = Rig.of("air_spring", exponent=n, area_slope=5e-3, **GAS)

    def energy(s):
        V = rig.at(s).outputs["gas_volume"]
        gas = -PV * np.log(V / 1.5e-3) if n == 1.0 else PV * ((V / 1.5e-3) ** (1.0 - n) - 1.0) / (n - 1.0)
        return gas + 101325.0 * V

    for s in (0.18, 0.25, 0.33):
        slope = (energy(s + 1e-5) - energy(s - 1e-5)) / 2e-5
        np.testing.assert_allclose(rig.force(s), -slope, rtol=1e-7)


def test_its_stiffness_at_reference_is_the_text_book_one():
    """n p A^2 / V, where the area does not change."""
    rig = Rig.of("air_spring", exponent=1.4, **GAS)
    np.testing.assert_allclose(-rig.at(0.25, slopes=True).F[0, 0], 1.4 * 6e5 * 5e-3**2 / 1.5e-3, rtol=1e-12)


def valve(t):
    """Fills, and lets out again."""
    return {"fill": 2e-3 * np.sin(2.0 * np.pi * t) if t < 1.0 else -1e-3}


@pytest.mark.parametrize("n", [1.0, 1.4])
def test_what_comes_in_is_conserved(n):
    rig = Rig.of("air_spring", exponent=n, **GAS)
    before = rig.at(0.25).outputs["mass"]
    np.testing.assert_allclose(before, PV / (R * T), rtol=1e-14)
    x = rig.driven(swing, np.array([0.0, 0.25, 0.5, 1.0, 1.5]), inputs=valve, max_step=0.02)
    mass = np.array([rig.at(0.25, 0.0, row).outputs["mass"] for row in x]) - before
    wanted = 2e-3 * (1.0 - np.cos(2.0 * np.pi * np.array([0.0, 0.25, 0.5, 1.0]))) / (2.0 * np.pi)
    np.testing.assert_allclose(mass, [*wanted, -5e-4], atol=1e-12)


def test_an_isothermal_gas_keeps_its_temperature_while_it_is_filled():
    rig = Rig.of("air_spring", exponent=1.0, **GAS)
    x = rig.driven(swing, np.linspace(0.0, 1.5, 7), inputs=valve, max_step=0.02)
    for row in x:
        np.testing.assert_allclose(rig.at(0.3, 0.0, row).outputs["gas_temperature"], T, rtol=1e-9)


def test_an_adiabatic_gas_has_the_energy_that_came_in():
    """First law: cv d(m T) = cp T_in dm - p dV, over a motion with the valve open to both sides."""
    cv = R / 0.4
    cp = 1.4 * cv
    rig = Rig.of("air_spring", exponent=1.4, supply=330.0, **GAS)
    times = np.linspace(0.0, 1.0, 2001)
    x = rig.driven(swing, times, inputs=valve, max_step=0.01)
    done = [rig.at(*swing(t), row).outputs for t, row in zip(times, x, strict=True)]
    energy = np.array([cv * d["mass"] * d["gas_temperature"] for d in done])
    fill = np.array([valve(t)["fill"] for t in times[:-1]] + [0.0])
    heat = [cp * f * (330.0 if f >= 0.0 else d["gas_temperature"]) for f, d in zip(fill, done, strict=True)]
    work = [d["gas_pressure"] * 5e-3 * swing(t)[1] for t, d in zip(times, done, strict=True)]
    gained = simpson(np.array(heat) - np.array(work), x=times)
    np.testing.assert_allclose(energy[-1] - energy[0], gained, atol=1e-6 * energy[0])


def test_with_cooling_it_is_soft_when_slow_and_stiff_when_fast():
    """Stiffness of small swings: p A^2 / V at low frequencies, 1.4 times that at high ones."""
    rig = Rig.of("air_spring", exponent=1.4, cooling=2.0, **GAS)
    slow, fast = 6e5 * 5e-3**2 / 1.5e-3, 1.4 * 6e5 * 5e-3**2 / 1.5e-3
    done = rig.at(0.25, slopes=True)
    F, (A, drive) = done.F[0], (done.R[1, 3], done.R[1, 0])
    for w, wanted in ((1e-4, slow), (1e4, fast)):
        stiffness = -(F[0] + F[3] * drive / (1j * w - A))
        np.testing.assert_allclose(stiffness.real, wanted, rtol=1e-6)
    relaxed = rig.driven(lambda t: (0.2, 0.0), np.array([0.0, 20.0]), **STIFF)[-1]
    np.testing.assert_allclose(rig.at(0.2, 0.0, relaxed).outputs["gas_temperature"], T, rtol=1e-8)


def test_gas_without_a_volume_is_told():
    rig = Rig.of("air_spring", **GAS)
    from fmu_src.errors import StepError

    with pytest.raises(
        StepError, match=r"element 'e': the formula of its output 'gas_pressure' \(Pressure\) takes a power"
    ):
        rig.at(-0.5)
