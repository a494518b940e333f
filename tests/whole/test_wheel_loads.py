"""A wheel of a suspension in both run-times and in the full model, whose wheel is a body of its own on a bearing.

What the carrier then feels of a wheel that rolls freely, is braked on its carrier, or driven from the chassis, comes
from a revolute joint and not from a formula.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from helpers_baked import baked
from helpers_corner import FRONT, Corner, document, wheeled
from helpers_kernel import Pair, random_numbers
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from fmu_src.interface.variables import variables
from fmu_src.numpy_runtime.state import State
from precompute.mechanism_file import from_document
from precompute.reference import ChassisState, Loads, WheelLoad, accelerations, deflected, full_model, on_chassis

EVALUATION = 1e-12
TABLES = 1e-7  # as asked for in the file
RIM = {"mass": 12.0, "across": 0.4, "about": 0.8}  # [kg, kg m2] of the wheel: across its spin axis and about it
SPAN, SPEED = np.array([0.08, 0.015, 0.0, 0.0]), np.array([2.0, 0.3, 0.0, 0.0])


@cache
def with_rim():
    """Its full model with the wheel as a body; what it weighs is taken from the carrier, but for its spin."""
    m = wheeled().mechanism
    (wheel,) = m.wheels
    u, c = wheel.spin_axis, wheel.centre
    upright = next(b for b in m.bodies if b.name == "upright")
    own = RIM["across"] * (np.eye(3) - np.outer(u, u)) + RIM["about"] * np.outer(u, u)
    left = upright.mass - RIM["mass"]
    com = (upright.mass * upright.com - RIM["mass"] * c) / left
    inertia = upright.inertia - (own - RIM["about"] * np.outer(u, u))
    for mass, p in ((left, com), (RIM["mass"], c)):
        arm = p - upright.com
        inertia = inertia - mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    rim = from_document(document(stiff=False) | {"wheels": {"front": FRONT}} | rim_parts(u, c))
    bodies = [replace(b, mass=left, com=com, inertia=inertia) if b.name == "upright" else b for b in rim.bodies]
    bodies = [replace(b, inertia=own) if b.name == "rim" else b for b in bodies]
    return full_model(replace(rim, bodies=tuple(bodies)))


def rim_parts(u, c):
    """The rim on its bearing, and a port at its centre."""
    found = document(stiff=False)
    found["bodies"]["rim"] = {"mass": RIM["mass"], "com": (1e3 * c).tolist(), "inertia": [4e5, 4e5, 4e5]}
    bearing = {"type": "revolute", "parent": "upright", "child": "rim", "at": (1e3 * c).tolist(), "axis": u.tolist()}
    found["joints"]["bearing"] = bearing
    found["markers"]["rim"] = {"body": "rim", "at": (1e3 * c).tolist()}
    found["ports"]["rim"] = {"marker": "rim"}
    found["coordinates"]["free"]["bearing"] = {"of": "joint.bearing"}
    return {key: found[key] for key in ("bodies", "joints", "markers", "ports", "coordinates")}


class Case:
    """A suspension and a chassis in motion, a road, and a force at the contact."""

    def __init__(self, seed, c):
        rng = np.random.default_rng(seed)
        self.c, n = c, c.runtime.nz
        turn = rng.standard_normal(4)
        self.chassis = ChassisState(
            rng.uniform(-1, 1, 3), turn / np.linalg.norm(turn), rng.uniform(-2, 2, 6), rng.uniform(-9, 9, 6)
        )
        self.z, self.zd = (SPAN * rng.uniform(-1, 1, 4))[:n], (SPEED * rng.uniform(-1, 1, 4))[:n]
        self.F, self.M = rng.uniform(-1, 1, 3) * [3000.0, 3000.0, 1000.0] + [0, 0, 4000.0], rng.uniform(-80, 80, 3)
        self.n = np.array([0.1, -0.15, 1.0]) * rng.uniform(0.5, 2.0)
        self.drive = (self.z[1], self.zd[1], rng.uniform(-5, 5))

    def reduced(self, torque=0.0, spin=0.0):
        """Outputs."""
        c, at, u = self.c, self.chassis, self.c.inputs.copy()
        u[c.slots.twist], u[c.slots.twist_rate], u[c.slots.loads] = at.twist, at.rate, 0.0
        u[c.slots.wheels] = [*self.F, *self.M, torque, spin, *self.n, 0.1]
        u[c.slots.drives[0].first :][:3] = self.drive
        return c.outputs(State(0.0, 0, 0, self.z, self.zd), u, c.in_gravity(at.R.T @ c.mechanism.gravity))

    def solved(self, full, state, loads):
        """Acceleration of the arm, force of the drive and wrench on the chassis, of a full model."""
        found = accelerations(
            full, on_chassis(state, self.chassis), 0.0, lambda t: loads, {"rack": lambda t: self.drive}
        )
        return np.array([found.coordinates["arm"], found.drives["rack"], *found.on_chassis])


def shown(out):
    """The same of the FMU."""
    wrench = [out[f"chassis.{s}[{i}]"] for s in "MF" for i in (1, 2, 3)]
    return np.array([out["qdd.arm"], out["drive.rack.force"], *wrench])


def vector(out, name):
    return np.array([out[f"wheel.front.{name}[{i}]"] for i in (1, 2, 3)])


SCALE = np.array([1e3, 1e3, *[5e3] * 6])

# -- loads -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["free rolling", "outboard braking", "inboard drive"])
def test_a_wheel_does_to_its_carrier_what_one_on_a_bearing_does(kind, seed):
    case = Case(seed, wheeled())
    out = case.reduced(torque := {"outboard braking": -700.0}.get(kind, 0.0))
    R = case.chassis.R
    u = spin_axis(case)
    arm = vector(out, "contact.r") - centre(case)
    drive = 400.0 * u if kind == "inboard drive" else np.zeros(3)  # of a shaft, which the chassis feels elsewhere
    full = with_rim()
    names = ("arm", "rack")
    moving = dict(zip(names, zip(case.z.tolist(), case.zd.tolist(), strict=True), strict=True))
    w = case.chassis.twist[:3] + [out[f"marker.wheel.w[{i}]"] for i in (1, 2, 3)]
    state = deflected(full, moving | {"bearing": (0.3, -float(u @ w))}, {})  # at rest about its axis: no gyroscope
    loads = Loads(
        ports={"rim": (R @ case.F, R @ (case.M + np.cross(arm, case.F) + drive))},
        coordinates={"bearing": torque},
    )
    theirs, ours = case.solved(full, state, loads), shown(out)
    assert np.abs((ours - theirs) / SCALE).max() < TABLES
    if kind == "outboard braking":  # it matters
        assert np.abs(shown(case.reduced()) - ours).max() > 100.0


@pytest.mark.parametrize("stiff", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_loads_and_contact_are_those_of_the_full_model(stiff, seed):
    case = Case(seed, wheeled(stiff))
    out, R = case.reduced(-300.0), case.chassis.R
    state = case.c.full_state(case.z, case.zd)
    load = WheelLoad(R @ case.F, R @ case.n, R @ case.M, -300.0)
    theirs = case.solved(case.c.full, state, Loads(wheels={"front": load}))
    assert np.abs((shown(out) - theirs) / SCALE).max() < (10 if stiff else 1) * TABLES


def spin_axis(case):
    """The spin axis in chassis axes, by the full model."""
    return pose(case)[1] @ case.c.mechanism.wheels[0].spin_axis


def centre(case):
    return pose(case)[0]


def pose(case):
    full = case.c.full
    state = case.c.full_state(case.z, case.zd)
    body = full.bodies.index("upright")
    R = state.R[body]
    return state.r[body] + R @ (case.c.mechanism.wheels[0].centre - full.bodies.com[body]), R


# -- kinematics --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_contact_toe_and_camber_follow_from_the_pose(seed):
    case = Case(seed, wheeled())
    out, (p, R), wheel = case.reduced(), pose(case), case.c.mechanism.wheels[0]
    u = R @ wheel.spin_axis
    down = np.cross(u, np.cross(u, case.n))
    np.testing.assert_allclose(vector(out, "contact.r"), p + wheel.radius * down / np.linalg.norm(down), atol=1e-7)
    n = case.n / np.linalg.norm(case.n)
    assert out["wheel.front.contact.gap"] == pytest.approx(n @ vector(out, "contact.r") - 0.1, abs=1e-12)
    assert out["wheel.front.travel"] == pytest.approx((p - wheel.centre)[2], abs=1e-7)
    assert out["wheel.front.toe"] == pytest.approx(np.arctan(u[0] / u[1]), abs=1e-6)
    assert out["wheel.front.camber"] == pytest.approx(-np.arcsin(u[2]), abs=1e-6)


def test_at_design_it_has_its_static_angles_and_touches_its_road():
    c = wheeled()
    out = c.outputs(State(0.0, 0, 0, np.zeros(2), np.zeros(2)), c.inputs)
    angles = np.degrees([out["wheel.front.toe"], out["wheel.front.camber"]])
    np.testing.assert_allclose(angles, [0.4, -1.5], atol=1e-6)
    assert abs(out["wheel.front.travel"]) < 1e-9 and abs(out["wheel.front.contact.gap"]) < 1e-9


def test_the_velocity_of_the_contact_is_the_rate_of_its_position():
    """On a chassis at rest."""
    case = Case(5, wheeled())
    case.chassis = replace(case.chassis, twist=np.zeros(6), rate=np.zeros(6))
    v, h, z = vector(case.reduced(), "contact.v"), 1e-5, case.z
    around = []
    for a in (h, -h):
        case.z = z + a * case.zd
        around.append(vector(case.reduced(), "contact.r"))
    np.testing.assert_allclose(v, (around[0] - around[1]) / (2 * h), atol=1e-6)


def test_rolling_straight_has_no_slip():
    """At the speed of the chassis over the radius; toe and camber turn what is left across."""
    c = wheeled()
    (wheel,) = c.mechanism.wheels
    u, v = c.inputs.copy(), 20.0
    u[c.slots.twist] = [0, 0, 0, v, 0, 0]
    axis = wheel.spin_axis
    ahead = np.cross(axis, [0, 0, 1.0])
    ahead /= np.linalg.norm(ahead)
    u[c.slots.wheels.start + 7] = v * ahead[0] / wheel.radius
    out = c.outputs(State(0.0, 0, 0, np.zeros(2), np.zeros(2)), u)
    assert abs(out["wheel.front.slip.longitudinal"]) < 1e-5
    assert out["wheel.front.slip.lateral"] == pytest.approx(v * np.cross([0, 0, 1.0], ahead)[0], abs=1e-5)
    np.testing.assert_allclose(vector(out, "contact.v"), [v, 0, 0], atol=1e-9)


@pytest.mark.parametrize("stiff", [False, True])
def test_motion_ratios_are_slopes_over_travel_with_the_steering_held(stiff):
    c = wheeled(stiff)
    z, h = np.array([0.03, 0.008, 2e-4, -1e-4])[: c.runtime.nz], 1e-5
    names = ("spring.coil.length", "damper.shock.length", "wheel.front.travel")
    ends = []
    for a in (h, -h):
        out = c.outputs(State(0.0, 0, 0, z + a * np.eye(len(z))[0], 0 * z), c.inputs)
        ends.append([out[name] for name in names])
    spring, damper, travel = np.subtract(*ends)
    out = c.outputs(State(0.0, 0, 0, z, 0 * z), c.inputs)
    ratios = [out[f"wheel.front.motion_ratio.{name}"] for name in ("spring.coil", "damper.shock")]
    np.testing.assert_allclose(ratios, [-spring / travel, -damper / travel], rtol=1e-7)
    assert ratios[0] > 0.3


def test_a_motion_ratio_is_a_ratio_of_forces():
    """A wheel load and a spring that balances it do no work together while the wheel travels."""
    c = wheeled()
    zd, u = np.array([1.0, 0.0]), c.inputs.copy()
    out = c.outputs(State(0.0, 0, 0, np.array([0.02, 0.0]), zd), u)
    power = out["spring.coil.force"] * out["spring.coil.rate"]
    travel = out["marker.wheel.v[3]"]
    assert power == pytest.approx(-out["wheel.front.motion_ratio.spring.coil"] * out["spring.coil.force"] * travel)


@pytest.mark.parametrize("stiff", [False, True])
def test_the_screw_axis_is_that_of_poses_of_the_full_model(stiff):
    """Steered both ways with the spring's length kept, deflections held; the carrier turns about the axis shown."""
    case = Case(3, wheeled(stiff))
    z, h = np.array([0.03, 0.008, 2e-4, -1e-4])[: case.c.runtime.nz], 1e-5
    case.n = np.array([0.0, 0.0, 1.0])

    def shown_at(arm, rack):
        case.z, case.zd, case.drive = np.array([arm, rack, *z[2:]]), 0 * z, (rack, 0.0, 0.0)
        return case.reduced()

    length = shown_at(z[0], z[1])["spring.coil.length"]
    poses = []
    for rack in (z[1] + h, z[1] - h):
        arm = brentq(lambda q, rack=rack: shown_at(q, rack)["spring.coil.length"] - length, -0.1, 0.1, xtol=1e-15)
        shown_at(arm, rack)
        poses.append(pose(case))
    (ahead, R), (behind, S) = poses
    w, v = Rotation.from_matrix(R @ S.T).as_rotvec() / (2 * h), (ahead - behind) / (2 * h)
    w, v = (w, v) if w[2] > 0.0 else (-w, -v)
    out, (p, R) = shown_at(*z[:2]), pose(case)
    wheel = case.c.mechanism.wheels[0]
    u, foot = R @ wheel.spin_axis, vector(out, "contact.r")
    axis = p + np.cross(w, v) / (w @ w)
    d = axis + w * (foot - axis)[2] / w[2] - foot
    x = np.cross(u, [0, 0, 1.0]) / np.linalg.norm(np.cross(u, [0, 0, 1.0]))
    expected = [np.arctan(-w[0] / w[2]), -np.arctan(w[1] / w[2]), -np.cross([0, 0, 1.0], x) @ d, x @ d]
    names = ("caster", "kingpin_inclination", "scrub_radius", "mechanical_trail")
    np.testing.assert_allclose([out[f"wheel.front.{name}"] for name in names], expected, atol=2e-5)
    assert expected[1] > 0.1


# -- the kernel --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [{}, {"stiff": True}, {"stiff": True, "quasistatic": True}, {"chassis": "fixed"}])
def test_both_run_times_agree(case, tmp_path):
    both, rng = Pair(wheeled(**case).model, tmp_path), np.random.default_rng(1)
    for step in (0.0, 0.0, 1e-3, 1e-3):
        assert both.difference(random_numbers(both, rng), rng, step) < EVALUATION
    level = random_numbers(both, rng)
    level[[i - len(both.names) for i, name in enumerate(both.names) if ".road.n[" in name]] = 0.0
    assert both.difference(level, rng, 0.0) < EVALUATION


def test_the_interface_only_grows():
    """A wheel at a marker that is there takes no tables of its own, and adds its own variables."""
    with_wheel, without = wheeled().model, Corner(baked(from_document(document(stiff=False)))).model
    added = [v.name for v in variables(with_wheel) if v.name not in {w.name for w in variables(without)}]
    kept = [v.name for v in variables(with_wheel) if v.name not in added]
    assert kept == [v.name for v in variables(without)]
    assert len(added) == 12 + 22 + 4 + 2 and all(name.startswith("wheel.front.") for name in added)
    assert with_wheel.markers == without.markers
    own, other = (m.charts[0].certificate.columns for m in (with_wheel, without))
    assert [c.column for c in own] == [c.column for c in other]
