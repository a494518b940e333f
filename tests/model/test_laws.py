import math

import pytest
from helpers_laws import law
from helpers_model import defaults, double_pendulum
from helpers_stiff import C12, K1, stiff_pendulum
from hypothesis import assume, given
from hypothesis import strategies as st

from fmu_src.errors import StepError
from fmu_src.model.law_parts import integral, interpolate
from fmu_src.model.laws import check_laws, element_force, element_slopes, force_only, table_x
from fmu_src.model.reduced_model import Element

X = [-0.5, 0.1, 0.4, 1.0]
F = [-20.0, -4.0, 30.0, 200.0]
KINK = 5e-3  # [N] a law of 500 N/m may set in within a difference of 1e-5 m
STOP_X, STOP_F = [0.0, 0.1, 0.3], [0.0, 10.0, 100.0]


def element(kind, *parameters):
    return Element("spring.x", "m", (law(kind, tuple(range(len(parameters)))),)), list(parameters)


def force(kind, parameters, s, sdot=0.0):
    made, values = element(kind, *parameters)
    both = element_force(made, values, s, sdot)
    assert force_only(made, values, s, sdot) == both[0]
    return both


CASES = {
    "spring": (100.0, 0.3),
    "spring_table": (0.3, *X, *F),
    "stop_below": (500.0, 0.2),
    "stop_below_table": (0.2, *STOP_X, *STOP_F),
    "stop_above": (500.0, 0.4),
    "stop_above_table": (0.4, *STOP_X, *STOP_F),
    "linear": (2000.0,),
    "linear_table": (*X, *F),
    "constant": (30.0,),
}


def test_each_law_has_the_force_that_is_documented():
    assert force("spring", (100.0, 0.3), 0.1)[0] == pytest.approx(20.0)
    assert force("spring_table", (0.3, *X, *F), 0.05)[0] == pytest.approx(13.0)  # table(0.25)
    assert force("stop_below", (500.0, 0.2), 0.15)[0] == pytest.approx(25.0)
    assert force("stop_below", (500.0, 0.2), 0.25)[0] == 0.0
    assert force("stop_below_table", (0.2, *STOP_X, *STOP_F), 0.0)[0] == pytest.approx(55.0)
    assert force("stop_below_table", (0.2, *STOP_X, *STOP_F), 0.3)[0] == 0.0
    assert force("stop_above", (500.0, 0.4), 0.45)[0] == pytest.approx(-25.0)
    assert force("stop_above", (500.0, 0.4), 0.35)[0] == 0.0
    assert force("stop_above_table", (0.4, *STOP_X, *STOP_F), 0.45)[0] == pytest.approx(-5.0)
    assert force("stop_above_table", (0.4, *STOP_X, *STOP_F), 0.35)[0] == 0.0
    assert force("linear", (200.0,), 0.1)[0] == pytest.approx(-20.0)
    assert force("linear_table", (*X, *F), 0.4)[0] == pytest.approx(-30.0)
    assert force("constant", (30.0,), 0.4)[0] == 30.0
    assert force("damper", (30.0,), 0.0, 2.0) == (-60.0, 0.0)
    assert force("damper_table", (*X, *F), 0.0, 0.4) == (-30.0, 0.0)


@pytest.mark.parametrize("kind", CASES)
@given(s=st.floats(-3.0, 3.0))
def test_force_is_minus_the_slope_of_the_potential(kind, s):
    h = 1e-5
    made, values = element(kind, *CASES[kind])
    up, down = (element_force(made, values, s + d, 0.0)[1] for d in (h, -h))
    assert element_force(made, values, s, 0.0)[0] == pytest.approx(-(up - down) / (2 * h), abs=KINK)


@pytest.mark.parametrize("kind", [*CASES, "damper", "damper_table"])
@given(s=st.floats(-3.0, 3.0), sdot=st.floats(-3.0, 3.0))
def test_slopes_are_those_of_the_force(kind, s, sdot):
    corners = (*X, *STOP_X, 0.2, 0.4, *(0.3 - x for x in X), *(0.2 - x for x in STOP_X), *(0.4 + x for x in STOP_X))
    h = 1e-6
    assume(all(min(abs(s - c), abs(sdot - c)) > 2 * h for c in corners))
    made, values = element(kind, *CASES.get(kind, (*X, *F) if kind == "damper_table" else (30.0,)))
    along, rate = element_slopes(made, values, s, sdot)
    up, down, faster, slower = (
        force_only(made, values, s + d, sdot + v) for d, v in ((h, 0.0), (-h, 0.0), (0.0, h), (0.0, -h))
    )
    assert along == pytest.approx((up - down) / (2 * h), abs=1e-4)
    assert rate == pytest.approx((faster - slower) / (2 * h), abs=1e-4)


@pytest.mark.parametrize("kind", CASES)
def test_potentials_are_zero_at_rest(kind):
    rest = {"spring": 0.3, "spring_table": 0.3, "stop_below": 5.0, "stop_below_table": 5.0}
    rest = rest.get(kind, -5.0 if kind.startswith("stop") else 0.0)
    assert force(kind, CASES[kind], rest)[1] == 0.0


def test_a_stop_whose_table_starts_above_zero_keeps_its_documented_force_and_a_fitting_potential():
    values = (0.2, 0.0, 0.1, 5.0, 15.0)  # table(0) = 5
    free, pressed = force("stop_below_table", values, 0.3), force("stop_below_table", values, 0.1)
    assert free[0] == 5.0 and pressed[0] == 15.0
    assert pressed[1] - free[1] == pytest.approx(5.0 * 0.1 + 1.0)  # work of the force between the two


@given(st.floats(-2.0, 2.0))
def test_tables_are_continuous_and_their_end_slopes_continue(u):
    assert interpolate(X, F, u) == pytest.approx(interpolate(X, F, u + 1e-9), abs=1e-5)
    first, last = (F[1] - F[0]) / (X[1] - X[0]), (F[-1] - F[-2]) / (X[-1] - X[-2])
    assert interpolate(X, F, -5.0) == pytest.approx(F[0] + first * (-5.0 - X[0]))
    assert interpolate(X, F, 5.0) == pytest.approx(F[-1] + last * (5.0 - X[-1]))
    assert [interpolate(X, F, x) for x in X] == pytest.approx(F)


def test_the_integral_of_a_table_by_hand():
    x, f = [0.0, 1.0, 2.0], [0.0, 1.0, 3.0]
    assert integral(x, f, 1.0) == pytest.approx(0.5)
    assert integral(x, f, 2.0) == pytest.approx(2.5)
    assert integral(x, f, 3.0) == pytest.approx(6.5)
    assert integral(x, f, -1.0) == pytest.approx(0.5)  # the first slope continues


def test_laws_of_an_element_add_up():
    both = Element("spring.x", "m", (law("spring", (0, 1)), law("stop_above", (2, 3)), law("damper", (4,))))
    f, v = element_force(both, [100.0, 0.0, 1000.0, 0.5, 7.0], 0.6, 2.0)
    assert f == pytest.approx(-60.0 - 100.0 - 14.0)
    assert v == pytest.approx(18.0 + 5.0)


def test_a_huge_deflection_is_infinite_not_an_exception():
    assert force("spring", (1.0, 0.0), 1e200)[1] == math.inf


def test_a_tuned_table_must_ascend_and_the_message_names_the_parameter():
    model = double_pendulum()
    values = defaults(model)
    check_laws(model, values)
    found = model.elements[1].laws[0]
    assert [model.parameters[i].name for i in table_x(found)] == [f"damper.tip.x[{i}]" for i in (1, 2, 3)]
    values[table_x(found)[1]] = 1.0
    with pytest.raises(StepError, match=r"'damper.tip.x\[3\]' = 1 must be above 'damper.tip.x\[2\]' = 1"):
        check_laws(model, values)


def test_a_parameter_that_is_not_a_number_is_named():
    model = double_pendulum()
    values = defaults(model)
    values[3] = math.nan
    with pytest.raises(StepError, match="'spring.tip.k' is nan"):
        check_laws(model, values)


def test_a_tuned_bushing_must_not_give_energy_away():
    """Switching off a direction whose couplings are left makes its matrix indefinite."""
    model = stiff_pendulum()
    for number, what in ((K1, "stiffness"), (C12, "damping")):
        values = defaults(model)
        check_laws(model, values)
        values[number] = 0.0 if number == K1 else 5.0
        with pytest.raises(StepError, match=f"the {what} of 'bushing.mount' is indefinite"):
            check_laws(model, values)
