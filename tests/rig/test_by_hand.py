"""Two suspensions derived a second time, from points and line geometry alone.

A double wishbone by closing its six distances, without a joint, a measure or a Jacobian of ours; its loads as the slope
of a potential.  A beam axle on four links, whose roll axis is drawn with a ruler.
"""

import numpy as np
import pytest
from helpers_rig import document, mechanism
from scipy.optimize import fsolve

from precompute.mechanism_file import from_document
from precompute.rig.curves import measured
from precompute.rig.stand import stand

TO_ISO = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
INCH, G = 0.0254, 9.80665
DIFFERENCES = 1e-5
"""Ours here are of order two, or four."""


def turned(p, a, b, angle):
    """A point about the line from a to b."""
    u, d = (b - a) / np.linalg.norm(b - a), p - a
    return a + d * np.cos(angle) + np.cross(u, d) * np.sin(angle) + u * (u @ d) * (1.0 - np.cos(angle))


def triad(a, b, c):
    x, z = b - a, np.cross(b - a, c - a)
    x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
    return np.stack([x, np.cross(z, x), z], axis=1)


class Wishbone:
    """The rigid double wishbone over the angle of its lower arm, steering held."""

    def __init__(self):
        given = document("double_wishbone_rigid")
        self.p = {name: TO_ISO @ np.array(x) * INCH for name, x in given["points"].items()}
        self.bodies = {n: (b["mass"], TO_ISO @ np.array(b["com"]) * INCH) for n, b in given["bodies"].items()}
        p = self.p
        pairs = (("upper_ball", "lower_ball"), ("outer", "lower_ball"), ("outer", "upper_ball"), ("outer", "inner"))
        self.lengths = [np.linalg.norm(p[a] - p[b]) for a, b in pairs]
        self.radius = p["wheel_centre"][2] - p["contact_patch"][2]

    def at(self, angle):
        """Upper arm's angle, outer ball, and a function that carries points of the hub along."""
        p = self.p
        low = turned(p["lower_ball"], p["p3"], p["p4"], angle)

        def gaps(x):
            up, out = turned(p["upper_ball"], p["p1"], p["p2"], x[0]), x[1:]
            ends = (up - low, out - low, out - up, out - p["inner"])
            return [np.linalg.norm(d) - length for d, length in zip(ends, self.lengths, strict=True)]

        beta, *out = fsolve(gaps, [0.0, *p["outer"]], xtol=1e-13)
        out, up = np.array(out), turned(p["upper_ball"], p["p1"], p["p2"], beta)
        Q = triad(low, up, out) @ triad(p["lower_ball"], p["upper_ball"], p["outer"]).T
        return beta, out, Q, lambda x: low + Q @ (x - p["lower_ball"])

    def shock(self, angle):
        return turned(self.p["shock_lower"], self.p["p3"], self.p["p4"], angle) - self.p["shock_upper"]

    def contact(self, angle):
        _, _, Q, carried = self.at(angle)
        s = Q @ np.array([0.0, 1.0, 0.0])
        up = np.array([0.0, 0.0, 1.0]) - s[2] * s
        return carried(self.p["wheel_centre"]) - self.radius * up / np.linalg.norm(up)

    def potential(self, angle):
        """Of the spring within its stops, and of the weights of all that moves."""
        p, (beta, out, _, carried) = self.p, self.at(angle)
        heights = {
            "lower_arm": lambda x: turned(x, p["p3"], p["p4"], angle),
            "upper_arm": lambda x: turned(x, p["p1"], p["p2"], beta),
            "hub": carried,
            "tie_rod": lambda x: p["inner"] + np.linalg.norm(x - p["inner"]) / self.lengths[3] * (out - p["inner"]),
            "shock_body": lambda x: p["shock_upper"] + (p["shock_upper"] - x)[2] * self.shock(angle) / length,
            "shock_rod": lambda x: p["shock_upper"] + (1.0 - (x - p["shock_lower"])[2] / length) * self.shock(angle),
        }
        length = np.linalg.norm(self.shock(angle))
        pressed = np.linalg.norm(self.shock(0.0)) - length
        weights = sum(m * G * heights[n](x)[2] for n, (m, x) in self.bodies.items() if n in heights)
        return 11700.0 * pressed + 0.5 * 3000.0 / INCH * pressed**2 + weights

    def load(self, angle, h=2e-3):
        def slope(f):
            return 8.0 * (f(angle + h) - f(angle - h)) - (f(angle + 2 * h) - f(angle - 2 * h))

        return slope(self.potential) / slope(lambda x: self.contact(x)[2])


def test_a_double_wishbone_by_hand():
    own, found = Wishbone(), measured(stand(mechanism("double_wishbone_rigid")), {"travel": (-0.02, 0.02)}, ["bump"], 3)
    ours, p, deg = {n: float(x) for n, x in found.design.items() if x.ndim == 0}, own.p, np.pi / 180.0
    e = p["upper_ball"] - p["lower_ball"]
    assert ours["caster.left"] == pytest.approx(np.arctan(-e[0] / e[2]), rel=1e-9)
    assert ours["kingpin_inclination.left"] == pytest.approx(np.arctan(-e[1] / e[2]), rel=1e-9)
    ground = p["lower_ball"] + e * (p["contact_patch"] - p["lower_ball"])[2] / e[2] - p["contact_patch"]
    assert ours["mechanical_trail.left"] == pytest.approx(ground[0], rel=1e-9)
    assert ours["scrub_radius.left"] == pytest.approx(-ground[1], rel=1e-9)

    h = 1e-3
    (_, _, Qa, back), (_, _, Qb, ahead) = own.at(-h), own.at(h)
    travel = (ahead(p["wheel_centre"]) - back(p["wheel_centre"]))[2]
    sa, sb = Qa[:, 1], Qb[:, 1]
    assert ours["bump_steer.left"] == pytest.approx((sb[0] / sb[1] - sa[0] / sa[1]) / travel, rel=DIFFERENCES)
    assert ours["bump_camber.left"] == pytest.approx(-(sb[2] - sa[2]) / travel, rel=DIFFERENCES)
    v = ahead(p["contact_patch"]) - back(p["contact_patch"])  # of the locked wheel
    assert ours["roll_centre_height"] == pytest.approx(p["contact_patch"][1] * v[1] / v[2], rel=DIFFERENCES)
    assert ours["anti_dive"] == pytest.approx(100.0 * 0.65 * 110.0 / 22.0 * v[0] / v[2], rel=DIFFERENCES)
    pressed = np.linalg.norm(own.shock(-h)) - np.linalg.norm(own.shock(h))
    assert ours["spring_motion_ratio.shock.left"] == pytest.approx(pressed / travel, rel=DIFFERENCES)
    assert ours["wheel_load.left"] == pytest.approx(own.load(0.0), rel=DIFFERENCES)
    rate = (own.load(h) - own.load(-h)) / (own.contact(h) - own.contact(-h))[2]
    assert ours["wheel_rate.left"] == pytest.approx(rate, rel=1e-4)
    ride = 1.0 / (1.0 / rate + INCH / 6000.0)
    assert ours["ride_frequency"] == pytest.approx(np.sqrt(2.0 * ride / (1020.0 - 110.0)) / (2.0 * np.pi), rel=1e-4)
    assert ours["roll_stiffness"] * deg == pytest.approx(0.5 * rate * (70.0 * INCH) ** 2 * deg, rel=1e-4)


def beam():
    """A live axle on two lower links that rise forward by 1 in 30, an upper one, a Panhard rod falling to the left."""
    rods = {
        "lower_l": [[600, 500, 320], [0, 500, 300]],
        "lower_r": [[600, -500, 320], [0, -500, 300]],
        "upper": [[300, 0, 500], [0, 0, 480]],
        "panhard": [[0, -500, 350], [0, 500, 300]],
    }
    wheel = {"body": "axle", "toe": 0, "camber": 0, "radius": 300}
    springs = {
        side: {"between": ["ground", "axle"], "at": [[0, y, 600], [0, y, 320]], "stiffness": 30, "preload": 4000}
        for side, y in (("l", 450), ("r", -450))
    }
    joints = {n: {"type": "rod", "parent": "ground", "child": "axle", "at": at} for n, at in rods.items()}
    return from_document(
        {
            "schema": 1,
            "name": "Beam",
            "units": {"length": "mm", "mass": "kg", "angle": "deg", "force": "N"},
            "bodies": {"axle": {"mass": 90, "com": [0, 0, 300], "inertia": [2e7, 2e6, 2e7]}},
            "joints": {"base": {"type": "free", "parent": "ground", "child": "axle", "at": [0, 0, 300]}, **joints},
            "springs": springs,
            "wheels": {"left": {**wheel, "centre": [0, 750, 300]}, "right": {**wheel, "centre": [0, -750, 300]}},
            "axles": {"rear": {"left": "left", "right": "right", "end": "rear"}},
        }
    )


def test_a_beam_axle_by_hand():
    """Both wheels on one body: it rolls about a line through the Panhard rod, along the lower links."""
    ours = measured(stand(beam()), {"travel": (-0.02, 0.02)}, ["bump", "roll"], 3).design
    assert ours["roll_centre_height"] == pytest.approx(0.325, rel=1e-9)
    assert ours["roll_centre_lateral"] == pytest.approx(0.0, abs=1e-12)
    # by forces it is another point of the same line of action, that of the rod
    aside = ours["roll_centre_lateral_force"]
    assert ours["roll_centre_height_force"] == pytest.approx(0.325 - 0.05 * aside, rel=1e-9) and abs(aside) > 0.05
    assert ours["bump_camber.left"] == pytest.approx(0.0, abs=1e-12)
    assert ours["roll_camber.left"] == pytest.approx(1.0, rel=1e-9) == -ours["roll_camber.right"]
    assert ours["roll_steer.left"] == pytest.approx(-1.0 / 30.0, rel=1e-9)
    assert ours["spring_motion_ratio.l.left"] == pytest.approx(0.8, rel=1e-9)  # 1200 of 1500 mm from the other wheel
    assert ours["spring_motion_ratio.r.left"] == pytest.approx(0.2, rel=1e-9)
