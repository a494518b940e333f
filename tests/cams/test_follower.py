"""Gaps, places of contact, ways and pressure angles: derivatives by complex steps, unit normals, closed forms."""

import numpy as np
import pytest
from helpers_cams import BASE, MM, ROLLER, pump_sides
from test_tracks import circle, circle_table, egg

from precompute.cams.follower import Follower

CASES = {
    "pump": Follower(tuple(pump_sides()), "roller", ROLLER),
    "knife on egg": Follower(tuple(egg()), "knife"),
    "circle": Follower(tuple(circle()), "roller", ROLLER),
    "table": Follower(circle_table(), "roller", ROLLER),
}
FACES = {"egg": Follower(tuple(egg()), "flat"), "table": Follower(circle_table(), "flat")}
ANGLES = np.linspace(-3.0, 3.0, 41)
STEP = 1e-30


def near(follower):
    """Places on the track and up to 2 mm beside it."""
    r = follower.track.jet(ANGLES)[0] + 2.0 * MM * np.sin(7.0 * ANGLES)
    return r * np.cos(ANGLES), r * np.sin(ANGLES)


def functions(follower):
    if follower.kind == "flat":
        return follower.face_gap, follower.angle, follower.pressure
    return follower.gap, follower.angle, follower.travelled, follower.pressure


@pytest.mark.parametrize("follower", [*CASES.values(), *FACES.values()], ids=[*CASES, *(f"face on {n}" for n in FACES)])
def test_derivatives_by_complex_step(follower):
    x, y = near(follower)
    for f in functions(follower):
        jet = f(x, y)
        along_x, along_y = f(x + 1j * STEP, y).imag / STEP, f(x, y + 1j * STEP).imag / STEP
        for found, exact in ((along_x[0], jet[1]), (along_y[0], jet[2])):
            assert np.abs(found - exact).max() <= 1e-9 * np.abs(exact).max()
        size = np.abs(jet[3:]).max()
        for found, exact in ((along_x[1], jet[3]), (along_x[2], jet[4]), (along_y[1], jet[4]), (along_y[2], jet[5])):
            assert np.abs(found - exact).max() <= 1e-9 * size


@pytest.mark.parametrize("follower", CASES.values(), ids=CASES)
def test_on_the_track_gradients_are_the_unit_normal_and_the_unit_tangent(follower):
    r, r1, *_ = follower.track.jet(ANGLES)
    c, s = np.cos(ANGLES), np.sin(ANGLES)
    gap, way = follower.gap(r * c, r * s), follower.travelled(r * c, r * s)
    tangent = np.stack([r1 * c - r * s, r1 * s + r * c]) / np.hypot(r, r1)
    normal = np.stack([tangent[1], -tangent[0]])
    assert np.abs(gap[0]).max() < 1e-15
    assert np.abs(gap[1:3] - normal).max() < 1e-13
    assert np.abs(way[1:3] - tangent).max() < 1e-13
    lean = follower.pressure(r * c, r * s)[0]
    assert normal[0] * c + normal[1] * s == pytest.approx(np.cos(lean), abs=1e-13)


ROLLERS = {name: follower for name, follower in CASES.items() if follower.kind == "roller"}


@pytest.mark.parametrize("follower", ROLLERS.values(), ids=ROLLERS)
def test_reduced_radius_has_the_derivatives_of_its_value(follower):
    """Of sides they are zero; of a table to what its splines leave of the largest."""
    x, y = near(follower)
    jet = follower.reduced_radius(x, y)
    along_x, along_y = (
        follower.reduced_radius(x + dx, y + dy).imag / STEP for dx, dy in ((1j * STEP, 0), (0, 1j * STEP))
    )
    assert np.abs(along_x[0] - jet[1]).max() < 1e-9 and np.abs(along_y[0] - jet[2]).max() < 1e-9
    r, phi = np.hypot(x, y), np.arctan2(y, x)
    step = 1e-5
    inside = follower.track.piece_at(phi - step) == follower.track.piece_at(phi + step)
    ahead, behind = (follower.reduced_radius(r * np.cos(phi + d), r * np.sin(phi + d)) for d in (step, -step))
    turned = (ahead[2] * np.cos(phi + step) - ahead[1] * np.sin(phi + step)) * r
    turned -= (behind[2] * np.cos(phi - step) - behind[1] * np.sin(phi - step)) * r
    second = r**2 * (np.sin(phi) ** 2 * jet[3] - 2.0 * np.sin(phi) * np.cos(phi) * jet[4] + np.cos(phi) ** 2 * jet[5])
    second -= r * (np.cos(phi) * jet[1] + np.sin(phi) * jet[2])
    assert np.abs(turned / (2.0 * step) - second)[inside].max() < 1e-6


def test_reduced_radius_is_that_of_cam_and_roller():
    pump = CASES["pump"].reduced_radius
    for degrees, radius in ((0.0, BASE), (180.0, 26.0 * MM), (140.0, 2.5 * MM)):
        phi = np.radians(degrees)
        at = CASES["pump"].track.jet(phi)[0] * np.array([np.cos(phi), np.sin(phi)])
        assert pump(*at)[0] == pytest.approx(radius * ROLLER / (radius + ROLLER), rel=1e-12)
    phi = np.radians(120.0)
    r = CASES["pump"].track.jet(phi)[0]
    assert pump(r * np.cos(phi), r * np.sin(phi))[0] == pytest.approx(ROLLER, rel=1e-12)
    x, y = near(CASES["circle"])
    exact = 20.0 * MM * ROLLER / (20.0 * MM + ROLLER)
    assert CASES["circle"].reduced_radius(x, y)[0] == pytest.approx(exact, rel=1e-12)
    assert CASES["table"].reduced_radius(x, y)[0] == pytest.approx(exact, rel=1e-4)


def test_round_cam():
    radius, away, where = 20.0 * MM, 3.0 * MM, 0.3
    x, y = near(CASES["circle"])
    exact = np.hypot(x - away * np.cos(where), y - away * np.sin(where)) - radius - ROLLER
    gap = CASES["circle"].gap(x, y)
    # a multiple of the gap along the radius: the same to first order
    assert np.abs(gap[0] - exact).max() < 2e-2 * np.abs(exact).max()
    on = np.abs(exact) < 1e-12
    assert np.abs(gap[0][on]).max(initial=0.0) < 1e-12
    psi = ANGLES
    face = Follower(tuple(circle()), "flat").face_gap(np.cos(psi), np.sin(psi))
    assert -face[0] == pytest.approx(radius + away * np.cos(psi - where), abs=1e-15)


def test_outlines_that_are_none_are_told():
    sides = pump_sides()
    with pytest.raises(ValueError, match="counterclockwise"):
        _ = Follower(tuple(sides[:3]), "roller", ROLLER).track
    with pytest.raises(ValueError, match="flat follower lies on all of it"):
        _ = Follower(tuple(sides), "flat").track
    assert Follower(tuple(sides), "knife").track.jet(np.array(0.0))[0] == BASE
