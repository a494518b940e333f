"""Contact of a disc with its road: golden data, identities, slopes."""

import json

import numpy as np
import pytest
from helpers import GOLDEN
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from fmu_src.errors import StepError
from fmu_src.interface.source import WHEEL_NUMBERS, WheelPart
from fmu_src.model.reduced_model import WheelInfo
from fmu_src.model.rows import MarkerRows
from fmu_src.numpy_runtime.wheels import (
    WheelInputs,
    carrier_moment,
    carrier_moment_slopes,
    disc,
    wheel_parts,
)

ROWS = MarkerRows(r=0, R=3, A=12)
ISO = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
UP = np.array([0.0, 0.0, 1.0])
REST = np.zeros(6)


def wheel(radius=0.3, side="left", spin=(0.0, 1.0, 0.0)):
    return WheelInfo("front", 0, spin, side, radius, (0.0, 0.0, 0.0), ISO, 0.0)


def loads(F=(0, 0, 0), M=(0, 0, 0), torque=0.0, spin=0.0, n=UP, d=0.0):
    return WheelInputs(np.array(F, dtype=float), np.array(M, dtype=float), torque, spin, np.array(n, dtype=float), d)


def rows_of(R, centre=(0.0, 0.0, 0.0)):
    return np.concatenate((centre, np.asarray(R).ravel()))


def shown(own, R, v=(0, 0, 0), w=(0, 0, 0), twist=REST, given=None, centre=(0.0, 0.0, 0.0)):
    """What is shown of a wheel, by part."""
    rates = np.concatenate((v, np.zeros(9)))
    found = wheel_parts(own, ROWS, rows_of(R, centre), rates, np.array(w, dtype=float), twist, given or loads())
    assert len(found) == WHEEL_NUMBERS
    starts = [*WheelPart, WHEEL_NUMBERS]
    return {part: np.array(found[part:end]) for part, end in zip(starts, starts[1:], strict=False)}


def random_case(seed):
    rng = np.random.default_rng(seed)
    spin = rng.normal(size=3)
    own = wheel(0.3, spin=tuple(spin / np.linalg.norm(spin)))
    R = Rotation.random(random_state=seed).as_matrix()
    return own, R, loads(*rng.normal(size=(2, 3)), *rng.normal(size=2), n=rng.normal(size=3)), rng


def test_a_disc_that_rolls_leans_and_turns():
    """Golden: from the contact to the centre, its rate, and the velocity of the contact."""
    golden = json.loads((GOLDEN / "rolling_wheel.json").read_text())["disc3d"]
    u, omega = np.array(golden["u"]), np.array(golden["omega"])
    own = wheel(golden["R"], spin=tuple(u))
    found = shown(own, np.eye(3), v=golden["rOdot"], w=omega)  # all of its rotation on the carrier
    np.testing.assert_allclose(-found[WheelPart.CONTACT], golden["rO_rel_P"], atol=1e-9)
    np.testing.assert_allclose(found[WheelPart.VELOCITY], golden["rPdot_true"], atol=1e-9)
    rate = np.subtract(golden["rOdot"], golden["rPdot_true"])
    np.testing.assert_allclose(golden["rOdot"] - found[WheelPart.VELOCITY], rate, atol=1e-9)
    np.testing.assert_allclose(found[WheelPart.MATERIAL], 0.0, atol=1e-9)  # it rolls
    spin = float(u @ omega)  # the same with the wheel spinning on a carrier that does not
    found = shown(own, np.eye(3), v=golden["rOdot"], w=omega - spin * u, given=loads(spin=spin))
    np.testing.assert_allclose(found[WheelPart.SLIP], 0.0, atol=1e-9)
    np.testing.assert_allclose(found[WheelPart.VELOCITY], golden["rPdot_true"], atol=1e-9)


def test_an_upright_wheel_that_rolls_straight_has_no_slip():
    found = shown(wheel(), np.eye(3), twist=np.array([0, 0, 0, 12.0, 0, 0]), given=loads(spin=40.0))
    np.testing.assert_allclose(found[WheelPart.SLIP], 0.0, atol=1e-14)
    np.testing.assert_allclose(found[WheelPart.VELOCITY], [12.0, 0, 0], atol=1e-14)
    locked = shown(wheel(), np.eye(3), twist=np.array([0, 0, 0, 12.0, 0.5, 0]))
    np.testing.assert_allclose(locked[WheelPart.SLIP], [12.0, 0.5], atol=1e-14)


def test_signs_of_what_is_read():
    """A left turn; the top of both wheels to the left; by ISO 8855, toe positive in and camber positive outboard."""
    turned = Rotation.from_rotvec([0, 0, 0.1]).as_matrix()
    leaning = Rotation.from_rotvec([-0.05, 0, 0]).as_matrix()  # the top goes to the left
    for side, out in (("left", 1.0), ("right", -1.0)):
        own = wheel(side=side)
        assert shown(own, turned)[WheelPart.TOE] == pytest.approx(-out * 0.1)
        assert shown(own, leaning)[WheelPart.CAMBER] == pytest.approx(out * 0.05)
        assert shown(own, leaning)[WheelPart.INCLINATION] == pytest.approx(out * 0.05)
        assert shown(own, turned, centre=(0.0, 0.0, 0.02))[WheelPart.TRAVEL] == pytest.approx(0.02)
        ahead = shown(own, turned)
        np.testing.assert_allclose(ahead[WheelPart.FORWARD], [np.cos(0.1), np.sin(0.1), 0.0], atol=1e-15)
        np.testing.assert_allclose(ahead[WheelPart.LEFT], [-np.sin(0.1), np.cos(0.1), 0.0], atol=1e-15)


@given(st.integers(0, 10**6))
def test_the_contact_is_the_point_of_the_disc_farthest_along_the_normal(seed):
    own, R, given_, _ = random_case(seed)
    found = shown(own, R, given=given_)
    u, n = R @ own.spin_axis, given_.n / np.linalg.norm(given_.n)
    arm = found[WheelPart.CONTACT]
    assert np.linalg.norm(arm) == pytest.approx(own.radius) and u @ arm == pytest.approx(0.0, abs=1e-12)
    turns = [Rotation.from_rotvec(a * u).apply(arm) for a in np.linspace(-np.pi, np.pi, 41)]
    assert min(n @ p for p in turns) >= n @ arm - 1e-12
    x, y = found[WheelPart.FORWARD], found[WheelPart.LEFT]
    np.testing.assert_allclose([x @ x, y @ y, x @ y, x @ n, y @ n, x @ u], [1, 1, 0, 0, 0, 0], atol=1e-9)
    assert found[WheelPart.GAP] == pytest.approx(n @ arm - given_.d)


@given(st.integers(0, 10**6))
def test_its_velocity_is_the_rate_of_its_position(seed):
    own, R, given_, rng = random_case(seed)
    v, w = rng.normal(size=(2, 3))
    found = shown(own, R, v=v, w=w, given=given_)

    def later(h):
        there = Rotation.from_rotvec(h * w).as_matrix() @ R
        return shown(own, there, given=given_, centre=h * v)[WheelPart.CONTACT]

    h = 1e-4
    rate = (8 * (later(h) - later(-h)) - (later(2 * h) - later(-2 * h))) / (12 * h)
    lean = disc(own, ROWS, rows_of(R), given_.n).s
    np.testing.assert_allclose(found[WheelPart.VELOCITY], rate, atol=1e-9 / lean**5)


@given(st.integers(0, 10**6))
def test_power_of_loads_is_that_of_the_point_of_the_carrier(seed):
    """F.(v + w x rho) + M.w, less what turns about the spin axis alone; and what a torque adds."""
    own, R, given_, rng = random_case(seed)
    w = rng.normal(size=3)
    at = disc(own, ROWS, rows_of(R), given_.n)
    w = w - (w @ at.u) * at.u  # nothing about the spin axis: then the bearing passes all
    power = given_.F @ np.cross(w, at.arm) + given_.M @ w
    assert carrier_moment(at, given_) @ w == pytest.approx(power, abs=1e-12)
    assert carrier_moment(at, given_) @ at.u == pytest.approx(-given_.torque, abs=1e-12)


@given(st.integers(0, 10**6))
def test_slopes_of_the_moment_on_the_carrier(seed):
    """Against differences, with a rotation that is one to table accuracy only."""
    own, R, given_, rng = random_case(seed)
    value, slopes = rows_of(R + 1e-3 * rng.normal(size=(3, 3))), rng.normal(size=(4, 12))
    found = carrier_moment_slopes(own, ROWS, value, slopes, given_)
    lean, h = disc(own, ROWS, value, given_.n).s, 1e-4

    def there(k, a):
        return carrier_moment(disc(own, ROWS, value + a * slopes[k], given_.n), given_)

    for k in range(4):
        ahead = (8 * (there(k, h) - there(k, -h)) - (there(k, 2 * h) - there(k, -2 * h))) / (12 * h)
        np.testing.assert_allclose(found[k], ahead, atol=1e-8 / lean**5)


def test_a_wheel_that_lies_flat_is_an_error():
    with pytest.raises(StepError, match="wheel 'front' lies flat on its road"):
        shown(wheel(), np.eye(3), given=loads(n=[0.0, 2.0, 0.0]))


def test_a_road_without_a_normal_is_level():
    """As some masters have it, which set to zero what is not connected."""
    level, given_ = (shown(wheel(), np.eye(3), given=loads(n=n)) for n in (list(wheel().axes[2]), [0.0, 0.0, 0.0]))
    assert all((level[part] == given_[part]).all() for part in level)
