"""Assembly of the full model: closed loops with redundant constraints, rough designs, dead points, branches."""

import numpy as np
import pytest
from helpers_reference import CLOSED, INTEGRATED, ZERO, G, X, Y, Z, body, crank_slider, four_bar, joint, moving

from precompute.errors import AssemblyError, SingularityError
from precompute.model.mechanism import Body, Coordinate, Distance, JointCoordinate, Marker, Mechanism, Spring
from precompute.reference import (
    FullState,
    accelerations,
    assemble,
    coordinate_values,
    full_model,
    initial_velocity,
    measure_rate,
    measure_value,
    simulate,
)


def rocker_angle(crank: float) -> float:
    """Direction of the rocker C - D from the triangle of the coupler, in the branch with C above."""
    B = np.array([np.cos(crank), np.sin(crank)])
    diagonal = B - [3.2, 0.0]
    d = np.linalg.norm(diagonal)
    corner = np.arccos((d**2 + 2.5**2 - 3.0**2) / (2.0 * d * 2.5))
    return float(np.arctan2(diagonal[1], diagonal[0]) % (2.0 * np.pi) - corner)


@pytest.mark.parametrize("tilt", [0.0, 0.7])
def test_a_planar_four_bar_with_its_redundant_constraints_closes_and_keeps_energy(tilt):
    model = full_model(four_bar(tilt=tilt))
    for angle in (0.5, 2.0, -1.5, 4.0 + 2.0 * np.pi):
        state = assemble(model, {"crank": angle})
        expected = rocker_angle(angle) - rocker_angle(0.0)
        assert measure_value(model, state, JointCoordinate("D")) == pytest.approx(expected, abs=CLOSED)
        assert coordinate_values(model, state)[0] == pytest.approx(angle, abs=CLOSED)

    motion = simulate(model, initial_velocity(model, model.design, {"crank": 5.0}), np.linspace(0.0, 1.0, 5))

    np.testing.assert_allclose(motion.energy, motion.energy[0], rtol=INTEGRATED)
    assert motion.residual.max() < CLOSED


def test_a_rough_design_is_assembled_with_its_coordinates_kept():
    exact = full_model(four_bar())
    rough = full_model(four_bar(rough=np.array([0.04, -0.03, 0.0])))
    assert np.linalg.norm(rough.design.r - exact.design.r) > 1e-3
    assert coordinate_values(rough, rough.design)[0] == pytest.approx(0.0, abs=CLOSED)
    assert simulate(rough, rough.design, [0.0]).residual[0] < CLOSED
    given = full_model(four_bar(rough=np.array([0.04, -0.03, 0.0])), design={"crank": 0.2})
    assert coordinate_values(given, given.design)[0] == pytest.approx(0.2, abs=CLOSED)


def test_what_cannot_be_closed_is_reported_with_numbers():
    with pytest.raises(AssemblyError, match=r"'four-bar' not closed: .*; most in joint '[ABCD]', by .* mm\."):
        full_model(four_bar(rough=np.array([0.0, 9.0, 0.0])))
    slider = crank_slider()
    by_travel = Mechanism("s", slider.bodies, slider.joints, coordinates=(Coordinate("t", JointCoordinate("guide")),))
    inside = assemble(full_model(crank_slider()), {"th01": 1.0})
    with pytest.raises(AssemblyError, match=r"path to t = 1500 mm ends at t = (99|100)"):
        model = full_model(by_travel)
        assemble(model, {"t": 1.5}, guess=FullState(inside.r, inside.quaternion, inside.v, inside.w, []))
    with pytest.raises(AssemblyError, match="no coordinate 'tt'"):
        assemble(model, {"tt": 0.0})
    with pytest.raises(SingularityError, match="dead point"):
        initial_velocity(model, model.design, {"t": 1.0})


def rssr(coordinate: str) -> Mechanism:
    """RSSR linkage of Rahmani Hanzaki, Saha and Rao (2009) at psi = 0; its coupler is a thin rod that may spin."""
    A, B = np.array([-0.08, -0.02, -0.02036]), np.array([-0.053143315742901855, 0.08471002297160733, 0.0])
    O_A, along = np.array([-0.13, -0.02, -0.02036]), (B - A) / np.linalg.norm(B - A)
    return Mechanism(
        "RSSR",
        (
            body("crank", 0.1, O_A, 1e-4, 1e-4, 1e-4),
            Body("coupler", 0.2, (A + B) / 2, 3e-4 * (np.eye(3) - np.outer(along, along))),
            body("rocker", 0.1, ZERO, 2e-4, 2e-4, 2e-4),
        ),
        (
            joint("psi", "revolute", "ground", "crank", O_A, [0.0, -0.5, np.sqrt(0.75)]),
            joint("A", "spherical", "crank", "coupler", A),
            joint("B", "spherical", "coupler", "rocker", B),
            joint("theta", "revolute", "ground", "rocker", ZERO, Z),
        ),
        coordinates=(Coordinate(coordinate, JointCoordinate(coordinate)),),
        gravity=[0.0, 0.0, -G],
    )


@pytest.mark.parametrize(
    ("psi_deg", "theta", "rate", "second"),
    [  # recomputed from the closure equation, at a constant 10.471975511965978 rad/s of the crank
        (0.0, 2.1310878353119707, -6.736379369817989, 27.14341030809354),
        (90.0, 2.0142213444911907, 4.244945995476877, 29.471051754819012),
        (210.0, 2.84696844111265, 1.651296706930765, -40.40068392575078),
    ],
)
def test_a_spatial_linkage_has_its_reference_motion(psi_deg, theta, rate, second):
    speed = 10.471975511965978
    model, output = full_model(rssr("psi")), full_model(rssr("theta"))
    state = initial_velocity(model, assemble(model, {"psi": np.radians(psi_deg)}), {"psi": speed})

    psi_second = accelerations(model, state).coordinates["psi"]
    theta_second = accelerations(output, state).coordinates["theta"]  # = theta'' psid^2 + theta' psidd

    assert measure_value(model, state, JointCoordinate("theta")) == pytest.approx(theta - 2.1310878353119707, abs=1e-11)
    assert measure_rate(model, state, JointCoordinate("theta")) == pytest.approx(rate, rel=1e-11)
    assert theta_second - rate / speed * psi_second == pytest.approx(second, rel=1e-10)


def test_a_link_that_may_spin_without_inertia_does_not_disturb():
    model, state = moving(rssr("psi"), {}, {"psi": 5.0})
    motion = simulate(model, state, [0.0, 0.25, 0.5])
    assert np.ptp(motion.energy) < INTEGRATED * motion.kinetic.max()
    assert motion.residual.max() < CLOSED


INCH = 0.0254
HARDPOINTS = {
    "rev1": (9.811, 55.355, 34.039),
    "rev2": (9.811, 50.556, 32.433),
    "rev3": (-9.811, 50.556, 32.433),
    "rev4": (-9.811, 55.355, 34.039),
    "inner": (17.655, 47.635, 32.905),
    "outer": (32.327, 44.702, 30.127),
    "lbj": (30.965, 39.18, 26.12),
    "ubj": (28.17, 39.868, 39.254),
    "shl": (19.598, 33.685, 29.259),
    "shu": (19.598, 33.685, 43.492),
    "p1": (17.558, 39.67, 40.4),
    "p2": (18.808, 48.335, 38.47),
    "p3": (12.09, 28.99, 30.77),
    "p4": (12.09, 46.57, 30.77),
}


def suspension() -> Mechanism:
    """Double wishbone with parallelogram steering and a shock of two bodies: four loops, two freedoms, two idle."""
    p = {name: INCH * np.array(at) for name, at in HARDPOINTS.items()}
    steer = np.cross(p["rev3"] - p["rev2"], p["rev1"] - p["rev2"])
    steer *= np.sign(steer[2])  # the normal of the plane of the four points, upwards

    def part(name, mass, *points):
        return body(
            name, mass, np.mean([p[point] for point in points], axis=0), *(mass * np.array([0.01, 0.011, 0.012]))
        )

    def link(name, kind, parent, child, at, *axes):
        return joint(name, kind, parent, child, p[at], *axes)

    return Mechanism(
        "suspension",
        (
            *(
                part("pitman", 1.0, "rev1", "rev2"),
                part("link", 2.0, "rev2", "rev3"),
                part("idler", 1.0, "rev3", "rev4"),
            ),
            *(
                part("lca", 5.0, "p3", "p4", "lbj"),
                part("uca", 3.0, "p1", "p2", "ubj"),
                part("hub", 20.0, "lbj", "ubj"),
            ),
            *(
                part("tie", 1.0, "inner", "outer"),
                part("tube", 1.0, "shu", "shu", "shl"),
                part("piston", 1.0, "shu", "shl"),
            ),
        ),
        (
            link("pitman", "revolute", "ground", "pitman", "rev1", steer),
            link("pl", "revolute", "pitman", "link", "rev2", steer),
            link("li", "revolute", "link", "idler", "rev3", steer),
            link("idler", "revolute", "ground", "idler", "rev4", steer),
            link("lca", "revolute", "ground", "lca", "p3", p["p4"] - p["p3"]),
            link("uca", "revolute", "ground", "uca", "p1", p["p2"] - p["p1"]),
            link("lower", "spherical", "lca", "hub", "lbj"),
            link("upper", "spherical", "uca", "hub", "ubj"),
            link("inner", "spherical", "link", "tie", "inner"),
            link("outer", "spherical", "tie", "hub", "outer"),
            link("top", "universal", "ground", "tube", "shu", X, Y),
            link("bottom", "spherical", "lca", "piston", "shl"),
            link("shock", "cylindrical", "tube", "piston", "shu", Z),
        ),
        springs=(Spring("coil", Distance("ground", "lca", p["shu"], p["shl"]), stiffness=3e4, preload=600.0),),
        coordinates=(
            Coordinate("pitman", JointCoordinate("pitman")),
            Coordinate("shock", Distance("ground", "lca", p["shu"], p["shl"])),
        ),
        markers=(Marker("hub", "hub", p["lbj"]),),
        gravity=[0.0, 0.0, -G],
    )


def test_a_suspension_has_its_reference_pose_and_keeps_energy():
    """Suspension of section 5.8.1 of the dissertation on precomputation, recomputed independently.

    Pitman angle -40 deg, shock 2 inches shorter than at design.
    """
    model, state = moving(suspension(), {"pitman": np.radians(-40.0), "shock": INCH * (14.233 - 2.0)})

    hub = simulate(model, state, [0.0]).markers["hub"]

    expected = [
        [0.826164902418589, -0.5549802873499851, -0.09720305892620601],
        [0.561859256899708, 0.7986443226372272, 0.21559550402416236],
        [-0.04202058362030822, -0.23273187700066517, 0.9716327207231935],
    ]
    np.testing.assert_allclose(hub.R[0], expected, atol=1e-11)
    np.testing.assert_allclose(hub.p[0] / INCH, [31.525041161899384, 39.18, 31.17902326984732], atol=1e-10)

    state = initial_velocity(model, assemble(model, {"pitman": 0.1}), {"pitman": 1.0, "shock": -0.2})
    motion = simulate(model, state, [0.0, 0.1, 0.2])
    assert np.ptp(motion.energy) < INTEGRATED * motion.kinetic.max()
    assert motion.residual.max() < CLOSED
