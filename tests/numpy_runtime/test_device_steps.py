"""Steps with devices: golden numbers, closed forms, orders; explicit while devices are slow, implicit otherwise."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from helpers_elements import BUSY, MOTOR, SERVO, baked, bob, element, maxwell, rotor, slider
from scipy.linalg import expm

from fmu_src.errors import StepError
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.instance import Instance
from fmu_src.numpy_runtime.steps import integrator
from fmu_src.numpy_runtime.steps.methods import explicit_step, implicit_step

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "active_and_singular.json").read_text())


def instance(mechanism, **values):
    """An instance that is ready to step; names with __ for points."""
    made = Instance(prepare(baked(mechanism)))
    made.names = {variable.name: i for i, variable in enumerate(made.variables)}
    for name, value in values.items():
        made.set([made.names[name.replace("__", ".")]], [value])
    made.setup(0.0)
    made.enter_initialization()
    made.exit_initialization()
    return made


def shown(made, *names):
    return np.array(made.get([made.names[name] for name in names]))


def ran(mechanism, step, stop, names, **values):
    return along(mechanism, step, [stop], names, **values)[-1]


def along(mechanism, step, times, names, **values):
    """Rows of values at some times, of one run."""
    made, rows, done = instance(mechanism, solver__step=step, **values), [], 0
    for stop in times:
        for i in range(done, round(stop / step)):
            made.step(i * step, step)
        done = round(stop / step)
        rows.append(shown(made, *names))
    return np.array(rows)


# --- golden -----------------------------------------------------------------------------------------------------------

CASES = {
    "servo": (rotor(SERVO), GOLDEN["servo"]["rows"], ("q.x", "qd.x", "element.servo.i"), 0.1),
    "motor": (rotor(MOTOR), GOLDEN["motor"]["rows"], ("qd.x", "element.motor.i"), 0.05),
}


@pytest.mark.parametrize("method, most, order", [(explicit_step, 1e-6, 3.5), (implicit_step, 1e-4, 2.8)])
@pytest.mark.parametrize("case", CASES)
def test_servo_and_motor(case, method, most, order, monkeypatch):
    monkeypatch.setattr(integrator, "method_of", lambda runtime: method)
    mechanism, rows, names, at = CASES[case]
    rows = np.array(rows)
    size = np.abs(rows[:, 1:]).max(axis=0)
    found = along(mechanism, 1e-3, rows[:, 0], names)
    assert (np.abs(found - rows[:, 1:]) <= most * size).all()
    exact = rows[rows[:, 0] == at][0, 1:]
    errors = [np.abs((ran(mechanism, step, at, names) - exact) / size).max() for step in (2e-3, 1e-3)]
    assert np.log2(errors[0] / errors[1]) >= order


def test_servo_and_motor_are_slow_enough_for_explicit_steps():
    assert ran(CASES["motor"][0], 1e-3, 0.1, ("qd.x",)) == pytest.approx([8.676634187], abs=1e-8)
    assert ran(CASES["servo"][0], 1e-3, 0.5, ("q.x",)) == pytest.approx([1.845118409], abs=1e-8)


# --- closed forms -----------------------------------------------------------------------------------------------------

MASS = slider(maxwell(), rate=1.0)
SHOWN = ("q.x", "qd.x", "element.mx.F")


@pytest.mark.parametrize(
    "stop, exact", [(0.1, (0.02866836, -0.34689284, 1.73050499)), (0.5, (0.02021922, -0.0036582, 0.1460535))]
)
def test_a_mass_on_a_maxwell_element(stop, exact):
    assert ran(MASS, 1e-3, stop, SHOWN) == pytest.approx(exact, abs=1e-7)


def test_a_spring_so_stiff_that_only_the_damper_is_left():
    x, v, F = ran(MASS, 1e-3, 0.1, SHOWN, element__mx__k=1e9)
    assert x == pytest.approx((1.0 - np.exp(-5.0)) / 50.0, abs=1e-4)
    assert F == pytest.approx(50.0 * v, rel=1e-3)


def test_the_step_is_chosen_anew_at_every_step():
    """A valve that is shut makes the element a million times as fast; and open again, explicit as before."""
    made = element("mx", force="-F", rates={"F": "1000*(s_rate - F/(50*in_valve))"}, in_valve=1)
    made = instance(slider(made, rate=1.0))
    for i in range(60):
        made.set([made.names["element.mx.in_valve"]], [1e-6 if 20 <= i < 40 else 1.0])
        made.step(i * 1e-3, 1e-3)
        assert abs(shown(made, "element.mx.F")[0]) < 50.0
    A = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1000.0, -20.0]])
    shut = A.copy()
    shut[2, 2] = -2e7
    exact = expm(0.02 * A) @ expm(0.02 * shut) @ expm(0.02 * A) @ [0.0, 1.0, 0.0]
    assert shown(made, *("q.x", "qd.x", "element.mx.F")) == pytest.approx(exact, abs=2e-4)


# --- order of every method --------------------------------------------------------------------------------------------

NAMES = ("q.x", "q.mount.x", "q.mount.z", "element.busy.F", "element.busy.y", "element.busy.u")


@pytest.mark.parametrize(
    "method, stiff, order", [("rk4", "dynamic", 2.8), ("midpoint", "dynamic", 1.8), ("rk4", "quasistatic", 3.5)]
)
def test_the_order_with_all_that_an_element_can_have(method, stiff, order):
    mechanism = bob(BUSY, method=method, stiff=stiff)
    ends = [ran(mechanism, h, 0.012, NAMES) for h in (4e-4, 2e-4, 1e-4)]
    apart = [np.abs((a - b) / ends[-1]).max() for a, b in pairwise(ends)]
    assert apart[1] < 1e-3 and np.log2(apart[0] / apart[1]) > order


def test_where_deflections_are_quasistatic_a_step_that_is_too_long_is_refused():
    mechanism = bob(
        element("mx", on=BUSY.on[1:2], force="-F", rates={"F": "k*(d_rate - F/c)"}, k=1e9, c=1.0), stiff="quasistatic"
    )
    with pytest.raises(StepError, match=r"elements move by themselves with up to .* 1/s; .* reduce 'solver.step'"):
        ran(mechanism, 1e-3, 0.002, ("q.x",))


# --- a saved state ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method, stiff", [("rk4", "dynamic"), ("midpoint", "dynamic"), ("rk4", "quasistatic")])
def test_a_restored_state_goes_on_to_the_bit(method, stiff):
    made = instance(bob(BUSY, method=method, stiff=stiff))
    for i in range(5):
        made.step(i * 1e-4, 1e-4)
    block = made.save()
    ends = []
    for _ in range(2):
        made.restore(block)
        for i in range(5, 9):
            made.step(i * 1e-4, 1e-4)
        ends.append(made.save())
    assert ends[0] == ends[1] != block


# --- start ------------------------------------------------------------------------------------------------------------


def test_start_values_of_states():
    made = instance(MASS, x_start__mx__F=7.0)
    assert shown(made, "element.mx.F", "element.mx.force.s", "element.mx.s_rate") == pytest.approx([7.0, -7.0, 1.0])


def test_a_start_at_rest_has_states_at_rest():
    """A motor whose voltage holds a pendulum's spring: the current is U/R where nothing moves."""
    spring = element("spring", force="-k*s", k=20.0)
    made = instance(rotor(MOTOR, spring), solver__static=1.0)
    assert shown(made, "element.motor.i", "q.x", "qdd.x") == pytest.approx([10.0, 0.05, 0.0], abs=1e-9)
    for i in range(3):
        made.step(i * 1e-3, 1e-3)
    assert shown(made, "q.x", "qd.x") == pytest.approx([0.05, 0.0], abs=1e-9)


def test_an_input_beyond_its_bounds_is_refused():
    made = element("e", force="-in_valve", in_valve=1)
    made = instance(slider(replace(made, inputs=(replace(made.inputs[0], minimum=0.0, maximum=2.0),))))
    with pytest.raises(StepError, match=r"input 'element.e.in_valve' is set to 3, outside \[0, 2\]"):
        made.set([made.names["element.e.in_valve"]], [3.0])


def test_a_formula_that_fails_while_running_tells_when_and_where():
    made = instance(slider(element("e", outputs={"far": "sqrt(0.5 - s)"}, force="10*far"), rate=1.0))
    with pytest.raises(
        StepError, match=r"between t = .*: element 'e': the formula of its output 'far' takes the square"
    ):
        for i in range(2000):
            made.step(i * 1e-3, 1e-3)
