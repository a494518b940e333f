"""Gradients along cases at design, against Richardson differences of exact solutions; what symmetry says of them."""

import numpy as np
import pytest
from helpers_rig import CASE, at, axle, near, richardson, setting, strut

from precompute.kc.display import shown
from precompute.kc.position import contact
from precompute.kc.registry import METRICS
from precompute.rig.cases import acting
from precompute.rig.gradients import STEPS, design_gradients, quietly
from precompute.rig.records import axle_record

SCALES = {"m": 0.1, "rad": 0.1, "N": 2000.0, "N.m": 100.0}
"""Of inputs: a gradient is compared to what it makes over that."""

EXACT = 1e-8

LEAST = 2e-2
"""Of a metric in the unit in which it is shown, that it changes by over the scale: less is none."""


def compared(on, name):
    """Worst difference, relative to the value or its change over the scale, and the column of it."""
    case = acting(CASE[name], on)
    found = design_gradients(on, [case], axle_record(on, on.rest, on.still(1)))[0]
    h = 0.35 * STEPS[case.unit]
    samples = {}
    for k in (-4, -2, -1, 1, 2, 4):
        made = setting(on, case, np.array([k * h]))
        samples[k * h] = quietly(axle_record(on, near(on, on.rest, made), made, second=False))[0]
    out = {}
    for column, slope in found.items():
        if not np.isfinite(slope):
            continue
        expected = richardson(lambda x, c=column: float(samples[x][c][0]), h)
        least = LEAST / shown(METRICS[column.partition(".")[0]]).factor / SCALES[case.unit]
        size = max(abs(expected), abs(float(samples[h][column][0])) / SCALES[case.unit], least)
        out[column] = abs(slope - expected) / size
    return out


def test_roll_over_the_ground():
    """The road tilts: contacts lie in it, camber is to it; gradients are those of exact solutions."""
    on = strut(roll="ground")
    errors = compared(on, "roll")
    worst = max(errors, key=lambda c: errors[c])
    assert errors[worst] < EXACT, worst
    rigid = strut(elastic=False, roll="ground")
    record = axle_record(rigid, rigid.rest, rigid.still(1))
    slopes, design = design_gradients(rigid, [CASE["roll"]], record)[0], quietly(record)[0]
    for name in ("camber", "steer"):
        for side in ("left", "right"):
            assert slopes[f"{name}.{side}"] == pytest.approx(design[f"roll_{name}.{side}"][0], rel=1e-9)
    level = strut(elastic=False)
    to_body = design_gradients(level, [CASE["roll"]], axle_record(level, level.rest, level.still(1)))[0]
    assert slopes["camber.left"] == pytest.approx(to_body["camber.left"] - 1.0, rel=1e-6)
    for own in (on, rigid):
        rest, made = at(own, "roll", [0.06])
        record = axle_record(own, rest, made, second=False)
        left, right = (contact(wheel) for wheel in record.wheels)
        np.testing.assert_allclose(record.left.road, [[0.0, np.sin(0.06), np.cos(0.06)]], atol=1e-15)
        np.testing.assert_allclose(record.left.road, record.right.road, atol=1e-15)
        assert abs(record.left.road[0] @ (left - right)[0]) < 1e-12
        assert rest.pads.sum() == pytest.approx(own.rest.pads.sum(), rel=1e-12)
        columns, _ = quietly(record)
        np.testing.assert_allclose(columns["camber.left"], columns["inclination.left"], rtol=1e-12)
        assert columns["camber.left"][0] == pytest.approx(0.06 * slopes["camber.left"], rel=0.1)


LONG = [pytest.param(name, marks=pytest.mark.slow) for name in ("roll", "braking", "aligning_opposed", "vertical")]


@pytest.mark.parametrize("case", ["bump", "steering", "lateral", *LONG])
def test_gradients_are_those_of_exact_solutions(case):
    """Of all metrics of all orders, at other steps than those of ours."""
    errors = compared(strut(), case)
    worst = max(errors, key=lambda c: errors[c])
    assert errors[worst] < EXACT, worst
    orders = [METRICS[c.partition(".")[0]].order for c in errors]
    assert orders.count("position") > 30 and orders.count("velocity") > 30 and orders.count("statics") > 60


def test_a_mirrored_pair_has_the_metrics_of_symmetry():
    """All columns of an axle of two sides, against one corner and its image."""
    one, two = strut(), axle()
    for name, value in (("roll", 0.05), ("lateral", 2500.0), ("steering", 0.03)):
        columns = []
        for on in (one, two):
            case = acting(CASE[name], on)
            rest, k = on.rest, 4
            for share in range(1, k + 1):
                made = setting(on, case, np.array([value * share / k]))
                rest = near(on, rest, made)
            columns.append(quietly(axle_record(on, rest, made, second=False))[0])
        one_side, both = columns
        for column, values in one_side.items():
            twin = column if column in both else column.replace(".strut", ".strut_r")  # elements of the mirrored side
            least = 1e-3 / shown(METRICS[column.partition(".")[0]]).factor if values.ndim == 1 else 0.0
            size = max(float(np.nanmax(np.abs(values), initial=0.0)), least)
            np.testing.assert_allclose(values, both[twin], rtol=0.0, atol=1e-10 * size, err_msg=f"{name} {column}")
        assert {"spring_motion_ratio.strut.right", "compliance_axle_patch", "roll_centre_height"} <= {*one_side}


def test_an_opposed_force_leaves_parallel_toe_unchanged():
    """Both wheels pulled outwards: neither the mean steer angle nor the difference of anything across changes."""
    for on in (strut(), axle()):
        case = CASE["lateral_opposed"]
        found = design_gradients(on, [case], axle_record(on, on.rest, on.still(1)))[0]
        assert abs(found["mean_steer"]) < 1e-15
        assert found["toe.left"] == pytest.approx(found["toe.right"], rel=1e-9) != 0.0
        made = setting(on, case, np.array([3000.0]))
        rest = near(on, near(on, on.rest, setting(on, case, np.array([1500.0]))), made)
        columns, _ = quietly(axle_record(on, rest, made, second=False))
        assert abs(columns["mean_steer"][0]) < 1e-12
        assert columns["toe.left"][0] == pytest.approx(columns["toe.right"][0], abs=1e-12)


def test_compliances_that_are_quoted_are_gradients_of_the_cases():
    on = strut()
    record = axle_record(on, on.rest, on.still(1))
    design, _ = quietly(record)
    lateral = design_gradients(on, [CASE["lateral_opposed"]], record)[0]
    # metrics pull along the wheel, which has a toe of 0.03 deg, the rig across the body
    assert lateral["toe.left"] == pytest.approx(design["toe_per_lateral_opposed.left"][0], rel=1e-3)
    torque = design_gradients(on, [CASE["aligning_opposed"]], record)[0]
    assert torque["toe.left"] == pytest.approx(design["toe_per_aligning_opposed.left"][0], rel=1e-9)
    load = design_gradients(on, [CASE["vertical"]], record)[0]
    assert 1.0 / load["centre_vertical.left"] == pytest.approx(design["wheel_rate.left"][0], rel=1e-4)
