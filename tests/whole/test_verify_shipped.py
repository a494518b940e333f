"""`kinetab verify` of every mechanism that we ship: covered, compared, passed."""

import pytest
from helpers import MECHANISMS
from helpers_baked import baked

from fmu_src.build.python_fmu import build_fmu
from precompute.mechanism_file import load
from precompute.running.input_table import read_inputs
from precompute.verify.verification import verify

ALL = sorted((*MECHANISMS.glob("*.toml"), *(MECHANISMS / "short").glob("*.toml")))

pytestmark = [pytest.mark.fmu, pytest.mark.slow]


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_every_shipped_mechanism_passes(path, tmp_path):
    mechanism = load(path)
    found = verify(build_fmu(baked(mechanism), tmp_path / "x.fmu"), mechanism_file=path)
    assert found.passed, found.faults
    assert found.kinematics.configurations >= 200 and min(c.share for c in found.kinematics.coverage) > 0.95
    least = 0.5 if mechanism.bushings else 0.8
    assert all(c.share > least or c.limited_by for c in found.dynamics.coverage)
    assert min(c.share for c in found.dynamics.coverage) > least  # nothing limits any of these


def test_a_bump_and_a_sine_steer_pass(tmp_path):
    fmu = build_fmu(baked(load(MECHANISMS / "double_wishbone.toml")), tmp_path / "x.fmu")
    found = verify(fmu, inputs=read_inputs(MECHANISMS / "double_wishbone_inputs.csv", fmu))
    assert found.passed and found.dynamics.stop == 2.0
    assert min(c.share for c in found.dynamics.coverage) > 0.2
