"""What records say of elements: motion ratios are force ratios, and positive where bump presses."""

import numpy as np
import pytest
from helpers_rig import at, both_sides, document, mechanism

from precompute.kc.record import Choices
from precompute.mechanism_file import from_document
from precompute.rig.gradients import quietly
from precompute.rig.records import axle_record
from precompute.rig.stand import stand

POWER = 1e-10
"""Of identities by virtual work."""


def columns(on, case, values):
    rest, made = at(on, case, values)
    record = axle_record(on, rest, made)
    return quietly(record)[0], record


def test_the_motion_ratio_is_the_ratio_of_forces():
    """Without weights the pad carries the spring's force times its ratio, over the whole travel, stops included."""
    on = stand(mechanism("double_wishbone_rigid", gravity=[0, 0, 0]), choices=Choices(travel="patch"))
    found, record = columns(on, "bump", [-0.12, -0.05, 0.04, 0.15])
    forces = {e.name: e.force for e in record.left.elements if e.role != "damper"}
    assert set(forces) == {"shock", "shock.bump_stop", "shock.rebound_stop"}
    ratio = found["spring_motion_ratio.shock.left"]
    total = sum(forces.values())
    assert forces["shock.rebound_stop"][0] < -1e3 and forces["shock.bump_stop"][-1] > 1e3
    np.testing.assert_allclose(found["wheel_load.left"], total * ratio, rtol=POWER)


def test_a_ratio_is_positive_whatever_way_a_coordinate_counts():
    """The damper of the strut sits on a joint whose travel is positive in bump; the other way round it is the same."""
    given = document()
    given["springs"]["slide"] = {"joint": "strut[1]", "stiffness": 1, "free_length": 0}
    there = columns(stand(from_document(given), elastic=False), "bump", [0.01])[0]
    given["joints"]["strut"]["axis"] = ["strut_top", "strut_low"]
    back = columns(stand(from_document(given), elastic=False), "bump", [0.01])[0]
    for name in ("spring_motion_ratio.slide", "damper_motion_ratio.strut"):
        assert there[f"{name}.left"] == pytest.approx(back[f"{name}.left"], rel=1e-9)
        assert there[f"{name}.left"] > 0.9
        change = name.replace("ratio", "ratio_change")
        assert there[f"{change}.left"] == pytest.approx(back[f"{change}.left"], rel=1e-6)


def test_a_bar_is_wound_up_by_either_wheel():
    given = document()
    given["mirror"] = {"to": "r", "bodies": ["lower_arm", "upright", "strut_rod"]}
    given["axles"]["front"]["right"] = "left_r"
    on = {"measures": ["wheel.left.travel", "wheel.left_r.travel"], "factors": [1, -1]}
    given["anti_roll_bars"] = {"bar": {"on": on, "stiffness": 12}}
    found, _ = columns(stand(from_document(given)), "bump", [0.0])
    bare, _ = columns(stand(both_sides()), "bump", [0.0])
    assert found["bar_motion_ratio.bar.left"] == pytest.approx(1.0) == found["bar_motion_ratio.bar.right"]
    # 12 N/mm at each wheel per difference of travel: k track^2 more, but for contacts that do not rise as centres do
    more = found["roll_stiffness"] - found["roll_stiffness_without_bar"]
    assert more == pytest.approx(12e3 * found["track"] ** 2, rel=1e-3)
    assert found["roll_stiffness_without_bar"] == pytest.approx(bare["roll_stiffness"], rel=1e-10)


def test_what_elements_act_on_has_motion_ratios_too():
    """That of an element in place of the damper is that of the damper; what it only reads has none."""
    given = document()
    damped = columns(stand(from_document(given)), "bump", [0.01])[0]
    del given["dampers"]["strut"]
    on = {"s": "joint.strut[1]", "read": "marker.wheel.z"}
    given["elements"] = {"strut": {"on": on, "parameters": {"c": 1.0}, "forces": {"s": "-c*s_rate"}}}
    found = columns(stand(from_document(given)), "bump", [0.01])[0]
    assert [name for name in found if "element_motion_ratio." in name] == [
        "element_motion_ratio.strut.s.left",
        "element_motion_ratio.strut.s.right",
    ]
    ratio, change = (found[f"element_motion_ratio{what}.strut.s.left"] for what in ("", "_change"))
    assert ratio == pytest.approx(damped["damper_motion_ratio.strut.left"], rel=1e-9)
    assert change == pytest.approx(damped["damper_motion_ratio_change.strut.left"], rel=1e-6)
