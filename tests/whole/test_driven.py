"""A rack that is driven through a filter, against the full model with the filter's closed form as its drive.

Direct drives, with position, rate and acceleration, are compared in `test_moving_chassis`.
"""

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_corner import corner

import kinetab as kt
from fmu_src.numpy_runtime.steps.integrator import advance
from precompute.reference import Loads, simulate

T, TARGET, STEP = 0.01, 8e-3, 5e-4  # [s], [m], [s]


def closed_form(t):
    """Position, rate and acceleration of x'' = (TARGET - x)/T^2 - 2 x'/T from rest at zero."""
    fall = np.exp(-t / T)
    return TARGET * (1 - (1 + t / T) * fall), TARGET * t / T**2 * fall, TARGET / T**2 * (1 - t / T) * fall


@pytest.fixture(scope="module")
def rows():
    """Outputs over 0.1 s with the target set at once."""
    c = corner(driven="filtered")
    u, state, found = c.inputs.copy(), c.start, []
    u[c.slots.drives[0].first] = TARGET
    for _ in range(201):
        found.append(c.outputs(state, u))
        state = advance(c.charts, state, STEP, c.parameters, u, STEP)
    return found


def history(rows, name):
    return np.array([row[name] for row in rows])


def test_the_filter_reaches_its_target(rows):
    t = STEP * np.arange(len(rows))
    q, qd, qdd = (history(rows, f"{s}.rack") for s in ("q", "qd", "qdd"))
    assert abs(q[-1] - TARGET) < 1e-3 * TARGET
    for ours, exact, scale in zip((q, qd, qdd), closed_form(t), (TARGET, TARGET / T, TARGET / T**2), strict=True):
        assert np.abs(ours - exact).max() < 1e-4 * scale


def test_rate_and_acceleration_are_derivatives(rows):
    for low, high in (("q", "qd"), ("qd", "qdd")):
        values, slopes = history(rows, f"{low}.rack"), history(rows, f"{high}.rack")
        quotient = (values[2:] - values[:-2]) / (2 * STEP)
        assert np.abs(quotient - slopes[1:-1]).max() < 5e-3 * np.abs(slopes).max()


def test_the_force_of_the_drive_is_that_of_the_full_model(rows):
    c = corner(driven="filtered")
    times = STEP * np.arange(0, 31, 10)
    motion = simulate(
        c.full,
        c.full_state(c.start.z, c.start.zd),
        times,
        lambda t: Loads(ports={"wheel": (np.array([0.0, 0.0, 4500.0]), np.zeros(3))}),
        rtol=1e-8,
        drives={"rack": closed_form},
    )
    force = history(rows[:31:10], "drive.rack.force")
    assert np.ptp(force) > 500.0
    assert np.abs(force - motion.coordinates["rack"].force).max() < 2e-3 * np.abs(force).max()
    wheel = np.stack([history(rows[:31:10], f"marker.wheel.r[{i}]") for i in (1, 2, 3)], axis=1)
    assert np.abs(wheel - motion.markers["wheel"].p).max() < 1e-6


PLATFORM = """
schema = 1
name = "Platform"
units = { length = "mm", angle = "deg" }

[bodies.platform]
mass = 20
com = [30, -20, 60]
inertia = [4e5, 5e5, 7e5]

[joints.ball]
type = "spherical"
parent = "ground"
child = "platform"
at = [0, 0, 0]

[markers.nose]
body = "platform"
at = [400, 50, 100]

[coordinates.free.roll]
of = "marker.nose.roll"
from = -20
to = 20

[coordinates.free.pitch]
of = "marker.nose.pitch"
from = -15
to = 15
driven = true

[coordinates.free.yaw]
of = "marker.nose.yaw"
from = -25
to = 25
driven = true

[tables]
tolerance = 1e-4
"""


@pytest.mark.fmu
def test_a_platform_is_led_in_roll_pitch_and_yaw(tmp_path):
    """Where the marker is, how it has turned and the moments of the drives, against the full model."""
    fmu = kt.build(kt.bake(kt.loads(PLATFORM)), tmp_path / "Platform.fmu", platforms=())
    found = kt.verify(fmu, stop=0.5)
    assert found.passed, found.faults
    errors = {d.quantity: d.error for d in found.differences}
    assert errors["marker.nose.r"] < 1e-3 and errors["marker.nose.angle"] < 1e-3  # mm and deg
    assert errors["drive.pitch.force"] < 1e-3 and errors["drive.yaw.force"] < 1e-3  # N m


@pytest.mark.fmu
def test_the_attitude_of_a_body_is_driven(tmp_path):
    """A coupler whose angle in the ground is an input; force and motion against the full model."""
    text = (MECHANISMS / "four_bar.toml").read_text(encoding="utf-8")
    head, _, rest = text.partition("[coordinates.free.crank]")
    of = '{ between = ["ground", "coupler"], axis = "z" }'
    own = f"[coordinates.free.attitude]\nof = {of}\nfrom = -8\nto = 8\ndriven = true\n"
    fmu = kt.build(kt.bake(kt.loads(head + own + rest[rest.index("\n[") :])), tmp_path / "a.fmu")
    found = kt.verify(fmu)
    assert found.passed, found.faults
    assert found.dynamics.coverage[0].share > 0.8
    assert any(d.quantity == "drive.attitude.force" for d in found.differences)
