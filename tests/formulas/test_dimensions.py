import pytest

from precompute.formulas.dimensions import check, dimension_of
from precompute.formulas.syntax import parse

UNITS = {"k": "N/m", "c": "N.s/m", "s": "m", "v": "m/s", "F": "N", "a": "rad", "n": "1", "A": "m2", "p": "Pa", "i": "A"}
UNITS |= {"R": "Ohm", "U": "V", "free": "", "V": "m3"}


def problems(text, result=""):
    found = check(parse(text), lambda name: dimension_of(UNITS.get(name, "")), dimension_of(result))
    return [(error.column, error.message) for error in found]


@pytest.mark.parametrize(
    "text, result",
    [
        ("k*s + c*v - F", "N"),
        ("k*(s - 0.35)", "N"),
        ("k*(v - F/c)", "N/s"),
        ("F^2/c", "W"),
        ("sqrt(p*A*F)", "N"),
        ("A^0.5", "m"),
        ("min(F, 0, k*s)", "N"),
        ("sin(a)*s", "m"),
        ("atan2(s, 0.1)", "rad"),
        ("sign(v, 0.01)*F", "N"),
        ("if(v > 0, c*v, 2*c*v)", "N"),
        ("U - R*i", "V"),
        ("free*s + F", "N"),
        ("free", "N"),
        ("F + 3", "N"),
        ("2", "N"),
        ("p*V^1.4", ""),
        ("n^free", "1"),
        ("2^(F/F)", "1"),
        ("s^(free*v)", ""),
        ("1/(2*s)*s", "1"),
        ("(V/A)^-1*s", "1"),
        ("-40*v - s/2", "N"),
    ],
)
def test_units_that_fit(text, result):
    assert problems(text, result) == []


@pytest.mark.parametrize(
    "text, result, column, message",
    [
        ("k*s + v", "N", 5, "'+' joins N and m/s"),
        ("k*s", "m", 2, "has the unit N, but m is needed"),
        ("exp(s)", "1", 1, "takes a number without a unit, not m"),
        ("max(s, v)", "m", 1, "max() joins m and m/s"),
        ("if(s > v, 1, 2)", "1", 6, "'>' joins m and m/s"),
        ("if(v > 0, s, F)", "m", 1, "if() joins m and N"),
        ("atan2(s, F)", "1", 1, "atan2() joins m and N"),
        ("sign(v, s)", "1", 1, "sign() joins m/s and m"),
        ("sqrt(k*s)*s", "N", 10, "has the unit"),
        ("2^s", "1", 3, "a power has an exponent without a unit, not m"),
        ("n^(-F/s)", "1", 6, "a power has an exponent without a unit, not N/m"),
    ],
)
def test_units_that_do_not_fit(text, result, column, message):
    found = problems(text, result)
    assert len(found) == 1 and found[0][0] == column and message in found[0][1]
