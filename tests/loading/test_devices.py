"""Elements with formulas along given motions: closed forms, laws that they stand for, motions that they have made."""

from dataclasses import replace

import numpy as np
import pytest
from helpers_elements import ALONG, SLIDE, bob, element
from helpers_loading import arm_force, led, pendulum, swing

from precompute.errors import PrecomputeError
from precompute.model.devices import DeviceForce, DeviceNumber
from precompute.model.mechanism import Damper, JointCoordinate, Spring
from precompute.reference import assemble, full_model, initial_velocity, simulate
from precompute.reference.devices.rest import rested
from precompute.reference.inputs import Loads

PIVOT = (("a", JointCoordinate("pivot")),)


def motion(n=401, **more):
    """Columns of a swing, with exact rates and accelerations."""
    t, a, ad, add = swing(n, **more)
    return {"time": t, "angle": a, "angle.rate": ad, "angle.acceleration": add}


def test_formulas_of_springs_and_dampers_are_springs_and_dampers():
    own = element(on=PIVOT, force="-40*a - 3*a_rate")
    laws = {
        "springs": (Spring("k", PIVOT[0][1], stiffness=40.0, free_length=0.0),),
        "dampers": (Damper("c", PIVOT[0][1], damping=3.0),),
    }
    ours, theirs = (led(replace(pendulum(), **more), **motion(51)) for more in ({"devices": (own,)}, laws))
    for name in theirs.loads:
        np.testing.assert_allclose(ours.outputs[name], theirs.outputs[name], atol=1e-9, err_msg=name)
    np.testing.assert_allclose(ours.outputs["element.e.a"], ours.inputs["q.angle"], atol=1e-12)
    force = -40 * ours.inputs["q.angle"] - 3 * ours.inputs["qd.angle"]
    np.testing.assert_allclose(ours.outputs["element.e.force.a"], force, atol=1e-10)
    assert ours.units["element.e.force.a"] == "N.m" and ours.units["element.e.a_rate"] == "rad/s"


def test_a_state_is_integrated_along_the_motion():
    """F' = k a' - (k/c) F with a = A sin(w t): rest at the start, then a forced oscillation."""
    k, c, A, w = 80.0, 4.0, 0.7, 6.0
    own = element("mx", on=PIVOT, force="-F", rates={"F": "k*(a_rate - F/c)"}, k=k, c=c)
    found = led(replace(pendulum(), devices=(own,)), **motion())
    t, r = found.time, k / c
    size = k * A * w / (r**2 + w**2)
    F = size * (r * np.cos(w * t) + w * np.sin(w * t) - r * np.exp(-r * t))
    np.testing.assert_allclose(found.outputs["element.mx.F"], F, atol=1e-7)
    _, plain = arm_force(*(found.inputs[f"q{d}.angle"] for d in ("", "d", "dd")))
    np.testing.assert_allclose(found.outputs["drive.angle.force"], plain + F, atol=1e-6)
    assert found.units["element.mx.F"] == "1" and "element.mx.F" not in found.loads


def test_inputs_are_columns():
    own = element(on=PIVOT, force="gain*x", rates={"x": "(in_u - x)/0.05"}, gain=2.0, in_u=3.0)
    own = replace(own, inputs=(DeviceNumber("in_u", 3.0, minimum=0.0, maximum=5.0),))
    arm = replace(pendulum(), devices=(own,))
    held = led(arm, **motion(51))
    np.testing.assert_allclose(held.outputs["element.e.x"], 3.0, rtol=1e-9)
    t = np.linspace(0.0, 1.0, 51)
    ramp = led(arm, **motion(51), **{"element.e.in_u": 3.0 + 2.0 * t})
    exact = 3.0 + 2.0 * (t - 0.05 * (1.0 - np.exp(-t / 0.05)))
    np.testing.assert_allclose(ramp.outputs["element.e.x"], exact, rtol=1e-7)
    np.testing.assert_array_equal(ramp.inputs["element.e.in_u"], 3.0 + 2.0 * t)
    with pytest.raises(PrecomputeError, match=r"'element.e.in_u' is 5.08 at 0.02 s, outside of 0 to 5"):
        led(arm, **motion(51), **{"element.e.in_u": 5.0 + 4.0 * t})
    with pytest.raises(PrecomputeError, match=r"'element.e.in_v' is no coordinate or input .* 'element.e.in_u'"):
        led(arm, **motion(51), **{"element.e.in_v": t})


def test_states_without_rest_begin_at_their_start_values():
    own = element(on=PIVOT, rates={"w": "a_rate + 1"}, starts={"w": 0.2})
    found = led(replace(pendulum(), devices=(own,)), **motion(51))
    np.testing.assert_allclose(found.outputs["element.e.w"], 0.2 + found.inputs["q.angle"] + found.time, atol=1e-8)
    (note,) = found.notes
    assert "begin at their start values" in note and "'e.w' keeps changing" in note
    (alone,) = led(replace(pendulum(), devices=(own,)), time=[0.0], angle=[0.3]).outputs["element.e.w"]
    assert alone == 0.2


def test_a_motion_that_forces_have_made_needs_no_drive():
    """The full model swings with an element that has a state; what it did is given back."""
    own = element("e", on=PIVOT, force="-F*cos(a) - 0.5*a_rate", rates={"F": "300*a_rate - 60*(F - 20*sin(a))"})
    arm = pendulum()
    arm = replace(arm, devices=(own,), coordinates=tuple(replace(c, driven=False) for c in arm.coordinates))
    full = full_model(arm)
    state = rested(full, initial_velocity(full, assemble(full, {"angle": 0.3}), {}), Loads())
    done = simulate(full, state, np.linspace(0.0, 0.4, 81), rtol=1e-9)
    angle = done.coordinates["angle"]
    found = led(arm, time=done.t, angle=angle.value, **{"angle.rate": angle.rate})
    np.testing.assert_allclose(found.outputs["element.e.F"], done.devices["element.e.F"], atol=1e-6)
    np.testing.assert_allclose(found.outputs["drive.angle.force"][8:-8], 0.0, atol=1e-4)


def test_elements_on_rubber_are_rubber():
    """A spring between the ends of a bushing, as an element and as more stiffness."""
    own = element("e", (("a", SLIDE), ("d", ALONG)))
    own = replace(own, forces=(DeviceForce("d", "-6e4*d"), DeviceForce("a", "-5*a")))
    plain = bob()
    K = plain.bushings[0].stiffness.copy()
    K[0, 0] += 6e4
    laws = replace(
        plain,
        bushings=(replace(plain.bushings[0], stiffness=K),),
        springs=(Spring("k", SLIDE, stiffness=5.0, free_length=0.0),),
    )
    t = np.linspace(0.0, 0.5, 41)
    columns = {"time": t, "x": 0.3 * np.cos(5.0 * t), "x.rate": -1.5 * np.sin(5.0 * t)}
    ours, theirs = (led(m, "ground", **columns) for m in (replace(plain, devices=(own,)), laws))
    for name in theirs.outputs:
        if not name.startswith("marker"):
            size = max(float(np.abs(theirs.outputs[name]).max()), 1e-3)
            np.testing.assert_allclose(ours.outputs[name], theirs.outputs[name], atol=1e-6 * size, err_msg=name)
    np.testing.assert_allclose(ours.outputs["element.e.d"], theirs.outputs["q.mount.x"], atol=1e-9)


def test_a_state_between_the_ends_of_rubber():
    """A Maxwell element on a deflection: slow motions do not load it, fast ones find a stiffer bushing."""
    own = element("mx", on=(("d", ALONG),), force="-F", rates={"F": "k*(d_rate - F/c)"}, k=5e4, c=1000.0)
    t = np.linspace(0.0, 1.0, 101)
    columns = {"time": t, "x": 0.3 * np.cos(5.0 * t), "x.rate": -1.5 * np.sin(5.0 * t)}
    found = led(replace(bob(), devices=(own,)), **columns)
    d, F = found.outputs["element.mx.d"], found.outputs["element.mx.F"]
    rate = found.outputs["element.mx.d_rate"]
    np.testing.assert_allclose(rate[5:-5], np.gradient(d, t)[5:-5], atol=2e-2 * np.abs(rate).max())
    change = np.gradient(F, t)[5:-5] - 5e4 * (rate - F / 1000.0)[5:-5]
    assert np.abs(change).max() < 2e-2 * np.abs(5e4 * rate).max()
    assert F[0] == 0.0 and np.abs(F).max() > 1e-3
