"""States of rest: against the independent full model, and their derivatives against differences."""

from dataclasses import replace

import numpy as np
import pytest
from helpers_rig import CASE, at, axle, both_sides, document, mechanism, near, richardson, setting, strut

from precompute.kc.record import Choices
from precompute.mechanism_file import from_document
from precompute.model.mechanism import BushingDeflection
from precompute.reference import Loads, assemble, equilibrium, full_model
from precompute.rig.balance import flat, flattened, newton, tangent
from precompute.rig.bench import bench
from precompute.rig.mechanics import load_forces
from precompute.rig.stand import stand

AGAINST_FULL = 1e-7
"""The full model stops at steps of 1e-8 of its size, on tangents of differences."""


def test_the_full_model_finds_the_same_equilibrium():
    """5 kN across, 3 kN of braking, steered, at a constant wheel load: exact nonlinear statics both ways."""
    on = strut(contact="fixed")
    side = on.sides[0]
    both = replace(CASE["lateral"], direction=(-0.6, 1.0, 0.0), steer=4e-6)  # 3 kN of braking, 20 mm of rack
    rest, made = at(on, both, [5000.0])
    load = rest.pads[0, 0, 0]
    given = mechanism()
    model = full_model(given)
    force = np.array([-3000.0, 5000.0, load])
    loads = Loads(ports={"contact": (force, np.zeros(3)), "wheel": (np.zeros(3), np.zeros(3))})
    full = equilibrium(model, assemble(model, {"rack": 0.02}), loads, held={"rack": 0.02})
    places = on.rig.bench.closure.poses(rest.q[0, side.copy])
    for body in given.bodies:
        number = [b.name for b in given.bodies].index(body.name)
        X = places.pose(body.name)
        np.testing.assert_allclose(X.point(body.com), full.r[number], atol=AGAINST_FULL, err_msg=body.name)
    assert made.loads.patch[0, 0, 0] == pytest.approx([-3000.0, 5000.0, 0.0])


def test_derivatives_of_a_state_of_rest_are_those_of_the_tangent():
    """Travel of one wheel along the force: Newton's tangent against exact solutions on both sides."""
    on, values = strut(), np.array([1500.0])
    rest, _ = at(on, "lateral", values)

    def solved(h):
        return near(on, rest, setting(on, CASE["lateral"], values + h)).z

    slope = richardson(solved, 20.0)
    made = setting(on, CASE["lateral"], values)
    one = setting(on, CASE["lateral"], np.array([1.0]))
    here = on.rig.at(rest.q)
    _, K = load_forces(here, flat(made.loads), flattened(rest.pads))
    solver = tangent(on.rig, here, here.K + K, made.A_u, made.A_F)
    unit, _ = load_forces(here, flat(one.loads), np.zeros_like(flattened(rest.pads)))
    rhs = np.zeros((1, solver.matrix.shape[-1]))
    rhs[:, : unit.size] = unit.reshape(1, -1)
    dz, _, _ = solver.split(solver.solve(rhs))
    np.testing.assert_allclose(dz, slope, rtol=1e-8, atol=1e-8 * np.abs(slope).max())


def test_pads_carry_springs_and_weights():
    """Virtual work of the pad over the travel, of a rigid suspension: load = -dV/du of springs and weights."""
    on = strut(elastic=False)
    rest, _ = at(on, "bump", [0.03])
    bench_, closure = on.rig.bench, on.rig.bench.closure
    given = bench_.mechanism

    def potential(h):
        there = at(on, "bump", [0.03 + h])[0]
        P = closure.poses(there.q[0, 0])
        weights = sum(-b.mass * given.gravity @ P.pose(b.name).point(b.com) for b in given.bodies)
        spring = given.springs[0]
        s0 = spring.on.value(closure.poses(bench_.q))
        s = spring.on.value(P)
        elastic = spring.preload * (s0 - s) + 0.5 * spring.stiffness * (s0 - s) ** 2
        turned = sum(
            0.5 * d @ b.linear_stiffness @ d - b.preload @ d
            for b in given.bushings
            for d in [np.array([BushingDeflection(b.name, i).value(P) for i in range(6)])]
        )
        return weights + elastic + turned

    rise = on.rig.at(rest.q[:, :1]).corners[0].rise[0, 0]
    assert rest.pads[0, 0, 0] * rise == pytest.approx(richardson(potential, 2e-4), rel=1e-8)


def test_roll_keeps_the_load_of_the_axle():
    for on in (strut(), axle()):
        rest, _ = at(on, "roll", [-0.05, 0.04])
        own = on.rest.pads.sum()
        np.testing.assert_allclose(rest.pads.sum(axis=(1, 2)), own, rtol=1e-12)
        left, right = (rest.z[:, side.copy, side.wheel] for side in on.sides)
        np.testing.assert_allclose(right - left, on.track * np.tan([-0.05, 0.04]), rtol=1e-12)


def test_a_mirrored_pair_is_the_corner_twice():
    one, two = strut(), axle()
    for name, values in (("roll", [0.05]), ("lateral", [2000.0]), ("lateral_single", [-2000.0]), ("steering", [0.03])):
        (a, _), (b, _) = at(one, name, values), at(two, name, values)
        for k in range(2):
            i, j = one.sides[k], two.sides[k]
            assert a.z[0, i.copy, i.wheel] == pytest.approx(b.z[0, j.copy, j.wheel], abs=1e-12)
            assert a.pads[0, i.copy, i.wheel] == pytest.approx(b.pads[0, j.copy, j.wheel], rel=1e-10)


def test_what_cannot_be_balanced_stays_as_it_was():
    on = strut()
    far = replace(on.still(1), b=np.array([[5.0, 5.0]]))
    rest, found = newton(on.rig, on.rest, far)
    assert not found.any()
    np.testing.assert_array_equal(rest.z, on.rest.z)


def test_open_preloads_hold_the_design_position():
    """At the load of the port, the strut whose preload is left to statics stands at design."""
    found = document()
    found["springs"]["strut"]["preload"] = "static"
    on = stand(from_document(found), choices=Choices(contact="fixed"))
    assert on.rest.pads[0, 0, 0] == pytest.approx(4500.0, rel=1e-9)


def test_both_sides_have_three_free_coordinates():
    own = bench(both_sides())
    assert own.names[:3] == ("wheel.left.travel", "wheel.left_r.travel", "rack") and own.held == (2,)
