"""Elements in the mechanism file: what is read, and that all of it is written again."""

import dataclasses
import re
from typing import Any

import jsonschema
import numpy as np
import pytest
from helpers import ROOT
from helpers_element_files import corner
from hypothesis import given, settings
from hypothesis import strategies as st

from precompute.device_types import TYPES
from precompute.mechanism_file import from_document, loads, parse_document, source_hash, to_document
from precompute.mechanism_file.json_schema import json_schema
from precompute.mechanism_file.schema.toml_text import dumps
from precompute.model.devices import (
    Device,
    DeviceForce,
    DeviceNumber,
    DeviceOutput,
    DeviceState,
    DeviceTable,
    DeviceUnknown,
)
from precompute.model.mechanism import (
    BushingDeflection,
    Combination,
    Distance,
    JointCoordinate,
    MarkerCoordinate,
    RelativeAngle,
    WheelTravel,
)

VALIDATOR = jsonschema.Draft202012Validator(json_schema())


def element(text: str) -> Device:
    (found,) = corner(f"[elements.e]\n{text}\n").devices
    return found


def same(a: Any, b: Any) -> bool:
    """Exact equality of what mechanisms are made of."""
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and np.array_equal(a, b)
    if dataclasses.is_dataclass(a):
        fields = [field.name for field in dataclasses.fields(a) if field.name != "source"]
        return type(a) is type(b) and all(same(getattr(a, name), getattr(b, name)) for name in fields)
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


LONG = """
on         = { s = "spring.shock.length", z = "wheel.left.travel" }
parameters = { k = "400 N/mm", c = { value = 1.5, unit = "N.s/mm", min = 0, max = "9 kN.s/m", text = "C" }, n = 2 }
inputs     = { valve = { start = 1, min = 0, max = 2, unit = "1", text = "Valve" }, fill = "2 bar", plain = 3 }
states     = { F = { rate = "k*(s_rate - F/(c*valve))", start = "2 kN", unit = "N", text = "Tension" }, x = "n*z" }
unknowns   = { u = { residual = "u - z", start = "5 mm", nominal = "1 cm", unit = "m", text = "Point" }, w = "w - n" }
forces     = { s = "-F", z = "-k*u" }
outputs    = { loss = { formula = "F*F/(c*valve)", unit = "W", text = "Heat" }, y = "curve(n)" }
tables     = { curve = [[0, 0], [1, 2]] }
"""


def test_long_and_short_forms_are_read() -> None:
    found = element(LONG)
    shock = corner("").springs[0].on
    assert [symbol for symbol, _ in found.on] == ["s", "z"]
    assert found.on[0][1].same(shock) and found.on[1][1] == WheelTravel("left")
    assert found.parameters == (
        DeviceNumber("k", 4e5, "N/m"),
        DeviceNumber("c", 1500.0, "N.s/m", 0.0, 9000.0, "C"),
        DeviceNumber("n", 2.0),
    )
    assert found.inputs == (
        DeviceNumber("valve", 1.0, "1", 0.0, 2.0, "Valve"),
        DeviceNumber("fill", 2e5, "Pa"),
        DeviceNumber("plain", 3.0),
    )
    assert found.states == (
        DeviceState("F", "k*(s_rate - F/(c*valve))", 2000.0, "N", "Tension"),
        DeviceState("x", "n*z"),
    )
    assert found.unknowns == (DeviceUnknown("u", "u - z", 0.005, 0.01, "m", "Point"), DeviceUnknown("w", "w - n"))
    assert found.forces == (DeviceForce("s", "-F"), DeviceForce("z", "-k*u"))
    assert found.outputs == (DeviceOutput("loss", "F*F/(c*valve)", "W", "Heat"), DeviceOutput("y", "curve(n)"))
    (table,) = found.tables
    assert table.x.tolist() == [0.0, 1.0] and table.y.tolist() == [0.0, 2.0]


@pytest.mark.parametrize(
    ("written", "measure"),
    [
        ('"joint.pivot"', JointCoordinate("pivot", 0)),
        ('"marker.top.y"', MarkerCoordinate("top", "y")),
        ('"wheel.left.travel"', WheelTravel("left")),
        ('"damper.guide.length"', JointCoordinate("slide", 0)),
        ('"bushing.rubber.rx"', BushingDeflection("rubber", 3)),
        ('"bushing.rubber[3]"', BushingDeflection("rubber", 2)),
        (
            '{ between = ["ground", "hub"], at = ["P", [0, 0, 0]] }',
            Distance("ground", "hub", np.array([0.0, 0.1, 0.0]), np.zeros(3)),
        ),
        ('{ between = ["ground", "hub"], axis = "z" }', RelativeAngle("ground", "hub", np.array([0.0, 0.0, 1.0]))),
        (
            '{ measures = ["joint.slide", "marker.top.z"], factors = [1, -0.5] }',
            Combination((JointCoordinate("slide", 0), MarkerCoordinate("top", "z")), (1.0, -0.5)),
        ),
    ],
)
def test_any_measure_will_do_alone_or_with_a_symbol(written: str, measure: Any) -> None:
    ((symbol, alone),) = element(f"on = {written}\noutputs = {{ y = 's' }}").on
    ((other, named),) = element(f"on = {{ q_1 = {written} }}\noutputs = {{ y = 'q_1' }}").on
    assert (symbol, other) == ("s", "q_1")
    assert same(
        to_document(corner(f"[measures.m]\nof = {written}"))["measures"]["m"]["of"], _of(element(f"on={written}"))
    )
    assert alone.same(named) and alone.same(measure)


def _of(device: Device) -> Any:
    m = dataclasses.replace(corner(""), devices=(device,))
    return to_document(m)["elements"]["e"]["on"]["s"]


def test_an_element_may_be_connected_to_nothing() -> None:
    found = element('inputs = { u = 1 }\nstates = { x = "(u - x)/T" }\nparameters = { T = "50 ms" }')
    assert found.on == () and found.parameters == (DeviceNumber("T", 0.05, "s"),)


@pytest.mark.parametrize(
    ("written", "value", "unit"),
    [
        ('"12 N mm/deg"', 12.0 / 1000.0 * 180.0 / np.pi, "N.m/rad"),
        ('"3000 rpm"', 100.0 * np.pi, "rad/s"),
        ('"1.5kN"', 1500.0, "N"),
        ('{ value = "2 mm", unit = "cm" }', 0.002, "m"),
        ('{ value = 2, unit = "cm" }', 0.02, "m"),
        ('{ value = 7, unit = "N.m/rad" }', 7.0, "N.m/rad"),
        ('"40 kOhm"', 4e4, "Ohm"),
        ('"3"', 3.0, ""),
        ("3", 3.0, ""),
    ],
)
def test_numbers_come_in_si(written: str, value: float, unit: str) -> None:
    (found,) = element(f"parameters = {{ p = {written} }}\noutputs = {{ y = 'p' }}").parameters
    assert found.value == pytest.approx(value, rel=1e-15) and found.unit == unit


def test_a_ready_type_becomes_formulas_in_units_of_the_file() -> None:
    written = 'type = "maxwell"\non = "spring.shock.length"\nstiffness = 400\ndamping = "1.5 kN.s/m"\nreference = 250'
    found = element(written)
    numbers = {p.name: (p.value, p.unit) for p in found.parameters}
    assert numbers == {
        "stiffness": (4e5, "N/m"),
        "damping": (1500.0, "N.s/m"),
        "parallel": (0.0, "N/m"),
        "reference": (0.25, "m"),
    }
    assert [state.name for state in found.states] == ["F"]
    angular = element('type = "maxwell"\non = { s = "joint.pivot" }\nstiffness = 400\ndamping = 1')
    assert angular.parameters[0].value == pytest.approx(400.0 / 1000.0 * 180.0 / np.pi)
    assert angular.parameters[0].unit == "N.m/rad"


READY = {
    "prony": "stiffness = 100\nrates = [10, '20 N/mm']\ntimes = ['5 ms', 0.1]",
    "monotube": "valve = [[-500, -800], [0, 0], [500, 300]]\noil_stiffness = 5000",
    "friction": "coulomb = 0.1\nnormal = 500",
    "air_spring": "pressure = '6 bar'\nvolume = '1.2e6 mm3'\narea = '80 cm2'\nreference = 300",
    "stop": "above = 320\nstiffness = 100",
    "dc_motor": "constant = 0.1\nresistance = 1\ninductance = '5 mH'",
    "servo": "constant = 0.1\nresistance = 1\ninductance = '5 mH'\ngain = 10",
    "actuator": "gain = 250",
    "hydraulic_mount": "stiffness = 200\narea = 4000\ncompliance = '3e-11 m3/Pa'\ntrack_length = 150\ntrack_area = 80",
    "maxwell": "stiffness = 100\ndamping = 3",
    "film_bearing": "radius = 6\nwidth = 5\nclearance = 0.006\nviscosity = '0.017 Pa.s'",
    "traction": "radius_1 = 16\nradius_2 = 12\nlength = 10\nnormal = 600\nviscosity = 1e-8\npressure_viscosity = 0.02",
}


def test_every_ready_type_is_here() -> None:
    assert {*READY} == {*TYPES} - {"cam_traction"}, "that one is tested on its cam"


@pytest.mark.parametrize("kind", READY)
def test_every_ready_type_is_read_and_written(kind: str) -> None:
    on = [f'{m.symbol} = "{"joint.pivot" if m.unit == "rad" else "spring.shock.length"}"' for m in TYPES[kind].measures]
    mechanism = corner(f'[elements.e]\ntype = "{kind}"\non = {{ {", ".join(on)} }}\n{READY[kind]}\n')
    document = to_document(mechanism)
    VALIDATOR.validate(document)
    again = loads(dumps(document))
    assert all(map(same, again.devices, mechanism.devices)) and to_document(again) == document


def test_what_is_written_is_in_si_and_short_where_it_can_be() -> None:
    found = to_document(corner(f"[elements.e]\n{LONG}"))["elements"]["e"]
    assert found["on"] == {"s": "spring.shock.length", "z": "wheel.left.travel"}
    assert found["parameters"] == {
        "k": {"value": 4e5, "unit": "N/m"},
        "c": {"value": 1500.0, "min": 0.0, "max": 9000.0, "unit": "N.s/m", "text": "C"},
        "n": 2.0,
    }
    assert found["states"]["x"] == {"rate": "n*z"} and found["unknowns"]["w"] == "w - n"
    assert found["outputs"]["y"] == "curve(n)" and found["tables"] == {"curve": [[0.0, 0.0], [1.0, 2.0]]}


def test_examples_in_the_page_about_elements_load() -> None:
    page = (ROOT / "docs" / "elements.md").read_text(encoding="utf-8")
    before, _, _ = page.partition("<!-- types")  # examples of types are tests/device_types/test_page.py's
    texts = re.findall(r"```toml\n(.*?)```", before, re.DOTALL)
    found = corner("\n".join(texts))
    assert [device.name for device in found.devices] == ["damper", "top_mount", "series"]
    VALIDATOR.validate(to_document(found))


# -- any element at all -----------------------------------------------------------------------------------------------

numbers = st.floats(-1e6, 1e6, allow_subnormal=False)
texts = st.text(st.characters(exclude_categories=["Cc", "Cn", "Cs"]), max_size=8)
units = st.sampled_from(["", "1", "N", "N.s/m", "J/(kg.K)", "1/s"])
MEASURES = (
    JointCoordinate("pivot", 0),
    MarkerCoordinate("top", "y"),
    WheelTravel("left"),
    BushingDeflection("rubber", 4),
    Distance("ground", "hub", np.array([0.0, 0.1, 0.0]), np.array([0.3, 0.1, 0.0])),  # that of the spring
    Distance("hub", "ground", np.array([0.25, 0.1, 1 / 3]), np.zeros(3)),
    RelativeAngle("ground", "hub", np.array([0.6, 0.0, 0.8])),
    Combination((WheelTravel("left"), MarkerCoordinate("top", "z")), (0.1, -3.0)),
)


@st.composite
def formulas(draw: st.DrawFn, symbols: list[str], depth: int = 3) -> str:
    """A formula whose units are not known, as each symbol is multiplied by the parameter k."""
    leaf = f"{draw(st.sampled_from(['k', 'k*pi', '2.5e-3']))}*{draw(st.sampled_from(symbols))}*k"
    if not depth or draw(st.booleans()):
        return leaf
    a, b = (draw(formulas(symbols, depth - 1)) for _ in range(2))
    forms = ["({0}) + ({1})", "-({0}) /({1})", "max({0},{1})", "if({0} <= {1}, {0}, 3)", "( {0} )^2", "k*tanh(k*({1}))"]
    return draw(st.sampled_from(forms)).format(a, b)


@st.composite
def bounded(draw: st.DrawFn, name: str) -> DeviceNumber:
    value = draw(numbers)
    least, most = (draw(st.none() | st.floats(0.0, 1e3).map(lambda x, way=way: value + way * x)) for way in (-1.0, 1.0))
    return DeviceNumber(name, value, draw(units), least, most, draw(texts))


@st.composite
def devices(draw: st.DrawFn, name: str, others: list[str]) -> Device:
    on = draw(st.lists(st.sampled_from(MEASURES), max_size=6, unique_by=id))
    measured = tuple((f"s{i}", measure) for i, measure in enumerate(on))
    known = [
        "k",
        "u",
        "x",
        "f",
        *(symbol for symbol, _ in measured),
        *(f"{symbol}_rate" for symbol, _ in measured),
        *others,
    ]
    text = formulas(known)
    curve = np.cumsum(draw(st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=4)))
    return Device(
        name,
        measured,
        parameters=(DeviceNumber("k", draw(numbers)), draw(bounded("p"))),
        inputs=tuple(draw(st.lists(bounded("i"), max_size=1))),
        states=(DeviceState("x", draw(text), draw(numbers), "", draw(texts)), DeviceState("v", draw(text))),
        unknowns=(DeviceUnknown("u", draw(text), draw(numbers), draw(st.floats(1e-3, 1e3)), draw(units), draw(texts)),),
        forces=tuple(DeviceForce(symbol, draw(text)) for symbol, _ in measured[::2]),
        outputs=(DeviceOutput("f", draw(formulas(known[:3])), "", draw(texts)),),
        tables=tuple(DeviceTable("curve", curve, curve[::-1] - draw(numbers)) for _ in range(draw(st.integers(0, 1)))),
    )


@settings(max_examples=60, deadline=None)
@given(devices("a", ["b.x", "b.k"]), devices("b", ["a.u", "a.f"]))
def test_round_trip_is_exact(a: Device, b: Device) -> None:
    mechanism = dataclasses.replace(corner(""), devices=(a, b))
    document = to_document(mechanism)
    again = loads(dumps(document))
    assert all(map(same, again.devices, mechanism.devices))
    assert source_hash(again) == source_hash(mechanism)
    assert to_document(from_document(document)) == to_document(parse_document(document)) == document
    VALIDATOR.validate(document)
