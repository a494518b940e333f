"""Designs found again from their own curves; derivatives; what data determine; mistakes."""

import numpy as np
import pytest
from helpers import MECHANISMS

from precompute.design import Design
from precompute.errors import PrecomputeError
from precompute.fitting import fit
from precompute.fitting.bounds import ranges
from precompute.fitting.certainty import Certainty
from precompute.fitting.curves import Curves
from precompute.fitting.slopes import apart, slopes
from precompute.fitting.targets import measured_of, targets_of
from precompute.kc.record import Choices
from precompute.mechanism_file import load
from precompute.rig.stand import stand
from precompute.sheets.measured import Measured
from precompute.sheets.result import kc

RIGID = load(MECHANISMS / "double_wishbone_rigid.toml")
STRUT = load(MECHANISMS / "macpherson_rigid.toml")
SOFT = load(MECHANISMS / "macpherson.toml")


def noisy(curves, columns, share, seed):
    """Curves with errors of a share of half of what they span, one wheel alone."""
    rng = np.random.default_rng(seed)
    cases = {name: {c: case.columns[c] for c in columns} for name, case in curves.cases.items()}
    return Measured("rig", {
        name: {c: (y.input, y.values + 0.5 * share * np.ptp(y.values) * rng.standard_normal(len(y)))
               for c, y in own.items()}
        for name, own in cases.items()
    })  # fmt: skip


def test_six_coordinates_are_found_again_from_their_own_curves():
    names = [f"point.{p}.{axis}" for p in ("outer", "inner") for axis in "xyz"]
    moved = dict(zip(names, (-5e-3, 5e-3, 5e-3, 5e-3, 5e-3, -5e-3), strict=True))
    own = kc(Design.of(RIGID).moved(moved), cases=["bump", "steering"], points=5)
    found = fit(RIGID, own, ["point.outer", "point.inner"], within="10mm", metrics=["toe.left", "camber.left"])
    assert np.abs(found.after.values - found.curves.wanted).max() < 1e-11  # rad
    assert max(abs(found.changes[name] - moved[name]) for name in names) < 1e-9  # m
    assert found.settled and not found.at_bound.any()
    loose = found.certainty.loose  # for a rig that measures to one in hundred, they are not six but four
    assert len(loose) == 2 and all(found.certainty.effect(way) < 1.0 for way in loose)
    assert str(found).count("Not determined: point.") == 2


RATES = [
    (["bushing.arm_front.stiffness.x", "bushing.arm_front.stiffness.y"], ["lateral", "braking"], 5),
    pytest.param(
        ["bushing.arm_front.stiffness.x", "bushing.arm_front.stiffness.y", "bushing.top_mount.stiffness.z",
         "bushing.top_mount.stiffness.y"],
        ["lateral", "lateral_opposed", "braking", "traction", "aligning"],
        41,
        marks=pytest.mark.slow,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("names", "cases", "points"), RATES)
def test_rates_of_bushings_from_compliances_with_noise(names, cases, points):
    design = Design.of(SOFT)
    shares = (0.3, -0.25, 0.4, -0.3)
    moved = {n: share * design.variables[n].value for n, share in zip(names, shares, strict=False)}
    own = kc(design.moved(moved), cases=cases, points=points)
    columns = ["toe.left", "camber.left", "patch_lateral.left", "patch_longitudinal.left"]
    found = fit(SOFT, noisy(own, columns, 0.01, seed=3), names, within="60%")
    assert not found.certainty.loose
    for name in names:
        true = design.variables[name].value + moved[name]
        assert abs(found.changes[name] - moved[name]) < 0.02 * true
        assert abs(found.changes[name] - moved[name]) < 2.0 * found.intervals[name] < 0.05 * true


def curves_of(mechanism, columns, names, cases, points):
    design = Design.of(mechanism)
    source = measured_of(kc(mechanism, cases=cases, points=points))
    targets = targets_of(source, stand(mechanism), columns)
    return Curves(design, tuple(design.chosen(names)), targets, None, Choices(), True)


@pytest.mark.parametrize(
    ("mechanism", "columns", "cases", "names"),
    [
        (STRUT, ["toe.left", "wheel_rate.left"], ["bump"],
         ["point.tie_outer.z", "point.rack_end.y", "rod.tie_rod.length", "joint.strut.rx", "joint.strut.ry"]),
        (SOFT, ["camber.left", "wheel_load.left"], ["roll"],
         ["point.tie_outer.z", "bushing.arm_front.stiffness.x", "spring.strut.stiffness"]),
    ],
)  # fmt: skip
def test_derivatives_are_the_limits_of_differences(mechanism, columns, cases, names):
    """Away from the first design, where lengths, turns and places depend on one another."""
    curves = curves_of(mechanism, columns, names, cases, points=2)
    most = ranges(curves.variables)
    start = {v.name: 0.1 * float(x) for v, x in zip(curves.variables, most, strict=True)}
    at = curves.at(start)
    mine = slopes(curves, at, apart(curves.design, curves.variables, most)) * most
    for k, (name, x) in enumerate(zip(start, 1e-3 * most, strict=True)):
        ahead, behind, far, back = (curves.at({**start, name: start[name] + s * x}, at).values for s in (1, -1, 2, -2))
        other = (8.0 * (ahead - behind) - (far - back)) / 12e-3
        for target in curves.targets:
            own = curves.numbers(target)
            assert np.abs((mine[:, k] - other)[own]).max() < 2e-6 * max(np.abs(mine[own]).max(), 1e-9)


def test_variables_that_depend_on_one_another():
    design = Design.of(STRUT)
    both = design.chosen(["point.tie_outer.z", "rod.tie_rod.length", "point.lower_ball.z", "joint.strut.rx"])
    assert apart(design, both, ranges(both)) >= {"point.lower_ball.z", "joint.strut.rx"}
    assert "point.tie_outer.z" not in apart(design, both, ranges(both))
    assert "point.tie_outer.z" in apart(design, both[:1], ranges(both[:1]))


def test_what_data_determine():
    """A line through noisy points, its two halves of one coefficient not told apart."""
    t = np.linspace(-1.0, 1.0, 200)
    r = np.random.default_rng(1).standard_normal(200)
    J = 50.0 * np.column_stack([np.ones(200), t, t])
    found = Certainty(J, r - J[:, :2] @ np.linalg.lstsq(J[:, :2], r, rcond=None)[0], np.zeros(3, dtype=bool))
    (loose,) = found.loose
    assert loose[1] == pytest.approx(-loose[2]) and abs(loose[0]) < 1e-12 and found.effect(loose) < 1e-12
    assert found.condition == np.inf and np.isnan(found.intervals[1:]).all()
    assert found.intervals[0] == pytest.approx(1.96 / 50.0 / np.sqrt(200), rel=0.1)
    held = Certainty(J, found.r, np.array([False, False, True]))
    assert held.intervals[1] == pytest.approx(1.96 / 50.0 / np.linalg.norm(t), rel=0.1) and np.isnan(held.intervals[2])


def test_ranges():
    design = Design.of(SOFT)
    some = design.chosen(["point.tie_outer.z", "joint.strut.rx", "bushing.arm_front.stiffness.x", "body.rack.mass"])
    assert ranges(some) == pytest.approx([0.02, np.radians(5.0), 0.8 * 550e3, 0.8 * 8.0])
    assert ranges(some, ["1cm", "100N/mm", "10%"]) == pytest.approx([0.01, np.radians(5.0), 100e3, 0.8])
    zero = design.chosen(["spring.steering.free_length", "bushing.arm_front.preload.x"][:1])
    assert ranges(zero) == pytest.approx([0.02])
    for word, said in {"5": "no positive amount", "-5mm": "no positive", "3kg.m": "none of the variables",
                       "5mn": "there is no unit 'mn'", "nan mm": "no number"}.items():  # fmt: skip
        with pytest.raises(PrecomputeError, match=said):
            ranges(some, word)


def test_a_target_out_of_reach_says_how_near_and_what_is_at_its_bound():
    flat = Measured("flat", {"bump": {"toe": (np.array([-50.0, 0.0, 50.0]), np.array([2.0, 0.0, -2.0]))}})
    found = fit(STRUT, flat, "point.tie_outer.z", within="5mm")
    assert found.at_bound.all() and abs(abs(found.changes["point.tie_outer.z"]) - 5e-3) < 1e-5
    assert "At its bound: point.tie_outer.z; the closest that was reached leaves" in str(found)


WRONG = {
    "toe_angel": "there is no metric 'toe_angel'",
    "bar_motion_ratio": "there is no 'bar_motion_ratio' here",
    "turning_circle": "turning_circle of bump is not defined at travel -50 mm, 3 of 3 points",
}


@pytest.mark.parametrize("column", WRONG)
def test_columns_that_cannot_be_fitted(column):
    table = Measured("rig", {"bump": {column: (np.array([-50.0, 0.0, 50.0]), np.ones(3))}})
    with pytest.raises(PrecomputeError, match=WRONG[column]):
        fit(STRUT, table, "point.tie_outer.z")


def test_signs_and_sides():
    """By another convention the same design comes out; a wheel of the other side too."""
    moved = {"point.tie_outer.z": 4e-3}
    for convention, column in (("sae", "camber.left"), ("adams", "toe.right")):
        own = kc(Design.of(STRUT).moved(moved), cases=["bump"], points=3, convention=convention)
        found = fit(STRUT, own, [*moved], metrics=[column])
        assert found.changes["point.tie_outer.z"] == pytest.approx(4e-3, abs=1e-9)


def test_of_many_curves_the_worst_are_listed():
    own = kc(STRUT, cases=["bump"], points=2)
    found = fit(STRUT, own, "point.tie_outer.z")
    text = str(found)
    assert len(found.curves.targets) > 100 and f"curve (the 30 worst of {len(found.curves.targets)})" in text
    assert text.count(" of bump ") == 30 and found.tried == 1
    assert abs(found.changes["point.tie_outer.z"]) < 1e-12


def test_a_length_that_would_follow_its_points_is_told_as_it_is_then():
    moved = {"point.tie_outer.y": 4e-3, "rod.tie_rod.length": -1e-3}
    design = Design.of(STRUT)
    found = fit(STRUT, kc(design.moved(moved), cases=["bump"], points=4), [*moved], metrics=["toe.left"])
    assert found.changes == pytest.approx(moved, abs=1e-9)
    (rod,) = found.mechanism.rods
    assert found.value(design.variables["rod.tie_rod.length"]) == pytest.approx(rod.length, abs=1e-15)
    assert rod.length - design.variables["rod.tie_rod.length"].value > 2e-3
