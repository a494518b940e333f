"""Couplings over the whole motion: tables that end too early, periodic coordinates that do not come back."""

import pytest

from kinetab import check
from precompute.errors import SweepError
from precompute.mechanism_file import loads
from precompute.pipeline import bake

TEXT = """
schema = 1
name = "Shafts"
units = { length = "mm", mass = "kg", angle = "deg" }
[bodies]
first = { mass = 1, com = [0, 0, 0], inertia = [100, 100, 100] }
second = { mass = 1, com = [50, 0, 0], inertia = [100, 100, 100] }
rack = { mass = 1, com = [0, 20, 0] }
[joints]
first = { type = "revolute", parent = "ground", child = "first", at = [0, 0, 0], axis = "z" }
second = { type = "revolute", parent = "ground", child = "second", at = [50, 0, 0], axis = "z" }
rack = { type = "prismatic", parent = "ground", child = "rack", at = [0, 20, 0], axis = "x" }
[couplings.gears]
measures = ["joint.first", "joint.second"]
factors = [FACTORS]
RACK
[coordinates.free.first]
of = "joint.first"
RANGE
"""

RACK = '[couplings.rack]\nmeasures = ["joint.rack", "joint.first"]\nfactors = [1, 20]'
LOCKED = '[couplings.rack]\nmeasures = ["joint.rack"]\nfactors = [1]'
TABLE = """[couplings.rack]
measure = "joint.rack"
follows = "joint.first"
table = [[-90, -30], [0, 0], [80, 31], [90, 33]]
"""
PERIODIC = "from = 0\nto = 360\nperiodic = true"


def shafts(factors, rack, limits):
    return loads(TEXT.replace("FACTORS", factors).replace("RACK", rack).replace("RANGE", limits))


def test_a_periodic_coordinate_takes_whole_ratios():
    baked = bake(shafts("20, 10", LOCKED, PERIODIC))
    assert baked.charts[0].axes[0].periodic


@pytest.mark.parametrize(
    ("factors", "rack", "told"),
    [
        ("20, 43", LOCKED, "joint 'second' makes -0.465116 turns, as coupling 'gears' has it"),
        ("20, 10", RACK, "joint 'rack' moves by -125.664 mm, as coupling 'rack' has it"),
    ],
)
def test_other_ratios_are_told(factors, rack, told):
    with pytest.raises(SweepError, match="'first' is periodic, but while it makes one turn") as error:
        bake(shafts(factors, rack, PERIODIC))
    assert told in str(error.value) and "without `periodic`" in str(error.value)


def test_tables_that_end_before_the_range_does_are_told():
    assert bake(shafts("20, 43", TABLE, "from = -90\nto = 90")).charts
    with pytest.raises(SweepError, match="coupling 'rack': its table ends at 90 deg, but .* gets to 9"):
        bake(shafts("20, 43", TABLE, "from = -90\nto = 100"))


def test_check_tells_what_couplings_do():
    words = str(check(shafts("20, 43", RACK, "from = -90\nto = 90")))
    assert "coupling.gears, first, second: 1 equation; moved by first" in words
