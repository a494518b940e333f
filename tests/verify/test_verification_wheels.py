"""Loads on a wheel, in an FMU and in the full model."""

import pytest
from helpers_baked import baked
from helpers_corner import document

from fmu_src.build.native_fmu import build_native_fmu
from precompute.mechanism_file import from_document
from precompute.verify.verification import verify

pytestmark = pytest.mark.fmu

LOADS = {"F[1]": -1500.0, "F[2]": 800.0, "F[3]": 4000.0, "M[3]": 30.0, "torque": -400.0, "road.n[2]": 0.1}


def test_a_braked_wheel_on_a_leaning_road(tmp_path):
    mechanism = document(rack=False, stiff=False, chassis="fixed")
    wheel = {"body": "upright", "centre": [2, 765, 312], "camber": -1, "radius": 310}  # at no marker
    mechanism["wheels"] = {"front": wheel}
    fmu = build_native_fmu(baked(from_document(mechanism)), tmp_path / "corner.fmu")
    values = {f"wheel.front.{name}": value for name, value in LOADS.items()}
    found = verify(fmu, stop=0.02, values={**values, "port.wheel.F[3]": 0.0}, free=True)
    contact = next(d for d in found.differences if d.quantity == "wheel.front.contact.r")
    assert not found.kinematics.faults
    assert contact.span > 1.0 and contact.error < 1e-3  # mm
    without = verify(fmu, stop=0.02, values={"port.wheel.F[3]": 4000.0}, free=True)
    assert max(d.error for d in found.differences if d.unit in ("mm", "deg")) < 1e-3
    assert abs(next(d for d in without.differences if d.quantity == "wheel.front.contact.r").span - contact.span) > 0.1
