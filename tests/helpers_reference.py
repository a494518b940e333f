"""Mechanisms and short forms for the tests of the full model."""

import numpy as np

from precompute.model.mechanism import Body, Coordinate, Joint, JointCoordinate, Mechanism, Spring, joint_primitives
from precompute.reference import FullModel, FullState, assemble, full_model, initial_velocity

X, Y, Z = np.eye(3)
ZERO = np.zeros(3)
G = 9.81
INTEGRATED = 1e-8  # after seconds of motion with the default tolerances: they leave about 1e-11 per second
POINTWISE = 1e-10  # accelerations: rounding times the condition of the constraints
CLOSED = 1e-12


def joint(name, kind, parent, child, at, *axes, at_child=None) -> Joint:
    """A standard joint at one point, or at one on each body."""
    at = np.array(at, dtype=float)
    return Joint(name, kind, parent, child, at, at if at_child is None else at_child, joint_primitives(kind, axes))


def body(name, mass, com, *moments) -> Body:
    """A body with principal axes along G, or a point mass."""
    return Body(name, mass, com, np.diag(moments or ZERO))


def moving(mechanism, values=None, rates=None) -> tuple[FullModel, FullState]:
    """Model and state with the coordinates at given values and rates."""
    model = full_model(mechanism)
    return model, initial_velocity(model, assemble(model, values or {}), rates or {})


def crank_slider(**more) -> Mechanism:
    """The crank-slider of section 3.7 of the dissertation on precomputation, with its spring on the slider."""
    springs = (Spring("k", JointCoordinate("guide"), stiffness=100.0, free_length=0.0),)
    return Mechanism(
        name="crank-slider",
        bodies=(
            body("crank", 0.0, [2.0, 1.0, 0.0], 2.0, 2.0, 4.0),
            body("rod", 12.0, [4.0, 1.0, 0.0], 2.0, 2.0, 4.0),
            body("slider", 20.0, [5.0, 1.0, 0.0]),
        ),
        joints=(
            joint("A", "revolute", "ground", "crank", [2.0, 1.0, 0.0], Z),
            joint("B", "revolute", "crank", "rod", [3.0, 1.0, 0.0], Z),
            joint("C", "revolute", "rod", "slider", [5.0, 1.0, 0.0], Z),
            joint("guide", "prismatic", "ground", "slider", [4.0, 1.0, 0.0], -X, at_child=[5.0, 1.0, 0.0]),
        ),
        springs=springs,
        coordinates=(Coordinate("th01", JointCoordinate("A")),),
        **more,
    )


def four_bar(rough=ZERO, tilt=0.0) -> Mechanism:
    """Crank 1, coupler 3, rocker 2.5, ground 3.2, in a plane that is turned about x; the crank along x."""
    c, s = np.cos(tilt), np.sin(tilt)
    R = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    gap = 2.2  # from the crank's tip to the rocker's pivot
    x = (gap**2 + 3.0**2 - 2.5**2) / (2.0 * gap)
    A, B, C, D = (R @ p for p in (ZERO, X, np.array([1.0 + x, np.sqrt(9.0 - x * x), 0.0]), 3.2 * X))
    return Mechanism(
        name="four-bar",
        bodies=(
            body("crank", 1.0, A / 2 + B / 2, 0.1, 0.1, 0.1),
            body("coupler", 2.0, B / 2 + C / 2, 0.5, 0.5, 0.5),
            body("rocker", 1.5, C / 2 + D / 2, 0.3, 0.3, 0.3),
        ),
        joints=(
            joint("A", "revolute", "ground", "crank", A, R @ Z),
            joint("B", "revolute", "crank", "coupler", B, R @ Z),
            joint("C", "revolute", "coupler", "rocker", C, R @ Z, at_child=C + rough),
            joint("D", "revolute", "ground", "rocker", D, R @ Z),
        ),
        coordinates=(Coordinate("crank", JointCoordinate("A")),),
        gravity=R @ [0.0, -G, 0.0],
    )
