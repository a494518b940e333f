import pytest

from precompute.formulas.syntax import MOST_NESTED, NEGATIVE, Call, FormulaError, Name, Number, parse


def shown(tree):
    """With every bracket."""
    match tree:
        case Number(value):
            return f"{value:g}"
        case Name(name):
            return name
        case Call(function, (a,)) if function == NEGATIVE:
            return f"(-{shown(a)})"
        case Call(function, arguments) if function.isalnum():
            return f"{function}({', '.join(map(shown, arguments))})"
        case Call(function, (a, b)):
            return f"({shown(a)} {function} {shown(b)})"


@pytest.mark.parametrize(
    "text, tree",
    [
        ("1 + 2*3 - 4", "((1 + (2 * 3)) - 4)"),
        ("a - b - c", "((a - b) - c)"),
        ("a / b / c * d", "(((a / b) / c) * d)"),
        ("-x^2", "(-(x ^ 2))"),
        ("2^-1", "(2 ^ (-1))"),
        ("a^b^c", "(a ^ (b ^ c))"),
        ("-a*b", "((-a) * b)"),
        ("a * -b", "(a * (-b))"),
        ("+--a", "(-(-a))"),
        ("(a + b)*.5e-3", "((a + b) * 0.0005)"),
        ("ecu.command*sin(2*pi*x)", "(ecu.command * sin(((2 * 3.14159) * x)))"),
        ("if(s_rate >= 0, c1, c2)*s_rate", "(if((s_rate >= 0), c1, c2) * s_rate)"),
        ("max(a, b, 0)", "max(a, b, 0)"),
        (" curve( x )", "curve(x)"),
        ("-negative(x)", "(-negative(x))"),
    ],
)
def test_a_formula_is_read_as_people_mean_it(text, tree):
    assert shown(parse(text)) == tree


@pytest.mark.parametrize(
    "text, column, message",
    [
        ("", 1, "ends too early"),
        ("k*", 3, "ends too early"),
        ("k*(s", 5, r"ends too early; '\)' is missing"),
        ("k s", 3, "'s' is not expected here"),
        ("k**2", 2, "powers are written"),
        ("a == b", 3, "compare with"),
        ("a $ b", 3, "'\\$' has no meaning"),
        ("a > b", 3, "first argument of if"),
        ("if(a, b, c)", 5, "begins with a comparison"),
        ("if(a > b > c, 1, 2)", 10, "not expected"),
        ("sqrt(a, b)", 1, "has 2 arguments, it takes 1"),
        ("min(a)", 1, r"min\(\) has 1 argument, it takes 2 or more"),
        ("1e999", 1, "too large"),
        ("a.b.c", 4, r"'\.' has no meaning"),
        ("é", 1, "has no meaning"),
        ("(" * 61 + "1" + ")" * 61, 61, "nested more than"),
        ("-" * 100 + "1", 61, "nested more than"),
    ],
)
def test_a_mistake_is_told_with_its_place(text, column, message):
    with pytest.raises(FormulaError, match=message) as caught:
        parse(text)
    assert caught.value.column == column


def test_no_text_is_too_deep_for_python():
    for text in ("(" * 300, "-" * 300 + "1", "2^" * 150 + "1", "abs(" * 150):
        with pytest.raises(FormulaError, match=f"more than {MOST_NESTED}"):
            parse(text)
