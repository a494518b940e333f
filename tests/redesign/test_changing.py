"""Changes of a design: the slider-crank of Zou, Abdel-Malek and Wang as a mechanism file, holds, least changes."""

import json

import numpy as np
import pytest
from helpers import GOLDEN, MECHANISMS
from scipy.optimize import minimize_scalar
from scipy.spatial.transform import Rotation

from precompute.design.moved import Design
from precompute.design.propagation import increments, least_change
from precompute.errors import PrecomputeError
from precompute.kinematics.poses import ball_slices
from precompute.mechanism_file import load, loads
from precompute.redesign.changing import redesigned
from precompute.redesign.closing import Loops
from precompute.redesign.holding import Holds, read_hold
from precompute.redesign.problem import Problem

MM = 1e-3
TOLD = json.loads((GOLDEN / "design_slider_crank.json").read_text(encoding="utf-8"))["conventions"]


def row(v):
    return "[" + ", ".join(repr(float(x)) for x in v) + "]"


def slider_crank():
    """As the text starts it, with the new s'21: the ball is open.  Bodies as in the text; q counts from the start."""
    initial = TOLD["initial"]
    C01, C03, C32 = (np.array(TOLD[name]) for name in ("C01", "C03", "C32"))
    q1, q2, _ = np.radians(initial["q_deg"])
    A1 = C01 @ Rotation.from_euler("z", q1).as_matrix()
    A2 = C03 @ C32 @ Rotation.from_euler("z", q2).as_matrix()
    s03 = np.array(initial["s03"])
    return loads(f"""
schema = 1
name = "SliderCrank"
[bodies.crank]
mass = 1
com = [0, 0, 0]
[bodies.slider]
mass = 1
com = {row(s03)}
[bodies.rod]
mass = 1
com = {row(s03)}
[joints.crank]
type = "revolute"
parent = "ground"
child = "crank"
at = {row(initial["s01"])}
axis = {row(C01[:, 2])}
[joints.slide]
type = "prismatic"
parent = "ground"
child = "slider"
at = {row(s03)}
axis = {row(C03[:, 2])}
[joints.universal]
type = "universal"
parent = "slider"
child = "rod"
at = {row(s03)}
axis = {row((C03 @ C32)[:, 2])}
axis2 = {row(A2[:, 1])}
[joints.ball]
type = "spherical"
parent = "crank"
child = "rod"
at = [{row(A1 @ initial["s12"])}, {row(s03 + A2 @ initial["s21_new"])}]
""")


SIDES = [f"joint.{name}.parent.{axis}" for name in ("crank", "slide", "universal", "ball") for axis in "xyz"]


@pytest.mark.parametrize(
    "names, joints, norm, q",
    [
        ([], True, 0.0792801139, (44.89892834, -26.08811012, -2.04540849, -0.0186084235)),
        (SIDES, False, 0.1127023488, (45.0, -30.0, 0.0, 0.0)),
        (SIDES, True, 0.0646398471, (45.09079483, -27.37267715, -1.35769270, -0.0111562447)),
    ],
)
def test_the_slider_crank_as_a_mechanism(names, joints, norm, q):
    """The least changes of the text's own equations, by loops of a tree and variables of a file; 1 rad counts 1."""
    m = slider_crank()
    design = Design.of(m)
    loops = Loops(design, tuple(design.chosen(names)), joints)
    assert [m.joints[c].name for c in loops.closure.topology.chords] == ["ball"]
    weights = np.where(loops.weights > 0.0, 1.0, 0.0)
    problem = Problem(loops, Holds(m, (), loops.closure.length), {})
    found = least_change(problem.share(1.0), np.zeros(len(weights)), weights)
    assert found.settled and np.abs(problem.phi(found.x)).max() < 1e-13
    assert np.linalg.norm(weights * found.x) == pytest.approx(norm, abs=1e-8)
    _, v = loops.split(found.x)
    at = [loops.closure.topology.scalars[key][1] for key in (("crank", 0), ("universal", 0), ("universal", 1))]
    angles = np.radians(TOLD["initial"]["q_deg"]) + v[at]
    np.testing.assert_allclose(np.degrees(angles), q[:3], rtol=0, atol=1e-8)
    assert v[loops.closure.topology.scalars["slide", 0][1]] == pytest.approx(q[3], abs=1e-8)


def test_increments_of_the_slider_crank_as_a_mechanism():
    """The text's own steps, by the same loops: they end elsewhere, at what the goldens have."""
    told = json.loads((GOLDEN / "design_slider_crank.json").read_text(encoding="utf-8"))["q_and_s"]["converged"]
    m = slider_crank()
    design = Design.of(m)
    loops = Loops(design, tuple(design.chosen(SIDES)), True)
    weights = np.where(loops.weights > 0.0, 1.0, 0.0)
    problem = Problem(loops, Holds(m, (), loops.closure.length), {})
    found = increments(problem.share, np.zeros(len(weights)), told["iterations"], weights=weights)
    _, v = loops.split(found.x)
    at = [loops.closure.topology.scalars[key][1] for key in (("crank", 0), ("universal", 0), ("universal", 1))]
    angles = np.radians(TOLD["initial"]["q_deg"]) + v[at]
    np.testing.assert_allclose(angles, np.radians(told["q_deg"]), rtol=0, atol=1e-10)
    assert v[loops.closure.topology.scalars["slide", 0][1]] == pytest.approx(told["q4"], abs=1e-10)
    assert np.linalg.norm(weights * found.x) > 0.0646398471


@pytest.fixture(scope="module")
def strut():
    return load(MECHANISMS / "macpherson_rigid.toml")


def hold(mechanism, *words):
    return [read_hold(word, mechanism, lambda name, value: MM * float(value)) for word in words]


@pytest.mark.parametrize("open_by", [0.0, 0.1])
def test_columns_along_joints(strut, open_by):
    """They are the derivatives of the gaps, of open loops and turns of balls too."""
    found = redesigned(strut, {"rod.tie_rod.length": 5 * MM}, joints=True)
    loops, m, h = found.problem.loops, found.mechanism, 1e-3
    v = loops.split(found.x)[1]
    v = v + open_by * np.random.default_rng(2).normal(size=len(v))
    assert np.abs(v).max() > 1e-3
    for _, ball in ball_slices(m, loops.closure.topology):
        assert np.linalg.norm(loops.configuration(v)[ball]) == pytest.approx(1.0, abs=1e-15)
    J = loops.columns(m, v)
    for k, e in enumerate(h * np.eye(len(v))):
        near, far = (loops.gaps(m, v + s * e) - loops.gaps(m, v - s * e) for s in (1, 2))
        np.testing.assert_allclose((8 * near - far) / (12 * h), J[:, k], atol=1e-9)


def test_a_rod_of_its_own_length_and_a_hardpoint_absorb(strut):
    """The distance of the rod's ends is its length: least by a general search."""
    found = redesigned(strut, {"point.tie_outer.z": 5 * MM}, ["rod.tie_rod.length", "point.rack_end.z"])
    inner, outer = strut.rods[0].p_P, strut.rods[0].p_C + [0, 0, 5 * MM]

    def size(z):  # of the change with an inner end that moves by z
        return (np.linalg.norm(outer - inner - [0, 0, z]) - strut.rods[0].length) ** 2 + z**2

    z = minimize_scalar(lambda z: 1e6 * size(z), bracket=(-1e-4, 1e-4), tol=1e-12).x
    assert found.absorbed["point.rack_end.z"] == pytest.approx(z, abs=1e-10)
    assert found.gap < 1e-14
    (rod,) = found.mechanism.rods
    assert rod.length == pytest.approx(strut.rods[0].length + found.absorbed["rod.tie_rod.length"], abs=1e-15)


def test_metrics_stay(strut):
    """Toe in bump and rebound: the rig measures it on the mechanism that comes out."""
    words = ("wheel.left.toe@travel=30", "wheel.left.toe@travel=-30")
    holds = hold(strut, *words)
    absorb = ["point.rack_end.z", "point.rack_end.y"]
    found = redesigned(strut, {"point.tie_outer.z": 5 * MM}, absorb, holds)
    before, after, moved = (
        Holds(strut, tuple(holds), 1.0).values(m)
        for m in (strut, found.mechanism, Design.of(strut).moved({"point.tie_outer.z": 5 * MM}))
    )
    assert np.abs(moved - before).min() > 1e-5
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.held, 0.0, atol=1e-12)


def test_the_least_of_two_that_hold_one_metric(strut):
    """Stationary: what is absorbed is in the range of the metric's gradient."""
    absorb = ["point.rack_end.z", "point.arm_rear.z"]
    holds = hold(strut, "wheel.left.toe@travel=30")
    found = redesigned(strut, {"point.tie_outer.z": 5 * MM}, absorb, holds)
    gradient = []
    for name in absorb:
        ends = [{**found.changes, name: found.changes[name] + s} for s in (1e-4, -1e-4)]
        ahead, behind = (found.problem.holds.values(Design.of(strut).moved(end))[0] for end in ends)
        gradient.append((ahead - behind) / 2e-4)
    x = found.x[:2]
    along = np.array(gradient) / np.linalg.norm(gradient)
    assert np.linalg.norm(x - along * (along @ x)) < 1e-5 * np.linalg.norm(x)


def test_hardpoints_alone_leave_loops_closed(strut):
    found = redesigned(strut, {"point.lower_ball.z": 5 * MM, "point.strut_top.y": -3 * MM})
    assert found.gap < 1e-13 and found.iterations == 1 and not found.x[: len(found.absorbed)].any()


def test_a_mirrored_half_goes_along():
    m = load(MECHANISMS / "front_axle.toml")
    name = next(name for name in Design.of(m).variables if name.startswith("point.") and "ball" in name)
    found = redesigned(m, {name: 2 * MM})
    assert found.gap < 1e-12


# -- what cannot be had -----------------------------------------------------------------------------------------------


def test_what_else_could_absorb_it(strut):
    with pytest.raises(
        PrecomputeError, match=r"nothing may absorb the change: the loop at 'tie_rod' is left open by 5 mm"
    ):
        redesigned(strut, {"rod.tie_rod.length": 5 * MM})
    with pytest.raises(PrecomputeError, match=r"point\.rack_end\.y \(-5\.0\d* mm\).*--absorb joints"):
        redesigned(strut, {"rod.tie_rod.length": 5 * MM})


def test_a_metric_that_nothing_moves(strut):
    """The seat of a spring has no part in the motion of rigid joints."""
    holds = hold(strut, "wheel.left.toe@travel=30")
    told = r"spring_low\.z cannot absorb the change: 'wheel\.left\.toe@travel=30' changes by -?0\.\d+ deg"
    with pytest.raises(PrecomputeError, match=told):
        redesigned(strut, {"point.tie_outer.z": 5 * MM}, ["point.spring_low.z"], holds)


def test_a_change_on_the_way_that_no_mechanism_has(strut):
    holds = hold(strut, "wheel.left.toe@travel=30")
    with pytest.raises(PrecomputeError, match="too large for what .*: on the way, .*wheel_centre.x changed by"):
        redesigned(strut, {"point.tie_outer.z": 5 * MM}, ["point.wheel_centre.x"], holds)


def test_loops_close_before_metrics_are_taken(strut):
    """With the rod alone 100 mm longer the mechanism could not be assembled at this travel."""
    holds = hold(strut, "wheel.left.toe@travel=30")
    absorb = ["point.rack_end.y", "point.rack_end.z"]
    found = redesigned(strut, {"rod.tie_rod.length": 100 * MM}, absorb, holds)
    assert found.gap < 1e-12 and np.abs(found.held).max() < 1e-12


def test_what_is_named_would_do(strut):
    with pytest.raises(PrecomputeError) as told:
        redesigned(strut, {"rod.tie_rod.length": 5 * MM})
    named = str(told.value).partition("Let one more absorb it: ")[2].split(" (")[0]
    assert redesigned(strut, {"rod.tie_rod.length": 5 * MM}, [named]).gap < 1e-12


def test_out_of_reach(strut):
    """A rod 600 mm longer than the way to its ends can be, with an end that moves up and down by itself."""
    with pytest.raises(PrecomputeError, match="is out of reach: at best the loop at 'tie_rod' is left open"):
        redesigned(strut, {"rod.tie_rod.length": -200 * MM}, ["point.rack_end.z"])


def test_a_rough_drawing_is_closed_first():
    m = slider_crank()
    with pytest.raises(PrecomputeError, match="drawn with its loops open by 0.159 m; close the drawing first"):
        redesigned(m, {"joint.crank.parent.x": 1 * MM})
