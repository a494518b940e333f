"""What `kinetab verify` says, of findings made by hand."""

import json
from dataclasses import replace

import pytest

from precompute.plain import json_text
from precompute.report.verify_text import coverage_warnings, verified
from precompute.verify.findings import Coverage, Difference, DynamicCheck, KinematicCheck
from precompute.verify.limits import Limits
from precompute.verify.verification import Verification

GOOD = Difference("marker.wheel.r", "mm", 1e-4, "0.213 s", 120.0, 0.0112)
BAD = replace(GOOD, quantity="spring.coil.force", unit="N", error=7.0, limit=1.5)
NAN = replace(GOOD, error=float("nan"))


@pytest.fixture
def result():
    kinematics = KinematicCheck(256, (GOOD,), (Coverage("arm", "deg", (-29.0, 29.0), (-30.0, 30.0)),))
    dynamics = DynamicCheck(
        "led", 0.7, 1, 1e-14, (GOOD,), (GOOD,), 1e-3, 1e-4, (Coverage("arm", "deg", (-26.0, 26.0), (-30.0, 30.0)),),
        (), "", 0.0, (), (), "",
    )  # fmt: skip
    return Verification("Arm", Limits(relative=1e-5), kinematics, dynamics)


def moved(result, **changes):
    return replace(result, dynamics=replace(result.dynamics, **changes))


def test_the_last_line_is_the_verdict(result):
    text = verified(result)
    assert result.passed and text.endswith("\nPASS") and "ABOVE" not in text
    assert "covered arm 96.7 %: -29 to 29 deg of -30 to 30 deg" in text
    assert "covered arm 86.7 %: -26 to 26 deg of -30 to 30 deg" in text
    assert "Arm: errors are at most 0.893 % of their limits (marker.wheel.r)" in text


def test_an_error_above_its_limit_fails(result):
    found = moved(result, differences=(GOOD, BAD), own=(GOOD, BAD))
    text = verified(found)
    assert not found.passed and text.endswith("\nFAIL") and text.count("ABOVE") == 1
    assert found.faults == ("the motion differs by more than it may in spring.coil.force",)


@pytest.mark.parametrize("where", ["kinematics", "dynamics"])
def test_what_is_no_number_fails(result, where):
    found = replace(result, **{where: replace(getattr(result, where), differences=(NAN,))})
    assert not found.passed and verified(found).endswith("FAIL")
    assert json.loads(json_text(found.as_dict()))[where]["differences"][0]["error"] is None


def test_a_wrong_table_fails_and_is_listed(result):
    bad = replace(result.kinematics, differences=(*[GOOD] * 20, replace(GOOD, quantity="J", error=1.0)))
    text = verified(replace(result, kinematics=bad))
    assert "of 21 quantities, those above their limits:\n  J " in text and text.endswith("FAIL")


def test_steps_are_judged_more_mildly_than_tables(result):
    costly = replace(GOOD, error=5.0 * GOOD.limit)
    text = verified(moved(result, own=(costly,)))
    assert "own steps cost up to 5 times the limit (marker.wheel.r)" in text and text.endswith("PASS")
    found = moved(result, own=(replace(GOOD, error=11.0 * GOOD.limit),))
    assert found.faults == ("the FMU in its own steps of 0.001 s differs by more than it may in marker.wheel.r",)


def test_little_coverage_is_warned_of_and_none_fails(result):
    little = Coverage("arm", "deg", (0.0, 9.0), (-30.0, 30.0), "'mount' deflects")
    found = moved(result, coverage=(little,))
    assert found.passed and "limited: 'mount' deflects" in verified(found)
    assert list(coverage_warnings(found)) == ["the motion covers only 15 % of the table of arm, so it says little"]
    assert list(coverage_warnings(result)) == []
    none = moved(result, coverage=(replace(little, covered=(0.0, 0.1)),))
    assert none.faults == ("the motion covered nothing: no coordinate moved by 1 % of its table",)


def test_a_motion_that_ends_early_fails(result):
    found = moved(result, failure="at 0.2 s the two have parted")
    assert found.faults == ("the motion ended early: at 0.2 s the two have parted",)


def test_stiff_coordinates_are_summed_up(result):
    stiff = tuple(Coverage(f"mount.{x}", "mm", (-1.0, 1.0), (-1.0, 1.0)) for x in "xyz")
    kinematics = replace(result.kinematics, coverage=(*result.kinematics.coverage, *stiff))
    text = verified(replace(result, kinematics=kinematics))
    assert "covered 3 deflections up to their radius, each by 100 % at least" in text and "mount.x" not in text
