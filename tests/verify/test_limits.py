from dataclasses import replace

import pytest

from precompute.verify.limits import Limits, promised


def test_a_limit_has_an_absolute_and_a_relative_part():
    limits = Limits(mm=0.02, deg=0.03, newton=2.0, relative=1e-3)
    assert limits.allowed("mm", 100.0, small=False) == pytest.approx(0.02 + 0.1)
    assert limits.allowed("deg", 10.0, small=False) == pytest.approx(0.03 + 0.01)
    assert limits.allowed("N", 1000.0, small=True) == pytest.approx(2.0 + 10.0)
    assert limits.allowed("N m", 0.0, small=True) == 2.0


def test_the_relative_part_is_what_the_model_promises(baked):
    model = baked("four_bar")
    assert promised(model) == pytest.approx(10.0 * model.certificate.tolerance)
    assert Limits().of(model) == Limits(relative=promised(model))
    assert Limits(relative=0.0).of(model).relative == 0.0
    from fmu_src.model.reduced_model import StiffInfo

    rubber = replace(model, stiff=(StiffInfo("d", "m", 1e-3, "", tolerance=2e-3),))
    assert promised(rubber) == 2e-3
