"""Curves over cases: what they reach, where they end, which ranges they go over."""

from dataclasses import replace

import numpy as np
import pytest
from helpers_rig import document, mechanism, strut

from precompute.errors import MechanismError, PrecomputeError, SingularityError
from precompute.measures.combination import Combination
from precompute.measures.wheel_travel import WheelTravel
from precompute.mechanism_file import from_document
from precompute.rig.bench import bench
from precompute.rig.curves import measured
from precompute.rig.ranges import steer_range, travel_range
from precompute.rig.stand import stand


def test_ranges_come_from_the_file():
    on = strut()
    assert steer_range(on) == pytest.approx((-0.07, 0.07))
    low, high = travel_range(on)
    assert -0.09 < low < -0.08 < 0.08 < high < 0.09  # of a strut that travels 80 mm both ways


def test_a_wheel_that_is_a_coordinate_tells_its_range():
    found = document()
    free = found["coordinates"]["free"]
    free["wheel"] = {"of": "wheel.left.travel", "from": -60, "to": 70}
    del free["strut"]
    assert travel_range(stand(from_document(found))) == pytest.approx((-0.06, 0.07))


def test_a_curve_ends_where_the_linkage_does():
    """Beyond reach there is a remark, and the rest of the curve is there."""
    on = stand(mechanism("double_wishbone_rigid"))
    found = measured(on, {"travel": (-0.4, 0.1)}, ["bump"], points=11)
    (curve,) = found.curves
    assert curve.inputs[-1] == pytest.approx(0.1) and -0.4 < curve.inputs[0] < -0.1
    assert len(curve.columns["toe.left"]) == len(curve.inputs) < 11
    assert "bump ends at" in curve.remarks[0] and "cannot be reached" in curve.remarks[0]


def test_a_wheel_that_would_lift_off_is_told():
    found = measured(strut(), {"travel": (-0.09, 0.0)}, ["bump"], points=4)
    assert any("would lift off" in remark for remark in found.curves[0].remarks)
    assert found.curves[0].columns["wheel_load.left"].min() < 0.0


def test_without_springs_there_is_kinematics_alone():
    """A rigid mechanism without any force: bump, roll and steering, no loads."""
    bare = mechanism("double_wishbone_rigid", springs=None, dampers=None)
    found = measured(stand(bare), {"travel": (-0.02, 0.02)}, points=3)
    assert [c.case.name for c in found.curves] == ["bump", "roll", "single_bump", "steering"]
    assert "nothing carries the wheels" in found.left_out["lateral"]
    assert "wheel_rate" in found.missing and "spring" in found.missing["wheel_rate"]
    roll = found.curves[1]
    assert roll.columns["camber.left"] == pytest.approx(roll.columns["camber.right"][::-1], abs=1e-12)


def test_bushings_that_are_locked_are_rigid():
    soft, stiff = (measured(strut(elastic=e), {"lateral": (-1e3, 1e3)}, ["lateral"], 3) for e in (True, False))
    give, none = (found.curves[0].gradients["centre_lateral.left"] for found in (soft, stiff))
    assert abs(give) > 5.0 * abs(none)


def test_points_stand_where_they_were_asked():
    found = measured(strut(), {"travel": (-0.03, 0.05)}, ["bump"], points=5)
    np.testing.assert_allclose(found.curves[0].inputs, np.linspace(-0.03, 0.05, 5))
    np.testing.assert_allclose(found.curves[0].columns["centre_vertical.left"], np.linspace(-0.03, 0.05, 5), atol=1e-12)


def test_what_cannot_stand_on_the_rig_says_why():
    with pytest.raises(MechanismError, match="has no wheel"):
        stand(mechanism("crank_slider"))
    with pytest.raises(PrecomputeError, match="no axle 'rear'.*front"):
        stand(mechanism(), "rear")
    with pytest.raises(PrecomputeError, match="no case 'bumb'; did you mean 'bump'"):
        measured(strut(), cases=["bumb"])
    with pytest.raises(PrecomputeError, match="two or more"):
        measured(strut(), points=1)


def test_a_steering_that_is_no_freedom_of_its_own():
    own = mechanism()
    axle = replace(own.axles[0], steering=Combination((WheelTravel("left"),), (2.0,)))
    with pytest.raises(SingularityError, match="cannot be moved on its own: wheel.left.travel determines it already"):
        bench(replace(own, axles=(axle,)))


def test_shipped_suspensions_stand_on_the_rig():
    """Files with other axes, two sides and other kinds of steering."""
    for name in ("front_axle", "five_link"):
        on = stand(mechanism(name))
        assert on.rest.pads.min() > 1000.0


def test_coordinates_that_nothing_holds_are_named():
    """A disc that turns freely on the upright has no place of its own."""
    found = document()
    found["bodies"]["disc"] = {"mass": 5, "com": [0, 760, 310], "inertia": [1e5, 2e5, 1e5]}
    found["joints"]["disc"] = {
        "type": "revolute", "parent": "upright", "child": "disc", "at": [0, 760, 310], "axis": "y",
    }  # fmt: skip
    found["coordinates"]["free"]["disc"] = {"of": "joint.disc", "from": -10, "to": 10}
    with pytest.raises(PrecomputeError, match="no equilibrium|nothing holds 'disc'"):
        measured(stand(from_document(found)), points=3)
