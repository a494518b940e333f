"""Samples that tell an acceleration, and samples that do not."""

import numpy as np
import pytest

from precompute.loading.smooth import doubt

T = np.linspace(0.0, 2.0, 1001)
SINE = np.sin(2 * np.pi * T)
RNG = np.random.default_rng(0)
BUMP = np.where((T > 1) & (T < 1.2), 1 - np.cos(2 * np.pi * 5 * (T - 1)), 0.0)


@pytest.mark.parametrize(
    "values",
    [SINE, np.sin(2 * np.pi * 50 * T), 3.0 * T, 0.0 * T + 5.0, np.round(3.0 * T, 9), BUMP**2, np.round(SINE, 6), T**4],
    ids=["sine", "ten per period", "ramp", "constant", "ramp rounded", "smooth bump", "sine rounded", "power"],
)
def test_smooth_motions_are_taken(values):
    assert doubt(T, values, 2) is None


@pytest.mark.parametrize(
    "values",
    [
        np.where(T > 1.0, 1.0, 0.0),
        np.abs(T - 1.0),
        np.maximum(T - 1.0013, 0.0),
        SINE + 1e-4 * RNG.normal(size=T.size),
        np.round(SINE, 4),
        np.sin(2 * np.pi * 166 * T),
    ],
    ids=["step", "kink", "kink between samples", "noise", "rounded", "three per period"],
)
def test_others_are_refused(values):
    found = doubt(T, values, 2)
    assert found is not None and found.refused


@pytest.mark.parametrize("values", [BUMP, np.sin(2 * np.pi * 100 * T)], ids=["cosine bump", "five per period"])
def test_rough_ones_are_doubted(values):
    found = doubt(T, values, 2)
    assert found is not None and not found.refused


@pytest.mark.parametrize("phase", np.linspace(0.0, 2.0, 9))
def test_kinks_and_jumps_of_the_acceleration_are_told_apart_wherever_they_lie_between_samples(phase):
    late = T - 1.0 - 0.002 * phase
    assert doubt(T, np.maximum(late, 0.0), 2).refused
    assert not doubt(T, np.maximum(late, 0.0) ** 2, 2).refused
    assert not doubt(T, np.abs(late) * late, 2).refused


def test_a_doubt_says_when_and_how_large():
    found = doubt(T, np.where(T > 1.2, 1e-3, 0.0), 2)
    assert found.time == pytest.approx(1.2, abs=0.005)
    assert abs(found.all_rows) == pytest.approx(1e-3 / 0.002**2, rel=1.0)


def test_rates_of_rates():
    assert doubt(T, np.cos(2 * np.pi * T), 1) is None
    assert doubt(T, np.where(T > 1.0, 1.0, 0.0), 1).refused
    assert not doubt(T, np.abs(T - 1.0), 1).refused  # that is a jump of the acceleration


def test_of_few_samples_nothing_is_said():
    assert doubt(T[:10], np.where(np.arange(10) > 5, 1.0, 0.0), 2) is None


def test_it_does_not_depend_on_units_nor_on_an_even_distance_of_samples():
    step = np.where(T > 1.0, 1.0, 0.0)
    assert doubt(T, 1e3 * step, 2).share == pytest.approx(doubt(T, step, 2).share)
    uneven = T + 5e-4 * np.sin(37.0 * T)
    assert doubt(uneven, np.sin(2 * np.pi * uneven), 2) is None
    assert doubt(uneven, step, 2).refused
