"""Scales of the file's units against their definitions."""

import math
import re

import numpy as np
import pytest

from fmu_src.model.units import NOMINAL, DisplayUnit, told_in
from precompute.quantities import si
from precompute.units import SCALES, Scale, Units
from precompute.web.about import units_of

POUND_FORCE = 4.4482216152605  # [N], exact


def test_default_units_are_si() -> None:
    units = Units()
    for scale in (units.measure(), units.measure(True), units.effort(), units.slope(True), units.inertia()):
        assert scale(1.25) == 1.25


@pytest.mark.parametrize(
    ("quantity", "unit", "si"),
    [
        ("length", "mm", 1e-3),
        ("length", "in", 0.0254),
        ("mass", "lb", 0.45359237),
        ("mass", "slug", POUND_FORCE / 0.3048),
        ("angle", "deg", math.pi / 180.0),
        ("force", "lbf", POUND_FORCE),
    ],
)
def test_definitions(quantity: str, unit: str, si: float) -> None:
    assert Units(**{quantity: unit}).scale(quantity)(1.0) == pytest.approx(si, rel=1e-15)


def test_first_unit_of_each_quantity_is_the_default() -> None:
    assert {quantity: next(iter(scales)) for quantity, scales in SCALES.items()} == vars(Units())


def test_derived_scales() -> None:
    units = Units(length="mm", mass="kg", angle="deg", force="N")
    assert units.slope()(20.0) == 20000.0  # N/mm
    assert units.effort(angular=True)(1500.0) == 1.5  # N mm
    assert units.slope(angular=True)(math.pi) == pytest.approx(0.18, rel=1e-15)  # N mm/deg
    assert units.inertia()(800.0) == 0.0008  # kg mm2
    inch = Units(length="in", mass="slug", force="lbf")
    assert inch.inertia()(144.0) == pytest.approx(POUND_FORCE * 0.3048, rel=1e-14)  # slug ft2 = lbf ft s2


def test_decimal_millimetres_become_the_nearest_metres() -> None:
    """Multiplying with 0.001 would leave 0.35000000000000003."""
    millimetres = Units(length="mm").measure()
    assert all(millimetres(float(n)) == float(f"{n}e-3") for n in range(-2000, 2000, 7))
    assert millimetres(350.0) == 0.35


def test_arrays() -> None:
    assert np.array_equal(Scale(1.0, 1000.0)(np.array([1.0, 350.0])), [0.001, 0.35])


def test_unknown_unit() -> None:
    with pytest.raises(ValueError, match="length is 'cm'; choose one of m, mm, in"):
        Units(length="cm")


def test_values_are_shown_in_the_units_of_the_file():
    file = Units(length="mm", mass="lb", angle="deg", force="lbf")
    assert file.shown(0.35) == "350 mm" and file.shown(0.0123456, digits=3) == "12.3 mm"
    assert file.shown(math.pi / 6.0, "angle") == "30 deg"
    assert file.shown(0.45359237, "mass") == "1 lb" and file.shown(POUND_FORCE, "force") == "1 lbf"
    assert Units(length="mm").shown(0.018, "inertia") == "18000 kg mm2"
    assert file.shown_effort(POUND_FORCE) == "1 lbf" and file.shown_effort(0.35 * POUND_FORCE, True) == "350 lbf mm"
    assert Units(length="mm").shown_stiffness(20e3) == "20 N/mm"
    assert Units(length="mm", angle="deg").shown_stiffness(180.0 / math.pi, angular=True) == "1000 N mm/deg"


@pytest.mark.parametrize(("quantity", "unit"), [(q, u) for q, scales in SCALES.items() for u in scales])
def test_back_is_the_way_back(quantity: str, unit: str) -> None:
    scale = SCALES[quantity][unit]
    assert scale.back(scale(1.25)) == pytest.approx(1.25, rel=1e-15)


@pytest.mark.parametrize(
    "name", [*NOMINAL, "s", "1", "kg", "1/s", "m2", "J", "Pa.s", "J/(kg.m)", "N.m/A", "N.s/m2", "V.s/rad", "rad-1"]
)
@pytest.mark.parametrize("units", [Units(), Units("mm", "kg", "deg"), Units("in", "slug", "deg", "lbf")], ids=str)
def test_units_of_an_fmu_are_told_in_those_of_the_file(name: str, units: Units) -> None:
    """What is told can be read again, as `--set` does, and means the same."""
    told = told_in(name, units_of(units))
    assert si(f"{told.factor!r} {told.name}" if told.name != "1" else "1", name) == pytest.approx(1.0, rel=1e-12)
    assert told.name == name.replace(".", " ") or units != Units()
    foreign = [own for own in ("mm", "in", "deg", "slug", "lbf") if own not in vars(units).values()]
    assert not set(foreign) & set(re.findall("[A-Za-z]+", told.name))


def test_a_unit_that_cannot_be_read_is_told_as_it_is() -> None:
    assert told_in("furlong.s", units_of(Units("mm"))) == DisplayUnit("furlong.s", 1.0)
