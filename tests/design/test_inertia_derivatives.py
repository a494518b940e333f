"""The reduced inertia by design variables: differences over mechanisms that are solved again."""

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_design import closure_of, scattered

from precompute.design import Design, Dimensioned
from precompute.design.derived_inertia import inertia
from precompute.kinematics.coefficients import solver, velocity_coefficients
from precompute.kinematics.correcting import correct
from precompute.kinematics.inertia import reduced_inertia, spatial_inertias
from precompute.kinematics.poses import velocities
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load, loads

STEP = 3e-6
VARIABLES = {
    "double_wishbone_rigid": [
        "point.lower_ball.z",
        "point.p1.x",
        "body.hub.com.y",
        "body.hub.mass",
        "body.hub.inertia.yy",
    ],
    "macpherson": ["point.wheel_centre.x", "body.upright.com.z", "point.arm_front.y", "point.lower_ball.x"],
    "five_link": ["point.lower_outer.x", "point.trailing_outer.z"],  # axes of inertia through points
    "four_bar": ["point.Q.x", "point.B.y", "body.coupler.inertia.xx", "body.coupler.mass"],
}


def reduced(closure, q):
    P = closure.poses(q)
    B = velocity_coefficients(closure, solver(closure, closure.matrix(P)))
    W = velocities(P.topology.reach, P.S, B)
    return reduced_inertia(spatial_inertias(closure.mechanism, closure.topology, P), W)


@pytest.mark.parametrize("stem", VARIABLES)
def test_derivatives_of_the_reduced_inertia(stem):
    check(load(MECHANISMS / f"{stem}.toml"), VARIABLES[stem])


def test_an_idle_body_of_revolution_has_no_moment_about_its_line_wherever_that_is():
    text = (MECHANISMS / "spatial_slider_crank.toml").read_text(encoding="utf-8")
    mechanism = loads(text.replace("mass = 0.5", "mass = 0.0"))  # its centre of mass would not stay on the line
    design = Design.of(mechanism)
    for change in (0.0, 1e-3):
        (spin,) = spanning_tree(design.moved({"point.crank_pin.y": change})).spins
        assert spin.ideal
    check(mechanism, ["point.crank_pin.y", "point.crank_pin.z", "point.slider_pin.x"])


def check(mechanism, names):
    design = Design.of(mechanism)
    closure, q, z = scattered(mechanism)
    made = Dimensioned.of(closure, design, names)
    M, dM = inertia(made, made.at(q, range(made.nz + len(names))))
    np.testing.assert_allclose(M, reduced(closure, q), rtol=0.0, atol=1e-13 * np.abs(M).max())
    for k, name in enumerate(names):
        sides = []
        for change in (STEP, -STEP):
            there = closure_of(design.moved({name: change}), closure.coordinates[: made.nz])
            sides.append(reduced(there, correct(there, q, z).q))
        error = np.abs((sides[0] - sides[1]) / (2.0 * STEP) - dM[..., made.nz + k]).max()
        assert error < 1e-7 * (1.0 + np.abs(dM[..., made.nz + k]).max()), name
