"""What `check` says of static deflections: the numbers that a bake confirms, and advice where it pays."""

from dataclasses import replace

import pytest
from helpers import ROOT
from helpers_baked import baked

from precompute.mechanism_file import load
from precompute.model.mechanism import TableSettings
from precompute.pipeline import survey
from precompute.report.expansion_report import Deflected, ExpansionReport, expansion_report
from precompute.report.inspection import inspect
from precompute.report.report_text import text

SOFT = ROOT / "tests" / "mechanisms" / "suspension_stiff.toml"
STIFF = ROOT / "tests" / "mechanisms" / "corner.toml"


def report(mechanism):
    found = survey(mechanism)
    return expansion_report(mechanism, found.atlas.pieces[0].coordinates, found.layouts[0].columns.fields, found.design)


def settings(mechanism, **changes):
    return replace(mechanism, tables=replace(mechanism.tables, **changes))


def test_a_bake_misses_as_much_as_is_said():
    m = settings(load(SOFT), stiff_tolerance=1e-5)  # so that Taylor's error is what is left
    said = report(m)
    (most,) = said.largest
    assert most.is_angle and most.name == "upper_arm.rz"
    for order in (2, 3):
        found = baked(settings(m, taylor=order)).starts[3].value
        assert abs(found / most.deflection - 1.0) == pytest.approx(said.errors[order - 1], rel=0.3)


def test_it_is_recommended_where_it_pays():
    said = text(inspect(load(SOFT)))
    assert "Static deflection, where the motion starts" in said and "0.0342 rad (upper_arm.rz)" in said
    assert 'recommended: tables.about = "static"' in said
    assert "recommended for loads that deflect as far again: tables.taylor = 3, 0.023 % instead of 0.098 %" in said
    assert "as the file asks" in text(inspect(settings(load(SOFT), about="static")))


def test_it_is_not_where_it_does_not():
    said = text(inspect(load(STIFF)))
    assert "at rest up to 0.421 mm (arm_mount.x)" in said and "recommended" not in said


def test_without_stiff_directions_nothing_is_said():
    m = load(ROOT / "integration" / "mechanisms" / "four_bar.toml")
    assert report(m) is None and "Static deflection" not in text(inspect(m))


def test_nothing_is_recommended_that_there_is_already():
    best = ExpansionReport((Deflected("a.x", 0.01, False),), (0.2, 0.1, 0.05), TableSettings(taylor=3, about="static"))
    assert best.advice() == ["tables are expanded about it, as the file asks"]
    coarse = replace(best, settings=TableSettings(taylor=1))
    assert "tables.taylor = 3, 5 % instead of 20 %" in coarse.advice()[1]
