"""Couplings and constraints in three formulations that share no code: relative, natural and maximal coordinates."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import joint, random_body

from precompute.coordinates.decouple import find_dependence
from precompute.coordinates.independent import choose_coordinates
from precompute.geometry.smooth_curve import SmoothCurve
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import (
    Closure,
    coefficient_derivatives,
    factorize,
    velocity_coefficients,
)
from precompute.kinematics.continuation import follow
from precompute.kinematics.topology import spanning_tree
from precompute.model.mechanism import (
    Combination,
    Constraint,
    Coordinate,
    Coupling,
    Distance,
    Following,
    JointCoordinate,
    Mechanism,
    RelativeAngle,
)
from precompute.natural import natural_model
from precompute.reduction.exact_loads import Acting, ExactLoads
from precompute.reference import accelerations, assemble, full_model, initial_velocity

SAME = 1e-9
CURVE = SmoothCurve(np.linspace(-3.0, 3.0, 9), np.sin(0.5 * np.linspace(-3.0, 3.0, 9)))
GRAVITY = np.array([0.3, -0.8, -9.81])


def crank_and_others(*held, **more):
    """A crank on the ground, a slide and a second shaft with an arm in space: what is held leaves the crank alone."""
    rng, (x, y, z) = np.random.default_rng(3), np.eye(3)
    joints = (
        joint("revolute", "crank", "ground", "crank", np.zeros(3), z),
        joint("prismatic", "slide", "ground", "slide", np.array([0.4, 0.0, 0.0]), x + 0.1 * y),
        joint("revolute", "shaft", "ground", "shaft", np.array([0.0, 0.5, 0.1]), z + 0.2 * x),
    )
    bodies = tuple(random_body(rng, name) for name in ("crank", "slide", "shaft"))
    couplings = tuple(part for part in held if isinstance(part, Coupling))
    constraints = tuple(part for part in held if isinstance(part, Constraint))
    free = (Coordinate("crank", JointCoordinate("crank", 0), -0.8, 0.8),)
    return Mechanism(
        "Held", bodies, joints, couplings=couplings, constraints=constraints, coordinates=free, gravity=GRAVITY, **more
    )


CRANK, SLIDE, SHAFT = (JointCoordinate(name, 0) for name in ("crank", "slide", "shaft"))
GEARS = Coupling("gears", Combination((CRANK, SHAFT), (20.0, 43.0)), load=True)
RACK = Coupling("rack", Combination((SLIDE, CRANK), (1.0, -0.05), winds=True), load=True)
RATIO = Coupling("ratio", Following(SLIDE, CRANK, CURVE), load=True)
PIN = (np.array([0.4, 0.12, 0.0]), np.array([0.4, 0.12, 0.0]))
ROPE = Distance("ground", "slide", np.array([-1.0, 0.4, 0.2]), np.array([0.5, 0.1, 0.1]))

HELD = {
    "gears and rack": (GEARS, RACK),
    "variable ratio": (GEARS, RATIO),
    "rope": (GEARS, Coupling("rope", Combination((ROPE, CRANK), (1.0, 0.08), winds=True), load=True)),
    "angle of bodies": (
        Coupling("gears", Combination((RelativeAngle("ground", "crank", [0, 0, 1]), SHAFT), (1.0, 0.5)), load=True),
        RACK,
    ),
    "slot": (GEARS, Constraint("slot", "point_on_plane", "crank", "slide", [1, -0.2, 0], [1, 0, 0], *PIN, load=True)),
    "equal angle": (
        RACK, Constraint("angle", "equal_angle", "crank", "shaft", [1, 0.2, 0], [0.5, 1, 0.3], *PIN, load=True),
    ),
}  # fmt: skip


@pytest.fixture(params=HELD)
def mechanism(request):
    return crank_and_others(*HELD[request.param])


def relative(m, z):
    """Values and first derivatives of all joint coordinates at crank angles, by relative coordinates."""
    t = spanning_tree(m)
    design = close_loops(m, t)
    closure = Closure(m, t, (CRANK,))
    done = follow(closure, np.repeat(design.q[None], len(z), 0), np.zeros((len(z), 1)), z[:, None])
    assert done.reached.all()
    P = closure.poses(done.q)
    factor = factorize(closure, closure.matrix(P))
    B = velocity_coefficients(closure, factor)
    dB, _, _ = coefficient_derivatives(closure, P, factor, B)
    return done.q, B[:, :, 0], dB[:, :, 0, 0]


def staged(m):
    """Coordinates and what depends on them."""
    t = spanning_tree(m)
    design = close_loops(m, t)
    coordinates = choose_coordinates(m, t, design)
    return coordinates, design, find_dependence(coordinates, design)[0]


Z = np.array([-0.6, -0.2, 0.15, 0.4, 0.7])


def test_natural_coordinates_find_the_same_motion(mechanism):
    model = natural_model(mechanism)
    places = model.positions({"crank": Z})
    moved = model.motion(places, {"crank": np.ones_like(Z)})
    q, B, dB = relative(mechanism, Z)
    for k, of in enumerate((CRANK, SLIDE, SHAFT)):
        found = moved.measure(of)
        np.testing.assert_allclose(found.value, q[:, k], atol=SAME)
        np.testing.assert_allclose(found.rate, B[:, k], atol=SAME)
        np.testing.assert_allclose(found.acceleration, dB[:, k], atol=SAME)


def test_jerks_of_natural_coordinates_are_slopes_of_accelerations(mechanism):
    model, h = natural_model(mechanism), 1e-4
    one = np.ones(1)

    def acceleration(z):
        return model.motion(model.positions({"crank": np.array([z])}), {"crank": one}).measure(SLIDE).acceleration[0]

    jerk = model.motion(model.positions({"crank": np.array([0.3])}), {"crank": one}).measure(SLIDE).jerk[0]
    assert jerk == pytest.approx((acceleration(0.3 + h) - acceleration(0.3 - h)) / (2.0 * h), abs=1e-6)


def test_the_full_model_finds_the_same_motion(mechanism):
    model = full_model(mechanism)
    for z, q, B, dB in zip(Z, *relative(mechanism, Z), strict=True):
        state = initial_velocity(model, assemble(model, {"crank": z}), {"crank": 1.5})
        found = accelerations(model, state)
        rate, second = 1.5, found.coordinates["crank"]
        for k, name in enumerate(("crank", "slide", "shaft")):
            number = mechanism.bodies.index(next(b for b in mechanism.bodies if b.name == name))
            axis = mechanism.joint(name).primitives[0].axis
            v, a = (part.reshape(-1, 6)[number] for part in (state.u, found.bodies))
            ours = slice(3, 6) if name == "slide" else slice(0, 3)
            assert v[ours] @ axis == pytest.approx(B[k] * rate, abs=SAME)
            if name == "slide":
                assert a[ours] @ axis == pytest.approx(dB[k] * rate**2 + B[k] * second, abs=1e-8)
        assert np.isfinite(q).all()


def test_angles_of_couplings_are_counted_over_many_turns():
    m = replace(crank_and_others(GEARS, RACK), coordinates=(Coordinate("crank", CRANK, -90.0, 90.0),))
    places = natural_model(m).positions({"crank": np.array([70.0, -33.0])})
    values = natural_model(m).values(places, ["shaft", "slide"])
    np.testing.assert_allclose(values["shaft"], -20.0 / 43.0 * np.array([70.0, -33.0]), atol=SAME)
    np.testing.assert_allclose(values["slide"], 0.05 * np.array([70.0, -33.0]), atol=SAME)
    state = assemble(full_model(m), {"crank": 30.0})
    p = state.r[1] - m.bodies[1].com
    assert p @ m.joint("slide").primitives[0].axis == pytest.approx(1.5, abs=SAME)


# -- what they carry --------------------------------------------------------------------------------------------------


def test_forces_of_what_is_held_are_the_multipliers_of_the_full_model(mechanism):
    """By opening rows of relative coordinates, and as multipliers of maximal ones."""
    coordinates, design, dependence = staged(mechanism)
    loads = ExactLoads.of(coordinates, dependence)
    assert set(loads.names) == {row.output for row in mechanism.held if row.load}
    q, B, dB = relative(mechanism, Z)
    model, rate, second = full_model(mechanism), 1.5, -2.0
    n, none = len(Z), np.zeros((len(Z), 0))
    given = np.full((n, 1), rate), np.full((n, 1), second), np.tile(GRAVITY, (n, 1)), none, np.zeros((n, 0, 2, 3))
    found = loads.at(q, Acting(*given))
    drives = {"crank": lambda t: (0.0, rate, second)}
    for k, z in enumerate(Z):
        state = initial_velocity(model, assemble(model, {"crank": z}), {"crank": rate})
        carried = accelerations(model, state, drives=drives).loads
        expected = np.array([carried[name] for name in loads.names])
        np.testing.assert_allclose(found[k], expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
        assert np.abs(expected).min() > 1e-3
