"""Stiff directions, bushings, drives and the chassis in the report of `kinetab check`."""

import json

import pytest
from helpers import MECHANISMS
from helpers_corner import document

from precompute.mechanism_file import from_document, load
from precompute.report.bushing_report import stiff_reports
from precompute.report.inspection import inspect
from precompute.report.report_text import text


def test_the_report_lists_stiff_directions_and_what_holds_them():
    report = inspect(from_document(document()))
    words = text(report)
    assert "Stiff directions, 2 in all (joint: direction and equivalent stiffness at design)" in words
    assert "  arm_mount (bushings front, rear): x 1200 N/mm, y 14000 N/mm" in words
    assert "rank 5 of 5 loop equations (2 hold stiff directions at zero)" in words
    assert "The ground is a moving chassis" in words
    assert "rack (joint rack): -20 mm to 20 mm, driven" in words
    assert json.loads(json.dumps(report.as_dict()))["stiff"][0]["bushings"] == ["front", "rear"]


def test_a_rigid_mechanism_has_no_such_section():
    assert "tiff" not in text(inspect(from_document(document(rack=False, stiff=False, chassis="fixed"))))


def test_sequences_and_rotations():
    links = stiff_reports(load(MECHANISMS / "five_link.toml"))
    assert [r.text() for r in links][1] == "trailing_mount (bushing trailing): [1] 1500 N/mm"
    top, arm = stiff_reports(load(MECHANISMS / "macpherson.toml"))
    assert top.directions == ("x", "y", "z") and arm.units[3:] == ("N m/rad", "N m/rad")
    assert arm.stiffness[0] == pytest.approx(1e6)  # of two bushings along their common axis
    assert "ry 6.7301e+06 N mm/deg" in arm.text()
