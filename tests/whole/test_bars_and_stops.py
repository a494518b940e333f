"""Anti-roll bars, torsion springs, coupled stops and wheel travel as coordinate, from the file to the FMU.

Against closed forms and the full model, on wheels that slide or swing.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, ROOT
from helpers_baked import baked
from helpers_kernel import Pair

import kinetab as kt
from fmu_src.numpy_runtime.dynamics import mechanics, prepare
from precompute.coordinates.candidates import TRAVEL, candidates
from precompute.mechanism_file import load, loads, to_document
from precompute.model.mechanism import Axes, Marker
from precompute.pipeline import bake

GRAVITY, MASS, K, BAR, STOP, AT = 9.80665, 20.0, 15e3, 8e3, 40e3, 0.01  # [m/s2, kg, N/m, N/m, N/m, m]
LIFT = {"left": 900.0, "right": 400.0}  # [N] on the wheels
SLIDES = f"""
schema = 1
name = "Slides"
units = {{ length = "mm" }}
gravity = [0, 0, -{GRAVITY}]

[mirror]
from = "left"
to = "right"

[bodies.left]
mass = {MASS}
com = [0, 700, 300]

[joints.left]
type = "prismatic"
parent = "ground"
child = "left"
axis = "z"

[springs.left]
on = "wheel.left.travel"
stiffness = {K / 1e3}
preload = {MASS * GRAVITY}

[wheels.left]
body = "left"
centre = [0, 700, 300]
radius = 300

[anti_roll_bars.bar]
on = {{ measures = ["wheel.left.travel", "wheel.right.travel"], factors = [1, -1] }}
stiffness = {BAR / 1e3}

[stops.heave]
wheels = ["left", "right"]
above = {AT * 1e3}
stiffness = {STOP / 1e3}

[forces.lift_left]
on = "wheel.left.travel"
value = {LIFT["left"]}

[coordinates.free.left]
of = "wheel.left.travel"
from = -100
to = 100

[tables]
tolerance = 1e-4

[experiment]
static = true
"""


def test_a_bar_and_a_heave_stop_share_the_load_of_two_wheels():
    """K t + bar (t - other) [+ half the stop's force] = lift, for both wheels."""
    m = loads(SLIDES)
    lifted = tuple(replace(f, value=LIFT[f.name.removeprefix("lift_")]) for f in m.forces)
    model = baked(replace(m, forces=lifted))
    matrix = np.array([[K + BAR, -BAR], [-BAR, K + BAR]]) + 0.25 * STOP
    expected = np.linalg.solve(matrix, np.array([*LIFT.values()]) + 0.5 * STOP * AT)
    assert expected.mean() > AT
    assert [axis.name for axis in model.charts[0].axes] == ["left", "right"]
    np.testing.assert_allclose([start.value for start in model.starts], expected, rtol=1e-6)


# -- swinging arms ----------------------------------------------------------------------------------------------------

ARM, LENGTH, RATE = 12.0, 0.35, 900.0  # [kg], [m], [N m/rad]
ARMS = f"""
schema = 1
name = "Arms"
units = {{ length = "mm", angle = "deg" }}
gravity = [0, 0, -{GRAVITY}]

[mirror]
from = "left"
to = "right"

[bodies.left]
mass = {ARM}
com = [0, 700, 300]
inertia = [2e5, 1e5, 2e5]

[joints.left]
type = "revolute"
parent = "ground"
child = "left"
at = [0, {700 - LENGTH * 1e3}, 300]
axis = "x"

[springs.torsion_left]
between = ["ground", "left"]
axis = "x"
stiffness = {RATE * 1e3 * math.pi / 180}
preload = "static"

[anti_roll_bars.bar]
between = ["left", "right"]
axis = "x"
stiffness = 4000

[stops.heave]
wheels = ["left", "right"]
above = 15
stiffness = 50

[dampers.torsion_left]
between = ["ground", "left"]
axis = "x"
damping = 200

[wheels.left]
body = "left"
centre = [0, 700, 300]
radius = 300

[measures.angle]
of = {{ between = ["left", "right"], axis = "x" }}

[measures.roll]
of = {{ measures = ["wheel.left.travel", "wheel.right.travel"], factors = [1, -1] }}

[coordinates.free.left]
of = "wheel.left.travel"
from = -120
to = 120

[tables]
tolerance = 1e-5

[experiment]
step_size = 0.001
"""


@pytest.fixture(scope="module")
def arms():
    m = loads(ARMS.replace('"static"', f"{ARM * GRAVITY * LENGTH * 1e3}"))
    left, right = m.coordinates
    return replace(m, coordinates=(replace(left, start=0.06), replace(right, start=-0.02)))


def test_a_torsion_spring_holds_the_weight():
    model = baked(loads(ARMS))
    parameters = {p.name: p.value for p in model.parameters}
    for side in ("left", "right"):
        assert parameters[f"spring.torsion_{side}.preload"] == pytest.approx(ARM * GRAVITY * LENGTH, rel=1e-9)
    assert parameters["spring.bar.preload"] == 0.0 and parameters["spring.heave.k"] == 0.0
    assert parameters["spring.heave.rebound_stop.at"] == 0.015


def test_both_run_times_measure_angles_and_travel(arms, tmp_path):
    pair = Pair(baked(arms), tmp_path).start()
    for instance in (pair.compiled, pair.numpy):
        names = [
            "measure.angle",
            "measure.roll",
            "spring.heave.length",
            "spring.torsion_left.angle",
            "q.left",
            "q.right",
        ]
        got = dict(zip(names, instance.get([pair.names.index(name) for name in names]), strict=True))
        left, right = (math.asin(travel / LENGTH) for travel in (0.06, -0.02))
        assert got["measure.angle"] == pytest.approx(
            -right - left, abs=1e-6
        )  # the right arm turns the other way about x
        assert got["measure.roll"] == pytest.approx(0.08, abs=1e-6)
        assert got["spring.heave.length"] == pytest.approx(0.02, abs=1e-6)
        assert got["spring.torsion_left.angle"] == pytest.approx(left, abs=1e-6)


@pytest.mark.fmu
def test_they_swing_as_the_full_model_says(arms, tmp_path):
    fmu = kt.build(baked(arms), tmp_path / "Arms.fmu", platforms=())
    verified = kt.verify(fmu, stop=0.3)
    compared = {d.quantity for d in verified.differences}
    assert {"measure.angle", "measure.roll"} <= compared and any("spring.bar" in name for name in compared)
    assert any("spring.heave" in name for name in compared)
    assert max(d.error / d.span for d in verified.differences) < 1e-4


def test_wheel_travel_is_a_candidate_where_no_marker_is_at_the_centre():
    m = loads(ARMS)
    assert [c.label for c in candidates(m) if c.rank == TRAVEL] == ["wheel.left.travel", "wheel.right.travel"]
    marked = replace(m, markers=(Marker("hub", "left", m.wheels[0].centre, spin_axis=[0, 1, 0]),))
    assert [c.label for c in candidates(marked) if c.rank == TRAVEL] == ["marker.hub.z", "wheel.right.travel"]


# -- what wheels leave alone ------------------------------------------------------------------------------------------

RECORDED = ROOT / "tests" / "mechanism_file" / "schema_1"
SHIPPED = ("double_wishbone", "double_wishbone_rigid", "five_link", "front_axle", "macpherson")
SHORT = ("macpherson_corner", "pushrod_axle", "trailing_arm")


def without_wheels(m):
    return replace(m, wheels=(), axles=(), vehicle=None, axes=Axes())


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_suspensions_have_wheels_and_are_else_as_they_were(name):
    m = load(MECHANISMS / f"{name}.toml")
    assert m.wheels and m.axles and m.vehicle
    assert to_document(without_wheels(m)) == to_document(load(RECORDED / f"{name}.toml"))
    for wheel in m.wheels:  # the wheels are where the markers say they are
        marker = next(k for k in m.markers if k.spin_axis is not None and k.body == wheel.body)
        np.testing.assert_array_equal(wheel.centre, marker.p)
        np.testing.assert_allclose(wheel.outboard, marker.spin_axis)
        contact = next(k for k in m.markers if k.name.startswith("contact") and k.body == wheel.body)
        np.testing.assert_allclose(wheel.contact(m.axes), contact.p, atol=1e-15)


def test_short_suspensions_have_wheels():
    for name in SHORT:
        m = load(MECHANISMS / "short" / f"{name}.toml")
        assert m.wheels and m.axles


@pytest.mark.parametrize(
    "file",
    [
        "short/trailing_arm",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("short/macpherson_corner", "double_wishbone_rigid")),
    ],
)
def test_tables_are_as_they_would_be_without_wheels(file):
    """Rows may have another order and be read in other company; what they hold is the same."""
    m = load(MECHANISMS / f"{file}.toml")
    with_, without = (prepare(bake(x))[0] for x in (m, without_wheels(m)))
    own, axes = without.ports.size, without.chart.axes
    for share in (0.0, 0.37, 0.61, 1.0):
        z = np.array([axis.lower + share * (axis.upper - axis.lower) for axis in axes])
        a, b = mechanics(with_, z), mechanics(without, z)
        for ours, theirs in ((a.J, b.J), (a.dJ, b.dJ), (a.dS, b.dS), (a.s, b.s), (a.ds, b.ds), (a.dr[:, :own], b.dr)):
            np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(a.A[:own], b.A)
