"""Other engines run the suspensions of benchmarks/mechanisms and agree with the independent full model."""

from __future__ import annotations

import numpy as np
import pytest
from engines import common
from engines.truth import Truth, truth

SHORT = 20  # [ms] of the manoeuvre

# Errors of the wheel centre over its displacement, less than half a millimetre so early, and of toe [rad]
SOFT = (3e-4, 1e-7)  # MuJoCo: soft constraints
EXACT = (1e-5, 1e-8)  # Pinocchio
SWINGING = (2e-3, 3e-6)  # Exudyn: a load F(t - T/2) instead of one held over T moves the wheel T^2/12 F/m less


@pytest.fixture(scope="module", params=common.NAMES)
def short(request: pytest.FixtureRequest) -> Truth:
    return truth(request.param, SHORT, 1e-8)


def test_the_start_is_at_rest(short: Truth) -> None:
    moved = np.linalg.norm(short.motion.r - short.motion.r[0], axis=1)
    assert moved[1] < 1e-9  # the first force is the static one
    assert moved[-1] > 1e-4


def test_forces_have_the_same_impulse_at_every_step() -> None:
    impulses = [step * common.forces(SHORT, step).sum(axis=0) for step in (2e-3, 1e-3, 1e-4)]
    np.testing.assert_allclose(impulses[1:], impulses[:-1], rtol=1e-12)


def test_mujoco(short: Truth) -> None:
    pytest.importorskip("mujoco")
    from engines.mujoco_model import MujocoCase, Settings

    check(MujocoCase(short, Settings("RK4", 5e-4)), SOFT)


def test_exudyn(short: Truth) -> None:
    pytest.importorskip("exudyn")
    from engines.exudyn_model import ExudynCase, Settings

    check(ExudynCase(short, Settings("trapezoidal", 5e-4, 1e-8)), SWINGING)


def test_pinocchio(short: Truth) -> None:
    pytest.importorskip("pinocchio")
    from engines.pinocchio_model import PinocchioCase, built

    if not built():
        pytest.skip("its loop is not compiled; python -m engines does that")
    check(PinocchioCase(short, "RK4", "constraintDynamics", 5e-4), EXACT)
    check(PinocchioCase(short, "RK4", "lcaba", 5e-4), EXACT)


def check(case: common.Case, allowed: tuple[float, float]) -> None:
    assert case.errors[0] < allowed[0]
    assert case.errors[1] < allowed[1]
    assert case.time_once() > 0.0
