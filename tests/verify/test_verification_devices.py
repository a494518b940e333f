"""FMUs with elements of formulas against the full model: states, forces, inputs, parameters; faults are found."""

from dataclasses import replace

import numpy as np
import pytest
from helpers_elements import ALONG, BUSY, SLIDE, bob, element, maxwell, rotor, slider
from helpers_verify import motion

from fmu_src.build.python_fmu import build_fmu
from fmu_src.model.programs import Op
from precompute.model.devices import DeviceForce, DeviceNumber
from precompute.pipeline import bake
from precompute.verify import dynamic_check
from precompute.verify.findings import DeviceCoverage
from precompute.verify.limits import Limits
from precompute.verify.motion import devices
from precompute.verify.motion.tuning import tuned

MASS = slider(maxwell(), rate=1.0, reach=0.3)
CURRENT = "(b*(in_a - a) - r*i - c*a_rate)/l"
SERVO = element("servo", (("a", SLIDE),), "c*i", {"i": CURRENT}, b=5.0, c=0.1, r=1.0, l=0.01, in_a=1.0)


def turning():
    """A rotor with a servo, with a range of a turn."""
    plain = rotor(SERVO)
    (c,) = plain.coordinates
    return replace(plain, coordinates=(replace(c, lower=-3.0, upper=4.0),))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Mechanism, and what is wrong with it -> an FMU, once."""
    folder, made = tmp_path_factory.mktemp("devices"), {}

    def build(name, mechanism, broken=lambda model: model):
        if name not in made:
            made[name] = build_fmu(broken(bake(mechanism)), folder / f"{name}.fmu")
        return made[name]

    return build


def errors(found):
    """By quantity, over their limits."""
    return {d.quantity: d.excess for d in found.differences}


@pytest.mark.fmu
def test_a_mass_on_a_maxwell_element(built):
    found = motion(built("mass", MASS), stop=0.15)
    assert not found.faults and max(errors(found).values()) < 0.1
    names = {d.quantity: d.unit for d in found.differences}
    assert names["element.mx.s"] == "mm" and names["element.mx.F"] == "1" and names["element.mx.force.s"] == "N"
    (own,) = found.devices
    assert own.name == "mx" and not own.idle and not own.inputs
    assert own.states["F"][1] > 10.0 and own.forces["s"][0] == -own.states["F"][1]


@pytest.mark.fmu
def test_parameters_and_start_values_are_those_of_both(built):
    values = {"element.mx.k": 300.0, "element.mx.c": 80.0, "x_start.mx.F": -20.0, "qd_start.x": 0.2}
    found = motion(built("mass", MASS), stop=0.15, values=values)
    assert not found.faults
    assert found.devices[0].states["F"][0] == -20.0


@pytest.mark.fmu
def test_states_that_follow_at_once(built, monkeypatch):
    """The FMU takes implicit steps, and so does the full model."""
    monkeypatch.setattr(dynamic_check, "SAMPLES", 11)
    found = motion(built("mass", MASS), stop=0.02, values={"element.mx.k": 1e9})
    assert not found.faults


@pytest.mark.fmu
def test_inputs_over_time_are_held_in_both(built):
    t = np.array([0.0, 0.05, 0.05, 0.12, 0.12, 0.3])
    table = np.empty(6, dtype=[("time", float), ("element.servo.in_a", float), ("Q.x", float)])
    table["time"], table["element.servo.in_a"], table["Q.x"] = t, [1.0, 1.0, -2.0, -2.0, 0.5, 0.5], 0.01
    found = motion(built("rotor", turning()), inputs=table, stop=0.3, free=False)
    assert not found.faults and max(errors(found).values()) < 1.0
    assert found.devices[0].inputs["in_a"] == (-2.0, 1.0)
    constant = motion(built("rotor", turning()), stop=0.1, values={"element.servo.in_a": 0.7})
    assert not constant.faults and constant.devices[0].inputs["in_a"] == (0.7, 0.7)


@pytest.mark.fmu
def test_a_rotor_is_led_through_its_range_while_its_servo_pulls(built):
    found = motion(built("rotor", turning()), stop=1.0, free=False)
    assert not found.faults
    assert found.coverage[0].share > 0.8
    low, high = found.devices[0].inputs["in_a"]
    assert low == pytest.approx(0.8, abs=1e-3) and high == pytest.approx(1.2, abs=1e-3)


@pytest.mark.fmu
@pytest.mark.parametrize("method", ["rk4", "midpoint"])
def test_elements_on_rubber_with_unknowns_and_several_measures(built, method):
    found = motion(built(f"bob_{method}", bob(BUSY, method=method)), stop=0.05)
    assert not found.faults, found.faults
    names = {d.quantity for d in found.differences}
    assert {f"element.busy.{n}" for n in ("a", "d", "e", "F", "y", "u", "loss", "force.a", "force.d")} <= names


HOLDING = element("holding", on=(("a", SLIDE), ("d", ALONG)), rates={"F": "40*(2 + 9*sin(a) - F) + 3*a_rate"})
HOLDING = replace(HOLDING, forces=(DeviceForce("a", "-F - 30*a"), DeviceForce("d", "-3e4*d + 5*F")))


@pytest.mark.fmu
def test_a_static_start_has_states_at_rest_in_both(built, monkeypatch):
    """Nothing moves, and where it stays is where the full model stays."""
    monkeypatch.setattr(dynamic_check, "SAMPLES", 3)
    found = motion(built("holding", bob(HOLDING)), stop=0.02, values={"solver.static": 1.0})
    assert max(errors(found).values()) < 1.0
    assert found.devices[0].states["F"][0] == pytest.approx(found.devices[0].states["F"][1], abs=1e-6)
    assert abs(found.devices[0].states["F"][0] - 2.0) > 1.0
    assert found.faults == ("the motion covered nothing: no coordinate moved by 1 % of its table",)


# -- what is wrong is found -------------------------------------------------------------------------------------------


def changed(model, what, code=(int(Op.NEGATE), 0)):
    """The model with an instruction more at the end of one formula."""
    (device,) = model.devices
    formulas = tuple(replace(f, code=(*f.code, *code)) if f.what == what else f for f in device.formulas)
    assert formulas != device.formulas
    return replace(model, devices=(replace(device, formulas=formulas),))


def slower(model):
    """The model with a constant of a rate that is 1 % too small."""
    (device,) = model.devices
    return replace(model, devices=(replace(device, constants=tuple(0.99 * x for x in device.constants)),))


FORMULAS = element("e", force="-F - 3*s", rates={"F": "900*(s_rate - F/40)"}, outputs={"P": "F*s_rate"})


@pytest.mark.fmu
@pytest.mark.parametrize(
    "fault, seen",
    [
        (lambda model: changed(model, "force on 's'"), "element.e.force.s"),
        (lambda model: changed(model, "rate of state 'F'"), "element.e.F"),
        (lambda model: changed(model, "output 'P'"), "element.e.P"),
        (slower, "element.e.F"),
    ],
)
def test_wrong_formulas_in_the_fmu_are_found(built, request, fault, seen):
    name = f"wrong{request.node.callspec.indices['fault']}"
    found = motion(built(name, slider(FORMULAS, rate=0.5, reach=0.3), fault), stop=0.08)
    assert errors(found)[seen] > 1.0
    assert found.faults


@pytest.mark.fmu
def test_a_motion_in_which_no_element_acts_does_not_pass(built):
    stop = element("stop", force="-max(s - 5, 0)*1000")
    found = motion(built("stop", slider(stop, rate=0.5, reach=0.3)), stop=0.05)
    assert found.faults == ("the motion covered none of its elements: no force acted, no state changed",)


# -- pieces -----------------------------------------------------------------------------------------------------------


def test_an_element_is_idle_if_no_force_acts_and_no_state_changes():
    still = DeviceCoverage("e", {"x": (2.0, 2.0)}, {"s": (0.0, 0.0)}, {"i": (1.0, 3.0)})
    assert still.idle
    assert not replace(still, states={"x": (2.0, 2.1)}).idle
    assert not replace(still, forces={"s": (4.0, 4.0)}).idle


def test_outputs_that_may_jump_are_left_out_and_named():
    own = element("e", outputs={"a": "if(s > 0, 1, 0)", "b": "2*a", "c": "s^2", "d": "other.x*s"})
    other = element("other", outputs={"x": "e.b + 1", "y": "s"})
    mechanism = slider(own, other)
    assert devices.jumps(mechanism) == {("e", "a"), ("e", "b"), ("e", "d"), ("other", "x")}
    (note,) = devices.notes(mechanism)
    assert note.endswith("element.e.a, element.e.b, element.e.d, element.other.x")
    assert not [*devices.notes(slider(other := element("other", outputs={"y": "s"})))] and other


def test_parameters_of_elements_are_tuned():
    found = tuned(slider(maxwell()), {"element.mx.k": 7.0, "element.mx.F": 3.0, "element.other.k": 9.0})
    assert [p.value for p in found.devices[0].parameters] == [7.0, 50.0]


def test_limits_of_numbers_of_any_size():
    limits = Limits(relative=1e-4)
    assert limits.natural(span=3.0, most=20.0) == pytest.approx(1e-4 * (30.0 + 20.0))
    assert 0.0 < limits.natural(0.0, 0.0) < 1e-9


def test_inputs_sway_inside_their_bounds():
    def number(name, start, low=None, high=None):
        return DeviceNumber(name, start, minimum=low, maximum=high)

    own = element("e", outputs={"o": "s"})
    own = replace(own, inputs=(number("a", 2.0), number("b", 0.0), number("c", 0.0, -1.0, 3.0), number("d", 4.0, 3.9)))
    model = bake(slider(own))
    np.testing.assert_allclose(devices.sways(model, {}), [0.4, 0.0, 0.5, 0.05])
    np.testing.assert_allclose(devices.sways(model, {"element.e.c": 1.0}), [0.4, 0.0, 0.0, 0.05])
    assert not devices.swayed(np.ones(3), 0.0).any()
    assert np.abs(devices.swayed(np.ones(3), 0.37)).max() <= 1.0
