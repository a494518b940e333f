"""Laws that are given by their force at design, equation (5) of law_parts: closed forms, derivatives, limits."""

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers_model import crank_slider
from hypothesis import assume, given
from hypothesis import strategies as st

from fmu_src.errors import StepError, TableFormatError
from fmu_src.model.law_parts import CURVES, deflection, interpolate
from fmu_src.model.laws import check_laws, design_force, free_value, law_force, law_potential, law_slopes
from fmu_src.model.model_checks import check_model
from fmu_src.model.reduced_model import Law, Parameter

DESIGN = 0.7  # [m]
H = 1e-6  # of differences [m]
LINE = Law("compression", "both", "linear", (0,), preload=1, design=DESIGN)
numbers = st.floats(-50.0, 50.0)


def table_law(n):
    return Law("compression", "both", "table", tuple(range(1, 2 * n + 1)), preload=0, design=DESIGN)


@st.composite
def tables(draw):
    """x and f of a table, and a force that it has between its ends."""
    n = draw(st.integers(2, 6))
    x = np.cumsum(draw(st.lists(st.floats(0.01, 0.5), min_size=n, max_size=n))) + draw(st.floats(-2.0, 0.5))
    f = draw(st.lists(numbers.map(lambda v: round(v, 3)), min_size=n, max_size=n))
    return x.tolist(), f, interpolate(x.tolist(), f, draw(st.floats(float(x[0]), float(x[-1]))))


@given(k=st.floats(0.0, 1e4), p=numbers, s=st.floats(-1.0, 2.0))
def test_a_linear_one_is_its_closed_form(k, p, s):
    x = DESIGN - s
    assert law_force(LINE, [k, p], s, 0.0) == p + k * x
    assert law_potential(LINE, [k, p], s) == pytest.approx(p * x + 0.5 * k * x * x, rel=1e-13, abs=1e-13)
    assert law_slopes(LINE, [k, p], s, 0.0) == (-k, 0.0)


@given(k=st.floats(0.0, 1e4), p=numbers)
def test_the_stiffness_does_not_change_the_force_at_design(k, p):
    assert law_force(LINE, [k, p], DESIGN, 0.0) == design_force(LINE, [k, p]) == p
    assert law_potential(LINE, [k, p], DESIGN) == 0.0


@given(k=st.floats(1.0, 1e4), p=numbers, s=st.floats(-1.0, 2.0))
def test_given_by_the_free_length_that_it_shows_it_is_the_same(k, p, s):
    free = free_value(LINE, [k, p])
    assert free == pytest.approx(DESIGN + p / k)
    other = Law("compression", "both", "linear", (0,), reference=1, design=DESIGN)
    assert law_force(other, [k, free], s, 0.0) == pytest.approx(law_force(LINE, [k, p], s, 0.0), abs=1e-9)
    assert design_force(other, [k, free]) == pytest.approx(p, abs=1e-9)
    gone = law_potential(other, [k, free], s) - law_potential(other, [k, free], DESIGN)
    assert law_potential(LINE, [k, p], s) == pytest.approx(gone, abs=1e-8)


@pytest.mark.parametrize("k", [0.0, 5e-324, 1e-310])
def test_without_a_stiffness_it_is_a_constant_force_and_nothing_is_infinite(k):
    assert law_force(LINE, [k, 30.0], 0.2, 0.0) == 30.0
    assert law_potential(LINE, [k, 30.0], 0.2) == pytest.approx(15.0)
    assert free_value(LINE, [k, 30.0]) == DESIGN


@given(table=tables())
def test_a_table_is_entered_where_it_has_the_force(table):
    x, f, force = table
    found = deflection(x, f, force)
    assert interpolate(x, f, found) == pytest.approx(force, abs=1e-9)
    for u in np.linspace(-abs(found), abs(found), 41)[1:-1]:  # nowhere nearer zero: no change of sign on the way
        gap = interpolate(x, f, float(u)) - force
        assert gap != 0.0 or math.isclose(abs(u), abs(found), abs_tol=1e-9)
        assert gap * (interpolate(x, f, 0.0) - force) > -1e-12


@given(table=tables(), s=st.floats(-2.0, 3.0))
def test_a_table_with_a_preload_is_the_table_along_its_deflection(table, s):
    x, f, force = table
    law, p, start = table_law(len(x)), [force, *x, *f], deflection(x, f, force)
    assert free_value(law, p) == DESIGN + start
    assert law_force(law, p, DESIGN, 0.0) == force
    assert law_force(law, p, s, 0.0) == pytest.approx(interpolate(x, f, start + DESIGN - s), abs=1e-8)
    assert law_potential(law, p, DESIGN) == 0.0
    assume(min(abs(start + DESIGN - s - corner) for corner in x) > 2 * H)
    up, down = (law_force(law, p, s + d, 0.0) for d in (H, -H))
    along, rate = law_slopes(law, p, s, 0.0)
    assert rate == 0.0 and along == pytest.approx((up - down) / (2 * H), rel=1e-5, abs=1e-3)
    work = law_potential(law, p, s + H) - law_potential(law, p, s - H)
    assert law_force(law, p, s, 0.0) == pytest.approx(-work / (2 * H), rel=1e-5, abs=1e-3)


def test_of_several_deflections_the_one_nearest_zero():
    x, f = [-1.0, 0.0, 1.0, 2.0, 3.0], [10.0, -10.0, 10.0, 10.0, -10.0]
    assert deflection(x, f, 0.0) == -0.5  # and 0.5 and 2.5
    assert deflection(x, f, 10.0) == pytest.approx(-1.0)  # and all from 1 to 2
    assert deflection([1.0, 2.0, 3.0], [5.0, 5.0, 9.0], 5.0) == 0.0  # the first piece goes on for ever
    assert deflection([-3.0, -2.0, -1.0], [1.0, 5.0, 5.0], 5.0) == 0.0  # and the last
    assert deflection([0.0, 1.0, 2.0, 3.0], [0.0, 5.0, 5.0, 0.0], 5.0) == 1.0
    assert math.isnan(deflection([0.0, 1.0, 2.0], [0.0, 5.0, 5.0], 6.0))
    assert math.isnan(deflection([0.0, 1.0], [0.0, 5e-324], 6.0))  # so far away that it is infinite


def with_table(preload):
    """The crank-slider with a table that ends flat."""
    model, first = crank_slider(nodes=12), len(crank_slider(nodes=12).parameters)
    values = {"preload": preload, "x[1]": 0.0, "x[2]": 0.1, "x[3]": 0.2, "f[1]": 5.0, "f[2]": 10.0, "f[3]": 5.0}
    more = tuple(Parameter(f"spring.slider.{name}", value, "1", "A number") for name, value in values.items())
    law = Law("compression", "both", "table", tuple(range(first + 1, first + 7)), preload=first, design=0.5)
    spring = replace(model.elements[0], laws=(law,))
    return replace(model, parameters=(*model.parameters, *more), elements=(spring, *model.elements[1:]))


def test_a_preload_that_a_table_never_has_is_refused_in_words():
    model = with_table(7.0)
    check_model(model)
    parameters = [11.0 if p.name == "spring.slider.preload" else p.value for p in model.parameters]
    with pytest.raises(
        StepError,
        match=r"parameter 'spring.slider.preload' = 11 is a force that the table of 'spring.slider' never has: it goes "
        r"from 5 to 10 and on with its end slopes; set another preload, or preload and table together",
    ):
        check_laws(model, parameters)
    with pytest.raises(TableFormatError, match="never has"):
        check_model(with_table(11.0))


@pytest.mark.parametrize(
    "changes",
    [
        {"side": "beyond"},
        {"argument": "rate"},
        {"curve": "constant", "parameters": (0,)},
        {"reference": 0},
        {"design": None},
        {"design": math.inf},
    ],
    ids=str,
)
def test_only_whole_springs_have_a_preload(changes):
    model = with_table(7.0)
    law = replace(model.elements[0].laws[0], **changes)
    spring = replace(model.elements[0], laws=(law,))
    with pytest.raises(TableFormatError, match=r"a preload; then|the design value inf"):
        check_model(replace(model, elements=(spring, *model.elements[1:])))


def test_curves_that_springs_may_have_can_be_inverted():
    assert {name for name, curve in CURVES.items() if curve.inverse} == {"linear", "table"}
