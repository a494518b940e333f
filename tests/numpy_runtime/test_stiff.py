"""Stiff coordinates: rows, forces and accelerations against closed forms."""

import numpy as np
import pytest
from helpers_model import defaults
from helpers_stiff import C1, C2, C12, P2, dalembert, law_force, loose_pendulum, rows, stiff_pendulum
from hypothesis import given
from hypothesis import strategies as st

from fmu_src.numpy_runtime.dynamics import acceleration, energies, generalized_force, mechanics, moving_force, prepare
from fmu_src.numpy_runtime.reading import curvature_at, read, read_columns
from precompute.reduction.arrangement import Placing

TABLE = 1e-7  # 65 nodes of degree 5 around the circle

MODEL = stiff_pendulum()
RUNTIME = prepare(MODEL)[0]
MOVING = prepare(stiff_pendulum(moving=True))[0]
LOOSE, CHARTS = loose_pendulum(moving=True)
PLACE = Placing(LOOSE, CHARTS, CHARTS[0]).placed()[1]  # rows of the quantities
STATIC = prepare(stiff_pendulum(quasistatic=True))[0]

angles = st.floats(-3.0, 3.0)
deflections = st.floats(-0.05, 0.05)
rates = st.floats(-3.0, 3.0)
states = st.tuples(angles, deflections, deflections).map(np.array)
speeds = st.tuples(rates, rates, rates).map(np.array)
sixes = st.tuples(*[rates] * 6).map(np.array)


def inputs(runtime, **parts):
    """The input vector with some parts set."""
    found = np.zeros(runtime.slots.count)
    for name, value in parts.items():
        found[getattr(runtime.slots, name)] = value
    return found


@given(z=states)
def test_rows_are_the_polynomials(z):
    value = read(MOVING.everything, z)[0][PLACE]
    expected = [float(np.ravel(row(z[1:]))[0]) for row in rows(z[:1], True)]
    np.testing.assert_allclose(value, expected, atol=TABLE)


@given(z=states)
def test_slopes_and_curvature_are_those_of_the_values(z):
    h = 1e-5
    _, slopes = read(STATIC.everything, z)
    curvature = curvature_at(STATIC.everything, read_columns(STATIC.everything, z), z)
    for k, e in enumerate(h * np.eye(3)):
        (ahead, slopes_ahead), (back, slopes_back) = (read(STATIC.everything, z + x) for x in (e, -e))
        np.testing.assert_allclose(slopes[k], (ahead - back) / (2 * h), atol=1e-8)
        difference = ((slopes_ahead - slopes_back) / (2 * h))[1:, STATIC.curved]
        np.testing.assert_allclose(curvature[:, k], difference, atol=1e-8)


@given(z=states, zd=speeds, F=speeds, M=speeds)
def test_accelerations_are_the_closed_form(z, zd, F, M):
    p = defaults(MODEL)
    p[C1], p[C2], p[C12], p[P2] = 30.0, 20.0, 5.0, 40.0
    expected, _ = dalembert(z, zd, p[:3], law_force(z, zd, p) + [2.0, 0, 0], F=F, M=M)
    u = inputs(RUNTIME, loads=[*F, *M])
    u[0] = 2.0
    np.testing.assert_allclose(acceleration(RUNTIME, z, zd, p, u), expected, rtol=1e-6, atol=1e-4)


@given(z=states, zd=speeds, V=sixes, Vd=sixes, g=speeds)
def test_accelerations_on_a_moving_ground_are_the_closed_form(z, zd, V, Vd, g):
    p = defaults(MODEL)
    p[:3] = g
    expected, _ = dalembert(z, zd, g, law_force(z, zd, p), V, Vd)
    found = acceleration(MOVING, z, zd, p, inputs(MOVING, twist=V, twist_rate=Vd))
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-4)


@given(z=states)
def test_forces_are_the_slope_of_the_potential(z):
    p, h, still = defaults(MODEL), 1e-6, np.zeros(3)
    p[P2] = 40.0

    def potential(x):
        e = energies(RUNTIME, x, still, p)
        return e.gravity + e.spring

    force = generalized_force(RUNTIME, mechanics(RUNTIME, z), still, p, inputs(RUNTIME))
    for k, e in enumerate(h * np.eye(3)):
        assert force[k] == pytest.approx(-(potential(z + e) - potential(z - e)) / (2 * h), rel=1e-6, abs=1e-3)


@given(z=states, zd=speeds)
def test_dampers_never_give_energy(z, zd):
    p = defaults(MODEL)
    p[C1], p[C2], p[C12] = 30.0, 20.0, 20.0
    at = mechanics(RUNTIME, z)
    power = zd @ (
        moving_force(RUNTIME, at, zd, p, inputs(RUNTIME))
        - moving_force(RUNTIME, at, zd, defaults(MODEL), inputs(RUNTIME))
    )
    assert power <= 1e-9
