"""Prony series: excited, they are as stiff and as lossy as the closed form says; fits of data."""

import numpy as np
import pytest
from helpers_devices import ANYWHERE, STIFF, Rig

from precompute.device_types import KeyFaults, expand
from precompute.device_types.prony_series import Series, fitted

SERIES = Series(8e5, (3e5, 2e5, 4e5), (0.1, 0.01, 0.001))
FREQUENCIES = np.array([1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 50.0, 80.0])


def table(series, frequencies=FREQUENCIES):
    return np.column_stack((frequencies, series.dynamic_stiffness(frequencies), series.loss_angle(frequencies)))


def excited(rig, frequency, amplitude=1e-3, reference=0.0, cycles=2):
    """Complex stiffness from one cycle of a sine in steady motion: start in it, by the slopes, and go on."""
    w = 2.0 * np.pi * frequency
    slopes = rig.at(reference, 0.0, slopes=True).R
    A, drive = slopes[:, 2:], amplitude * (slopes[:, 0] + 1j * w * slopes[:, 1])
    x0 = rig.x0 + np.linalg.solve(1j * w * np.eye(len(A)) - A, drive).imag
    times = np.linspace(0.0, cycles / frequency, 64 * cycles + 1)

    def motion(t):
        return reference + amplitude * np.sin(w * t), amplitude * w * np.cos(w * t)

    x = rig.driven(motion, times, x0, **STIFF)
    force = np.array([rig.force(*motion(t), row) for t, row in zip(times, x, strict=True)])
    last = slice(len(times) - 65, len(times) - 1)
    return -2j * np.mean(force[last] * np.exp(-1j * w * times[last])) / amplitude


@pytest.mark.parametrize("frequency", [1.0, 5.0, 20.0, 50.0])
def test_excited_it_is_as_stiff_and_lossy_as_the_closed_form_says(frequency):
    rig = Rig.of("prony", stiffness=SERIES.stiffness, rates=SERIES.rates, times=SERIES.times)
    found = excited(rig, frequency)
    at = np.array([frequency])
    np.testing.assert_allclose(abs(found), SERIES.dynamic_stiffness(at)[0], rtol=1e-6)
    np.testing.assert_allclose(np.degrees(np.angle(found)), SERIES.loss_angle(at)[0], rtol=1e-6)


def test_at_rest_it_is_its_static_stiffness_and_all_of_them_at_once():
    np.testing.assert_allclose(SERIES.dynamic_stiffness(np.array([0.0, 1e9])), [8e5, 17e5], rtol=1e-6)


def test_a_fit_finds_the_series_that_the_data_are_of():
    found = fitted(table(SERIES), 3)
    assert found.error < 1e-6
    np.testing.assert_allclose(found.stiffness, SERIES.stiffness, rtol=1e-4)
    np.testing.assert_allclose(found.rates, SERIES.rates[::-1], rtol=1e-3)
    np.testing.assert_allclose(found.times, SERIES.times[::-1], rtol=1e-3)


def test_a_fit_keeps_a_static_stiffness_that_is_given():
    assert fitted(table(SERIES), 3, 7.9e5).stiffness == 7.9e5


def rubber(frequency):
    """Usual rubber: stiffness grows a little per decade, the loss angle is nearly constant."""
    return np.column_stack((frequency, 5e5 * (frequency / 1.0) ** 0.08, np.full(len(frequency), 7.2)))


def test_a_bushing_of_measured_data_has_them_to_the_error_that_is_told():
    """At the 1, 5, 20, 50 Hz of the table, as the element itself is excited."""
    frequency = np.array([1.0, 2.0, 5.0, 10.0, 20.0, 50.0])
    data = rubber(frequency)
    found = fitted(data, 3)
    assert found.error < 0.02
    told = next(p.text for p in expand("prony", "e", ANYWHERE, "m", {"data": data.tolist()}).parameters)
    assert told == f"Stiffness at rest, fitted: with its branches within {found.error:.2%} of the data"
    rig = Rig.of("prony", data=data.tolist(), branches=3)
    for row in data[[0, 2, 4, 5]]:
        wanted = row[1] * np.exp(1j * np.radians(row[2]))
        assert abs(excited(rig, row[0]) - wanted) <= found.error * row[1] * (1.0 + 1e-4)


def test_more_branches_fit_better():
    errors = [fitted(rubber(np.geomspace(1.0, 100.0, 15)), n).error for n in (1, 2, 3, 4)]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > 0.03 > 0.005 > errors[-1]


def test_a_bad_fit_is_refused_and_says_by_how_much():
    data = rubber(np.geomspace(1.0, 200.0, 15)).tolist()
    with pytest.raises(KeyFaults, match=r"1 branches come within \d+\.\d% of them, not within 5.0%; give more"):
        expand("prony", "e", ANYWHERE, "m", {"data": data, "branches": 1})
    expand("prony", "e", ANYWHERE, "m", {"data": data, "branches": 1, "fit_error": 0.5})


def test_of_what_acts_beside_it_only_the_rest_is_left():
    """Static, since that of a bushing is: the branches stay."""
    data = {"data": table(SERIES).tolist(), "branches": 3}
    whole, rest = (Rig.of("prony", **data, beside=beside).parameters for beside in (0.0, 3e5))
    np.testing.assert_allclose(whole["stiffness"] - rest["stiffness"], 3e5)
    assert {**whole, "stiffness": 0.0} == {**rest, "stiffness": 0.0}
    with pytest.raises(KeyFaults, match=r"beside: is 12.5% more than the data have at rest"):
        expand("prony", "e", ANYWHERE, "m", data | {"beside": 9e5})


def test_branches_that_nothing_asks_for_are_left_out():
    """Data of a spring need none."""
    made = Rig.of("prony", data=[[1.0, 1e5, 0.0], [5.0, 1e5, 0.0], [20.0, 1e5, 0.0]], branches=2)
    assert made.states == []
    np.testing.assert_allclose(made.force(1e-3), -100.0, rtol=1e-6)
