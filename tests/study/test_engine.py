"""Metrics of many designs at once: against the rig design by design, sensitivities, failures."""

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_study import largest_difference

from precompute.design import Design, Dimensioned
from precompute.design.places import Origins
from precompute.errors import PrecomputeError
from precompute.kc.record import Choices
from precompute.kinematics.continuation import follow
from precompute.mechanism_file import load
from precompute.rig.stand import stand
from precompute.study import Engine

WHEEL = [
    "toe.left",
    "toe.right",
    "camber.right",
    "centre_longitudinal",
    "patch_lateral",
    "track",
    "bump_steer",
    "bump_camber",
    "roll_steer",
]
WHEEL += ["spring_motion_ratio", "damper_motion_ratio", "roll_centre_height"]
STEERED = ["caster", "caster_geometric", "scrub_radius", "mechanical_trail_geometric", "steering_ratio"]

FILES = {
    # a corner that stands there twice; a planar loop; idle spins; a radius that a contact point says
    "double_wishbone_rigid": (
        ("bump", (-0.04, 0.04), True),
        ["point.outer.z", "point.p1.y", "point.rev1.z", "point.contact_patch.z", "wheel.left.centre.x"],
        STEERED,
    ),
    # an axle whose wheels are in one mechanism
    "front_axle": (
        ("single_bump", (-0.03, 0.03), True),
        ["point.outer_l.z", "point.lower_ball_r.x", "point.p3_r.z", "point.shock_lower_l.x", "wheel.right.radius"],
        STEERED,
    ),
    # mirror images, an anti-roll bar; opened by a joint and a rod of which one side moves
    "short/pushrod_axle": (
        ("bump", (-0.02, 0.02), True),
        ["joint.lower_l.child.z", "spring.spring_l.at[1].y", "damper.damper_l.at[2].x", "joint.rocker_l.rx"],
        [],
    ),
    # opened, so that it is assembled anew; the springs are held while it is steered
    "macpherson_rigid": (
        ("steering", (-0.03, 0.03), True),
        ["joint.strut.parent.y", "joint.lower_ball.child.z", "rod.tie_rod.length", "point.spring_low.x"],
        STEERED,
    ),
    # frames of bushings by points, stiff directions that are locked
    "five_link": (
        ("bump", (-0.05, 0.05), False),
        ["point.toe_inner.z", "point.upper_outer.y", "bushing.toe.at.x", "wheel.left.camber", "wheel.left.toe"],
        [],
    ),
}


def engine_of(stem, points=5, metrics=None):
    (case, between, elastic), names, more = FILES[stem]
    mechanism = load(MECHANISMS / f"{stem}.toml")
    metrics = [*WHEEL, *more] if metrics is None else metrics
    return Engine.of(mechanism, names, metrics, case, between, points, elastic=elastic)


@pytest.mark.parametrize("stem", FILES)
def test_designs_together_are_the_designs_alone(stem):
    engine = engine_of(stem)
    assert not engine.why
    changes = np.random.default_rng(1).normal(0.0, 1e-3, (2, len(engine.names)))
    assert largest_difference(engine, changes) < 1e-9


def test_the_numbers_of_many_designs_are_those_of_the_edited_files():
    for stem, (_, names, _) in FILES.items():
        mechanism = load(MECHANISMS / f"{stem}.toml")
        design = Design.of(mechanism)
        changes = np.random.default_rng(2).uniform(-3e-3, 3e-3, (2, len(names)))
        found = Origins.of(design, names).many(changes)
        for number, change in enumerate(changes, start=1):
            new = design.moved(dict(zip(names, change.tolist(), strict=True)))
            pairs = [(found.joints[j.name].p_P, j.p_P) for j in new.joints]
            pairs += [(found.joints[j.name].p_C, j.p_C) for j in new.joints]
            own = [
                (a, p.axis) for j in new.joints for a, p in zip(found.joints[j.name].axes, j.primitives, strict=True)
            ]
            pairs += [(a, axis) for a, axis in own if a is not None]
            pairs += [(found.rods[r.name].length, r.length) for r in new.rods]
            pairs += [(found.wheels[w.name].spin_axis, w.spin_axis) for w in new.wheels]
            pairs += [(found.wheels[w.name].radius, w.radius) for w in new.wheels]
            pairs += [(found.bushings[b.name].R, b.R) for b in new.bushings]
            for jet, there in pairs:
                here = jet.value[number if len(jet.value) > 1 else 0]
                assert np.abs(here - there).max() < 1e-14


def test_large_changes_are_closed_with_factors_of_their_own():
    mechanism = load(MECHANISMS / "macpherson_rigid.toml")
    names = ["point.tie_outer.z", "point.rack_end.y", "point.lower_ball.y", "point.strut_top.x"]
    engine = Engine.of(mechanism, names, ["toe", "camber", "bump_steer"], between=(-0.05, 0.05), points=5)
    changes = np.array([[0.04, 0.05, -0.04, 0.06], [-0.05, -0.06, 0.03, -0.05]])
    assert largest_difference(engine, changes) < 1e-9


def test_spread_by_monte_carlo_is_that_of_the_sensitivities():
    """0.2 mm on six points: the deviation of toe is sigma sqrt(sum of its squared derivatives)."""
    mechanism = load(MECHANISMS / "double_wishbone_rigid.toml")
    points = ("outer", "inner", "lower_ball", "upper_ball", "p1", "p3")
    names, sigma, travels = [f"point.{p}.{x}" for p in points for x in "xyz"], 2e-4, np.array([-0.04, 0.0, 0.04])
    engine = Engine.of(mechanism, names, ["toe.left", "camber.left"], between=(-0.04, 0.04), points=3)
    found = engine.results(np.random.default_rng(0).normal(0.0, sigma, (5000, len(names))))
    assert not found.failures
    bench = stand(mechanism).rig.bench
    z = np.array([[travel, bench.z[1]] for travel in travels])
    q = follow(bench.closure, np.repeat(bench.q[None], 3, axis=0), np.repeat(bench.z[None], 3, axis=0), z).q
    spin = Dimensioned.of(bench.closure, engine.design, names).at(q).wheel_spin("left")
    (x, y, _), dx, dy = (
        (spin.value @ mechanism.axes.R.T).T,
        *(np.einsum("c,ncw->nw", row, spin.first)[:, 2:] for row in mechanism.axes.R[:2]),
    )
    toe = (dx * y[:, None] - dy * x[:, None]) / (x**2 + y**2)[:, None]  # of -steer, steer = atan(-x/y)
    spread = found.columns["toe.left"].std(axis=0)
    expected = sigma * np.sqrt((toe**2).sum(axis=1))
    assert spread[1] < 1e-12 and expected[1] < 1e-12  # hardpoints leave the design as it is
    assert np.abs(spread[[0, 2]] / expected[[0, 2]] - 1.0).max() < 0.05


def test_a_design_that_cannot_be_closed_is_told_and_the_others_are_not_touched():
    mechanism = load(MECHANISMS / "macpherson_rigid.toml")
    engine = Engine.of(mechanism, ["rod.tie_rod.length", "point.tie_outer.z"], ["toe"], between=(-0.02, 0.02), points=3)
    changes = np.array([[0.0, 1e-3], [2.0, 0.0], [1e-3, 0.0]])
    found, others = engine.results(changes), engine.results(changes[[0, 2]])
    assert [*found.failures] == [1] and "out of reach" in found.failures[1]
    assert np.isnan(found.columns["toe.left"][1]).all()
    assert np.abs(found.columns["toe.left"][[0, 2]] - others.columns["toe.left"]).max() < 1e-13


def test_a_curve_that_ends_early_is_told_and_kept_as_far_as_it_goes():
    mechanism = load(MECHANISMS / "macpherson_rigid.toml")
    engine = Engine.of(mechanism, ["rod.tie_rod.length"], ["camber"], "bump", between=(-0.2, 0.08), points=15)
    found = engine.results(np.array([[0.0], [-0.09]]))
    column = found.columns["camber.left"]
    assert [*found.failures] == [1] and "bump ends at" in found.failures[1]
    assert np.isfinite(column[0]).all() and 0 < np.isfinite(column[1]).sum() < 15


def test_where_forces_matter_designs_are_computed_one_by_one():
    mechanism = load(MECHANISMS / "macpherson.toml")
    names = ["bushing.arm_front.stiffness.y", "point.tie_outer.z"]
    engine = Engine.of(mechanism, names, ["toe", "ride_rate"], between=(-0.01, 0.01), points=2)
    assert "equilibrium" in engine.why
    found = engine.results(np.array([[1e6, 0.0], [0.0, 1e-3]]))
    assert not found.failures
    for name in engine.columns:
        changed = found.columns[name] - engine.unchanged[name]
        assert np.isfinite(changed).all() and (np.abs(changed).max(axis=1) > 0.0).all()


def test_second_derivatives_and_contacts_at_their_heights_are_computed_one_by_one():
    mechanism = load(MECHANISMS / "macpherson_rigid.toml")
    names, between = ["point.tie_outer.z"], (-0.01, 0.01)
    second = Engine.of(mechanism, names, ["spring_motion_ratio_change"], between=between, points=2)
    patch = Engine.of(mechanism, names, ["toe"], between=between, points=2, choices=Choices(travel="patch"))
    assert "second derivatives" in second.why and "contact" in patch.why
    assert not second.results(np.array([[1e-3]])).failures


@pytest.mark.parametrize(
    ("names", "metrics", "more", "words"),
    [
        (["point.tie_outr.z"], ["toe"], {}, "point.tie_outer.z"),
        (["point.tie_outer.z"], ["tow"], {}, "did you mean 'toe'"),
        (["point.tie_outer.z"], ["toe.lft"], {}, "did you mean 'toe.left'"),
        (["point.tie_outer.z"], ["wheel.lef.toe"], {}, "did you mean 'left'"),
        (["point.tie_outer.z"], ["toe"], {"case": "bmp"}, "there is no case or input 'bmp'"),
        (["point.tie_outer.z"], ["toe"], {"points": 1}, "two or more"),
        (["point.tie_outer.z"], ["toe"], {"between": (-2.0, 2.0)}, "as it is: bump ends at"),
        ([], ["toe"], {}, "at least one design variable"),
    ],
)
def test_what_is_asked_wrongly_is_told(names, metrics, more, words):
    with pytest.raises(PrecomputeError, match=words):
        Engine.of(load(MECHANISMS / "macpherson_rigid.toml"), names, metrics, **more)
