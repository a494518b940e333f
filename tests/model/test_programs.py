"""Programs of formulas: values against Python's mathematics, slopes against differences, which programs are none."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fmu_src.model.programs import ARGUMENTS, Entry, FormulaFailure, Op, Table, problem, run
from precompute.formulas.compiling import program
from precompute.formulas.syntax import parse

SLOTS = ("x", "y", "w")
CURVE = Table((-1.0, 0.0, 2.0), (1.0, 0.5, 3.0))


def compiled(text):
    return program(parse(text), SLOTS.index, {"curve": 0})


def evaluated(text, *numbers):
    made = compiled(text)
    slots = [Entry(value, row) for value, row in zip(numbers, np.eye(3).tolist(), strict=True)]
    return run(made.code, made.constants, [CURVE], slots)


@pytest.mark.parametrize(
    "text, exact",
    [
        ("x + y*w - x/y", lambda x, y, w: x + y * w - x / y),
        ("-x^3 + y^-2 + x^0", lambda x, y, w: -(x**3) + y**-2 + 1),
        ("y^w + x^1.5", lambda x, y, w: y**w + x**1.5),
        ("min(x, y, w) + 2*max(x, y, w)", lambda x, y, w: min(x, y, w) + 2 * max(x, y, w)),
        ("abs(-x) + sqrt(y) + exp(w) + log(x)", lambda x, y, w: x + math.sqrt(y) + math.exp(w) + math.log(x)),
        (
            "sin(x)*cos(y) + atan2(x, w) + tanh(w)",
            lambda x, y, w: math.sin(x) * math.cos(y) + math.atan2(x, w) + math.tanh(w),
        ),
        ("sign(x - y, 0.3) + sign(x, 10)", lambda x, y, w: math.copysign(1, x - y) + 0.05 * x * (3 - (x / 10) ** 2)),
        (
            "curve(x) + curve(-5) + curve(3*w)",
            lambda x, y, w: np.interp(x, [-1, 0, 2], [1, 0.5, 3]) + 3.0 + 3 + 1.25 * (3 * w - 2),
        ),
        ("if(x < y, w, if(x >= w, 2*x, 3))", lambda x, y, w: w if x < y else 2 * x if x >= w else 3),
        ("if(x <= x, 1, 1/0) + if(y > y, log(-1), pi)", lambda x, y, w: 1 + math.pi),
    ],
)
def test_values_and_slopes(text, exact):
    at = np.array([1.3, 0.6, 0.9])
    found = evaluated(text, *at.tolist())
    assert found.value == pytest.approx(exact(*at), rel=1e-14)
    for i, step in enumerate(np.eye(3) * 1e-6):
        rise = (exact(*(at + step)) - exact(*(at - step))) / 2e-6
        assert found.slope[i] == pytest.approx(rise, rel=1e-7, abs=1e-7)


def test_a_sign_is_smooth_within_its_width():
    for x in (-1.0, -0.3, 0.0, 0.2, 0.999, 1.5):
        v = min(max(x / 0.5, -1.0), 1.0)
        found = evaluated("sign(x, 0.5)", x, 0.0, 0.0)
        assert found.value == pytest.approx(0.5 * v * (3 - v * v))
        assert found.slope[0] == pytest.approx(1.5 * (1 - v * v) / 0.5)


@pytest.mark.parametrize(
    "text, message",
    [
        ("1/x", "divides by zero"),
        ("x^-1", "divides by zero"),
        ("x^(y - 2)", "divides by zero"),
        ("sqrt(-y)", "square root of a negative"),
        ("log(x)", "logarithm"),
        ("(-y)^0.5", "power that is no number"),
        ("exp(1000*y)", "is not finite"),
        ("(1e200*y)^2", "is not finite"),
        ("sign(y, x)", "width"),
        ("1e-200*(y*1e-200)^-1*1e-10 + (1e200*w)*(1e200*w)", "is not finite"),
    ],
)
def test_what_has_no_value_is_told(text, message):
    with pytest.raises(FormulaFailure, match=message):
        evaluated(text, 0.0, 1.0, 1.0)


def test_at_a_corner_slopes_are_those_of_one_side():
    for text in ("sqrt(x)", "abs(x)", "max(x, 0)", "x^0.5", "if(x > 0, x, 0)", "curve(x)"):
        assert all(math.isfinite(slope) for slope in evaluated(text, 0.0, 1.0, 1.0).slope)


NUMBER, SLOT, ADD, JUMP, UNLESS = (int(op) for op in (Op.NUMBER, Op.SLOT, Op.ADD, Op.JUMP, Op.JUMP_UNLESS))

BAD = {
    "nothing": (),
    "half": (NUMBER,),
    "unknown": (99, 0),
    "negative": (-1, 0),
    "empty stack": (ADD, 0),
    "one argument": (NUMBER, 0, ADD, 0),
    "two left": (NUMBER, 0, NUMBER, 0),
    "constant": (NUMBER, 1),
    "slot": (SLOT, 2),
    "table": (NUMBER, 0, int(Op.TABLE), 0),
    "power": (NUMBER, 0, int(Op.WHOLE_POWER), 65),
    "back": (NUMBER, 0, NUMBER, 0, UNLESS, 1),
    "beyond": (NUMBER, 0, NUMBER, 0, UNLESS, 4),
    "unequal": (NUMBER, 0, UNLESS, 4, NUMBER, 0, JUMP, 4, NUMBER, 0),
    "unreached": (NUMBER, 0, JUMP, 3, NUMBER, 0),
    "deep": (NUMBER, 0) * 33 + (ADD, 0) * 32,
    "long": (NUMBER, 0) + (int(Op.NEGATE), 0) * 1024,
}


@pytest.mark.parametrize("case", BAD)
def test_a_program_that_cannot_run_is_refused(case):
    assert problem(BAD[case], 1, 2, 0)


def drawn(steps):
    """A program that leaves one entry, of some steps that fit."""
    code, depth = [], 0
    for op, operand in steps:
        if op in (JUMP, UNLESS) or depth < ARGUMENTS[op] or depth >= 30:
            continue
        code += [op, operand % 2 if op in (NUMBER, SLOT) else 0 if op == Op.TABLE else operand]
        depth += 1 - ARGUMENTS[op]
    return [*code, *(NUMBER, 0) * (not depth), *(ADD, 0) * (depth - 1)]


@settings(max_examples=500, deadline=None)
@given(
    steps=st.lists(st.tuples(st.sampled_from(list(Op)), st.integers(-3, 3)), max_size=30),
    place=st.integers(0, 80),
    number=st.integers(-2, 30),
)
def test_a_program_without_a_problem_runs(steps, place, number):
    """Also where one of its numbers is another: none is looked at outside of its place, and one entry is left."""
    code = [int(n) for n in drawn(steps)]
    assert problem(code, 2, 2, 1) is None
    code[place % len(code)] = number
    if problem(code, 2, 2, 1) is None:
        try:
            run(code, [0.5, 2.0], [CURVE], [Entry(0.3, [1.0, 0.0]), Entry(-0.7, [0.0, 1.0])])
        except FormulaFailure:
            pass
