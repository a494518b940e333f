"""The list of metrics that a suspension engineer asks for: of each a definition, signs and a gradient."""

from dataclasses import replace

import numpy as np
import pytest
from helpers_kc import general, on_springs, parallel, perturbed

from precompute.kc.conventions import AXES, CONVENTIONS, matrix_factors
from precompute.kc.metric import MissingError
from precompute.kc.motion import axle_way
from precompute.kc.record import Choices, Record
from precompute.kc.registry import METRICS, evaluate, evaluate_all, gradient, in_convention

AXIS = [
    "caster", "kingpin_inclination", "scrub_radius", "spindle_length", "mechanical_trail", "caster_offset",
    "kingpin_offset",
]  # fmt: skip
RESPONSES = ["toe", "camber", "x", "y", "z"]
LOADS = [
    "lateral_parallel", "lateral_opposed", "lateral_single", "braking", "traction", "aligning_parallel",
    "aligning_opposed",
]  # fmt: skip
ANTI = ["anti_dive", "anti_lift", "anti_squat"]
ASKED = [
    "toe", "steer", "camber", "camber_front_view",
    *AXIS, *(f"{name}_geometric" for name in AXIS),
    "centre_longitudinal", "centre_lateral", "centre_vertical", "patch_longitudinal", "patch_lateral", "patch_vertical",
    "track", "track_change", "wheelbase_change",
    *(f"{view}_view_{what}" for view in ("side", "front") for what in ("ic_z", "swing_arm_length", "swing_arm_angle")),
    "side_view_ic_x", "front_view_ic_y",
    "roll_centre_height", "roll_centre_lateral", "roll_centre_height_force", "roll_centre_lateral_force",
    *ANTI, *(f"{name}_force" for name in ANTI),
    *(f"{e}_motion_ratio{change}" for e in ("spring", "damper", "stop", "bar") for change in ("", "_change")),
    "wheel_rate", "ride_rate", "ride_frequency",
    *(f"roll_stiffness{bar}{tyre}" for bar in ("", "_without_bar") for tyre in ("", "_with_tyre")),
    "bump_steer", "bump_camber", "roll_steer", "roll_camber",
    "ackermann_error", "ackermann_percentage", "turning_circle", "steering_ratio",
    *(f"moment_arm_{force}" for force in ("braking", "traction", "lateral", "vertical")),
    *(f"compliance_{of}_{at}" for of in ("wheel", "axle") for at in ("centre", "patch")),
    *(f"{response}_per_{load}" for load in LOADS for response in RESPONSES),
    "recession_rate", "lateral_stiffness",
]  # fmt: skip
"""What the docs promise, by name."""

GRADIENT = 1e-8
"""Relative error of a derivative by Richardson differences of the third order."""


@pytest.fixture(scope="module")
def off_design():
    """A steered, travelled axle on springs and rubber; and the same at the rear."""
    small = general()
    z = small.z0 + np.array([[0.08, -0.05, 0.02], [-0.1, 0.06, -0.03]])
    axle = on_springs(small.axle(z), 3e4, 2e-6)
    return axle, replace(axle, end="rear")


def test_every_metric_that_was_asked_for_is_there():
    assert set(ASKED) <= METRICS.keys()


@pytest.mark.parametrize("name", ASKED)
def test_a_metric_says_what_it_is(name):
    metric = METRICS[name]
    assert metric.definition.endswith(".") and len(metric.definition) > 30 and metric.source and metric.sign.positive
    assert [metric.sign.factor(convention) in (1, -1) for convention in CONVENTIONS] == [True] * 3
    assert metric.sign.factor("iso") == 1


def value_of(name, axles, shift):
    """All columns of a metric, over a batch, in one array, at records shifted by `shift` along one direction."""
    axle = axles[1] if METRICS[name].of == "axle" and name.startswith(("anti_lift", "anti_squat")) else axles[0]
    if name.startswith("anti_lift_drive"):
        axle = axles[0]
    moved = perturbed(axle, np.random.default_rng(7), shift)
    return np.concatenate([value.ravel() for value in evaluate(name, moved).values()])


@pytest.mark.parametrize("name", METRICS)
def test_complex_steps_are_richardson_differences(name, off_design):
    step = 1e-30
    exact = value_of(name, off_design, 1j * step).imag / step
    values = {h: (value_of(name, off_design, h) - value_of(name, off_design, -h)) / (2 * h) for h in (4e-4, 2e-4, 1e-4)}
    once = [(4 * values[b] - values[a]) / 3 for a, b in ((4e-4, 2e-4), (2e-4, 1e-4))]
    found = (16 * once[1] - once[0]) / 15
    size = np.abs(value_of(name, off_design, 0.0)) + np.abs(exact) + np.abs(exact).max()
    assert exact.size and np.isfinite(exact).all() and np.abs(exact).max() > 0
    assert np.abs(found - exact).max() <= GRADIENT * size.max()


OTHER = Choices(held="centre", contact="fixed", travel="patch", roll="ground", vertical="height")


@pytest.mark.parametrize("choices", [OTHER, Choices(held="patch", travel="patch")])
@pytest.mark.parametrize("name", ["caster", "scrub_radius", "bump_steer", "roll_camber", "spring_motion_ratio_change",
                                  "toe_per_lateral_single", "roll_centre_height_force"])  # fmt: skip
def test_the_same_with_other_choices(name, choices, off_design):
    def chosen(axle):
        return replace(axle, left=replace(axle.left, choices=choices), right=replace(axle.right, choices=choices))

    test_complex_steps_are_richardson_differences(name, [chosen(axle) for axle in off_design])


MOVING = [name for name, metric in METRICS.items() if metric.order != "statics" and not name.endswith("_change")]


@pytest.mark.parametrize("way", ["bump", "left", "roll", "steering"])
@pytest.mark.parametrize(
    "choices", [Choices(), Choices(held="centre", contact="fixed", travel="patch")], ids=["", "other"]
)
def test_gradients_are_richardson_differences_of_exact_solutions(way, choices):
    """Along the motion; all metrics of position and velocity at once, since solving takes the time."""
    small = general()
    z = small.z0 + np.array([0.05, -0.03, 0.03])
    at = small.axle(z[None], choices)
    a = axle_way(at, way)[0]
    unit = 0.004 / np.abs(a).max()  # a step of 4 mm, or 4 mrad
    steps = np.array([h * sign for h in (1.0, 0.5, 0.25, 0.125) for sign in (1, -1)]) * unit
    around = small.axle(z + steps[:, None] * a, choices)
    names = [n for n in (*MOVING, "track_change", "wheelbase_change") if not n.startswith(("anti_lift", "anti_squat"))]
    names += ["anti_lift_drive"]
    for name in names:
        for column, exact in gradient(name, at, way).items():
            value = evaluate(name, around)[column]
            level = (value[0::2] - value[1::2]) / (2 * steps[0::2])
            for power in (4, 16, 64):
                level = (power * level[1:] - level[:-1]) / (power - 1)
            size = np.abs(value).max() + np.abs(exact).max()
            assert abs(level[-1] - exact[0]) < GRADIENT * max(size, 1e-2), (column, level[-1], exact[0])


def test_change_of_motion_ratios_is_their_gradient():
    small = general()
    at = small.axle((small.z0 + np.array([0.05, -0.03, 0.015]))[None])
    for name in ("spring", "damper", "stop", "bar"):
        change = evaluate(f"{name}_motion_ratio_change", at)
        for side in ("left", "right"):
            slope = gradient(f"{name}_motion_ratio", at, side)
            for column, value in slope.items():
                if column.endswith(side):
                    expected = change[column.replace("_ratio.", "_ratio_change.")]
                    np.testing.assert_allclose(value, expected, rtol=1e-10, atol=1e-12)


def test_both_sides_of_a_symmetric_axle_are_the_same():
    small = general()
    axle = on_springs(small.axle(small.z0 + np.array([[0.06, 0.06, 0.0]])), 3e4)
    values, _ = evaluate_all(axle)
    words = {
        name for name, m in METRICS.items() if m.of != "axle" and m.unit != "matrix" and m.sign.factors == (1, 1, 1)
    }
    for column, value in values.items():
        name, _, where = column.partition(".")
        if name in words - {"roll_camber"} and where.endswith("left"):
            other = values[column.removesuffix("left") + "right"]
            np.testing.assert_allclose(value, other, rtol=1e-10, atol=1e-12, err_msg=column)
    np.testing.assert_allclose(values["roll_camber.left"], -values["roll_camber.right"], rtol=1e-10)
    np.testing.assert_allclose(values["steer.left"], -values["steer.right"], rtol=1e-10)
    assert abs(values["roll_centre_lateral"][0]) < 1e-10 and abs(values["roll_centre_lateral_force"][0]) < 1e-10


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_conventions_are_axes(convention, off_design):
    """Components turn with the axes; what has a sign by words stays as it is; a matrix turns on both sides."""
    values, _ = evaluate_all(off_design[0])
    found = in_convention(values, convention)
    x, y, z = AXES[convention]
    signs = {"toe.left": 1, "camber.left": 1, "steer.left": z, "patch_longitudinal.left": x, "roll_centre_lateral": y,
             "side_view_ic_x.left": x, "roll_steer.left": z * x, "x_per_braking.left": x, "roll_camber.left": x,
             "caster.left": 1, "roll_centre_height": 1, "track_change": 1}  # fmt: skip
    for column, sign in signs.items():
        np.testing.assert_array_equal(found[column], sign * values[column])
    Q = np.diag(np.tile([x, y, z], 4)).astype(float)
    C = values["compliance_axle_patch"]
    np.testing.assert_allclose(found["compliance_axle_patch"], Q @ C @ Q.T, rtol=1e-15)
    assert matrix_factors(convention, 6).shape == (6, 6) and np.linalg.det(Q[:3, :3]) == 1.0


def test_straight_ahead_and_with_parallel_arms_nothing_warns():
    """What is not defined there is infinite, or no number, in values and in gradients."""
    small = parallel()
    axle = on_springs(small.axle(small.z0[None]), 3e4)
    values, _ = evaluate_all(axle)
    assert np.isnan(values["ackermann_percentage"]).all() and np.isinf(values["front_view_ic_y.left"]).all()
    for name in (*MOVING, "track"):
        if not name.startswith(("anti_lift", "anti_squat")):
            for way in ("bump", "roll", "steering"):
                gradient(name, axle, way)


def test_what_is_missing_is_said():
    small = general()
    axle = small.axle(small.z0[None])
    still = Record(axle.left.wheel, axle.left.centre, axle.left.R, axle.left.road)
    for name, record, words in [
        ("anti_dive", replace(axle, vehicle=None), "anti_dive needs \\[vehicle\\]"),
        ("anti_dive", replace(axle, vehicle=replace(axle.vehicle, cg_height=None)), "cg_height of \\[vehicle\\]"),
        ("anti_dive", replace(axle, end=None), 'end = "front" or "rear"'),
        ("anti_squat", axle, "a rear axle; 'axle' is at the front"),
        ("ackermann_error", replace(axle, vehicle=None), "wheelbase of \\[vehicle\\]"),
        ("wheel_rate", axle, "springs or bushings"),
        ("toe_per_braking", axle.left, "an axle: name its wheel in \\[axles\\]"),
        ("caster_geometric", replace(axle.left, balls=None), "two balls that carry wheel 'left'"),
        ("bump_steer", still, "needs velocities"),
        ("caster", replace(axle.left, elements=()), "a spring at wheel 'left', or its centre or patch"),
    ]:  # fmt: skip
        with pytest.raises(MissingError, match=words):
            evaluate(name, record)
    _, missing = evaluate_all(replace(axle, vehicle=None))
    assert {"anti_dive", "ackermann_percentage", "turning_circle", "wheel_rate"} <= missing.keys()
    with pytest.raises(MissingError, match="toe needs an axle for its gradient along 'roll'"):
        gradient("toe", axle.left, "roll")
    with pytest.raises(MissingError, match="compliances at other points"):
        gradient("wheel_load", axle, "bump")


def test_a_record_checks_its_shapes():
    small = general()
    record = small.axle(small.z0[None]).left
    with pytest.raises(ValueError, match=r"W of wheel 'left' has shape \(6, 3\), expected \(1, 6, 3\)"):
        replace(record, W=record.W[0])
    with pytest.raises(ValueError, match="value of 'coil'"):
        replace(record, elements=(replace(record.elements[0], value=np.zeros(2)),))
    with pytest.raises(ValueError, match="recorded along 3 rates; travel and steering are 2 conditions"):
        evaluate("bump_steer", replace(record, steering=None))
