"""Argument, side and curve against closed forms of each law, and what is written from their lists."""

import numpy as np
import pytest
from helpers_laws import KINDS, law
from hypothesis import given
from hypothesis import strategies as st

from fmu_src.build.law_files import HEADER, PAGE, header, page
from fmu_src.model.law_parts import ARGUMENTS, CURVES, SIDES, argument_unit, parameter_unit, size_problem
from fmu_src.model.laws import is_linear, law_force, law_potential, law_slopes
from fmu_src.model.units import exponents

H = 1e-6  # of differences [m or m/s]


def table(p, u):
    """Piecewise linear through the points behind p[0], which is the reference."""
    x, f = np.array(p[1:]).reshape(2, -1)
    i = min(max(int(np.searchsorted(x, u, "right")) - 1, 0), len(x) - 2)
    return f[i] + (u - x[i]) * (f[i + 1] - f[i]) / (x[i + 1] - x[i])


FORCES = {
    "spring": lambda p, s, _: p[0] * (p[1] - s),
    "spring_table": lambda p, s, _: table(p, p[0] - s),
    "stop_below": lambda p, s, _: p[0] * max(p[1] - s, 0.0),
    "stop_below_table": lambda p, s, _: table(p, max(p[0] - s, 0.0)),
    "stop_above": lambda p, s, _: -p[0] * max(s - p[1], 0.0),
    "stop_above_table": lambda p, s, _: -table(p, max(s - p[0], 0.0)),
    "linear": lambda p, s, _: -p[0] * s,
    "linear_table": lambda p, s, _: -table([0.0, *p], s),
    "constant": lambda p, _s, _: p[0],
    "damper": lambda p, _, sdot: -p[0] * sdot,
    "damper_table": lambda p, _, sdot: -table([0.0, *p], sdot),
}

POTENTIALS = {
    "spring": lambda p, s: 0.5 * p[0] * (p[1] - s) * (p[1] - s),
    "stop_below": lambda p, s: 0.5 * p[0] * max(p[1] - s, 0.0) * max(p[1] - s, 0.0),
    "stop_above": lambda p, s: 0.5 * p[0] * max(s - p[1], 0.0) * max(s - p[1], 0.0),
    "linear": lambda p, s: 0.5 * p[0] * s * s,
    "constant": lambda p, s: -p[0] * s,
    "damper": lambda _p, _s: 0.0,
    "damper_table": lambda _p, _s: 0.0,
}
"""Those without a table; the others are checked by their slope."""

SLOPES = {
    "spring": lambda p, _: (-p[0], 0.0),
    "stop_below": lambda p, s: (-p[0] if s < p[1] else 0.0, 0.0),
    "stop_above": lambda p, s: (-p[0] if s > p[1] else 0.0, 0.0),
    "linear": lambda p, _: (-p[0], 0.0),
    "constant": lambda _p, _s: (0.0, 0.0),
    "damper": lambda p, _: (0.0, -p[0]),
}


def random_law(kind, seed):
    """A law of a kind and its parameters."""
    rng = np.random.default_rng(seed)
    *_, curve, has_reference = KINDS[kind]
    if curve == "table":
        n = int(rng.integers(2, 6))
        numbers = [*([rng.normal()] if has_reference else []), *np.sort(rng.normal(size=n)), *(30 * rng.normal(size=n))]
    else:
        numbers = [rng.uniform(10.0, 90.0), *([rng.normal()] if has_reference else [])]
    return law(kind, tuple(range(len(numbers)))), [float(number) for number in numbers]


seeds, motion = st.integers(0, 2**32), st.floats(-3.0, 3.0)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds, s=motion, sdot=motion)
def test_a_law_is_its_closed_form_to_the_last_bit(kind, seed, s, sdot):
    made, p = random_law(kind, seed)
    assert law_force(made, p, s, sdot) == FORCES[kind](p, s, sdot)
    if kind in POTENTIALS:
        assert law_potential(made, p, s) == POTENTIALS[kind](p, s)
    if kind in SLOPES:
        assert law_slopes(made, p, s, sdot) == SLOPES[kind](p, s)


def corners(kind, p):
    """Where the force of a law has a corner, over s or sdot."""
    argument, _, curve, has_reference = KINDS[kind]
    at = 0.0 if not has_reference else p[0] if curve == "table" else p[1]
    x = p[has_reference:][: (len(p) - has_reference) // 2] if curve == "table" else []
    return [at, *(at - u if argument == "compression" else at + u for u in x)]


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds, s=motion, sdot=motion)
def test_slopes_are_differences_of_forces_and_forces_of_potentials(kind, seed, s, sdot):
    made, p = random_law(kind, seed)
    if min(abs(x - c) for x in (s, sdot) for c in corners(kind, p)) < 2 * H:
        return
    up, down, faster, slower = (
        law_force(made, p, s + d, sdot + v) for d, v in ((H, 0.0), (-H, 0.0), (0.0, H), (0.0, -H))
    )
    along, rate = law_slopes(made, p, s, sdot)
    tolerance = 1e-9 * (abs(up) + 1e3) / H  # rounding of the differences
    assert along == pytest.approx((up - down) / (2 * H), rel=1e-6, abs=tolerance)
    assert rate == pytest.approx((faster - slower) / (2 * H), rel=1e-6, abs=tolerance)
    if made.argument != "rate":
        work = law_potential(made, p, s + H) - law_potential(made, p, s - H)
        assert law_force(made, p, s, sdot) == pytest.approx(-work / (2 * H), rel=1e-6, abs=tolerance)


def test_linear_laws_are_straight_and_on_both_sides():
    assert {kind for kind in KINDS if is_linear(random_law(kind, 0)[0])} == {"spring", "linear", "constant", "damper"}


@pytest.mark.parametrize("curve", CURVES)
def test_a_curve_says_the_truth_about_itself(curve):
    """Integral, value and slope fit each other; straight ones have one slope; so many parameters as it lists."""
    found = CURVES[curve]
    p = [2.0] * len(found.single) + [-1.0, 0.5, 2.0, -3.0, 1.0, 40.0] * found.table
    v = np.linspace(-2.0, 2.0, 41)
    slopes = [found.slope(p, x) for x in v]
    assert (np.ptp(slopes) == 0.0) == found.linear
    assert found.integral(p, 0.0) == 0.0
    for x in v + 0.013:  # away from corners
        value, slope = ((f(p, x + H) - f(p, x - H)) / (2 * H) for f in (found.integral, found.value))
        assert (value, slope) == pytest.approx((found.value(p, x), found.slope(p, x)), rel=1e-6, abs=1e-6)
    assert size_problem(curve, len(p)) is None
    assert size_problem(curve, len(p) + 1) and size_problem(curve, 0)


def test_units_of_parameters():
    assert [parameter_unit("m", "extension", n) for n in range(3)] == ["N", "N/m", "N/m2"]
    assert [parameter_unit("rad", "rate", n) for n in range(3)] == ["N.m", "N.m.s/rad", "N.m.s2/rad2"]
    assert [argument_unit("rad", argument) for argument in ARGUMENTS] == ["rad", "rad", "rad/s"]
    for argument in ARGUMENTS:
        for power in range(4):
            assert exponents(parameter_unit("m", argument, power)) is not None


def test_the_kernels_list_and_the_page_are_up_to_date():
    assert header() == HEADER.read_text(encoding="utf-8"), "run: python -m fmu_src.build.law_files"
    assert page() == PAGE.read_text(encoding="utf-8"), "run: python -m fmu_src.build.law_files"
    for name in (*ARGUMENTS, *SIDES, *CURVES):
        assert f"`{name}`" in page() and f"({name.upper()}, {name}" in header()
