"""What a mechanism holds: every row against complex steps, planetary gears against Willis, forces against statics."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import joint, random_body

from precompute.errors import MechanismError, TopologyError
from precompute.geometry.smooth_curve import SmoothCurve
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import (
    Closure,
    coefficient_derivatives,
    factorize,
    velocity_coefficients,
)
from precompute.kinematics.continuation import follow
from precompute.kinematics.mobility import mobility
from precompute.kinematics.motion import Motion
from precompute.kinematics.topology import spanning_tree
from precompute.model.mechanism import (
    Combination,
    Constraint,
    Coupling,
    Distance,
    Following,
    JointCoordinate,
    Mechanism,
    RelativeAngle,
)

STEP = 1e-30
"""Of complex steps, which lose no digits."""

EXACT = 1e-12
"""Of quantities of order one; the issue of rows asks for 1e-9."""

CURVE = SmoothCurve(np.linspace(-6.0, 6.0, 9), np.cos(0.4 * np.linspace(-6.0, 6.0, 9)))


def chains():
    """Two open chains on the ground without balls, all of whose joint coordinates are free."""
    rng = np.random.default_rng(4)
    bodies = [random_body(rng, name) for name in "abcd"]
    x, y, z = np.eye(3)
    joints = (
        joint("revolute", "A", "ground", "a", np.array([0.0, 0.1, 0.2]), z + 0.2 * x),
        joint("cylindrical", "B", "a", "b", np.array([0.5, 0.1, -0.2]), x - 0.4 * y),
        joint("universal", "C", "ground", "c", np.array([-0.3, 0.4, 0.1]), x, y + 0.1 * z),
        joint("prismatic", "D", "d", "c", np.array([-0.1, 0.9, 0.1]), np.array([0.3, 0.5, -0.7])),
    )
    return Mechanism("Chains", tuple(bodies), joints)


def holds():
    """A coupling of every sort and a constraint of every kind."""
    A, B, B2, C = (JointCoordinate(*of) for of in (("A", 0), ("B", 0), ("B", 1), ("C", 0)))
    rope = Distance("b", "d", np.array([0.2, 0.3, 0.1]), np.array([-0.5, 0.6, 0.4]))
    twist = RelativeAngle("b", "d", np.array([0.3, -0.5, 0.8]))
    couplings = (
        Coupling("gears", Combination((A, C), (20.0, -43.0))),
        Coupling("rack", Combination((B, A), (1.0, 0.05), winds=True)),
        Coupling("rope", Combination((rope, C), (1.0, 0.1), winds=True)),
        Coupling("angles", Combination((twist, B2), (0.5, 2.0))),
        Coupling("ratio", Following(rope, A, CURVE)),
        Coupling("several", Following(Combination((B, rope), (1.0, 2.0)), twist, CURVE)),
    )
    kinds = ("point_on_plane", "point_on_line", "perpendicular", "parallel", "equal_angle")
    vectors = np.array([0.3, -0.5, 0.8]), np.array([0.4, 0.6, 0.2])
    points = np.array([0.2, 0.1, 0.4]), np.array([-0.3, 0.6, 0.1])
    return couplings, tuple(Constraint(kind, kind, "b", "d", *vectors, *points) for kind in kinds)


def all_rows():
    couplings, constraints = holds()
    return [row for part in (*couplings, *constraints) for row in part.rows]


@pytest.fixture
def complex_numbers(monkeypatch):
    """Norms, angles and curves that go on into the complex plane."""
    norm, angle, curve = np.linalg.norm, np.arctan2, SmoothCurve.at

    def complex_angle(S, C):
        turning = (C * np.imag(S) - S * np.imag(C)).real / (S * S + C * C).real
        return angle(S.real, C.real) + 1j * turning if np.iscomplexobj(S) else angle(S, C)

    def complex_curve(self, x, order=0):
        x = np.asarray(x)
        return curve(self, x.real, order) + (1j * x.imag * curve(self, x.real, order + 1) if x.dtype == complex else 0)

    def complex_norm(x, **options):
        return np.sqrt((x * x).sum(**options)) if np.iscomplexobj(x) else norm(x, **options)

    monkeypatch.setattr(np.linalg, "norm", complex_norm)
    monkeypatch.setattr(np, "arctan2", complex_angle)
    monkeypatch.setattr(SmoothCurve, "at", complex_curve)
    monkeypatch.setattr("precompute.measures.distance.nonzero", lambda length: length)


@pytest.mark.usefixtures("complex_numbers")
@pytest.mark.parametrize("number", range(len(all_rows())))
def test_gradients_and_second_derivatives_of_rows_agree_with_complex_steps(number):
    m = chains()
    t = spanning_tree(m)
    q = np.random.default_rng(number).uniform(-0.7, 0.7, t.nq)
    every = [JointCoordinate(*where) for where, _ in sorted(t.scalars.items(), key=lambda item: item[1][1])]
    closure, on = Closure(m, t, tuple(every)), all_rows()[number].measure
    P = closure.poses(q[None])
    factor = factorize(closure, closure.matrix(P))
    B = velocity_coefficients(closure, factor)
    dB, W, dW = coefficient_derivatives(closure, P, factor, B)
    beside = closure.poses(q + 1j * STEP * np.eye(t.nq))
    assert np.abs(on.value(beside).imag / STEP - on.row(P)[0]).max() < EXACT
    by_steps = on.row(beside).imag.T / STEP  # d row_i / d q_j
    assert np.abs(on.second(Motion(P, B, W, dW, dB))[0] - by_steps).max() < EXACT * max(1.0, np.abs(by_steps).max())


@pytest.mark.parametrize("number", range(len(all_rows())))
def test_images_of_rows_by_the_mechanism_drawn_anew_are_held_too(number):
    """Drawn where it stands, a measure has lost what it was there, and a curve goes on from where it was."""
    m = chains()
    t = spanning_tree(m)
    q, on = np.random.default_rng(number).uniform(-0.7, 0.7, t.nq), all_rows()[number].measure
    closure = Closure(m, t)
    P = closure.poses(q)
    moved = [replace(j, p_P=P.pose(j.parent).point(j.p_P), p_C=P.pose(j.child).point(j.p_C)) for j in m.joints]
    anew = replace(m, joints=tuple(moved))
    there = Closure(anew, spanning_tree(anew)).poses(np.zeros(t.nq))

    def gone(of):
        return float(of.value(P) - of.redrawn(P).value(there))

    found = on.recounted(P, gone)
    assert abs(on.value(P) - found.value(there) - gone(on)) < EXACT or on.parts[-1].curve is not None
    if on.parts[-1].curve is not None:
        assert abs(on.value(P) - found.value(there)) < EXACT


# -- planetary gears --------------------------------------------------------------------------------------------------

SUN, PLANET = 20, 16
RING = SUN + 2 * PLANET


def planetary(*more):
    """Sun, carrier, planet and ring with numbers of teeth, coupled where they mesh."""
    rng, z = np.random.default_rng(1), np.array([0.0, 0.0, 1.0])
    o, p = np.zeros(3), np.array([0.036, 0.0, 0.0])
    bodies = [random_body(rng, name) for name in ("sun", "carrier", "planet", "ring")]
    joints = [joint("revolute", name, "ground", name, o, z) for name in ("sun", "carrier", "ring")]
    joints.append(joint("revolute", "planet", "carrier", "planet", p, z))
    sun, carrier, planet, ring = (JointCoordinate(name, 0) for name in ("sun", "carrier", "planet", "ring"))
    couplings = (
        Coupling("inner", Combination((sun, planet, carrier), (SUN, PLANET, -SUN)), load=True),
        Coupling("outer", Combination((ring, planet, carrier), (RING, -PLANET, -RING)), load=True),
        *more,
    )
    return Mechanism("Planetary", tuple(bodies), tuple(joints), couplings=couplings)


def test_planetary_trains_turn_as_willis_says():
    m = planetary()
    t = spanning_tree(m)
    design = close_loops(m, t)
    assert mobility(m, t, design)[0] == 2
    closure = Closure(m, t, (JointCoordinate("sun", 0), JointCoordinate("ring", 0)))
    z = np.random.default_rng(0).uniform(-30.0, 30.0, (50, 2))  # angles count over turns
    done = follow(closure, np.repeat(design.q[None], 50, 0), np.zeros((50, 2)), z)
    carrier = JointCoordinate("carrier", 0).value(closure.poses(done.q))
    assert done.reached.all()
    assert np.abs((SUN * z[:, 0] + RING * z[:, 1]) / (SUN + RING) - carrier).max() < EXACT * 30.0
    B = velocity_coefficients(closure, factorize(closure, closure.matrix(closure.poses(done.q))))
    rate = B[:, t.scalars["carrier", 0][1]]
    assert np.abs(rate - np.array([SUN, RING]) / (SUN + RING)).max() < EXACT


def test_loops_of_couplings_are_told_by_the_joints_that_move_them():
    m = planetary()
    t = spanning_tree(m)
    assert t.n_loops == 2 and t.closings(m) == ("coupling.inner", "coupling.outer")
    assert t.loop_joints(m, 1) == ("coupling.outer", "ring", "planet", "carrier")


def test_couplings_that_leave_no_motion_are_named():
    sun, carrier, ring = (JointCoordinate(name, 0) for name in ("sun", "carrier", "ring"))
    locked = Coupling("lock", Combination((sun, ring), (1.0, -1.0)))
    m = planetary(locked, Coupling("other", Combination((sun, carrier), (1.0, -2.0))))
    t = spanning_tree(m)
    with pytest.raises(TopologyError, match=r"coupling\.lock and coupling\.other hold what others hold too") as error:
        mobility(m, t, close_loops(m, t))
    assert "sun (1)" in str(error.value)


def test_the_same_coupling_twice_is_refused():
    sun, ring = (JointCoordinate(name, 0) for name in ("sun", "ring"))
    one, two = (Coupling(name, Combination((sun, ring), (1.0, -1.0))) for name in ("one", "two"))
    with pytest.raises(MechanismError, match="couplings.two: holds the same as couplings.one"):
        planetary(one, two)
