"""Derivatives by design variables of couplings and constraints: limits of differences over mechanisms drawn anew."""

import numpy as np
import pytest
from helpers_design import largest_errors

from precompute.design import Design
from precompute.mechanism_file import loads

STEP = 3e-6
FIRST, SECOND = 3e-8, 3e-7  # as of mechanisms without

HEAD = """
schema = 1
name = "Held"
units = { length = "m", mass = "kg", angle = "rad" }
[points]
A = [0, 0, 0]
B = [0.4, 0.1, 0.05]
C = [0, 0.5, 0.1]
P = [0.4, 0.12, 0.02]
Q = [0.9, 0.05, 0.1]
R = [-0.6, 0.4, 0.3]
S = [0.5, 0.3, 0.2]
T = [0.1, 0.8, 0.4]
[bodies]
crank = { mass = 1, com = "P", inertia = [0.1, 0.1, 0.1] }
slide = { mass = 1, com = "B", inertia = [0.1, 0.1, 0.1] }
shaft = { mass = 1, com = "C", inertia = [0.1, 0.1, 0.1] }
[joints]
crank = { type = "revolute", parent = "ground", child = "crank", at = "A", axis = "z" }
slide = { type = "prismatic", parent = "ground", child = "slide", at = "B", axis = ["B", "Q"] }
shaft = { type = "revolute", parent = "ground", child = "shaft", at = "C", axis = ["C", "T"] }
[coordinates.free.crank]
of = "joint.crank"
from = -0.2
to = 0.2
"""

HELD = {
    "gears, slot": """
[couplings.gears]
measures = ["joint.crank", "joint.shaft"]
factors = [20, 43]
[constraints.slot]
type = "point_on_plane"
parent = "crank"
child = "slide"
at = "P"
axis = ["P", "Q"]
""",
    "rope, angle": """
[couplings.rope]
measures = [{ between = ["ground", "slide"], at = ["R", "S"] }, "joint.crank"]
factors = [1, 0.08]
[constraints.angle]
type = "equal_angle"
parent = "crank"
child = "shaft"
axis = ["P", "Q"]
axis2 = ["S", "T"]
""",
    "rope that follows": """
[couplings.gears]
measures = [{ between = ["ground", "crank"], axis = ["A", "T"] }, "joint.shaft"]
factors = [1, 2]
[couplings.rope]
measure = { between = ["ground", "slide"], at = ["R", "S"] }
follows = { between = ["ground", "crank"], at = ["R", "Q"] }
table = [[0.5, 0.4], [1.0, 0.6], [1.5, 0.9], [2.0, 1.5], [2.5, 1.8], [3.0, 2.2]]
""",
}  # fmt: skip

NAMES = [f"point.{p}.{axis}" for p in "ABCPQRST" for axis in "xyz"]


@pytest.mark.parametrize("held", HELD)
def test_derivatives_of_what_is_held_are_the_limits_of_differences(held):
    mechanism = loads(HEAD + HELD[held])
    assert (largest_errors(mechanism, NAMES, STEP) < [FIRST, SECOND]).all()


@pytest.mark.parametrize("held", HELD)
def test_what_is_held_is_what_the_moved_mechanism_draws(held):
    """Points that move take couplings and constraints along, and these hold what they are there."""
    mechanism = loads(HEAD + HELD[held])
    moved = Design.of(mechanism).moved({"point.P.y": 0.01, "point.S.x": -0.02})
    assert len(moved.held) == len(mechanism.held)
    changed = [np.abs(b.p_C - a.p_C).max() for a, b in zip(mechanism.constraints, moved.constraints, strict=True)]
    assert (max(changed, default=0.0) > 0.009) == ("slot" in held)
