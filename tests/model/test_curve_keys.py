import numpy as np
import pytest

from fmu_src.model.law_parts import CURVES
from precompute.mechanism_file.schema import force_tables as t
from precompute.model.curve_keys import curve_keys, given_curve
from precompute.model.mechanism import ConstantForce, Damper, ForceTable, JointCoordinate, Spring, Stop
from precompute.verify.motion.tuning import with_parameter

ON = JointCoordinate("slide")
TABLE = ForceTable([0.0, 1.0], [0.0, 5.0])
ITEMS = {
    "spring": (Spring, lambda **curve: Spring("s", ON, **curve, free_length=0.1), "", t.SpringEntry),
    "stop": (Stop, lambda **curve: Stop(0.1, **curve), "a stop ", t.StopEntry),
    "damper": (Damper, lambda **curve: Damper("d", ON, **curve), "", t.DamperEntry),
}


@pytest.mark.parametrize("what", ITEMS)
def test_an_item_has_exactly_one_curve(what):
    kind, make, who, entry = ITEMS[what]
    keys = curve_keys(kind)
    values = {key.name: TABLE if CURVES[key.curve].table else 2.0 for key in keys}
    for key in keys:
        item = make(**{key.name: values[key.name]})
        assert given_curve(item) == (key, values[key.name])
    names = [key.name for key in keys]
    for wrong in ({}, values):
        with pytest.raises(ValueError, match=f"^{who}takes either a {names[0]}"):
            make(**wrong)
    for number in (-1.0, np.nan, np.inf, np.int64(-1)):
        with pytest.raises(ValueError, match=f"{names[0]} is .*; it must be zero or positive"):
            make(**{names[0]: number})
    assert tuple(names) in entry.EITHER and set(names) <= set(entry.keys())


def test_a_constant_force_may_be_negative_but_not_infinite():
    assert (
        ConstantForce("f", ON, -3.0).value == with_parameter(ConstantForce("f", ON, 2.0), "value", -3.0).value == -3.0
    )
    with pytest.raises(ValueError, match="^needs a value$"):
        ConstantForce("f", ON)
    for number in (np.nan, -np.inf):
        with pytest.raises(ValueError, match=r"value is .*; it must be finite"):
            ConstantForce("f", ON, number)


@pytest.mark.parametrize("what", ITEMS)
def test_the_parameters_of_the_fmu_are_set_by_their_symbols(what):
    kind, make, *_ = ITEMS[what]
    for key in curve_keys(kind):
        if CURVES[key.curve].table:
            tuned = with_parameter(make(**{key.name: TABLE}), f"{key.symbol}.f[2]", 7.0)
            assert given_curve(tuned)[1].force.tolist() == [0.0, 7.0]
        else:
            tuned = with_parameter(make(**{key.name: 2.0}), key.symbol, 7.0)
            assert given_curve(tuned) == (key, 7.0)
