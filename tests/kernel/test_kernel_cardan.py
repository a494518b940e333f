"""Bushings with moments about their axes: both run-times agree, and the stiffness of quasi-static ones is exact."""

from dataclasses import replace

import numpy as np
import pytest
from helpers_kernel import Pair, random_numbers
from helpers_random import turned_model

from fmu_src.model.laws import efforts, forces
from fmu_src.numpy_runtime.dynamics import generalized_force, mechanics_of, prepare
from fmu_src.numpy_runtime.quasistatic import stiffness
from fmu_src.numpy_runtime.reading import curvature_at, read_columns, rows_at

EVALUATION = 1e-12


@pytest.mark.parametrize(
    ("seed", "quasistatic", "moving", "method"),
    [(1, False, False, "rk4"), (2, False, True, "midpoint"), (3, True, False, "midpoint")],
)
def test_both_run_times_agree(seed, quasistatic, moving, method, tmp_path):
    model = turned_model(seed, quasistatic, moving, method)
    both, rng = Pair(model, tmp_path), np.random.default_rng(seed)
    for _ in range(6):
        numbers = random_numbers(both, rng)
        assert both.difference(numbers, rng) < EVALUATION
        assert both.difference(numbers, rng, step=1e-3) < EVALUATION


def test_what_bushings_give_is_what_acts_on_their_measures_but_for_the_axes():
    model = turned_model(4)
    rng, p, n = np.random.default_rng(4), [parameter.value for parameter in model.parameters], len(model.elements)
    s, sdot = (0.3 * rng.standard_normal(n)).tolist(), rng.standard_normal(n).tolist()
    shown, acting = np.array(efforts(model, p, s, sdot)), np.array(forces(model, p, s, sdot))
    plain = np.array(forces(replace(model, cardans=()), p, s, sdot))
    assert (shown[:3] == acting[:3]).all() and (np.abs(shown - acting)[[3, 5]] > 1.0).all()
    assert abs(plain[1] - acting[1]) > 1e-3  # its damper sees the angular velocity
    np.testing.assert_array_equal(shown[6:], plain[6:])


def test_the_stiffness_of_quasi_static_deflections_is_exact():
    """Against differences of the forces, at large angles."""
    model = turned_model(5, quasistatic=True)
    (runtime,) = prepare(model)
    p, nf = [parameter.value for parameter in model.parameters], runtime.nf
    rng = np.random.default_rng(5)
    z = np.concatenate([[0.1], 0.2 * rng.standard_normal(6)])
    inputs = rng.standard_normal(runtime.slots.count)
    reading = runtime.everything

    def force(z):
        at = mechanics_of(runtime, z, *rows_at(reading, read_columns(reading, z), z))
        return generalized_force(runtime, at, np.zeros(runtime.nz), p, inputs)[nf:]

    numbers = read_columns(reading, z)
    at = mechanics_of(runtime, z, *rows_at(reading, numbers, z))
    K = stiffness(runtime, at, curvature_at(reading, numbers, z), p, inputs)
    h = 1e-5
    for k, e in enumerate(np.eye(runtime.nz)):
        slope = (force(z + h * e) - force(z - h * e)) / (2 * h)
        np.testing.assert_allclose(-K[:, k], slope, atol=1e-6 * np.abs(K).max())
    assert np.abs(K[:, nf:] - K[:, nf:].T).max() > 1e-3 * np.abs(K).max()  # it has no potential
