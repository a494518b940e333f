import numpy as np
import pytest
from helpers_model import crank_slider, defaults, double_pendulum, no_inputs, pendulum_functions
from hypothesis import given
from hypothesis import strategies as st

from fmu_src.interface.variables import layout, variables
from fmu_src.numpy_runtime.dynamics import acceleration, generalized_force, mechanics, prepare
from fmu_src.numpy_runtime.outputs import outputs, roll_pitch_yaw, steer_camber
from fmu_src.numpy_runtime.state import State

TABLE = 1e-6  # values of 25 nodes of degree 5

CRANK = crank_slider()
CRANK_RUNTIME = prepare(CRANK)[0]
PENDULUM = double_pendulum()
PENDULUM_RUNTIME = prepare(PENDULUM)[0]


def named_outputs(runtime, z, zd, parameters, inputs):
    model = runtime.model
    names = [variable.name for variable in variables(model)[layout(model).outputs]]
    values = outputs([runtime], State(0.0, 0, 0, np.asarray(z), np.asarray(zd)), parameters, inputs)
    assert len(values) == len(names)
    return dict(zip(names, values, strict=True))


def test_port_power_is_force_times_velocity():
    z, zd, p = [0.4, -0.7], [1.1, -0.6], defaults(PENDULUM)
    inputs = np.array([0.0, 0.0, 4.0, -5.0, 6.0, 0.7, 0.8, 0.9])
    at = mechanics(PENDULUM_RUNTIME, np.array(z))
    with_load = generalized_force(PENDULUM_RUNTIME, at, np.array(zd), p, inputs)
    without = generalized_force(PENDULUM_RUNTIME, at, np.array(zd), p, no_inputs(PENDULUM))
    out = named_outputs(PENDULUM_RUNTIME, z, zd, p, inputs)
    v = [out[f"marker.tip.v[{i}]"] for i in (1, 2, 3)]
    w = [out[f"marker.tip.w[{i}]"] for i in (1, 2, 3)]
    assert (with_load - without) @ zd == pytest.approx(np.dot(inputs[2:5], v) + np.dot(inputs[5:], w), abs=1e-12)


def test_outputs_of_the_double_pendulum():
    z, zd, p = np.array([0.4, -0.7]), np.array([1.1, -0.6]), defaults(PENDULUM)
    out = named_outputs(PENDULUM_RUNTIME, z, zd, p, no_inputs(PENDULUM))
    exact = pendulum_functions(z[:1], z[1:])[0]
    assert [out["q.alpha"], out["qd.beta"]] == [0.4, -0.6]
    assert out["spring.tip.length"] == pytest.approx(exact[6], abs=TABLE)
    assert out["spring.tip.force"] == pytest.approx(10.0 * (2.7 - exact[6]), abs=1e-4)
    np.testing.assert_allclose([out[f"marker.tip.r[{i}]"] for i in (1, 2, 3)], exact[7:10], atol=TABLE)
    np.testing.assert_allclose([out[f"marker.tip.w[{i}]"] for i in (1, 2, 3)], [0.0, 0.0, -0.6], atol=1e-14)
    np.testing.assert_allclose([out[f"marker.tip.angle[{i}]"] for i in (1, 2, 3)], [0.0, 0.0, -0.7], atol=TABLE)
    assert out["marker.tip.steer"] == pytest.approx(-0.7, abs=TABLE)
    assert out["marker.tip.camber"] == pytest.approx(0.0, abs=TABLE)
    h = 1e-6
    for i in (1, 2, 3):
        ahead, back = (
            named_outputs(PENDULUM_RUNTIME, z + d * zd, zd, p, no_inputs(PENDULUM))[f"marker.tip.r[{i}]"]
            for d in (h, -h)
        )
        assert out[f"marker.tip.v[{i}]"] == pytest.approx((ahead - back) / (2 * h), abs=1e-8)
    assert out["energy.total"] == pytest.approx(out["energy.kinetic"] + out["energy.potential"])


def test_the_angle_output_of_a_turning_element_goes_on_growing():
    out = named_outputs(CRANK_RUNTIME, [20.0], [2.0], defaults(CRANK), no_inputs(CRANK))
    assert out["damper.crank.angle"] == pytest.approx(20.0)
    assert out["damper.crank.rate"] == pytest.approx(2.0)


@given(st.floats(-3.1, 3.1), st.floats(-1.5, 1.5), st.floats(-3.1, 3.1))
def test_roll_pitch_yaw_undo_the_rotation(roll, pitch, yaw):
    def turn(i, angle):
        c, s, R = np.cos(angle), np.sin(angle), np.eye(3)
        j, k = (i + 1) % 3, (i + 2) % 3
        R[j, j], R[j, k], R[k, j], R[k, k] = c, -s, s, c
        return R

    R = turn(2, yaw) @ turn(1, pitch) @ turn(0, roll)
    np.testing.assert_allclose(roll_pitch_yaw(R), (roll, pitch, yaw), atol=1e-10)


def test_steer_and_camber_signs():
    left, right = (0.0, 1.0, 0.0), (0.0, -1.0, 0.0)
    turned = np.array([-np.sin(0.1), np.cos(0.1), 0.0])  # a left turn about z up
    assert steer_camber(turned, left) == pytest.approx((0.1, 0.0))
    assert steer_camber(-turned, right) == pytest.approx((0.1, 0.0))
    top_out_left = np.array([0.0, np.cos(0.05), -np.sin(0.05)])
    assert steer_camber(top_out_left, left) == pytest.approx((0.0, 0.05))
    assert steer_camber(top_out_left * [1, -1, 1], right) == pytest.approx((0.0, 0.05))


def test_static_toe_at_design_counts_as_zero_steer():
    axis = (np.sin(0.02), np.cos(0.02), 0.0)
    assert steer_camber(np.array(axis), axis)[0] == pytest.approx(0.0)


def test_a_model_without_elements_markers_and_ports_runs():
    model = crank_slider(elements=(), markers=(), ports=())
    runtime = prepare(model)[0]
    out = named_outputs(runtime, [0.3], [1.0], defaults(model), np.array([2.0]))
    assert out["qdd.theta"] == pytest.approx(
        acceleration(runtime, np.array([0.3]), np.array([1.0]), defaults(model), np.array([2.0]))[0]
    )
