"""The force of a rod under a bar between two sides: its slope is one side's, what the bar measures is of both."""

import pytest
from helpers import ROOT
from helpers_baked import baked

from fmu_src.build.python_fmu import build_fmu
from precompute.mechanism_file import load
from precompute.verify.verification import verify

PATH = ROOT / "tests" / "mechanisms" / "two_rockers.toml"


def test_what_a_bar_does_to_a_load_is_tabulated():
    certificate = baked(load(PATH)).certificate
    errors = {column.column: column.value_error for column in certificate.columns}
    assert ("arm_left",) in certificate.axes and ("arm_left", "arm_right") in certificate.axes
    for side in ("left", "right"):
        assert errors[f"load.rod.push_{side}.force.s.spring.bar"] < certificate.tolerance


@pytest.mark.fmu
@pytest.mark.slow
def test_the_forces_are_those_of_the_full_model(tmp_path):
    found = verify(build_fmu(baked(load(PATH)), tmp_path / "x.fmu"))
    assert found.passed, found.faults
