"""How states of rest change: rates, their derivatives and compliance, against exact solutions nearby."""

from dataclasses import replace

import numpy as np
import pytest
from helpers_rig import at, axle, near, richardson, strut

from precompute.rig.rates import Picked, compliance_matrix, jacobian, looked, rates, with_second, without_bars

SLOPE = 1e-8
"""Of gradients against Richardson differences."""


@pytest.fixture(scope="module", params=["corner", "axle", "rigid"])
def state(request):
    """Loaded, steered and in bump: nothing is at a special position."""
    on = {"corner": strut, "axle": axle, "rigid": lambda: strut(elastic=False)}[request.param]()
    rest, made = at(on, "bump", [0.02])
    here = on.still(1)
    here.b[:] = made.b
    here.held[..., 0] += 0.015 * np.array([1.0, -1.0])[: on.copies]
    here.loads.patch[..., 1] = 800.0
    here.loads.centre[..., 0] = 400.0
    here.loads.moment[..., 2] = 30.0
    return on, near(on, rest, here), here


def moved(on, rest, here, rate, h):
    """The state of rest with one rate changed by h."""
    there = replace(here, b=here.b.copy(), held=here.held.copy())
    if rate < 2:
        there.b[:, on.row(on.sides[rate])] += h
    else:
        there.held[..., 0] += h * np.array([1.0, -1.0])[: on.copies]
    return near(on, rest, there), there


@pytest.mark.parametrize("rate", [0, 1, 2])
def test_rates_are_derivatives_of_states_of_rest(state, rate):
    on, rest, here = state
    found = rates(on, looked(on, rest, here)).z[..., rate]
    expected = richardson(lambda h: moved(on, rest, here, rate, h)[0].z, 5e-4)
    np.testing.assert_allclose(found, expected, atol=SLOPE * np.abs(expected).max())


@pytest.mark.parametrize("rate", [0, 2])
def test_second_derivatives_of_states_of_rest(state, rate):
    on, rest, here = state
    found = looked(on, rest, here)
    second = with_second(on, found, rates(on, found)).second
    assert second is not None
    expected = richardson(lambda h: rates(on, looked(on, *moved(on, rest, here, rate, h))).z, 1e-3)
    np.testing.assert_allclose(second[..., rate], expected, atol=1e-7 * np.abs(expected).max() + 1e-9)


def twist_of(on, base, rest):
    """Small displacement (6,) of the left wheel's centre since a base state, in ISO axes; angles to second order."""
    side = on.sides[0]
    wheel = on.rig.bench.wheels[side.wheel]
    a, b = (on.rig.bench.closure.poses(s.q[0, side.copy]).pose(wheel.body) for s in (base, rest))
    turn = b.R @ a.R.T
    angles = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    return np.concatenate([angles, b.point(wheel.centre) - a.point(wheel.centre)])


def test_compliance_is_that_of_exact_solutions(state):
    """Wrenches at the centre of the left wheel, loads of the pads kept; and symmetric, where pads alone load it."""
    on, rest, here = state
    kept = replace(here, A_u=np.zeros_like(here.A_u), A_F=np.broadcast_to(np.eye(2), (1, 2, 2)).copy())
    kept = replace(kept, b=rest.pads.reshape(1, -1))
    found = looked(on, rest, kept)
    C = compliance_matrix(on, found, found.K)
    assert C is not None and C.shape == (1, 12, 12)
    side = on.sides[0]
    for i, (what, size) in enumerate([("moment", 5.0)] * 3 + [("centre", 50.0)] * 3):

        def displaced(h, what=what, i=i):
            loads = replace(kept.loads, **{what: getattr(kept.loads, what).copy()})
            getattr(loads, what)[0, side.copy, side.wheel, i % 3] += h
            return twist_of(on, rest, near(on, rest, replace(kept, loads=loads)))

        expected = richardson(displaced, size)
        np.testing.assert_allclose(C[0, :6, i], expected, rtol=1e-7, atol=1e-8 * np.abs(expected).max())


def test_compliance_is_symmetric():
    for on in (strut(), axle()):
        rest, made = at(on, "bump", [-0.03, 0.05])
        found = looked(on, rest, made)
        C = compliance_matrix(on, found, found.K)
        unit = np.tile([1.0, 1.0, 1.0, 3.0, 3.0, 3.0], 2)  # angles count with a third of a metre
        scaled = C * unit[:, None] * unit
        assert np.abs(scaled - np.swapaxes(scaled, 1, 2)).max() < 1e-9 * np.abs(scaled).max()
        np.testing.assert_array_equal(without_bars(on, found), found.K)


def test_a_wheel_of_the_other_side_is_its_mirror_image():
    on = axle()
    rest, made = at(on, "bump", [0.03])
    found = looked(on, rest, made)
    left, right = (
        Picked(on, side, 1).twists(jacobian(found.at.corners[side.wheel])[0]) @ rates(on, found).z[:, side.copy]
        for side in on.sides
    )
    mirror = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0])
    np.testing.assert_allclose(left[0, :, 0], mirror * right[0, :, 1], atol=1e-10)
    np.testing.assert_allclose(left[0, :, 2], -mirror * right[0, :, 2], atol=1e-10)
