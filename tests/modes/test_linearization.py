"""Linear systems about states of rest, against the full model, closed forms and statics."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_rig import mechanism as shipped

from precompute.errors import PrecomputeError
from precompute.mechanism_file import load, loads
from precompute.modes import Linear, linearize, natural_modes
from precompute.reference import Loads, accelerations, assemble, equilibrium, full_model, small_motions

DIFFERENCES = 1e-6  # relative, of the full model's slopes, which are central differences over 1e-5
IDLE = 1.0  # 1/s: below it are spins of links between two balls, which nothing holds


def without_wheels(name: str):
    """A suspension that is in equilibrium under the loads of its ports, which the full model can be as well."""
    return replace(load(MECHANISMS / f"{name}.toml"), wheels=(), axles=(), vehicle=None)


@cache
def system(name: str) -> Linear:
    return linearize(without_wheels(name))


@cache
def full(name: str):
    mechanism = without_wheels(name)
    model = full_model(mechanism)
    load = Loads(ports={p.name: (np.array(p.force), np.array(p.moment)) for p in mechanism.ports})
    if mechanism.stiff_coordinates:
        return model, equilibrium(model, model.design, load), load
    at = system(name).at
    values = at.closure.values(at.closure.poses(at.q[None]))[0].tolist()
    rest = assemble(model, dict(zip(at.names, values, strict=True)))
    still = accelerations(model, rest, loads=lambda t: load).coordinates
    assert max(map(abs, still.values())) < 1e-7  # it rests in the full model too
    return model, rest, load


SUSPENSIONS = ["double_wishbone_rigid", "double_wishbone", "macpherson", "five_link"]


@pytest.mark.parametrize("name", SUSPENSIONS)
def test_eigenvalues_are_those_of_the_full_model(name):
    theirs = small_motions(*full(name)).eigenvalues
    theirs = theirs[np.abs(theirs) > IDLE]
    ours = np.linalg.eigvals(system(name).A)
    assert len(ours) == len(theirs)
    for found in (ours, theirs):
        found.sort()
    np.testing.assert_allclose(ours, theirs, rtol=DIFFERENCES)


@pytest.mark.parametrize("name", ["double_wishbone_rigid", "macpherson"])
def test_forces_accelerate_markers_as_in_the_full_model(name):
    """D of (1)."""
    linear, (model, rest, load) = system(name), full(name)
    port, push = model.mechanism.ports[0], np.array([300.0, -200.0, 500.0])
    force, moment = load.ports[port.name]
    pushed = replace(load, ports={**load.ports, port.name: (force + push, moment)})
    before, after = (accelerations(model, rest, loads=lambda t, own=own: own).markers for own in (load, pushed))
    columns = [linear.inputs.index(f"port.{port.name}.F[{i}]") for i in (1, 2, 3)]
    for marker in model.mechanism.markers:
        rows = [linear.outputs.index(f"marker.{marker.name}.a[{i}]") for i in (1, 2, 3)]
        ours = linear.D[np.ix_(rows, columns)] @ push
        np.testing.assert_allclose(ours, after[marker.name] - before[marker.name], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["double_wishbone_rigid", "double_wishbone"])
def test_at_no_frequency_it_is_statics(name):
    """Outputs per load: differences of equilibria under loads that differ by a little."""
    mechanism, step = without_wheels(name), 0.5
    springs = [spring for spring in mechanism.springs if not spring.on.is_angle(mechanism)]
    linear, port = system(name), mechanism.ports[0]
    slope = linear.response(0.0).real[:, linear.inputs.index(f"port.{port.name}.F[3]")]

    def lengths(sign: float):
        force = np.array(port.force) + [0.0, 0.0, sign * step]
        ports = tuple(replace(p, force=force) if p is port else p for p in mechanism.ports)
        moved = linearize(replace(mechanism, ports=ports))
        places = moved.parts.motion.places
        return [float(spring.on.value(places)[0]) for spring in springs]

    up, down = lengths(1.0), lengths(-1.0)
    for spring, longer, shorter in zip(springs, up, down, strict=True):
        found = slope[linear.outputs.index(f"spring.{spring.name}.length")]
        assert found == pytest.approx((longer - shorter) / (2.0 * step), rel=1e-6)


def test_a_mass_on_a_maxwell_element():
    """States x, v, F: x'' = -F/m, F' = k (v - F/c)."""
    linear = linearize(load(MECHANISMS / "maxwell_mass.toml"))
    k, c = 1000.0, 50.0
    assert linear.states[0].startswith("q.") and linear.states[2].startswith("element.")
    expected = np.sort_complex(np.roots([1.0, k / c, k, 0.0]))
    np.testing.assert_allclose(np.sort_complex(np.linalg.eigvals(linear.A)), expected, atol=1e-9)


def test_a_servo_is_the_linear_system_that_it_is():
    """Its command to the angle: at no frequency the angle is the command."""
    linear = linearize(load(MECHANISMS / "rotor_servo.toml"))
    command = next(k for k, name in enumerate(linear.inputs) if name.startswith("element."))
    gain = linear.response(0.0).real[0, command]
    assert linear.outputs[0].startswith("q.")
    assert gain == pytest.approx(1.0, rel=1e-7)


SWING = """
schema = 1
name = "Swing"
units = { length = "m", mass = "kg", angle = "rad" }
gravity = [0, 0, -9.81]
[points]
pivot = [0, 0, 0.3]
hub = [-0.5, 0, 0.3]
[bodies.arm]
mass = 12.0
com = "hub"
inertia = [0.2, 0.3, 0.2]
[joints.pivot]
type = "revolute"
parent = "ground"
child = "arm"
at = "pivot"
axis = "y"
[springs.coil]
on = "joint.pivot"
stiffness = 5000.0
preload = 0.0
[dampers.shock]
on = "joint.pivot"
damping = 60.0
[wheels.rear]
body = "arm"
centre = "hub"
spin_axis = [0, 1, 0]
side = "left"
radius = 0.3
tyre_rate = 2e5
"""


@pytest.mark.parametrize(("on", "tyre"), [("tyre", 2e5), ("load", 0.0), (None, 2e5)])
def test_a_trailing_arm_on_its_tyre(on, tyre):
    """I phi'' + d phi' + (k + k_t a^2) phi = 0: the arm is level, so that neither weight nor pad adds to it."""
    linear = linearize(loads(SWING), on=on)
    arm, inertia = 0.5, 12.0 * 0.5**2 + 0.3
    (own,) = natural_modes(linear)
    rate = np.sqrt((5000.0 + tyre * arm**2) / inertia)
    assert own.natural_frequency == pytest.approx(rate / (2.0 * np.pi), rel=1e-9)
    assert own.damping == pytest.approx(60.0 / (2.0 * rate * inertia), rel=1e-9)
    assert linear.at.pads[0] == pytest.approx(12.0 * 9.81)
    travel, road = linear.outputs.index("q.wheel.rear.travel"), "wheel.rear.road.d"
    assert (road in linear.inputs) == bool(tyre)
    if tyre:
        lifted = linear.response(0.0)[travel, linear.inputs.index(road)].real
        assert lifted == pytest.approx(tyre * arm**2 / (5000.0 + tyre * arm**2), rel=1e-9)


def test_a_suspension_stands_on_what_is_asked_for():
    soft, hard = (natural_modes(linearize(shipped("macpherson"), on=on))[0] for on in ("load", "tyre"))
    assert soft.natural_frequency < 0.5 * hard.natural_frequency
    assert sum(hard.shares.values()) == pytest.approx(1.0) and next(iter(hard.shares)) == "upright"


def test_nothing_that_moves_without_inertia_and_no_tyre_without_a_rate():
    text = SWING.replace("tyre_rate = 2e5\n", "")
    with pytest.raises(PrecomputeError, match="wheel 'rear' cannot stand on tyres; say their tyre_rate"):
        linearize(loads(text), on="tyre")
    assert natural_modes(linearize(loads(text)))[0].natural_frequency > 1.0
    with pytest.raises(PrecomputeError, match="it has no wheel"):
        linearize(load(MECHANISMS / "four_bar.toml"), on="load")


def test_a_crank_that_nothing_holds_rests_where_it_starts():
    mechanism = replace(load(MECHANISMS / "four_bar.toml"), gravity=np.zeros(3), springs=(), dampers=())
    A = linearize(mechanism).A
    assert np.abs(A - [[0.0, 1.0], [0.0, 0.0]]).max() < 1e-9
