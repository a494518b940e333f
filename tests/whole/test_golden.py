"""Independent numbers of the literature's mechanisms, through the mechanism files that we ship."""

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers import GOLDEN, MECHANISMS

from precompute.geometry.spatial import point_velocity, rotation, rotation_quaternion, skew
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure, coefficient_derivatives, factorize, velocity_coefficients
from precompute.kinematics.continuation import follow
from precompute.kinematics.inertia import (
    quadratic_coefficients,
    reduced_inertia,
    reduced_inertia_derivatives,
    spatial_inertias,
)
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import joint_primitives

INCH = 0.0254
TOLERANCE = 1e-10


class Kinematics:
    """Everything about one mechanism at given values of its coordinates, walked to from the design."""

    def __init__(self, mechanism, z, steps=24):
        self.mechanism, self.topology = mechanism, spanning_tree(mechanism)
        design = close_loops(mechanism, self.topology)
        self.closure = c = Closure(mechanism, self.topology, tuple(x.of for x in mechanism.coordinates))
        q, here = np.repeat(design.q[None], len(z), 0), np.zeros_like(z)
        for share in np.linspace(0, 1, steps + 1)[1:]:
            done = follow(c, q, here, share * z)
            assert done.reached.all()
            q, here = done.q, done.z
        self.q, self.P = q, c.poses(q)
        factor = factorize(c, c.matrix(self.P))
        self.B = velocity_coefficients(c, factor)
        self.dB, self.W, self.dW = coefficient_derivatives(c, self.P, factor, self.B)
        M_b = spatial_inertias(mechanism, self.topology, self.P)
        self.J = reduced_inertia(M_b, self.W)[:, 6:, 6:]
        self.dJ = reduced_inertia_derivatives(M_b, self.W, self.dW)[:, 6:, 6:]

    def joint(self, name):
        """Value, first and second derivatives of a one-freedom joint."""
        i = [j.name for j in self.mechanism.joints].index(name)
        iq, iv = self.topology.q_slices[i].start, self.topology.v_slices[i].start
        return self.q[:, iq], self.B[:, iv], self.dB[:, iv]

    def body(self, name):
        return self.topology.bodies.index(name)


# -- crank-slider -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crank_slider():
    golden = json.loads((GOLDEN / "crank_slider.json").read_text())["table"]
    z = np.array([[row["th01"]] for row in golden])
    return {k: np.array([r[k] for r in golden]) for k in golden[0]}, Kinematics(
        load(MECHANISMS / "crank_slider.toml"), z
    )


@pytest.mark.parametrize(
    ("joint", "key", "offset"), [("crank_pin", "th12", 0), ("slider_pin", "th23", 0), ("slide", "t34", 1)]
)
def test_crank_slider_kinematics(crank_slider, joint, key, offset):
    golden, k = crank_slider
    value, first, second = k.joint(joint)
    np.testing.assert_allclose(value - offset, golden[key], atol=TOLERANCE)
    np.testing.assert_allclose(first[:, 0], golden[f"d_{key}"], atol=TOLERANCE)
    np.testing.assert_allclose(second[:, 0, 0], golden[f"dd_{key}"], atol=TOLERANCE)


def test_crank_slider_dynamics(crank_slider):
    golden, k = crank_slider
    np.testing.assert_allclose(k.J[:, 0, 0], golden["J"], atol=TOLERANCE)
    np.testing.assert_allclose(k.dJ[:, 0, 0, 0], golden["dJ"], atol=TOLERANCE)
    np.testing.assert_allclose(quadratic_coefficients(k.dJ)[:, 0, 0, 0], golden["Q11"], atol=TOLERANCE)
    slide, rate, _ = k.joint("slide")
    np.testing.assert_allclose(-(slide - 1) * rate[:, 0], golden["Qspring_per_k"], atol=TOLERANCE)
    np.testing.assert_allclose(-(rate[:, 0] ** 2), golden["Qdamper_per_c_qd"], atol=TOLERANCE)


# -- suspension -------------------------------------------------------------------------------------------------------


def suspension(grid, axis=None):
    golden = json.loads((GOLDEN / "suspension_rigid.json").read_text())
    rows = golden[grid]
    mechanism = load(MECHANISMS / "double_wishbone_rigid.toml")
    if axis is not None:
        names = {"pitman", "pitman_link", "link_idler", "idler"}
        turned = joint_primitives("revolute", [axis])
        joints = [replace(j, primitives=turned) if j.name in names else j for j in mechanism.joints]
        mechanism = replace(mechanism, joints=tuple(joints))
    z = np.array([[np.deg2rad(r["a_deg"]), r["t"] * INCH] for r in rows])
    return golden, rows, Kinematics(mechanism, z)


@pytest.fixture(scope="module", params=["grid_plane", "grid_z"])
def wishbone(request):
    return suspension(request.param, None if request.param == "grid_plane" else np.array([0.0, 0.0, 1.0]))


UNITS = np.array([1.0, INCH])  # golden derivatives are per rad and per inch


def packed(second):
    """[aa, at, tt] in golden units."""
    scaled = second * np.outer(UNITS, UNITS)
    return np.stack([scaled[:, 0, 0], scaled[:, 0, 1], scaled[:, 1, 1]], axis=-1)


@pytest.mark.parametrize(("joint", "key"), [("lower_arm", "th0d"), ("upper_arm", "th0h")])
def test_suspension_arm_angles(wishbone, joint, key):
    _, rows, k = wishbone
    value, first, second = k.joint(joint)
    np.testing.assert_allclose(value, [r[key] for r in rows], atol=TOLERANCE)
    np.testing.assert_allclose(first * UNITS, [r[f"d_{key}"] for r in rows], atol=TOLERANCE)
    np.testing.assert_allclose(packed(second), [r[f"dd_{key}"] for r in rows], atol=TOLERANCE)


def test_suspension_hub_pose(wishbone):
    golden, rows, k = wishbone
    np.testing.assert_allclose(k.P.X[k.body("hub")].R, [r["R"] for r in rows], atol=TOLERANCE)
    points = {"lbj": "lower_arm", "ubj": "hub", "outer": "hub", "inner": "steering_link"}
    for name, body in points.items():
        p = k.P.X[k.body(body)].point(np.array(golden["hardpoints"][name]) * INCH)
        np.testing.assert_allclose(p / INCH, [r[name] for r in rows], atol=TOLERANCE)


def test_suspension_hub_derivatives():
    golden, rows, k = suspension("grid_plane")
    b = k.body("hub")
    R, w, dw = k.P.X[b].R, k.W[:, b, :3], k.dW[:, b, :3]
    with_derivatives = [i for i, r in enumerate(rows) if "dR_da" in r]
    assert with_derivatives
    for i in with_derivatives:
        for j, key in enumerate(("dR_da", "dR_dt")):
            np.testing.assert_allclose(skew(w[i, :, j]) @ R[i] * UNITS[j], rows[i][key], atol=TOLERANCE)
        for n, (j, m) in enumerate(((0, 0), (0, 1), (1, 1))):
            second = (skew(dw[i, :, j, m]) + skew(w[i, :, j]) @ skew(w[i, :, m])) @ R[i] * UNITS[j] * UNITS[m]
            np.testing.assert_allclose(second, rows[i]["d2R_daa_dat_dtt"][n], atol=TOLERANCE)
    lbj = k.P.X[b].point(np.array(golden["hardpoints"]["lbj"]) * INCH)
    velocity = point_velocity(k.W[:, b], lbj)[..., 1]  # inch per inch
    np.testing.assert_allclose(
        velocity[with_derivatives], [rows[i]["dlbj_dt"] for i in with_derivatives], atol=TOLERANCE
    )


def test_suspension_kingpin_angles(wishbone):
    """hub = lower arm * CK Rx(th1) Ry(th2) Rz(th3) CK^T."""
    golden, rows, k = wishbone
    CK = np.array(golden["constants"]["CK"])
    R = np.swapaxes(k.P.X[k.body("lower_arm")].R, -1, -2) @ k.P.X[k.body("hub")].R
    K = CK.T @ R @ CK
    np.testing.assert_allclose(np.arctan2(-K[:, 1, 2], K[:, 2, 2]), [r["th1"] for r in rows], atol=TOLERANCE)
    np.testing.assert_allclose(np.arcsin(K[:, 0, 2]), [r["th2"] for r in rows], atol=TOLERANCE)
    np.testing.assert_allclose(np.arctan2(-K[:, 0, 1], K[:, 0, 0]), [r["th3"] for r in rows], atol=TOLERANCE)


def test_suspension_steer_and_camber(wishbone):
    _, rows, k = wishbone
    R, w = k.P.X[k.body("hub")].R, k.W[:, k.body("hub"), :3]
    np.testing.assert_allclose(np.arctan2(R[:, 1, 0], R[:, 0, 0]), [r["steer"] for r in rows], atol=TOLERANCE)
    np.testing.assert_allclose(np.arcsin(R[:, 2, 0]), [r["camber"] for r in rows], atol=TOLERANCE)
    u = R[:, :, 0]
    du = np.cross(np.swapaxes(w, 1, 2), u[:, None, :])  # (n, nz, 3)
    horizontal = u[:, 0] ** 2 + u[:, 1] ** 2
    d_steer = (u[:, 0, None] * du[..., 1] - u[:, 1, None] * du[..., 0]) / horizontal[:, None]
    np.testing.assert_allclose(d_steer * UNITS, [r["d_steer"] for r in rows], atol=TOLERANCE)
    d_camber = du[..., 2] / np.sqrt(1 - u[:, 2, None] ** 2)
    np.testing.assert_allclose(d_camber * UNITS, [r["d_camber"] for r in rows], atol=TOLERANCE)


# -- RSSR -------------------------------------------------------------------------------------------------------------

RSSR_TOLERANCE = 1e-9


def rssr(hooke=False):
    golden = json.loads((GOLDEN / "rssr.json").read_text())
    mechanism = load(MECHANISMS / "rssr.toml")
    if hooke:  # the ball at B becomes a universal joint: first axis Z, second across Z and the coupler
        b = mechanism.joint("B")
        x2 = np.array(golden["B"][0]) - np.array(golden["A"][0])
        axes = (np.cross(np.array([0.0, 0, 1]), x2), np.array([0.0, 0, 1]))  # the coupler is the parent
        universal = replace(b, kind="universal", primitives=joint_primitives("universal", axes))
        joints = tuple(universal if j.name == "B" else j for j in mechanism.joints)
        mechanism = replace(mechanism, joints=joints)
    z = np.deg2rad(np.array(golden["psi_deg"], dtype=float))[:, None]
    return golden, Kinematics(mechanism, z, steps=48)


@pytest.fixture(scope="module", params=[False, True], ids=["balls", "hooke"])
def linkage(request):
    return rssr(request.param)


RATE = 10.471975511965978  # rad/s


def test_rssr_rocker_angle(linkage):
    golden, k = linkage
    value, first, second = k.joint("rocker")
    np.testing.assert_allclose(value + golden["theta_rad"][0], golden["theta_rad"], atol=RSSR_TOLERANCE)
    np.testing.assert_allclose(first[:, 0] * RATE, golden["thetad"], atol=RSSR_TOLERANCE)
    np.testing.assert_allclose(second[:, 0, 0] * RATE**2, golden["thetadd"], rtol=RSSR_TOLERANCE, atol=RSSR_TOLERANCE)


def test_rssr_points(linkage):
    golden, k = linkage
    for name, body in (("A", "crank"), ("B", "rocker")):
        np.testing.assert_allclose(
            k.P.X[k.body(body)].point(np.array(golden[name][0])), golden[name], atol=RSSR_TOLERANCE
        )


def test_rssr_coupler_velocity_across_its_line(linkage):
    """The spin about the line of the balls is a choice; what is across it is not."""
    golden, k = linkage
    line = np.array(golden["B"]) - np.array(golden["A"])
    line /= np.linalg.norm(line, axis=1, keepdims=True)
    w = k.W[:, k.body("coupler"), :3, 0] * RATE
    across = w - np.sum(w * line, axis=1, keepdims=True) * line
    np.testing.assert_allclose(across, golden["omega2_nospin"], atol=RSSR_TOLERANCE)


def test_rssr_hooke_velocity_acceleration_and_torque():
    golden, k = rssr(hooke=True)
    b = k.body("coupler")
    np.testing.assert_allclose(k.W[:, b, :3, 0] * RATE, golden["omega2_hooke"], atol=RSSR_TOLERANCE)
    np.testing.assert_allclose(k.dW[:, b, :3, 0, 0] * RATE**2, golden["alpha2_hooke"], atol=1e-7)
    torque = 0.5 * k.dJ[:, 0, 0, 0] * RATE**2  # constant speed, no gravity
    np.testing.assert_allclose(torque, golden["tau_hooke"], atol=RSSR_TOLERANCE)


def test_rssr_euler_parameters_through_e0_zero():
    """Coupler relative to the crank, with the text's frames; e0 changes sign at 242.94 deg."""
    golden, k = rssr(hooke=True)
    relative = np.swapaxes(k.P.X[k.body("crank")].R, -1, -2) @ k.P.X[k.body("coupler")].R
    crank_0 = rotation(np.array([1.0, 0, 0]), np.deg2rad(30.0))  # B1 at psi = 0
    x2 = np.array(golden["B"][0]) - np.array(golden["A"][0])
    x2 /= np.linalg.norm(x2)
    z2 = np.cross(x2, [0.0, 0.0, 1.0])
    z2 /= np.linalg.norm(z2)
    e0_signs = []
    for sign in (1.0, -1.0):  # two frames satisfy the text's condition that z2 is perpendicular to Z
        coupler_0 = np.stack([x2, np.cross(sign * z2, x2), sign * z2], axis=1)
        e = rotation_quaternion(crank_0.T @ relative @ coupler_0)
        expected = np.array(golden["euler_text"])
        match = np.abs(np.sum(e * expected, axis=1))
        if np.abs(match - 1.0).max() < RSSR_TOLERANCE:
            e0_signs = np.sign(expected[:, 0]).tolist()
    assert 1.0 in e0_signs and -1.0 in e0_signs  # matched, and e0 passed zero
    ball = k.topology.q_slices[[j.name for j in k.mechanism.joints].index("A")]
    np.testing.assert_allclose(np.linalg.norm(k.q[:, ball], axis=1), 1.0, atol=1e-14)


def test_rssr_torque_without_spin():
    """The coupler has no momentum about its own line, as the free-spinning one of the reference."""
    golden, k = rssr()
    torque = 0.5 * k.dJ[:, 0, 0, 0] * RATE**2
    np.testing.assert_allclose(torque, golden["tau_RSSR"], atol=1e-10)
    np.testing.assert_allclose(0.5 * k.J[:, 0, 0] * RATE**2, golden["kinetic_energy_RSSR"], atol=1e-10)
