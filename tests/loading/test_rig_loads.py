"""Loads over the cases of the rig: every body is in balance by Newton and Euler."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS

from precompute.loading.exact import exact_loads
from precompute.loading.motion import given_motion
from precompute.loading.rig_loads import holds, rig_loads
from precompute.mechanism_file import load
from precompute.rig.mechanics import turned
from precompute.sheets.result import kc

CASES = ["bump", "roll", "lateral", "braking", "aligning"]
NEWTON = 1e-7
"""[N, N m] What may be missing in a balance of thousands."""


def measured(name, **more):
    found = kc(load(MECHANISMS / f"{name}.toml"), cases=CASES, points=5, **more)
    return found.curves.stand, rig_loads(found.curves.stand, [curve.course for curve in found.curves.curves])


class Balance:
    """Forces and moments about the origin (n, 3) on each body, and on which bodies something is not known."""

    def __init__(self, stand, case):
        self.stand, self.case, self.unknown = stand, case, set()
        course, m = case.course, stand.mechanism
        self.at = stand.rig.at(course.rest.q[:, :1], course.setting.road[:, :1])
        self.P, n = self.at.motion.places, len(course.values)
        self.total = {body.name: np.zeros((n, 6)) for body in m.bodies}
        self.weights_and_wheels()
        for joint in (joint for joint in m.joints if holds(joint)):
            carried = replace(joint, loads=(), load_axes="ground").loadable
            F, M = (case.vectors.get(f"joint.{joint.name}.{symbol}") for symbol in "FM")
            if ("x" in carried and F is None) or ("rx" in carried and M is None):
                self.unknown |= {joint.parent, joint.child}
            p = self.point(joint.parent, joint.p_P)
            for body, sign in ((joint.parent, -1.0), (joint.child, 1.0)):
                self.add(body, p, sign * (0.0 if F is None else F), sign * (0.0 if M is None else M))
        for rod in m.rods:
            self.between((rod.parent, rod.p_P), (rod.child, rod.p_C), -case.forces[f"rod.{rod.name}.force"])
        for kind, some in (("spring", m.springs), ("damper", m.dampers)):
            for own in some:
                if own.on.segment:
                    self.between(*own.on.segment, case.forces[f"{kind}.{own.name}.force"])

    def point(self, body, p):
        return self.P.pose(body).point(p)

    def add(self, body, p, F, M=0.0):
        if body in self.total:
            F = np.broadcast_to(F, p.shape)
            self.total[body] += np.concatenate([np.cross(p, F) + M, F], axis=-1)

    def between(self, one, other, force):
        """A force that pushes two points apart."""
        a, b = self.point(*one), self.point(*other)
        F = force[:, None] * (b - a) / np.linalg.norm(b - a, axis=-1, keepdims=True)
        self.add(one[0], a, -F)
        self.add(other[0], b, F)

    def weights_and_wheels(self):
        m, setting, rest = self.stand.mechanism, self.case.course.setting, self.case.course.rest
        gravity = turned(m.gravity, m.axes.up, setting.road[:, 0])
        for body in m.bodies:
            self.add(body.name, self.point(body.name, body.com), body.mass * gravity)
        for k, (wheel, c) in enumerate(zip(self.stand.rig.bench.wheels, self.at.corners, strict=True)):
            self.add(wheel.body, c.contact, setting.loads.patch[:, 0, k] + rest.pads[:, 0, k, None] * c.up)
            self.add(wheel.body, c.centre, setting.loads.centre[:, 0, k], setting.loads.moment[:, 0, k])


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("macpherson_rigid", {"lower_arm", "upright", "strut_rod", "rack"}),
        ("double_wishbone_rigid", {"lower_arm", "upper_arm", "hub", "tie_rod", "shock_body", "shock_rod"}),
        ("front_axle", {"lower_arm_l", "upper_arm_r", "hub_l", "hub_r"}),
        ("five_link", {"upright"}),
        ("macpherson", {"upright", "rack"}),
    ],
)
def test_every_body_is_in_balance(name, known):
    """Arms on rubber are left out: moments of bushings are forces on angles."""
    stand, found = measured(name)
    rubber = {body for b in stand.mechanism.bushings for body in (b.parent, b.child)}
    for case in found.cases:
        balance = Balance(stand, case)
        left = {body: own for body, own in balance.total.items() if body not in balance.unknown | rubber}
        assert known <= left.keys()
        for body, own in left.items():
            assert np.abs(own).max() < NEWTON, (case.course.case.name, body)
        assert max(np.abs(v).max() for v in case.vectors.values()) > 1e3


def test_they_are_those_of_inverse_dynamics_at_rest():
    """`kinetab loads` from the coordinates and what the road does; another way through the same reactions.

    In bump, where nothing turns the wheel about its axis, about which that of an FMU is free.
    """
    stand, found = measured("macpherson_rigid")
    (case,) = (own for own in found.cases if own.course.case.name == "bump")
    at = stand.rig.at(case.course.rest.q[:, :1])
    n, mechanism = len(case.course.values), stand.mechanism
    (corner,), (wheel,) = at.corners, stand.rig.bench.wheels
    F = case.course.setting.loads.patch[:, 0, 0] + case.course.rest.pads[:, 0, 0, None] * corner.up
    columns = {"time": np.arange(n) * 1e3}
    for c in mechanism.coordinates:
        columns |= {c.name: c.of.value(at.motion.places)}
        columns |= {f"{c.name}.rate": np.zeros(n), f"{c.name}.acceleration": np.zeros(n)}
    columns |= {f"wheel.{wheel.name}.F[{i + 1}]": F[:, i] for i in range(3)}
    columns |= {f"port.{p.name}.{s}[{i}]": np.zeros(n) for p in mechanism.ports for s in "FM" for i in (1, 2, 3)}
    other = exact_loads(mechanism, given_motion(columns, mechanism), "ground")
    compared = 0
    for name, values in case.vectors.items():
        for i in range(3):
            if f"{name}[{i + 1}]" in other.outputs:
                np.testing.assert_allclose(values[:, i], other.outputs[f"{name}[{i + 1}]"], atol=1e-5)
                compared += 1
    assert compared > 15
    np.testing.assert_allclose(case.forces["rod.tie_rod.force"], other.outputs["rod.tie_rod.force"], atol=1e-5)


def test_what_nothing_defines_is_left_out_and_told():
    _, found = measured("double_wishbone_rigid")
    assert len(found.undefined) == 1 and "joint.pitman" in found.undefined[0]
    assert not any("pitman" in name for case in found.cases for name in case.vectors)


def test_bushings_carry_what_their_arm_does():
    """The arm is between the ground, on two bushings, and its ball: forces along G add up to its weight."""
    stand, found = measured("macpherson")
    arm = next(body for body in stand.mechanism.bodies if body.name == "lower_arm")
    for case in found.cases:
        P = stand.rig.at(case.course.rest.q[:, :1], case.course.setting.road[:, :1]).motion.places
        total = np.zeros((len(case.course.values), 3))
        for own in stand.mechanism.bushings:
            if "lower_arm" in (own.parent, own.child):
                R, sign = P.pose(own.parent).R @ own.R, 1.0 if own.child == "lower_arm" else -1.0
                total += sign * np.einsum("nij,nj->ni", R, case.bushings[own.name][:, :3])
        (ball,) = (j for j in stand.mechanism.joints if j.name == "lower_ball")
        total += (1.0 if ball.child == "lower_arm" else -1.0) * case.vectors["joint.lower_ball.F"]
        gravity = turned(stand.mechanism.gravity, stand.mechanism.axes.up, case.course.setting.road[:, 0])
        np.testing.assert_allclose(total, -arm.mass * gravity, atol=NEWTON)
