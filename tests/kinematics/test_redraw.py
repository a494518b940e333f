"""A mechanism that is drawn anew is the same mechanism: it moves alike, has the same inertia and the same forces."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, ROOT, Solved, random_mechanism, random_planar_mechanism

from fmu_src.model.law_parts import deflection, interpolate
from precompute.errors import PrecomputeError, SingularityError, TopologyError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure, factorize, velocity_coefficients
from precompute.kinematics.continuation import follow
from precompute.kinematics.inertia import reduced_inertia, spatial_inertias
from precompute.kinematics.poses import velocities
from precompute.kinematics.redraw import redrawn
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import Coordinate, ForceTable, Joint, JointCoordinate, Primitive, Spring


def inertia(closure, q):
    P = closure.poses(q)
    B = velocity_coefficients(closure, factorize(closure, closure.matrix(P)))
    m, t = closure.mechanism, closure.topology
    return P, reduced_inertia(spatial_inertias(m, t, P), velocities(t.reach, P.S, B))


def moved_on(closure, q, by):
    z = closure.values(closure.poses(q[None]))
    done = follow(closure, q[None], z, z + by)
    return done.q[0] if done.reached[0] else None


def assert_same_motion(closure, q, tolerance=1e-9):
    """Drawn anew at q: closed without a step, and where the old one goes, the new one goes, with the same inertia."""
    m = closure.mechanism
    new = redrawn(closure, q, None).mechanism
    t = spanning_tree(new)
    design = close_loops(new, t)
    assert design.iterations == 0
    again = Closure(new, t, tuple(c.redrawn(closure.poses(q)) for c in closure.coordinates))
    compared = 0
    for by in (0.0, 0.02, -0.03):
        one, other = moved_on(closure, q, by), moved_on(again, design.q, by)
        if one is None or other is None:
            continue
        (P, M), (P_new, M_new) = inertia(closure, one), inertia(again, other)
        for a, b in zip(m.markers, new.markers, strict=True):
            p = P.pose(a.body).point(a.p)
            np.testing.assert_allclose(P_new.pose(b.body).point(b.p), p, atol=tolerance * closure.length)
        np.testing.assert_allclose(M_new, M, atol=tolerance * np.abs(M).max())
        compared += 1
    return compared


@pytest.mark.parametrize("make", [random_mechanism, random_planar_mechanism])
def test_random_mechanisms_stay_what_they_are(make):
    compared = 0
    for seed in range(12):
        try:
            solved = Solved(make(seed))
            c = solved.closure
            named = tuple(Coordinate(f"c{i}", of) for i, of in enumerate(c.coordinates))
            compared += assert_same_motion(replace(c, mechanism=replace(c.mechanism, coordinates=named)), solved.q)
        except (SingularityError, TopologyError):
            continue  # drawn at a singularity, or without freedom
    assert compared > 15


def test_a_turn_before_and_after_a_travel_cannot_be_drawn_anew():
    kinds = ("rotation", "translation", "rotation")
    axes = np.eye(3)[[2, 0, 2]]
    arm = tuple(Primitive(kind, axis) for kind, axis in zip(kinds, axes, strict=True))
    m = load(MECHANISMS / "short" / "trailing_arm.toml")
    joint = m.joints[0]
    m = replace(m, joints=(Joint(joint.name, "sequence", joint.parent, joint.child, joint.p_P, joint.p_C, arm),))
    closure = Closure(m, spanning_tree(m))
    with pytest.raises(
        PrecomputeError, match=f"joint '{joint.name}' has moved, and it turns before and after a travel"
    ):
        redrawn(closure, np.array([0.1, 0.2, 0.3]), None)
    redrawn(closure, np.array([0.1, 0.0, 0.3]), None)


# -- forces, ranges ---------------------------------------------------------------------------------------------------


def force(spring, here, design):
    """Of a spring without its stops, where its measure is `here` and at design `design`."""
    if spring.table is None:
        if spring.preload is not None:
            return spring.preload + spring.stiffness * (design - here)
        return spring.stiffness * (spring.free_length - here)
    x, f = spring.table.x.tolist(), spring.table.force.tolist()
    free = spring.free_length if spring.preload is None else design + deflection(x, f, spring.preload)
    return interpolate(x, f, free - here)


TABLE = ForceTable([-1.0, 0.0, 0.3, 2.0], [-30.0, 0.0, 40.0, 900.0])


@pytest.mark.parametrize(
    "law",
    [
        {"stiffness": 3.0, "free_length": 0.4},
        {"stiffness": 3.0, "preload": 2.0},
        {"table": TABLE, "free_length": 0.4},
        {"table": TABLE, "preload": 20.0},
    ],
)
def test_springs_keep_their_force_and_ranges_their_ends(law):
    m = load(MECHANISMS / "four_bar.toml")
    m = replace(m, springs=(Spring("s", JointCoordinate("rocker"), **law), replace(m.springs[0])))
    t = spanning_tree(m)
    closure, design = Closure(m, t, (JointCoordinate("crank"),)), close_loops(m, t).q
    q = moved_on(closure, design, 0.7)
    new = redrawn(closure, q, design).mechanism
    rocker = t.scalars["rocker", 0][0]
    for more in (0.0, 0.2):
        there, s_design = q[rocker] + more, design[rocker]
        assert force(new.springs[0], more, 0.0) == pytest.approx(force(m.springs[0], there, s_design), abs=1e-12)
    crank = new.coordinates[0]
    np.testing.assert_allclose([crank.lower, crank.upper], np.deg2rad([-60.0, 300.0]) - 0.7, atol=1e-14)


def test_what_follows_the_new_design_is_told():
    m = load(ROOT / "tests" / "mechanisms" / "corner.toml")
    t = spanning_tree(m)
    closure = Closure(m, t, tuple(c.of for c in m.coordinates))
    design = close_loops(m, t).q
    assert redrawn(closure, design, design).notes == ()
    q = moved_on(closure, design, np.array([0.1, 0.0]))
    notes = redrawn(closure, q, design).notes
    assert any("bushing 'front' is moved by 0 mm and turned by 5.73 deg" in note for note in notes)


def test_a_place_outside_the_range_is_told():
    m = load(MECHANISMS / "four_bar.toml")
    m = replace(m, coordinates=(Coordinate("crank", JointCoordinate("crank"), -0.5, 0.5),))
    t = spanning_tree(m)
    closure = Closure(m, t, (JointCoordinate("crank"),))
    q = moved_on(closure, close_loops(m, t).q, 0.7)
    (note,) = redrawn(closure, q, None).notes
    assert "coordinate 'crank' is outside its range there, which is now -68.7549 deg to -11.4592 deg" in note
