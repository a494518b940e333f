"""Numbers with units."""

import math

import pytest

from precompute.errors import PrecomputeError
from precompute.quantities import UNITS, si

DEG = math.pi / 180.0


@pytest.mark.parametrize(
    ("word", "unit", "value"),
    [
        ("5", "rad", 5.0),
        (" -1e-3 ", "m", -1e-3),
        ("5deg", "rad", 5 * DEG),
        ("5 °", "rad", 5 * DEG),
        ("12 mm", "m", 0.012),
        ("350mm", "m", 0.35),  # to the last digit, as in a mechanism file
        ("1in", "m", 0.0254),
        ("3kN", "N", 3000.0),
        ("100N/mm", "N/m", 1e5),
        ("1 lbf/in", "N/m", 4.4482216152605 / 0.0254),
        ("3000 rpm", "rad/s", 100 * math.pi),
        ("2 rev/s", "rad/s", 4 * math.pi),
        ("36km/h", "m/s", 10.0),
        ("9.81m/s^2", "m/s2", 9.81),
        ("1e3N.m/deg", "N.m/rad", 1e3 / DEG),
        ("100 Nmm/deg", "N.m/rad", 0.1 / DEG),
        ("2 N m s/deg", "N.m.s/rad", 2 / DEG),
        ("2Nms/deg", "N.m.s/rad", 2 / DEG),
        ("0.5 N*s/mm", "N.s/m", 500.0),
        ("4 N/m/s", "N/(m.s)", 4.0),  # all that follows a "/" divides
        ("4 J/(kg.m)", "m/s2", 4.0),
        ("1ms", "s", 1e-3),
        ("3 1/s", "Hz", 3.0),
    ],
)
def test_values(word, unit, value):
    assert si(word, unit) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    ("word", "unit", "message"),
    [
        ("5mm", "rad", r"mm is no unit of an angle \(rad or deg\), but of a length"),
        ("5deg", "m", r"deg is no unit of a length \(m or mm\), but of an angle"),
        ("100Nm", "N.m/rad", r"Nm is no unit of a stiffness against rotation \(N.m/rad or N.m/deg\), but of a moment"),
        ("5deg", "1", r"deg is no unit of a pure number"),
        ("3 mm2", "m", r"mm2 is no unit of a length \(m or mm\)$"),
        ("5de", "rad", "there is no unit 'de' here; did you mean 'deg'"),
        ("5 furlongs", "m", "there is no unit 'furlongs' here; known: .*mm"),
        ("3 N/", "N", "there is no unit ''"),
        ("5 m^99999999", "m", "there is no unit"),
        ("0,5", "m", "'0,5' has a decimal comma; write a point"),
        ("0,5mm", "m", "has a decimal comma"),
        ("x", "m", "'x' is no number"),
        ("", "m", "'' is no number"),
        ("deg", "rad", "'deg' is no number"),
    ],
)
def test_what_is_refused(word, unit, message):
    with pytest.raises(PrecomputeError, match=message):
        si(word, unit)


def test_symbols_stand_for_one_thing():
    """None is read as a number, and each leads to a unit of SI."""
    for symbol, (scale, base) in UNITS.items():
        assert si(f"2{symbol}", base) == pytest.approx(scale(2.0), rel=1e-15), symbol
