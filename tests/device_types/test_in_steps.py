"""Ready types in the run-time's fixed steps: worked files, friction where steps are long, elements in place of laws."""

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers import GOLDEN, MECHANISMS
from helpers_devices import STIFF, Rig, stepped
from helpers_elements import ACROSS, ONE, SLIDE, bob, element, slider
from scipy.integrate import solve_ivp

from precompute.device_types import expand
from precompute.device_types.friction import cycle_loss
from precompute.mechanism_file import load, loads
from precompute.model.mechanism import Damper, Spring

DATA = json.loads((GOLDEN / "active_and_singular.json").read_text(encoding="utf-8"))
G = 9.81

# -- worked files -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "rows", "names"),
    [
        ("rotor_servo", DATA["servo"]["rows"], ("q.angle", "qd.angle", "element.servo.current")),
        ("rotor_motor", DATA["motor"]["rows"], ("qd.angle", "element.motor.current")),
        (
            "maxwell_mass",
            [[0.1, 0.02866836, -0.34689284, 1.73050499], [0.5, 0.02021922, -0.0036582, 0.1460535]],
            ("q.x", "qd.x", "element.damper.F"),
        ),
    ],
)
def test_worked_files_move_as_they_must(name, rows, names):
    """At 1 ms, to 1e-6 of each column's largest value; the motor for half a second."""
    rows = np.array([row for row in rows if row[0] <= 0.5])
    found = stepped(load(MECHANISMS / f"{name}.toml"), 1e-3, 0.5, names)[np.rint(rows[:, 0] * 1e3).astype(int) - 1]
    scale = np.abs(rows[:, 1:]).max(axis=0)
    assert (np.abs(found - rows[:, 1:]) <= 1e-6 * scale).all()


# -- friction ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [1e-3, 5e-3])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_block_on_a_slope_stands_still(share, step):
    """Once its first swing is over: what is held elastically, is."""
    slope = np.arctan(share * 0.5)
    rubbing = expand("friction", "f", SLIDE, "m", {"coulomb": 0.5, "normal": G * np.cos(slope)})
    block = replace(slider(rubbing), gravity=G * np.array([np.sin(slope), 0.0, -np.cos(slope)]))
    x, v, z = stepped(block, step, 200 * step + 0.5, ("q.x", "qd.x", "element.f.z")).T
    settled = len(x) - 20
    np.testing.assert_allclose(x[settled:], x[-1], atol=2e-8)
    np.testing.assert_allclose(z[-1], share * 1e-4, rtol=1e-4)
    assert (np.diff(np.sign(v[:settled] * (np.abs(v[:settled]) > 1e-6))) != 0).sum() < 40  # it does not chatter


@pytest.mark.parametrize(("presliding", "step", "most"), [(1e-4, 1e-3, 1e-3), (1e-4, 2e-3, 3e-3), (1e-5, 2e-3, 5e-3)])
def test_steps_may_be_longer_than_presliding(presliding, step, most):
    """A mass on a spring that rubs, up to 80 presliding deflections a step: it loses the energy that it must."""
    values = {"coulomb": 0.5, "normal": 1.0, "presliding": presliding}
    rig = Rig.of("friction", **values)

    def rate(t, y):
        done = rig.at(y[0], y[1], y[2:])
        return [y[1], done.force[0] - 400.0 * y[0], *done.rate]

    times = np.linspace(0.0, 0.6, 4)
    exact = solve_ivp(rate, (0.0, 0.6), [0.0, 0.4, 0.0], t_eval=times, **(STIFF | {"rtol": 1e-6, "atol": 1e-9})).y
    mass = replace(
        slider(expand("friction", "f", SLIDE, "m", values), rate=0.4),
        springs=(Spring("spring", SLIDE, stiffness=400.0, free_length=0.0),),
    )
    found = stepped(mass, step, 0.6, ("q.x", "qd.x"))[-1]
    left, wanted = (200.0 * y[0] ** 2 + y[1] ** 2 / 2.0 for y in (found, exact[:, -1]))
    assert abs(left - wanted) < most * (0.08 - wanted)


def test_a_driven_cycle_loses_what_it_must():
    text = ONE.format(inertia=1.0, joint="prismatic", lower=-1, upper=1, rate=0, method="rk4")
    text = text.replace("start = 0\nrate = 0\n", "driven = true\n")
    values = {"coulomb": 0.5, "normal": 10.0, "damping": 0.0}
    rubbed = replace(loads(text), devices=(expand("friction", "f", SLIDE, "m", values),))
    X, w = 5e-3, 4.0 * np.pi

    def drive(t):
        sine, cosine = np.sin(w * t), np.cos(w * t)
        return {"drive.x.q": X * sine, "drive.x.qd": X * w * cosine, "drive.x.qdd": -X * w**2 * sine}

    s, force = stepped(rubbed, 1e-3, 1.0, ("element.f.s", "element.f.force.s"), drive)[499:].T
    np.testing.assert_allclose(-np.trapezoid(force, s), cycle_loss(X, 0.5, 10.0, 1e-4, 0.7), rtol=1e-4)


# -- elements in place of laws ----------------------------------------------------------------------------------------


def test_a_spring_and_a_damper_move_alike_as_laws_and_as_an_element():
    spring = element(force="k*(free - s) - c*s_rate", k=400.0, free=0.02, c=3.0)
    laws = {
        "springs": (Spring("spring", SLIDE, stiffness=400.0, free_length=0.02),),
        "dampers": (Damper("damper", SLIDE, damping=3.0),),
    }
    names = ("q.x", "qd.x")
    found = stepped(slider(spring, rate=0.5), 1e-3, 0.3, names)
    np.testing.assert_allclose(found, stepped(replace(slider(rate=0.5), **laws), 1e-3, 0.3, names), atol=1e-14)


@pytest.mark.parametrize(("method", "stiff"), [("rk4", "dynamic"), ("midpoint", "dynamic"), ("rk4", "quasistatic")])
def test_beside_a_bushing_they_do_so_too(method, stiff):
    across = element("across", on=(("s", ACROSS),), force="k*(free - s) - c*s_rate", k=4e4, free=1e-3, c=20.0)
    hinge = element("hinge", force="-k*s - c*s_rate", k=40.0, c=0.5)
    laws = {
        "springs": (
            Spring("across", ACROSS, stiffness=4e4, free_length=1e-3),
            Spring("hinge", SLIDE, stiffness=40.0, free_length=0.0),
        ),
        "dampers": (Damper("across", ACROSS, damping=20.0), Damper("hinge", SLIDE, damping=0.5)),
    }
    bare = bob(method=method, stiff=stiff)
    found, other, without = (
        stepped(mechanism, 1e-3, 0.1, ("q.x", "qd.x"))
        for mechanism in (bob(across, hinge, method=method, stiff=stiff), replace(bare, **laws), bare)
    )
    np.testing.assert_allclose(found, other, atol=1e-12)
    assert np.abs(found - without).max() > 0.01
