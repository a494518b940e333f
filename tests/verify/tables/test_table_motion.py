"""What is read from tables of functions that are known."""

import numpy as np
from helpers_model import (
    CRANK_COLUMNS,
    L1,
    L2,
    M1,
    M2,
    crank_functions,
    crank_slider,
    double_pendulum,
)

from fmu_src.numpy_runtime.dynamics import prepare
from precompute.verify.tables.table_motion import table_motion

RNG = np.random.default_rng(1)
STEP = 1e-4


def crank():
    """A motion of the crank-slider at 20 angles, with the exact value, rate and second derivative of its columns."""
    (runtime,) = prepare(crank_slider())
    z, zd, zdd = RNG.uniform(0.1, 6.1, (20, 1)), RNG.uniform(-5, 5, (20, 1)), RNG.uniform(-9, 9, (20, 1))
    slope = lambda th: crank_functions(th + 1e-30j).imag / 1e-30  # noqa: E731
    first, second = slope(z[:, 0]), (slope(z[:, 0] + STEP) - slope(z[:, 0] - STEP)) / (2 * STEP)
    return table_motion(runtime, z, zd, zdd), crank_functions(z[:, 0]), zd * first, zd**2 * second + zdd * first


def test_values_slopes_and_second_derivatives():
    motion, value, rate, second = crank()
    rows = motion.runtime.rows
    for row, name in ((rows.elements[0], "t34"), (rows.markers[0].r, "x"), (rows.S[1], "Sy")):
        place, c = np.array([row]), CRANK_COLUMNS.index(name)
        assert np.allclose(motion.value(place)[:, 0], value[:, c], atol=1e-7)
        slopes = motion.slopes(place)
        assert slopes.shape == (20, 1, 1)
        assert np.allclose(slopes[:, 0, 0] * motion.now.zd[:, 0], rate[:, c], atol=1e-5)
        assert np.allclose(motion.now.rate(place)[:, 0], rate[:, c], atol=1e-5)
        assert np.allclose(motion.second(place)[:, 0], second[:, c], rtol=1e-5, atol=2e-3)


def test_a_motion_next_to_an_end_does_not_leave_the_table():
    (runtime,) = prepare(double_pendulum())
    ends = [(axis.lower, axis.upper) for axis in runtime.chart.axes]
    z = np.array([(a, b) for a in ends[0] for b in ends[1]]) * (1.0 - 1e-7)
    zd, zdd = np.full_like(z, 3.0), np.full_like(z, -3.0)
    motion = table_motion(runtime, z, zd, zdd)
    assert (motion.h > 0.0).all() and (motion.h < 1e-7).all()
    x = runtime.rows.markers[0].r
    a, b = z.T
    exact = -9.0 * (L1 * np.sin(a) + L2 * np.sin(b)) - 3.0 * (L1 * np.cos(a) + L2 * np.cos(b))
    assert np.allclose(motion.second(np.array([x]))[:, 0], exact, atol=0.02)


def test_turning():
    motion, *_ = crank()
    first = motion.runtime.rows.markers[0].A
    assert np.allclose(motion.now.turning(first), np.multiply.outer(motion.now.zd[:, 0], [0.0, 0.0, 1.0]))
    assert np.allclose(motion.angular_acceleration(first)[:, 2], motion.zdd[:, 0], atol=1e-8)


def test_inertia_force_of_one_axis():
    motion, value, rate, _ = crank()
    zd, zdd = motion.now.zd[:, 0], motion.zdd[:, 0]
    assert np.allclose(motion.inertia_force()[:, 0], value[:, 0] * zdd + 0.5 * rate[:, 0] * zd, rtol=1e-6, atol=1e-3)


def test_inertia_force_of_two_axes():
    (runtime,) = prepare(double_pendulum())
    z, zd, zdd = (RNG.uniform(-1, 1, (10, 2)) for _ in range(3))
    (a, b), (ad, bd), (add, bdd) = z.T, zd.T, zdd.T
    along, across = M2 * L1 * L2 * np.cos(a - b), M2 * L1 * L2 * np.sin(a - b)
    first = (M1 + M2) * L1**2 * add + along * bdd + across * bd**2
    second = along * add + M2 * L2**2 * bdd - across * ad**2
    found = table_motion(runtime, z, zd, zdd).inertia_force()
    assert np.allclose(found, np.stack([first, second], axis=1), atol=1e-4)
