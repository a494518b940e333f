"""Metrics as text: the list, the page of definitions and signs, the foot of tables."""

import re
from dataclasses import replace

import pytest
from helpers_kc import VEHICLE, general

from precompute.kc.conventions import CONVENTIONS, TOE
from precompute.kc.display import SHOWN, SHOWN_ANGULAR, is_angular, shown
from precompute.kc.footer import Taken, footer
from precompute.kc.listing import PAGE, groups, list_text, page, sign_table
from precompute.kc.metric import REGISTERED, metric
from precompute.kc.position import toe
from precompute.kc.record import AxleRecord, Choices, Complex
from precompute.kc.registry import METRICS, evaluate


def test_the_page_has_all_definitions_and_signs():
    text = PAGE.read_text(encoding="utf-8")
    assert page(text) == text, "run: python -m precompute.kc.listing"
    for name, each in METRICS.items():
        assert text.count(f'<a id="{name}"></a>') == 1
        assert each.definition in text


def test_the_table_of_signs_shows_every_metric_in_three_conventions():
    rows = sign_table().splitlines()[2:]
    assert len(rows) == len(METRICS)
    for row, each in zip(rows, METRICS.values(), strict=True):
        words = [cell.strip() for cell in row.strip("|").split(" | ")][1:]
        assert words == [each.sign.words(c) for c in CONVENTIONS] and all(words), each.name
        for convention, word in zip(CONVENTIONS, words, strict=True):
            assert (word == words[0]) == (each.sign.factor(convention) == 1)


def test_the_list_has_unit_order_and_definition_of_each():
    text = list_text()
    for name, each in METRICS.items():
        assert f"  {name}  [" in text and each.definition in " ".join(text.split())
    assert sum(len(metrics) for metrics in groups().values()) == len(METRICS)
    assert "  caster  [deg]  velocity, per wheel\n" in text
    assert "  steering_ratio  [mm/deg or deg/deg]" in text


def test_adding_one_is_one_function_and_one_line(axle):
    """The example of the page, run as it stands there."""
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)[1]
    names = {"metric": metric, "TOE": TOE, "toe": toe, "AxleRecord": AxleRecord, "Complex": Complex}
    try:
        exec(code, names)
        added = REGISTERED["total_toe"]
        assert added.definition == "Sum of the toe angles of both wheels."
        assert evaluate(added, axle)["total_toe"] == sum(evaluate("toe", axle).values())
    finally:
        REGISTERED.pop("total_toe", None)
    assert page(PAGE.read_text(encoding="utf-8")) == PAGE.read_text(encoding="utf-8")


def test_units_of_tables():
    assert {each.unit for each in METRICS.values()} == SHOWN.keys()
    small = general()
    axle = small.axle(small.z0[None])
    for name, unit in (("toe", "deg"), ("bump_steer", "deg/m"), ("toe_per_braking", "deg/kN"), ("track", "mm")):
        assert shown(METRICS[name]).unit == unit
    ratio = METRICS["spring_motion_ratio"]
    (column,) = evaluate(ratio, axle.left)
    turned = replace(axle.left, elements=tuple(replace(e, angular=True) for e in axle.left.elements))
    assert not is_angular(ratio, column, axle.left) and is_angular(ratio, column, turned)
    assert shown(ratio, True) is SHOWN_ANGULAR["measure/m"]
    rack = METRICS["steering_ratio"]
    column_ = replace(axle.left, steering=replace(axle.left.steering, angular=True))
    assert not is_angular(rack, "steering_ratio", axle.left) and is_angular(rack, "steering_ratio", column_)


@pytest.fixture
def axle():
    small = general()
    return small.axle(small.z0[None])


def chosen(axle, **choices):
    left, right = (replace(wheel, choices=Choices(**choices)) for wheel in axle.wheels)
    return replace(axle, left=left, right=right)


def test_the_foot_of_a_table_says_all_that_was_chosen(axle):
    text = "\n".join(footer(axle))
    for words in [
        "ISO 8855 (x forward, y left, z up)", "toe-in", "outboard", "screw axis", "the spring's length held",
        "Road: level plane", "loaded radius 300 mm", "lowest point of the disc", "Travel: of the wheel centre",
        "tangents", "Per wheel", "per axle", "relative to the body", "braking at the contact point, torque outboard",
        "driving at the wheel centre, torque inboard", "Compliance: about each point", "wheel loads constant",
        "do not count; dampers do not", "based on the inner wheel",
    ]:  # fmt: skip
        assert words in text, words
    assert len(footer(axle)) == 12


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda a: footer(a, "sae"), "SAE J670 (x forward, y right, z down)"),
        (lambda a: footer(a, "adams"), "Adams/Car (x rearward, y right, z up)"),
        (lambda a: footer(chosen(a, held="centre")), "the height of the wheel centre held"),
        (lambda a: footer(chosen(a, held="patch")), "the height of the contact point held"),
        (lambda a: footer(chosen(a, contact="fixed")), "fixed to the carrier"),
        (lambda a: footer(chosen(a, travel="patch")), "Travel: of the contact point"),
        (lambda a: footer(chosen(a, roll="ground")), "relative to the ground"),
        (lambda a: footer(chosen(a, vertical="height")), "heights of the contact points held"),
        (lambda a: footer(replace(a, mirrored=True)), "one side by symmetry"),
        (lambda a: footer(replace(a, left=replace(a.left, steering=None))), "the axle is not steered"),
        (lambda a: footer(replace(a, vehicle=replace(VEHICLE, drive_torque="outboard"))),
         "driving at the contact point, torque outboard"),
        (lambda a: footer(a, "iso", Taken(secant="10 mm")), "secants, with a step of 10 mm"),
        (lambda a: footer(a, "iso", Taken(pose="design under 4 kN")), "about design under 4 kN"),
        (lambda a: footer(a, "iso", Taken(weights=True)), "Weights of the bodies count"),
        (lambda a: footer(a, "iso", Taken(elastic=False)), "bushings locked"),
    ],
)  # fmt: skip
def test_it_changes_with_what_was_chosen(axle, change, words):
    assert words in "\n".join(change(axle)) and words not in "\n".join(footer(axle))
