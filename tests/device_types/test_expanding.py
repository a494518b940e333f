"""Keys of ready types: what they may hold, in which units, and what becomes of them."""

import numpy as np
import pytest
from helpers_devices import ANYWHERE, Rig

from fmu_src.model.units import exponents
from precompute.device_types import TYPES, KeyFaults, TypeKey, expand
from precompute.device_types.device_type import LENGTH
from precompute.device_types.expanding import START
from precompute.device_types.key_units import scale, written
from precompute.units import Units

MAXWELL = {"stiffness": 1000.0, "damping": 50.0}
MILLIMETRES = Units("mm", "kg", "deg", "N")


def faults(kind, unit="m", **values):
    with pytest.raises(KeyFaults) as caught:
        expand(kind, "e", ANYWHERE, unit, values)
    return dict(caught.value.faults)


def test_every_type_is_registered_under_its_name_and_describes_all_it_has():
    assert list(TYPES) == [
        "actuator", "maxwell", "prony", "hydraulic_mount", "friction", "air_spring", "monotube", "dc_motor", "servo",
        "stop", "film_bearing", "traction", "cam_traction",
    ]  # fmt: skip
    for name, kind in TYPES.items():
        assert kind.name == name
        assert kind.text and kind.diagram.strip()
        assert all(key.text for key in kind.keys)
        assert len({key.name for key in kind.keys}) == len(kind.keys)


@pytest.mark.parametrize("measure", ["m", "rad"])
def test_every_unit_of_a_key_can_be_read(measure):
    for kind in TYPES.values():
        for key in kind.keys:
            for unit in key.columns or (key.unit,):
                assert unit == "deg" or exponents(written(unit, measure)) is not None


def test_units_of_keys_are_those_of_the_measure():
    assert written("E.s/L", "m") == "N.s/m"
    assert written("E.s/L", "rad") == "N.m.s/rad"
    assert written("s/L", "rad") == "s/rad"
    assert written("Pa.s2/m6", "rad") == "Pa.s2/m6"


@pytest.mark.parametrize(
    ("unit", "angular", "value", "si"),
    [
        ("E/L", False, 400.0, 4e5),
        ("E.s/L", False, 1.5, 1500.0),
        ("E/L", True, 1000.0, 1000.0 * 1e-3 / (np.pi / 180.0)),
        ("m2", False, 1.0, 1e-6),
        ("m3/Pa", False, 30000.0, 3e-11),
        ("Pa", False, 0.6, 6e5),
        ("kg/m3", False, 1e-6, 1000.0),
        ("s/L", False, 0.001, 1.0),
        ("Pa.s2/m6", False, 1.0, 1e24),
        ("V/L", True, 1.0, 180.0 / np.pi),
        ("E/A", True, 100.0, 0.1),
        ("Ohm", False, 2.0, 2.0),
        ("kg/s", False, 0.1, 0.1),
        ("deg", True, 8.0, 8.0),
        ("Hz", False, 5.0, 5.0),
    ],
)
def test_numbers_are_in_units_of_the_file(unit, angular, value, si):
    np.testing.assert_allclose(scale(unit, MILLIMETRES, angular)(value), si, rtol=1e-14)


def test_a_key_that_gives_a_number_is_a_parameter_and_a_start_value_an_input():
    servo = Rig.of("servo", "rad", gain=5.0, constant=0.1, resistance=1.0, inductance=0.01, target_start=0.5)
    assert servo.parameters == {"gain": 5.0, "constant": 0.1, "resistance": 1.0, "inductance": 0.01}
    assert servo.inputs == {"target": 0.5}
    units = {p.name: p.unit for p in (*servo.device.parameters, *servo.device.inputs)}
    assert units == {"gain": "V/rad", "constant": "N.m/A", "resistance": "Ohm", "inductance": "H", "target": "rad"}


def test_defaults_fill_what_is_left_out():
    assert Rig.of("maxwell", **MAXWELL).parameters == MAXWELL | {"parallel": 0.0, "reference": 0.0}


def test_of_a_list_every_number_is_a_parameter():
    made = Rig.of("prony", stiffness=1e5, rates=[2e4, 3e4], times=(0.01, 0.1))
    assert made.parameters == {
        "stiffness": 1e5, "rate_1": 2e4, "rate_2": 3e4, "time_1": 0.01, "time_2": 0.1, "reference": 0.0,
    }  # fmt: skip
    assert made.states == ["F_1", "F_2"]


def test_all_mistakes_are_told_at_once():
    found = faults("maxwell", stifness=3.0, damping=-1.0, parallel=float("nan"), reference="0.1")
    assert set(found) == {"stifness", "stiffness", "damping", "parallel", "reference"}
    assert "did you mean 'stiffness'?" in found["stifness"]
    assert "is missing" in found["stiffness"]
    assert "must be positive" in found["damping"]
    assert "finite number" in found["parallel"]


@pytest.mark.parametrize("kind", [kind.name for kind in TYPES.values() if kind.measures == LENGTH])
def test_what_has_areas_is_not_put_on_angles(kind):
    assert "acts on lengths" in faults(kind, "rad")["on"]


@pytest.mark.parametrize(
    ("kind", "values", "key", "message"),
    [
        ("prony", {"stiffness": 1.0}, "", "needs either 'rates' and 'times', or 'data'"),
        ("prony", {"stiffness": 1.0, "rates": [1.0], "data": [[1.0, 1.0, 1.0]]}, "", "needs either"),
        ("prony", {"stiffness": 1.0, "rates": [1.0, 2.0], "times": [1.0]}, "times", "has 1 numbers"),
        ("prony", {"rates": [1.0], "times": [1.0]}, "stiffness", "is missing"),
        ("prony", {"stiffness": 1.0, "rates": [1.0]}, "times", "is missing"),
        ("prony", {"stiffness": 1.0, "rates": 1.0, "times": [1.0]}, "rates", "must be a list"),
        ("prony", {"stiffness": 1.0, "rates": [-1.0], "times": [1.0]}, "rates", "must be positive"),
        ("prony", {"data": [[1.0, 1.0]]}, "data", "rows of 3 finite numbers"),
        ("prony", {"data": [[1.0, 1.0, 95.0]], "branches": 1}, "data", "loss angle"),
        ("prony", {"data": [[-1.0, 0.0, 5.0]], "branches": 2}, "branches", "at most 1"),
        ("prony", {"data": [[1.0, 1.0, 5.0]], "branches": 1.5}, "branches", "whole number"),
        ("friction", {"coulomb": 0.4}, "", "needs either 'normal'"),
        ("friction", {"coulomb": 0.4, "static": 0.3, "normal": 1.0}, "static", "less than 'coulomb'"),
        ("friction", {"coulomb": 0.4, "normal": 1.0, "breakaway": 1.0}, "breakaway", "less than 1"),
        ("friction", {"coulomb": 0.4, "normal": 1.0, "normal_start": 1.0}, "", "needs either"),
        ("monotube", {"valve": [[0.0, 0.0], [1.0, 0.0]], "oil_stiffness": 1.0}, "valve", "must ascend"),
        ("monotube", {"valve": [[-1.0, -1.0], [1.0, 1.0]], "oil_stiffness": 1.0}, "valve", "[0, 0]"),
        ("monotube", {"valve": [[0, 0], [1, 1]], "oil_stiffness": 1.0, "rod_area": 1e-4}, "rod_area", "together"),
        ("stop", {"stiffness": 1.0}, "", "needs 'above' or 'below'"),
        ("stop", {"above": 0.0, "below": 1.0, "stiffness": 1.0}, "above", "is less than 'below'"),
        ("stop", {"above": 0.0}, "stiffness", "no force"),
        ("stop", {"above": 0.0, "stiffness": 1.0, "power": 0.5}, "power", "1 at least"),
    ],
)
def test_values_that_make_no_element_are_refused(kind, values, key, message):
    assert message in faults(kind, **values)[key]


def test_a_key_of_a_type_can_be_looked_up():
    assert TYPES["dc_motor"].key("resistance") == TypeKey("resistance", "Ohm", "Resistance of the winding", minimum=0.0)


def test_start_keys_name_no_parameter():
    for kind in TYPES.values():
        starts = [key.name.removesuffix(START) for key in kind.keys if key.name.endswith(START)]
        assert len(starts) <= 1
