"""What formulas are worth in the full model, against closed forms and against the programs of the FMU."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from helpers_elements import element

from fmu_src.model import programs
from fmu_src.model.programs import Entry, FormulaFailure
from precompute.errors import MechanismError, PrecomputeError
from precompute.formulas.compiling import program
from precompute.formulas.syntax import parse
from precompute.model.devices import DeviceTable
from precompute.reference.devices.formulas import NoValueError, value
from precompute.reference.devices.newton import NoRootError, newton
from precompute.reference.devices.reading import Elements, Formula, Reading, Symbol, reading

NAMES = {"x": 0.7, "y": -1.3, "w": 0.4, "z": 0.0}
CURVE = DeviceTable("curve", [-1.0, 0.0, 2.0], [1.0, 0.5, 3.0])


def scope(**more):
    """Where x, y, w and z have values, and a table is."""
    return SimpleNamespace(number=(NAMES | more).__getitem__, table=lambda name: CURVE)


TEXTS = {
    "x + y*w - 2": 0.7 - 1.3 * 0.4 - 2,
    "-x^2": -0.49,
    "2^-1": 0.5,
    "x^0.5 + x^y": 0.7**0.5 + 0.7**-1.3,
    "y^3 + y^-2": (-1.3) ** 3 + 1 / 1.69,
    "min(x, y, w) + max(x, y, w) + abs(y)": -1.3 + 0.7 + 1.3,
    "sqrt(x) + exp(y) + log(x)": math.sqrt(0.7) + math.exp(-1.3) + math.log(0.7),
    "sin(x) + cos(y) + tanh(x*y)": math.sin(0.7) + math.cos(-1.3) + math.tanh(-0.91),
    "atan2(y, x)": math.atan2(-1.3, 0.7),
    "atan2(z, -x)": math.pi,
    "sign(x, w) + sign(y, w)": 0.0,
    "sign(x/10, w)": 0.5 * 0.175 * (3 - 0.175**2),
    "if(x > y, x, log(y))": 0.7,
    "if(x <= y, 1/z, w)": 0.4,
    "curve(-3) + curve(-0.5) + curve(2) + curve(6)": 2.0 + 0.75 + 3.0 + 8.0,
    "pi*(x - w)/(x + w)": math.pi * 0.3 / 1.1,
}


@pytest.mark.parametrize("text", TEXTS)
def test_values(text):
    assert value(parse(text), scope()) == pytest.approx(TEXTS[text], rel=1e-15, abs=1e-15)


@pytest.mark.parametrize("text", TEXTS)
def test_values_and_slopes_are_those_of_the_programs_of_fmus(text):
    tree, order = parse(text), list(NAMES)
    made = program(tree, order.index, {"curve": 0})
    slots = [Entry(NAMES[name], np.eye(4)[i].tolist()) for i, name in enumerate(order)]
    table = programs.Table(tuple(CURVE.x.tolist()), tuple(CURVE.y.tolist()))
    found = programs.run(made.code, made.constants, [table], slots)
    assert value(tree, scope()) == pytest.approx(found.value, rel=1e-14, abs=1e-15)
    slopes = [value(tree, scope(**{name: NAMES[name] + 1e-30j})).imag / 1e-30 for name in order]
    np.testing.assert_allclose(slopes, found.slope, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize(
    "text", ["1/z", "z^-1", "z^y", "sqrt(y)", "log(z)", "y^x", "sign(x, z)", "exp(1000)", "exp(700)*exp(700)", "1/0"]
)
def test_what_has_no_value_has_none_in_both(text):
    with pytest.raises(NoValueError) as ours:
        value(parse(text), scope())
    made, order = program(parse(text), list(NAMES).index, {}), list(NAMES)
    with pytest.raises(FormulaFailure) as theirs:
        programs.run(made.code, made.constants, [], [Entry(NAMES[name], []) for name in order])
    assert str(ours.value) == str(theirs.value)


def test_elements_read_one_another_wherever_they_stand():
    first = element("first", on=(), outputs={"a": "b + second.c", "b": "2*k"}, k=3.0)
    second = element("second", on=(), outputs={"c": "first.b*x"}, rates={"x": "-x"}, starts={"x": 5.0})
    alone = element("alone", on=(), outputs={"d": "k"}, k=1.0)
    elements = Elements.of([first, alone, second])
    assert [[device.name for device in group] for group in elements.groups] == [["first", "second"], ["alone"]]
    given = {Symbol("first", "k"): 3.0, Symbol("second", "x"): 5.0}
    assert Reading(elements, given).of("first", "a") == 36.0
    assert Reading(elements, dict(given)).of("alone", "second.c") == 30.0


def test_what_cannot_be_read_is_said():
    with pytest.raises(MechanismError, match=r"elements.e.outputs.a: .* ends too early"):
        Elements.of([element(on=(), outputs={"a": "1 +"})])
    ring = Elements.of([element(on=(), outputs={"a": "b", "b": "a"})])
    with pytest.raises(MechanismError, match="needs itself"):
        Reading(ring, {}).of("e", "a")
    with pytest.raises(MechanismError, match="there is no symbol 'k'"):
        Reading(Elements.of([element(on=(), outputs={"a": "k"})]), {}).of("e", "a")
    with pytest.raises(PrecomputeError, match="element 'e': its formula outputs.a divides by zero"):
        Reading(Elements.of([element(on=(), outputs={"a": "1/0"})]), {}).formula(Formula("e", "outputs", "a"))


def test_unknowns_vanish_their_residuals_in_reach_of_the_guess():
    """Three springs in series: two points between them that have no mass, one spring of third order."""
    chain = element("e", on=(), residuals={"u": "k*u - 3*(v - u)", "v": "3*(v - u) - 2*(s - v)^3"}, k=1.0)
    elements = Elements.of([chain])
    found, u = reading(elements, {Symbol("e", "k"): 1.0, Symbol("e", "s"): 2.0}, [0.0, 0.0])
    assert u[0] == pytest.approx(3 * (u[1] - u[0]), abs=1e-14)
    assert u[0] == pytest.approx(2 * (2.0 - u[1]) ** 3, abs=1e-13)
    assert found.of("e", "v") == u[1]
    two = Elements.of([element("e", on=(), residuals={"u": "u^2 - 4"})])
    assert [reading(two, {}, [guess])[1][0] for guess in (1.0, -0.1)] == [2.0, -2.0]
    none = Elements.of([element("e", on=(), residuals={"u": "u^2 + 4"})])
    with pytest.raises(PrecomputeError, match=r"the unknowns 'e.u' were not found"):
        reading(none, {}, [1.0])
    with pytest.raises(PrecomputeError, match="are not determined by their residuals"):
        reading(Elements.of([element("e", on=(), residuals={"u": "3"})]), {}, [1.0])


def test_what_does_not_change_by_itself_stays_on_the_way_to_rest():
    """Two chambers whose gas goes from one to the other, and a third state that nothing moves."""

    def rates(x):
        return [-3.0 * (x[0] - 2.0 * x[1]), 3.0 * (x[0] - 2.0 * x[1]), 0.0 * x[2]]

    found = newton(rates, [9.0, 0.0, 7.0], [1.0, 1.0, 1.0], [1e-6] * 3)
    np.testing.assert_allclose(found, [6.0, 3.0, 7.0], rtol=1e-9)
    with pytest.raises(NoRootError, match="are not determined"):
        newton(rates, [9.0, 0.0, 7.0], [1.0, 1.0, 1.0])
    with pytest.raises(NoRootError, match="have rates that nothing stops"):
        newton(lambda x: [x[0], 1.0 + 0.0 * x[1]], [0.3, 0.0], [1.0, 1.0], [1e-6] * 2)
