"""Random linkages that are drawn anyhow: what can be closed is closed, with its input where it was drawn."""

from dataclasses import replace
from math import cos, hypot, radians, sin

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_rough import rough_four_bar
from hypothesis import given, settings
from hypothesis import strategies as st

from precompute.errors import AssemblyError, ReachError
from precompute.geometry.spatial import Transform, quaternion_rotation, rotation
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load, loads

LINK, ANGLE = st.floats(0.5, 3.0), st.floats(0.0, 360.0)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.tuples(LINK, LINK, LINK, LINK), st.tuples(ANGLE, ANGLE, ANGLE))
def test_four_bars(links, angles):
    """A crank angle that the links allow, by the triangle of coupler and rocker, is kept; others are out of reach."""
    crank, coupler, rocker, base = links
    diagonal = hypot(base - crank * cos(radians(angles[0])), crank * sin(radians(angles[0])))
    slack = min(coupler + rocker - diagonal, diagonal - abs(coupler - rocker))
    if abs(slack) < 1e-3:
        return  # a dead centre
    m = loads(rough_four_bar(*links, *angles))
    t = spanning_tree(m)
    if slack > 0.0:
        design = close_loops(m, t)
        assert design.q[t.scalars["crank", 0][0]] == 0.0 and design.residual < 1e-10
    else:
        longest = max(links)
        with pytest.raises(ReachError if 2.0 * longest < sum(links) else AssemblyError):
            close_loops(m, t)


def drawn_anyhow(mechanism, rng):
    """Links turned about their joints with the ground, the coupler thrown about; its balls are given twice."""
    turns = {"rocker": rotation(np.array([0.0, 0.0, 1.0]), rng.uniform(-np.pi, np.pi))}
    e = rng.standard_normal(4)
    turns["coupler"] = quaternion_rotation(e / np.linalg.norm(e))
    centre = {"rocker": mechanism.joint("rocker").p_P, "coupler": mechanism.joint("A").p_P}
    X = {name: Transform(R, centre[name] - R @ centre[name]) for name, R in turns.items()}

    def at(body, p):
        return X[body].point(p) if body in X else p

    return replace(
        mechanism,
        joints=tuple(replace(j, p_P=at(j.parent, j.p_P), p_C=at(j.child, j.p_C)) for j in mechanism.joints),
        bodies=tuple(replace(b, com=at(b.name, b.com)) for b in mechanism.bodies),
    )


@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
def test_spatial_four_bars(seed):
    """The coupler's spin between its balls, and on which of two branches it ends, are as they come."""
    m = drawn_anyhow(load(MECHANISMS / "rssr.toml"), np.random.default_rng(seed))
    t = spanning_tree(m)
    design = close_loops(m, t)
    assert design.q[t.scalars["crank", 0][0]] == 0.0
    P = Closure(m, t).poses(design.q)
    gaps = [P.pose(j.parent).point(j.p_P) - P.pose(j.child).point(j.p_C) for j in m.joints]
    assert np.abs(gaps).max() < 1e-12 and design.given_gap > 0.0
