"""Wheels in natural coordinates: golden data of a wheel on a circle and a disc on a plane, Euler and Savary."""

import json

import numpy as np
import pytest
from helpers import GOLDEN

from precompute.natural.expressions import Coordinates, constant
from precompute.natural.quadratic import quadratic_system
from precompute.natural.rows import distance, held_dot
from precompute.natural.tangent import DrivenSystem, tangent
from precompute.natural.wheels.planar import PlanarWheel, conjugate_distance
from precompute.natural.wheels.rows import rolling_tangent
from precompute.natural.wheels.spatial import SpatialWheel

EXACT = 1e-9
DIFFERENCED = 1e-6  # relative: the golden accelerations are differences


@pytest.fixture(scope="module")
def golden():
    return json.loads((GOLDEN / "rolling_wheel.json").read_text())


# -- in a plane -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def planar(golden):
    """The wheel on its circle, with the polar angle of its centre (cosine, sine) as what is given."""
    g = golden["planar_wheel"]
    c, reach = Coordinates(), g["R"] + g["Rt"]
    A, s = c.vector("A", g["A"]), g["s"]
    O = c.vector("O", g["O"])  # noqa: E741
    cosine, sine = c.scalar("cos", np.cos(s)), c.scalar("sin", np.sin(s))
    rows = on_circle(O, reach * cosine, reach * sine)
    rows += distance("wheel", A - O, float(np.hypot(*np.subtract(g["A"], g["O"]))))
    wheel = PlanarWheel((2, 3), (0, 1), np.zeros(2), g["Rt"])
    return DrivenSystem(quadratic_system(rows, len(c.names)), (4, 5)), c.start[None], wheel


def on_circle(centre, x, y):
    """A point of the plane at x, y."""
    return [*held_dot("x", centre, constant([1.0, 0.0]), x), *held_dot("y", centre, constant([0.0, 1.0]), y)]


def turning(s):
    return np.array([[-np.sin(s), np.cos(s)]]), np.array([[-np.cos(s), -np.sin(s)]])


def test_planar_wheel_rolls_as_the_golden_one(golden, planar):
    g, (driven, x, wheel) = golden["planar_wheel"], planar
    assert np.abs(wheel.contact(x)[0] - g["P"]).max() < EXACT
    at, (first, second) = rolling_tangent(driven, (wheel,), x), turning(g["s"])
    xd = at.velocity(first)
    assert np.abs(xd[0, 2:4] - g["Od"]).max() < EXACT and np.abs(xd[0, :2] - g["Ad"]).max() < EXACT
    assert np.abs(wheel.matrix(x) @ xd[0]).max() < EXACT
    xdd = at.acceleration(xd, second)
    assert np.abs(xdd[0, 2:4] - g["Odd"]).max() < DIFFERENCED * np.linalg.norm(g["Odd"])
    assert np.abs(xdd[0, :2] - g["Add"]).max() < DIFFERENCED * np.linalg.norm(g["Add"])
    along = np.array([-np.sin(g["s"]), np.cos(g["s"])])
    assert np.abs(wheel.pole_velocity(x, xd)[0] - g["Rt"] * along).max() < EXACT  # (3.57)


def test_euler_and_savary_give_the_conjugate_point(golden):
    g = golden["planar_wheel"]
    A, P, O = (np.array(g[name]) for name in "APO")  # noqa: E741
    normal, arm = (O - P) / np.linalg.norm(O - P), A - P
    psi = np.arcsin(arm @ normal / np.linalg.norm(arm))
    found = conjugate_distance(float(np.linalg.norm(arm)), g["R"], g["Rt"], psi)
    assert found == pytest.approx(0.178482735825, rel=1e-11)
    centre = P - found * arm / np.linalg.norm(arm)
    assert np.abs(centre - g["centre_of_curvature_A"]).max() < EXACT
    Ad, Add = np.array(g["Ad"]), np.array(g["Add"])
    radius = np.linalg.norm(Ad) ** 3 / abs(Ad[0] * Add[1] - Ad[1] * Add[0])  # of any path, from its derivatives
    assert radius == pytest.approx(found + np.linalg.norm(arm), rel=DIFFERENCED)
    assert conjugate_distance(0.5, 0.3, np.inf, 1.0) == pytest.approx(1.0 / (1.0 / 0.3 / np.sin(1.0) - 2.0))


def test_the_four_bar_in_place_of_the_wheel_has_its_velocity_and_acceleration(golden, planar):
    """(3.59), (3.60): holonomic rows, right for this instant."""
    g, (driven, x, wheel) = golden["planar_wheel"], planar
    A, P = np.array(g["A"]), np.array(g["P"])
    arm = A - P
    psi = np.arcsin(arm @ (np.array(g["O"]) - P) / g["R"] / np.linalg.norm(arm))
    centre = P - conjugate_distance(float(np.linalg.norm(arm)), g["R"], g["Rt"], psi) * arm / np.linalg.norm(arm)
    c = Coordinates()
    a, o = c.vector("A", A), c.vector("O", g["O"])
    cosine, sine = c.scalar("cos", np.cos(g["s"])), c.scalar("sin", np.sin(g["s"]))
    reach = g["R"] + g["Rt"]
    rows = on_circle(o, reach * cosine, reach * sine)
    rows += distance("A'A", a - constant(centre), float(np.linalg.norm(A - centre)))
    rows += distance("AO", a - o, float(np.linalg.norm(A - g["O"])))
    linkage = DrivenSystem(quadratic_system(rows, len(c.names)), (4, 5))
    first, second = turning(g["s"])
    found = tangent(linkage, c.start[None]).rates(first, second, np.zeros((1, 2)))
    at = rolling_tangent(driven, (wheel,), x)
    xd = at.velocity(first)
    assert np.abs(found.velocity - xd).max() < EXACT
    assert np.abs(found.acceleration - at.acceleration(xd, second)).max() < EXACT


def test_a_wheel_that_slides_is_held_in_its_normal_alone(planar):
    _, x, wheel = planar
    sliding = PlanarWheel(wheel.O, wheel.A, wheel.centre, wheel.radius, rolling=False)
    assert sliding.matrix(x).shape == (1, 1, 6)
    assert (sliding.matrix(x) == wheel.matrix(x)[:, :1]).all()
    xd = np.random.default_rng(1).normal(size=x.shape)
    assert (sliding.drift(x, xd) == wheel.drift(x, xd)[:, :1]).all()


# -- in space ---------------------------------------------------------------------------------------------------------

UP = np.array([0.0, 0.0, 1.0])
R = 0.5


def angles(t):
    """Heading, tilt and spin of the golden disc."""
    return 0.3 + 0.7 * t + 0.2 * t**2, 1.1 + 0.25 * t - 0.1 * t**2, 0.2 + 1.3 * t + 0.15 * t**2


def rates(t):
    return 0.7 + 0.4 * t, 0.25 - 0.2 * t, 1.3 + 0.3 * t


def axes(psi, th):
    e = np.array([np.cos(psi), np.sin(psi), 0.0])
    u = np.array([np.sin(th) * np.sin(psi), -np.sin(th) * np.cos(psi), np.cos(th)])
    return e, u, np.cross(u, e)


def placed(t, P):
    """Natural coordinates O, A, u of the disc at a time, with its contact at P."""
    psi, th, phi = angles(t)
    e, u, d = axes(psi, th)
    O = P + R * d  # noqa: E741
    return np.concatenate([O, O + 0.3 * (np.cos(phi) * e + np.sin(phi) * d), u])


def derivative(f, t, h=1e-3):
    return (f(t - 2 * h) - 8 * f(t - h) + 8 * f(t + h) - f(t + 2 * h)) / (12 * h)


@pytest.fixture(scope="module")
def disc(golden):
    """The golden disc at its time: coordinates and their rates, the wheel."""
    g = golden["disc3d"]
    t = g["t"]
    e, u, d = axes(angles(t)[0], angles(t)[1])
    (psid, thd, phid), phi = rates(t), angles(t)[2]
    w = psid * UP + thd * e + phid * u
    x, a = placed(t, np.zeros(3)), 0.3 * (np.cos(phi) * e + np.sin(phi) * d)
    Od = np.cross(w, R * d)
    xd = np.concatenate([Od, Od + np.cross(w, a), np.cross(w, u)])
    return g, x[None], xd[None], SpatialWheel((0, 1, 2), (3, 4, 5), (6, 7, 8), R, UP)


def test_disc_rolls_as_the_golden_one(disc):
    g, x, xd, wheel = disc
    assert g["R"] == R
    assert np.abs(wheel.arm(x)[0] - g["rO_rel_P"]).max() < EXACT
    assert np.abs(wheel.angular_velocity(x, xd)[0] - g["omega"]).max() < EXACT
    assert np.abs(xd[0, :3] - g["rOdot"]).max() < EXACT
    assert np.abs(wheel.matrix(x) @ xd[0]).max() < EXACT
    pole = wheel.pole_velocity(x, xd)[0]
    assert np.abs(pole - g["rPdot_true"]).max() < EXACT
    assert np.abs(pole + R * rates(g["t"])[2] * np.array(g["e"])).max() < EXACT
    assert np.abs(pole - g["eq378_denominator_OOprime"]).max() > 0.1  # (3.78) as printed


def test_disc_moves_by_the_rows_alone(disc):
    """Its three rates given through u and A, all else follows: six rows of shape, three of rolling."""
    g, x, xd, wheel = disc
    driven = shape_rows(x[0])
    at = rolling_tangent(driven, (wheel,), x)
    given = list(driven.given)
    assert np.abs(at.velocity(xd[:, given]) - xd).max() < EXACT
    xdd = true_acceleration(g["t"])
    assert np.abs(at.acceleration(xd, xdd[None, given]) - xdd).max() < 1e-7


def shape_rows(x):
    """|u| = 1, |A - O|, u . (A - O) = 0; given are u_x, u_y and A_z."""
    c = Coordinates()
    O, A, u = c.vector("O", x[:3]), c.vector("A", x[3:6]), c.vector("u", x[6:])  # noqa: E741
    rows = [*distance("u", u, 1.0), *distance("A", A - O, 0.3), *held_dot("across", u, A - O, 0.0)]
    return DrivenSystem(quadratic_system(rows, 9), (5, 6, 7))


def contact(t):
    """P, by integrating Pd = -R phid e from t = 0 with Gauss-Legendre points."""
    nodes, weights = np.polynomial.legendre.leggauss(20)
    times = 0.5 * t * (nodes + 1.0)
    return 0.5 * t * sum(w * -R * rates(s)[2] * axes(angles(s)[0], 1.0)[0] for w, s in zip(weights, times, strict=True))


def true_acceleration(t):
    def velocity(s):
        return derivative(lambda r: placed(r, contact(r)), s)

    return derivative(velocity, t)


def test_drift_of_a_disc_is_the_rate_of_its_matrix(disc):
    _, x, _, wheel = disc
    rng = np.random.default_rng(3)
    xd = rng.normal(size=x.shape)
    for rolling in (True, False):
        own = SpatialWheel(wheel.O, wheel.A, wheel.u, R, UP, rolling)
        expected = derivative(lambda s, own=own: own.matrix(x + s * xd) @ xd[0], 0.0, 2e-4)
        assert np.abs(own.drift(x, xd) - expected).max() < EXACT
    assert own.matrix(x).shape == (1, 1, 9)


def test_drift_of_a_planar_wheel_is_the_rate_of_its_matrix_along_a_motion_that_touches(golden, planar):
    g, (driven, x, wheel) = golden["planar_wheel"], planar
    xd = rolling_tangent(driven, (wheel,), x).velocity(turning(g["s"])[0])
    expected = derivative(lambda s: wheel.matrix(x + s * xd) @ xd[0], 0.0)
    assert np.abs(wheel.drift(x, xd) - expected).max() < 1e-9
