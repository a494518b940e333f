"""Mechanisms off the beaten track bake and agree with the full model: periodic first, four freedoms, without mass."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_baked import baked
from helpers_verify import motion

from fmu_src.build.python_fmu import build_fmu
from precompute.errors import SingularityError, TopologyError
from precompute.mechanism_file import load
from precompute.model.mechanism import Coordinate, Distance, MarkerCoordinate, Spring
from precompute.pipeline import bake
from precompute.report.inspection import inspect

OWN = MECHANISMS.parent.parent / "tests" / "mechanisms"


def verified(mechanism, folder, **values):
    """What `kinetab verify` finds of an FMU of the mechanism that moves by itself for a moment."""
    return motion(build_fmu(baked(mechanism), folder / "model.fmu"), stop=0.12, values=values)


@pytest.mark.fmu
def test_a_periodic_coordinate_may_be_named_first(tmp_path):
    """Its range begins where nothing is round, so that slopes along the arm differ at the seam by rounding."""
    m = load(OWN / "turret.toml")
    assert m.coordinates[0].periodic and not m.coordinates[1].periodic
    found = verified(m, tmp_path, **{"qd_start.turn": 2.0})
    assert found.worst("mm").error < 1e-3 < found.worst("mm").span


@pytest.mark.fmu
def test_four_freedoms_in_two_pairs(tmp_path):
    m = load(OWN / "two_pairs.toml")
    model = baked(m)
    assert len(model.charts[0].axes) == 4 and max(len(block.axes) for block in model.charts[0].blocks) == 2
    found = verified(m, tmp_path)
    assert found.worst("mm").error < 1e-2 < found.worst("mm").span
    assert found.worst("deg").error < 1e-3


def test_four_freedoms_are_reported():
    report = inspect(load(OWN / "two_pairs.toml"))
    assert report.dof == 4 and not report.problems
    assert [names for names, _ in report.blocks][-1] == ("right_arm", "right_bob")


def test_what_needs_four_axes_is_named():
    m = load(OWN / "two_pairs.toml")
    ends = (np.array([0.45, 0.5, -0.2]), np.array([0.45, -0.4, -0.2]))
    bar = Spring("bar", Distance("left_bob", "right_bob", *ends), stiffness=100.0, free_length=0.5)
    coupled = replace(m, springs=(*m.springs, bar))
    message = "spring.bar depends on 4 coordinates at once, 'left_arm', 'left_bob', 'right_arm' and 'right_bob'. .* 3 "
    for command in (bake, inspect):
        with pytest.raises(TopologyError, match=message + ".*take out what couples them"):
            command(coupled)


@pytest.mark.fmu
def test_a_marker_counted_from_design_is_zero_there(tmp_path):
    m = load(MECHANISMS / "four_bar.toml")
    travel = Coordinate("travel", MarkerCoordinate("coupler_pin", "x", relative=True), -0.8, 0.08)
    relative = replace(m, coordinates=(travel,))
    assert baked(relative).starts[0].value == pytest.approx(0.0, abs=1e-12)
    found = verified(relative, tmp_path)
    assert found.worst("mm").error < 1e-3 and found.worst("mm").span > 10.0
    assert next(d for d in found.differences if d.quantity == "q.travel").span > 10.0


def massless_four_bar():
    m = load(MECHANISMS / "four_bar.toml")
    bodies = tuple(replace(b, mass=0.0, inertia=np.zeros((3, 3))) for b in m.bodies)
    return replace(m, bodies=bodies)


@pytest.mark.fmu
def test_a_massless_mechanism_bakes_when_it_is_driven(tmp_path):
    m = massless_four_bar()
    crank = replace(m.coordinates[0], driven="filtered", filter_time=0.02, start_rate=0.0)
    driven = replace(m, coordinates=(crank,))
    assert not inspect(driven).problems
    found = verified(driven, tmp_path, **{"drive.crank.q": 2.0})
    assert found.worst("mm").error < 1e-3 and found.worst("mm").span > 1000.0
    force = next(d for d in found.differences if d.quantity == "drive.crank.force")
    assert force.error < 1e-4 and force.span > 1.0


@pytest.mark.fmu
def test_verify_says_where_nothing_moved(tmp_path):
    m = massless_four_bar()
    driven = replace(m, coordinates=(replace(m.coordinates[0], driven=True, start_rate=0.0),))
    assert "covered nothing: no coordinate moved by 1 % of its table" in verified(driven, tmp_path).faults[0]


@pytest.mark.fmu
@pytest.mark.parametrize(("driven", "filter_time"), [(True, None), ("filtered", 0.02)])
def test_what_has_drives_alone_is_led_by_them(tmp_path, driven, filter_time):
    """No mass, no force: the drive goes all round."""
    m = massless_four_bar()
    crank = replace(m.coordinates[0], driven=driven, filter_time=filter_time, start_rate=0.0)
    fmu = build_fmu(baked(replace(m, coordinates=(crank,))), tmp_path / "model.fmu")
    found = motion(fmu, free=False)
    assert found.manner == "led through its range by its drives" and not found.faults
    assert found.coverage[0].share > 0.99 and found.worst("mm").error < 1e-3


def test_a_massless_mechanism_that_is_not_driven_says_what_it_needs():
    message = "a motion of 'crank' moves no mass .* of 'crank' or 'coupler' or 'rocker', or `driven = true` for 'crank'"
    for command in (bake, inspect):
        with pytest.raises(SingularityError, match=message):
            command(massless_four_bar())
