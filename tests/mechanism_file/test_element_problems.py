"""What is said about faulty elements: all mistakes at once, those of formulas with line and column."""

import dataclasses
import re
import tomllib

import numpy as np
import pytest
from helpers_element_files import CORNER, corner
from hypothesis import given, settings
from hypothesis import strategies as st

from precompute.errors import MechanismError
from precompute.mechanism_file import from_document, loads, to_document
from precompute.model.devices import Device, DeviceForce, DeviceNumber, DeviceOutput, DeviceState, DeviceTable
from precompute.model.mechanism import JointCoordinate

FIRST = CORNER.count("\n") + 1
"""The line on which what is added begins."""


def problems(added: str) -> list[str]:
    with pytest.raises(MechanismError) as caught:
        loads(CORNER + added, "corner.toml")
    return list(caught.value.problems)


def line(number: int) -> str:
    return f"line {FIRST + number - 1}"


ALL = """[elements.damper]
on = { s = "spring.shock.length" }
parameters = { k = "400 N/mmm", c = { value = 1, min = 2 } }
inputs = { valve = { start = 3, max = 2 } }
states = { F = { rate = "k*(s_rate - F/(c*vlave))" }, G = { start = 1 } }
forces = { s = "-F", z = "3" }
outputs = { loss = "F*F/(c*valve", x = "mount.F + mout.F" }

[elements.mount]
type = "maxwel"
on = "spring.shock.length"

[elements.ring]
outputs = { a = "b + 1", b = "2*a" }

[markers.wheel]
body = "hubb"
at = "Q"
"""


def test_all_mistakes_come_at_once_with_line_and_column() -> None:
    assert problems(ALL) == [
        f"{line(3)}, elements.damper.parameters.k: is '400 N/mmm': there is no unit 'mmm' here; did you mean 'mm'?",
        f"{line(3)}, elements.damper.parameters.c.value: is 1; its min is 2",
        f"{line(4)}, elements.damper.inputs.valve.start: is 3; its max is 2",
        f"{line(5)}, elements.damper.states.G: 'rate' is missing; write for example rate = \"(s - x)/T\"",
        f"{line(5)}, column 43: elements.damper.states.F.rate: there is no symbol 'vlave'; did you mean 'valve'?",
        f"{line(6)}, elements.damper.forces.z: there is no measure 'z' in its `on`; known: s",
        f"{line(7)}, column 33: elements.damper.outputs.loss: the formula ends too early; ')' is missing",
        f"{line(7)}, column 51: elements.damper.outputs.x: there is no element 'mout'; did you mean 'mount'?",
        f"{line(10)}, elements.mount.type: is 'maxwel'; did you mean 'maxwell'?",
        f"{line(14)}, elements.ring.outputs.a: is part of an algebraic loop: ring.a needs ring.b needs ring.a; break "
        "it by a state, which takes time, or make one of them an unknown with a residual",
        f"{line(17)}, markers.wheel.body: there is no body 'hubb'; did you mean 'hub'?",
    ]


def test_without_a_text_the_column_is_that_of_the_formula() -> None:
    document = to_document(corner('[elements.e]\non = "joint.pivot"\noutputs = { y = "s" }'))
    document["elements"]["e"]["outputs"]["y"] = "2*q"
    with pytest.raises(MechanismError) as caught:
        from_document(document)
    assert caught.value.problems == (
        "elements.e.outputs.y: there is no symbol 'q'; known: pi, s, s_rate, y (at column 3 of the formula)",
    )


@pytest.mark.parametrize(
    "written", ["'1 + q'", '"""\n  1 +\n q"""', "'''1 + q'''", '{ text = "so", formula = "1 + q" }', '"\t1 + q"']
)
def test_columns_are_those_of_the_file(written: str) -> None:
    added = f'[elements.e]\non = "joint.pivot"\noutputs = {{ y = {written} }}'
    (found,) = problems(added)
    where = re.match(r"line (\d+), column (\d+): elements\.e\.outputs\.y.*: there is no symbol 'q'", found)
    assert where and (CORNER + added).split("\n")[int(where[1]) - 1][int(where[2]) - 1] == "q"


def test_where_a_text_has_escapes_the_column_is_that_of_the_formula() -> None:
    (found,) = problems('[elements.e]\non = "joint.pivot"\noutputs = { y = "\\u0031 + q" }')
    assert found == (
        f"{line(3)}, elements.e.outputs.y: there is no symbol 'q'; known: pi, s, s_rate, y (at column 5 of the formula)"
    )


FAULTS = [
    # what it is connected to
    ('on = "spring.shok.length"', ["line 2, elements.e.on: there is no spring 'shok'; did you mean 'shock'?"]),
    (
        'on = { s = "joint.pivt", t = { between = ["ground", "hubb"], at = ["P", "Q"] } }',
        [
            "line 2, elements.e.on.s: there is no joint 'pivt'; did you mean 'pivot'?",
            "line 2, elements.e.on.t.between[2]: there is no body 'hubb'; did you mean 'hub'?",
        ],
    ),
    (
        'on = { "2" = "joint.pivot" }',
        [
            "line 2, elements.e.on.2: '2' is a name that formulas cannot read; use letters, digits and underscores, "
            "starting with a letter"
        ],
    ),
    ("", ["line 1, elements.e: has neither measures nor states nor outputs: it does nothing"]),
    (
        'on = { a = "joint.slide", b = "joint.slide", c = "joint.slide", d = "joint.slide", e = "joint.slide", '
        'f = "joint.slide", g = "joint.slide" }',
        ["line 2, elements.e.on: names 7 measures; an element is connected to 6 at most"],
    ),
    # symbols
    (
        'on = { s = "joint.pivot", F = "joint.slide" }\nparameters = { k = 1, pi = 3 }\n'
        'states = { F = "s", s_rate = "k" }',
        [
            "line 3, elements.e.parameters.pi: 'pi' is a name that has a meaning of its own in formulas or in FMUs; "
            "choose another",
            "line 4, elements.e.states.F: this symbol is a measure already; rename one",
            "line 4, elements.e.states.s_rate: this symbol is the rate of a measure already; rename one",
        ],
    ),
    (
        'parameters = { k = 1 }\noutputs = { k = "2" }\ntables = { sin = [[0, 0], [1, 1]], c = [[0, 0], [0, 1]] }',
        [
            "line 3, elements.e.outputs.k: this symbol is one of the parameters already; rename one",
            "line 4, elements.e.tables.sin: 'sin' is a name that has a meaning of its own in formulas or in FMUs; "
            "choose another",
            "line 4, elements.e.tables.c[2]: its x is 0 after 0; the first column must ascend",
        ],
    ),
    # numbers and units
    (
        'on = "joint.pivot"\nparameters = { a = true, b = "3,5 N", c = { value = "3 mm", unit = "N" }, '
        "d = { value = 1, most = 2 } }",
        [
            'line 3, elements.e.parameters.a: is true; it must be a number, or one with a unit, for example "400 N/mm"',
            "line 3, elements.e.parameters.b: is '3,5 N': '3,5 N' has a decimal comma; write a point",
            "line 3, elements.e.parameters.c.value: is '3 mm': mm is no unit of a force (N), but of a length",
            "line 3, elements.e.parameters.d.most: unknown key; known: max, min, text, unit, value",
        ],
    ),
    (
        'states = { F = { rate = "1", unit = "kN" }, x = { rate = "1", start = "3 mm" } }\n'
        'unknowns = { u = { residual = "u", nominal = 0 } }',
        [
            "line 2, elements.e.states.F.unit: is 'kN'; formulas are in SI, so write \"N\"",
            "line 2, elements.e.states.x.start: is '3 mm', but its unit is not said; add unit = \"m\"",
            "line 3, elements.e.unknowns.u.nominal: is 0; it must be positive",
        ],
    ),
    (
        'on = "spring.shock.length"\nparameters = { k = "3 N/mm" }\nforces = { s = "-k*s - k*s_rate" }\n'
        'outputs = { p = { formula = "k*s", unit = "W" }, q = "sin(s)" }',
        [
            "line 4, column 22: elements.e.forces.s: '-' joins N and N/s",
            "line 5, column 31: elements.e.outputs.p.formula: has the unit N, but W is needed",
            "line 5, column 55: elements.e.outputs.q: sin() takes a number without a unit, not m",
        ],
    ),
    # formulas
    (
        'on = "joint.pivot"\noutputs = { a = 3, b = "if(s, 1, 2)", c = "s ** 2", d = "squrt(s)", e = "t + 1" }',
        [
            'line 3, elements.e.outputs.a: is 3; it must be a formula in quotes, for example "-k*s"',
            "line 3, column 29: elements.e.outputs.b: ',' is not expected here; if() begins with a comparison, for "
            "example if(x > 0, a, b)",
            "line 3, column 46: elements.e.outputs.c: powers are written ^",
            "line 3, column 58: elements.e.outputs.d: there is no function or table 'squrt'; did you mean 'sqrt'?",
            "line 3, column 74: elements.e.outputs.e: there is no time in formulas; make it an input",
        ],
    ),
    (
        f'outputs = {{ long = "{"1+" * 400}1", deep = "{"(" * 70}1{")" * 70}", wide = "{"1-(" * 40}1{")" * 40}" }}',
        [
            "line 2, elements.e.outputs.wide: is too deep: it needs more than 32 intermediate results at once; divide "
            "it by outputs that it reads",
            "line 2, column 421: elements.e.outputs.long: is too long: more than 400 numbers, names and signs; divide "
            "it by outputs that it reads",
            "line 2, column 893: elements.e.outputs.deep: is nested more than 60 deep",
        ],
    ),
    # ready types
    (
        'type = "maxwell"\nstates = { F = "s" }\nparalel = 3\ndamping = -1',
        [
            "line 1, elements.e: 'on' is missing; write for example on = \"spring.shock.length\"",
            "line 1, elements.e: 'stiffness' is missing",
            "line 3, elements.e.states: an element of type 'maxwell' has no 'states'; known: damping, on, parallel, "
            "reference, stiffness, type",
            "line 4, elements.e.paralel: unknown key; did you mean 'parallel'?",
            "line 5, elements.e.damping: is -1; it must be positive",
        ],
    ),
    (
        'type = "maxwell"\non = "joint.pivot"\nstiffness = "400 N/mm"\ndamping = "1 kg"',
        [
            "line 4, elements.e.stiffness: is '400 N/mm': N/mm is no unit of a stiffness against rotation (N.m/rad or "
            "N.m/deg), but of a stiffness",
            "line 5, elements.e.damping: is '1 kg': kg is no unit of a damping of rotation (N.m.s/rad), but of a mass",
        ],
    ),
    (
        'type = "maxwell"\non = { s = "joint.pivot", z = "joint.slide" }\nstiffness = 1\ndamping = 1',
        ["line 3, elements.e.on: names s, z; 'maxwell' has one measure, called s"],
    ),
    (
        'type = "air_spring"\non = "joint.pivot"\npressure = 1\nvolume = 1\narea = 1\nreference = 1\nexponent = 0.5',
        [
            "line 3, elements.e.on: is an angle; 'air_spring' acts on lengths",
            "line 8, elements.e.exponent: is 0.5; it must be 1 at least",
        ],
    ),
    (
        'on = "spring.shock.length"\noil_stiffness = 400',
        ['line 3, elements.e.oil_stiffness: unknown key without a type; an element has it with type = "monotube"'],
    ),
]


@pytest.mark.parametrize(("text", "said"), FAULTS, ids=range(len(FAULTS)))
def test_each_fault_is_told_in_plain_words(text: str, said: list[str]) -> None:
    found = problems(f"[elements.e]\n{text}\n")
    assert found == [f"{line(int(told.split(',')[0].split()[1]))},{told.partition(',')[2]}" for told in said]


def test_what_follows_from_a_fault_is_not_told() -> None:
    """What another element reads of a faulty one, and elements whose tables do not tell their symbols."""
    added = '[elements.a]\nparameter = { k = 1 }\nforces = { s = "k*s" }\n[elements.b]\noutputs = { y = "a.k*c.F" }\n'
    assert problems(added + '[elements.c]\ntype = "maxwell"\non = "joint.pivot"\nstiffness = 1\n') == [
        f"{line(2)}, elements.a.parameter: unknown key; did you mean 'parameters'?",
        f"{line(6)}, elements.c: 'damping' is missing",
    ]


def test_a_loop_through_several_elements_is_told_once() -> None:
    added = "".join(f'[elements.{a}]\noutputs = {{ y = "{b}.y" }}\n' for a, b in ("ab", "bc", "ca"))
    assert problems(added) == [
        f"{line(2)}, elements.a.outputs.y: is part of an algebraic loop: a.y needs b.y needs c.y needs a.y; break it "
        "by a state, which takes time, or make one of them an unknown with a residual"
    ]


def test_a_name_of_a_misspelt_section_is_told_once() -> None:
    assert problems('[element.a]\noutputs = { y = "b.y" }\n') == [
        f"{line(1)}, element: unknown key; did you mean 'elements'?"
    ]


# -- made in Python ---------------------------------------------------------------------------------------------------


def test_mechanisms_made_in_python_refuse_bad_formulas_too() -> None:
    bad = Device(
        "damper",
        (("s", JointCoordinate("slide")), ("t", JointCoordinate("nothing"))),
        states=(DeviceState("F", "k*s_rate"),),
        forces=(DeviceForce("s", "-F"), DeviceForce("z", "F")),
    )
    with pytest.raises(MechanismError) as caught:
        dataclasses.replace(corner(""), devices=(bad, Device("damper", outputs=(DeviceOutput("y", "1"),))))
    assert caught.value.problems == (
        "elements.damper: this name is used twice",
        "elements.damper.on.t: there is no joint 'nothing'; known: hub_mount, pivot, slide",
    )
    with pytest.raises(MechanismError) as caught:
        dataclasses.replace(corner(""), devices=(dataclasses.replace(bad, on=bad.on[:1]),))
    assert caught.value.problems == (
        "elements.damper.states.F.rate: there is no symbol 'k'; known: F, pi, s, s_rate (at column 1 of the formula)",
        "elements.damper.forces.z: there is no measure 'z' in its `on`; known: s",
    )


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: DeviceNumber("k", 1.0, "N/mm"), "'k' has the unit 'N/mm', which is none of SI"),
        (lambda: DeviceNumber("k", 1.0, minimum=2.0), "'k' is 1, below its min 2"),
        (lambda: DeviceState("x", "1", float("nan")), "'x' starts at nan; it must be finite"),
        (lambda: Device("e", outputs=(DeviceOutput("min", "1"),)), "which has a meaning of its own in formulas"),
        (lambda: Device("e", outputs=(DeviceOutput("a b", "1"),)), "which formulas cannot read"),
        (lambda: Device("e", outputs=(DeviceOutput("a", "1"),) * 2), "has two symbols 'a'; rename one"),
        (lambda: DeviceTable("t", np.zeros(2), np.zeros(2)), "the first column of table 't' must ascend"),
    ],
)
def test_parts_of_elements_check_themselves(make, said: str) -> None:
    with pytest.raises(ValueError, match=said.replace("(", "\\(")):
        make()


# -- anything at all --------------------------------------------------------------------------------------------------

SOUND = """
[elements.damper]
on = { s = "spring.shock.length", z = { between = ["ground", "hub"], at = ["P", "Q"] } }
parameters = { k = "400 N/mm", c = { value = 1.5, unit = "N.s/mm", min = 0, max = 3, text = "C" } }
inputs = { valve = { start = 1, min = 0, max = 2 } }
states = { F = { rate = "k*(s_rate - F/(c*valve))", start = 1, unit = "N" }, x = "mount.F - x*k" }
unknowns = { u = { residual = "u - s", nominal = 1, unit = "m" } }
forces = { s = "-F" }
outputs = { loss = { formula = "F^2/(c*valve)", unit = "W" }, y = "curve(k)" }
tables = { curve = [[0, 0], [1, 2]] }
[elements.mount]
type = "maxwell"
on = "joint.pivot"
stiffness = 400
damping = "3 N m s/rad"
[elements.rubber]
type = "prony"
on = "joint.slide"
stiffness = 3
rates = [1, 2]
times = [1, 2]
"""
KEYS = [
    "on",
    "type",
    "parameters",
    "states",
    "forces",
    "s",
    "k",
    "F",
    "rate",
    "start",
    "unit",
    "maxwell",
    "pi",
    "2",
    "",
]
TEXTS = [
    "-F",
    "k*(",
    "a.b.c",
    "joint.pivot",
    "3 N/mm",
    "N",
    "damper.F",
    "if(",
    "1e999",
    "²",
    "((((",
    "mount.F + mount.F",
]
junk = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(10**400)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from([*KEYS, *TEXTS]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(document, at=()):
    """Where anything is in a document."""
    if at:
        yield at
    items = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in items:
        yield from places(value, (*at, key))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_junk_anywhere_gives_a_plain_message(data: st.DataObject) -> None:
    """Never another exception, never the words of a library; also where something more is in a table."""
    document = tomllib.loads(CORNER + SOUND)
    for _ in range(data.draw(st.integers(1, 3))):
        *parents, key = data.draw(st.sampled_from([("elements",), *places(document["elements"], ("elements",))]))
        table = document
        for parent in parents:
            table = table[parent]
        table[key] = data.draw(junk)
        if not isinstance(document["elements"], dict):
            break
    try:
        from_document(document)
    except MechanismError as error:
        assert not re.search("Input should|pydantic|valid dictionary|shape|NoneType|unhashable|object", str(error))


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("sk_12.+-*/^()<>=,e F\n\t²'\"{}if#") | st.characters(), max_size=40))
def test_any_text_is_a_formula_or_a_mistake(text: str) -> None:
    document = tomllib.loads(CORNER + SOUND)
    document["elements"]["damper"]["outputs"]["y"] = text
    try:
        from_document(document)
    except MechanismError as error:
        assert all(problem.startswith("elements.damper.outputs.y: ") for problem in error.problems)
