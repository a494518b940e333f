"""Elements with formulas in the full model, against closed forms, golden numbers and the laws that they stand for."""

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers import GOLDEN
from helpers_elements import ACROSS, ALONG, BUSY, MOTOR, SERVO, bob, element, maxwell, rotor, slider
from helpers_reference import G, body, joint, moving
from scipy.optimize import brentq

from precompute.errors import MechanismError, PrecomputeError
from precompute.model.devices import DeviceForce
from precompute.model.mechanism import (
    Combination,
    Coordinate,
    Damper,
    Distance,
    JointCoordinate,
    Mechanism,
    Spring,
)
from precompute.reference import (
    Loads,
    accelerations,
    equilibrium,
    followed,
    full_model,
    response,
    simulate,
    small_motions,
)
from precompute.reference.devices.rest import rested
from precompute.reference.simulation import Inputs, Piece

SAME = 1e-10  # forces of formulas and of laws that are the same
INTEGRATED = 1e-8  # of the largest value of a column

COLUMNS = json.loads((GOLDEN / "active_and_singular.json").read_text())


# -- states over time -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", [SERVO, MOTOR], ids=["servo", "motor"])
def test_servo_and_motor(device):
    rows = np.array([row for row in COLUMNS[device.name]["rows"] if row[0] <= 0.1])
    model, state = moving(rotor(device))
    found = simulate(model, state, [0.0, *rows[:, 0]])
    x = found.coordinates["x"]
    ours = np.stack([x.value, x.rate, found.devices[f"element.{device.name}.i"]][-len(rows[0]) + 1 :], axis=-1)[1:]
    np.testing.assert_allclose(ours, rows[:, 1:], atol=INTEGRATED * np.abs(rows[:, 1:]).max())
    torque = found.devices[f"element.{device.name}.force.s"]
    np.testing.assert_allclose(torque, 0.1 * found.devices[f"element.{device.name}.i"], rtol=1e-15)


def test_a_mass_on_a_maxwell_element():
    model, state = moving(slider(maxwell()), rates={"x": 1.0})
    found = simulate(model, state, [0.0, 0.1, 0.5])
    ours = [found.coordinates["x"].value, found.coordinates["x"].rate, found.devices["element.mx.F"]]
    expected = [[0.02866836, -0.34689284, 1.73050499], [0.02021922, -0.0036582, 0.1460535]]
    np.testing.assert_allclose(np.transpose(ours)[1:], expected, atol=1e-8)
    np.testing.assert_array_equal(found.devices["element.mx.s_rate"], found.coordinates["x"].rate)
    np.testing.assert_array_equal(found.devices["element.mx.force.s"], -found.devices["element.mx.F"])


def chain(k, c=50.0, times=(0.0, 0.02, 0.1)):
    """Places of 1 kg with 1 m/s on a spring and a damper in series, whose eigenvalues may be far apart."""
    values, vectors = np.linalg.eig(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [0.0, k, -k / c]]))
    shares = np.linalg.solve(vectors, [0.0, 1.0, 0.0])
    return np.array([(vectors[0] @ (np.exp(values * t) * shares)).real for t in times])


def test_states_that_follow_at_once_are_integrated_as_well():
    """The damper alone is left of it: x = (1 - exp(-50 t))/50, and the state follows at 2e7 1/s."""
    model, state = moving(slider(maxwell(k=1e9)), rates={"x": 1.0})
    found = simulate(model, state, [0.0, 0.02, 0.1], rtol=1e-9)
    x = found.coordinates["x"].value
    np.testing.assert_allclose(x, (1.0 - np.exp(-50.0 * found.t)) / 50.0, atol=2e-8)
    np.testing.assert_allclose(x[1:], chain(1e9)[1:], rtol=1e-8)


def test_a_force_that_jumps_against_the_motion_is_named_where_time_stands_still():
    push = element("push", force="if(s_rate > 0, -10, 10) - 1000*s")
    model, state = moving(slider(push), rates={"x": 1.0})
    with pytest.raises(PrecomputeError, match=r"does not get on at t = 0\.\d+ s.*jumps against the motion"):
        simulate(model, state, [0.0, 0.5])


def test_inputs_change_at_the_ends_of_pieces():
    motor = element("m", force="c*i", rates={"i": "(in_V - r*i)/l"}, in_V=0.0, c=0.1, r=1.0, l=0.1)
    model, state = moving(rotor(motor))
    pieces = [
        Piece(t, t + 0.1, Inputs(loads=lambda _, V=V: Loads(devices={"m.in_V": V})))
        for t, V in ((0.0, 5.0), (0.1, 2.0))
    ]
    first, second = followed(model, state, pieces)
    i = 5.0 * (1.0 - np.exp(-1.0))
    assert first.devices[0] == pytest.approx(i, rel=1e-9)
    assert second.devices[0] == pytest.approx(2.0 + (i - 2.0) * np.exp(-1.0), rel=1e-9)
    with pytest.raises(MechanismError, match="there is no input of an element 'm.in_v'; did you mean 'm.in_V'"):
        accelerations(model, state, loads=lambda _: Loads(devices={"m.in_v": 1.0}))


# -- forces -----------------------------------------------------------------------------------------------------------


def pair(*devices, **more) -> Mechanism:
    """Two bodies on hinges about skew axes, with distances and angles to measure."""
    return Mechanism(
        "Pair",
        (body("one", 2.0, [0.5, 0.0, 0.1], 0.1, 0.2, 0.3), body("two", 1.0, [1.2, 0.1, 0.0], 0.05, 0.04, 0.06)),
        (
            joint("A", "revolute", "ground", "one", [0.0, 0.0, 0.0], [0.0, 0.6, 0.8]),
            joint("B", "revolute", "one", "two", [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
        ),
        coordinates=(Coordinate("a", JointCoordinate("A")), Coordinate("b", JointCoordinate("B"))),
        gravity=[0.0, 0.0, -G],
        devices=devices,
        **more,
    )


LENGTH = Distance("ground", "two", [0.2, 0.5, 0.6], [1.4, 0.0, 0.2])
ANGLES = Combination((JointCoordinate("A"), JointCoordinate("B")), (0.7, -1.3))


@pytest.mark.parametrize("on", [LENGTH, JointCoordinate("B"), ANGLES], ids=["length", "angle", "sum"])
def test_springs_and_dampers_of_formulas_are_those_of_laws(on):
    laws = {
        "springs": (Spring("k", on, stiffness=300.0, free_length=0.2),),
        "dampers": (Damper("c", on, damping=12.0),),
    }
    both = element(on=(("s", on),), force="-k*(s - 0.2) - c*s_rate", k=300.0, c=12.0)
    at, rates = {"a": 0.4, "b": -0.7}, {"a": 1.2, "b": 2.5}
    ours, theirs = (accelerations(*moving(own, at, rates)) for own in (pair(both), pair(**laws)))
    np.testing.assert_allclose(ours.bodies, theirs.bodies, atol=SAME * np.abs(theirs.bodies).max())
    np.testing.assert_allclose(ours.on_chassis, theirs.on_chassis, atol=SAME * np.abs(theirs.on_chassis).max())


def test_loads_of_joints_have_forces_of_elements_on_their_coordinates():
    def loads(*devices, **more):
        plain = pair(*devices, **more)
        asked = tuple(replace(j, loads=("x", "y", "z", "rx", "ry", "rz"), load_axes="ground") for j in plain.joints)
        return accelerations(*moving(replace(plain, joints=asked), {"a": 0.4}, {"b": 2.5})).loads

    ours = loads(element(on=(("s", JointCoordinate("B")),), force="-20*s_rate"))
    theirs = loads(dampers=(Damper("c", JointCoordinate("B"), damping=20.0),))
    assert ours.keys() == theirs.keys() and len(ours) == 12
    np.testing.assert_allclose([*ours.values()], [*theirs.values()], atol=1e-9)


def test_an_element_on_deflections_of_rubber_is_more_rubber():
    """Its forces are those of a bushing that has the stiffness and damping of both, loads of the joint included."""
    plain = bob()
    (rubber,) = plain.bushings
    more = element("e", (("d", ALONG), ("e", ACROSS)), k=7e4, c=90.0)
    more = replace(more, forces=(DeviceForce("d", "-k*d - c*d_rate"), DeviceForce("e", "-c*e_rate")))
    K, C = rubber.stiffness.copy(), rubber.damping.copy()
    K[0, 0] += 7e4
    C[0, 0] += 90.0
    C[2, 2] += 90.0
    asked = tuple(replace(j, loads=("x", "y", "z", "rx", "ry", "rz"), load_axes="ground") for j in plain.joints)
    mechanisms = (
        replace(plain, devices=(more,), joints=asked),
        replace(plain, bushings=(replace(rubber, stiffness=K, damping=C),), joints=asked),
    )
    found = []
    for mechanism in mechanisms:
        model, state = moving(mechanism, {"x": 0.2}, {"x": 0.5})
        state = replace(state, r=state.r + 1e-4, v=state.v + [[0.0, 0.0, 0.0], [0.01, 0.02, 0.03]][-len(state.v) :])
        found.append(accelerations(model, state))
    ours, theirs = found
    np.testing.assert_allclose(ours.bodies, theirs.bodies, atol=SAME * np.abs(theirs.bodies).max())
    np.testing.assert_allclose([*ours.loads.values()], [*theirs.loads.values()], atol=1e-8)


def test_everything_is_recorded_by_the_names_of_an_fmu():
    model, state = moving(bob(BUSY), {"x": 0.2}, {"x": 0.5})
    found = simulate(model, state, [0.0, 0.01])
    names = ["a", "a_rate", "d", "d_rate", "e", "e_rate", "F", "y", "u", "loss", "force.a", "force.d", "force.e"]
    assert {*found.devices} == {f"element.busy.{name}" for name in names}
    own = {name: found.devices[f"element.busy.{name}"] for name in names}
    np.testing.assert_allclose(own["a"], found.coordinates["x"].value, rtol=1e-15)
    np.testing.assert_allclose(own["d"], found.bushings["rubber"].deflection[:, 0], rtol=1e-12)
    u = own["u"]
    np.testing.assert_allclose(u + 0.2 * u**3 - 3 * own["a"] - 0.01 * own["F"], 0.0, atol=1e-13)
    assert own["F"][0] == 3.0 and own["F"][1] != 3.0
    assert found.states[1].guess == pytest.approx([u[1]])


# -- rest -------------------------------------------------------------------------------------------------------------


def test_states_at_rest():
    """A motor stalls at V/r, a Maxwell element lets go, a bristle stays where it is."""
    motor = element("motor", force="c*i", rates={"i": "(V - r*i - c*s_rate)/l"}, V=10.0, r=4.0, l=0.01, c=0.1)
    bristle = element("bristle", force="-1e5*w", rates={"w": "s_rate*(1 - w)"}, starts={"w": 0.25})
    model, state = moving(slider(motor, replace(maxwell(), name="mx"), bristle), rates={"x": 0.7})
    there = rested(model, replace(state, devices=np.array([0.0, 30.0, 0.25])), Loads())
    np.testing.assert_allclose(there.devices, [2.5, 0.0, 0.25], rtol=1e-14, atol=1e-14)
    endless = element("e", force="x", rates={"x": "1 + s"})
    with pytest.raises(PrecomputeError, match=r"at rest, states of 'e' have rates that nothing stops"):
        rested(*moving(slider(endless)), Loads())


def test_equilibrium_with_states_and_unknowns():
    """A gas spring whose pressure leaks to p0 and a lever without mass hold a weight on a rail."""
    gas = element(
        "gas",
        force="-A*(p - p0) - u",
        rates={"p": "20*(p0*(1 + 4*s) - p)"},
        starts={"p": 1e5},
        residuals={"u": "u + 1e-4*u^3 - 300*s"},
        A=1e-3,
        p0=1e5,
    )
    push = Loads(coordinates={"x": 25.0})
    model, state = moving(slider(gas))
    rest = equilibrium(model, state, push)
    u = rest.guess[0]
    s = brentq(lambda s: 25.0 - 1e-3 * 4e5 * s - brentq(lambda u: u + 1e-4 * u**3 - 300 * s, 0.0, 1e3), 0.0, 1.0)
    assert simulate(model, rest, [0.0], loads=lambda _: push).coordinates["x"].value[0] == pytest.approx(s, abs=1e-12)
    assert rest.devices[0] == pytest.approx(1e5 * (1 + 4 * s), rel=1e-12)
    assert u + 1e-4 * u**3 == pytest.approx(300 * s, rel=1e-12)
    more = Loads(coordinates={"x": 25.001})
    moved = response(model, rest, push, more)
    slope = 1e-3 * 4e5 + 300.0 / (1.0 + 3e-4 * u**2)
    assert moved.v[0, 0] == pytest.approx(1e-3 / slope, rel=1e-6)


def test_small_motions_have_the_states():
    """A mass on a Maxwell element beside a spring: eigenvalues of three equations of first order."""
    spring = element("spring", force="-400*s")
    small = small_motions(*moving(slider(maxwell(k=900.0, c=25.0), spring)))
    matrix = np.array([[0.0, 1.0, 0.0], [-400.0, 0.0, -1.0], [0.0, 900.0, -36.0]])
    expected = np.linalg.eigvals(matrix)
    np.testing.assert_allclose(
        np.sort_complex(small.eigenvalues), np.sort_complex(expected[np.argsort(np.abs(expected))]), rtol=1e-6
    )
    assert small.frequencies == pytest.approx([20.0 / (2.0 * np.pi)], rel=1e-7)


def test_what_has_no_gradient_is_refused(monkeypatch):
    import precompute.reference.devices.attached as attached

    monkeypatch.setattr(attached, "has_form", lambda term: False)
    with pytest.raises(PrecomputeError, match=r"no gradient of the joint.slide, so that element 'mx' cannot act on it"):
        full_model(slider(maxwell()))
