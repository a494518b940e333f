"""A motion covered by charts: the slider of a crank-slider, the rocker of a four-bar."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from helpers import MECHANISMS, planar_four_bar, random_planar_mechanism

from fmu_src.build.python_fmu import build_fmu
from fmu_src.interface.variables import layout, variables
from fmu_src.numpy_runtime.dynamics import acceleration, prepare
from fmu_src.numpy_runtime.handover import hand_over, settled
from fmu_src.numpy_runtime.instance import Instance
from fmu_src.numpy_runtime.outputs import outputs
from fmu_src.numpy_runtime.state import State
from fmu_src.numpy_runtime.steps.integrator import advance
from precompute.coordinates.charts import cover, find_arcs
from precompute.coordinates.independent import choose_coordinates
from precompute.errors import SingularityError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import Coordinate, JointCoordinate, Marker, MarkerCoordinate, Spring, Stop
from precompute.pipeline import bake
from precompute.report.inspection import inspect
from precompute.running.simulation import run_fmu

CRANK = Coordinate("crank", JointCoordinate("crank", 0), 0.0, 2.0 * np.pi, periodic=True)
NO_INPUT = np.zeros(7)


def crank_slider():
    return load(MECHANISMS / "crank_slider_charts.toml")


@cache
def by_slider():
    return bake(crank_slider())


@cache
def by_crank():
    return bake(replace(crank_slider(), coordinates=(CRANK,)))


def default(model):
    return [p.value for p in model.parameters]


def named(model, charts, state, inputs=NO_INPUT):
    table = variables(model)[layout(model).outputs]
    values = outputs(charts, state, default(model), inputs)
    return {variable.name: value for variable, value in zip(table, values, strict=True)}


def crank_state(angle, rate):
    return State(0.0, 0, 0, np.array([angle]), np.array([rate]))


def whole_motion(model, charts, start, seconds, step=0.01):
    """States along a motion, one per step."""
    states, inputs = [start], np.zeros(len(model.coordinates) + 6 * len(model.ports))
    for _ in range(round(seconds / step)):
        states.append(advance(charts, states[-1], step, default(model), inputs, step))
    return states


def test_the_slider_serves_both_branches_and_the_crank_the_dead_centres():
    names = [chart.axes[0].name for chart in by_slider().charts]
    assert names == ["slider", "crank", "slider", "crank"]
    assert by_slider().certificate.worst_condition < 20.0
    assert max(row.value_error for row in by_slider().certificate.columns) < 1e-8


@pytest.mark.fmu
def test_twenty_turns_agree_with_the_crank_angle_model(fmu, tmp_path):
    start = named(by_slider(), prepare(by_slider()), State(0.0, 0, 0, np.zeros(1), np.array([2.0])))
    rate = start["marker.crank_pin.w[3]"]
    step = {"solver.step": 0.003}
    ours = run_fmu(fmu("crank_slider_charts"), stop=61.02, step=0.06, values=step).outputs
    theirs = run_fmu(
        build_fmu(by_crank(), tmp_path / "crank.fmu"), stop=61.02, step=0.06, values={"qd_start.crank": rate, **step}
    ).outputs
    angle = np.unwrap(ours["marker.crank_pin.angle[3]"])
    reference = theirs["q.crank"]
    assert (reference[-1] - reference[0]) / (2.0 * np.pi) > 20.0
    assert np.count_nonzero(np.diff(ours["table.chart"])) >= 80
    assert np.abs(angle - angle[0] - reference).max() < 1e-6
    assert np.ptp(ours["energy.total"]) < 1e-7 * ours["energy.total"][0]
    np.testing.assert_allclose(ours["q.slider"], theirs["spring.slider.length"], rtol=0, atol=1e-6)


def test_everything_agrees_on_every_chart():
    """Rates, accelerations and forces of both models at the same configurations, with loads."""
    model, other = by_slider(), by_crank()
    charts, their_charts = prepare(model), prepare(other)
    inputs = np.array([3.0, 10.0, -20.0, 5.0, 0.0, 0.0, 7.0])
    seen = set()
    for state in whole_motion(model, charts, State(0.0, 0, 0, np.zeros(1), np.array([2.0])), 3.5):
        seen.add(state.chart)
        ours = named(model, charts, state, inputs)
        angle = np.arctan2(ours["marker.crank_pin.r[2]"] - 1.0, ours["marker.crank_pin.r[1]"] - 2.0) - np.pi / 3
        crank = crank_state(angle, ours["marker.crank_pin.w[3]"])
        slide = named(other, their_charts, crank)["spring.slider.rate"] / crank.zd[0]
        theirs = named(other, their_charts, crank, np.array([3.0 * slide, *inputs[1:]]))  # a force on the slider
        for name in ("spring.slider.length", "spring.slider.force", "marker.slider.v[1]", "energy.total"):
            assert ours[name] == pytest.approx(theirs[name], rel=1e-6, abs=1e-6)
        assert ours["qd.slider"] == pytest.approx(theirs["spring.slider.rate"], abs=1e-7)
        h = 1e-4  # the acceleration of the slider, from the other model by differences of its rate
        slope = [
            named(other, their_charts, crank_state(angle + d * crank.zd[0] + 0.5 * d * d * theirs["qdd.crank"],
                  crank.zd[0] + d * theirs["qdd.crank"]))["spring.slider.rate"]
            for d in (-h, h)
        ]  # fmt: skip
        assert ours["qdd.slider"] == pytest.approx((slope[1] - slope[0]) / (2 * h), abs=2e-5)
    assert seen == {0, 1, 2, 3}


def test_a_hand_over_keeps_position_rate_and_energy():
    model = by_slider()
    charts, parameters = prepare(model), default(model)
    for number, chart in enumerate(model.charts):
        for k, border in enumerate(chart.borders):
            state = State(0.0, number, 0, np.array([border.at]), np.array([1.3]))
            after = hand_over(charts, state, k, parameters)
            before, then = (named(model, charts, s) for s in (state, after))
            for name in ("marker.crank_pin.r[1]", "marker.crank_pin.v[2]", "q.slider", "qd.slider", "qdd.slider"):
                assert then[name] == pytest.approx(before[name], rel=2e-7, abs=2e-7), name
            assert then["energy.total"] == pytest.approx(before["energy.total"], rel=1e-14)
            assert settled(charts, after, parameters) is after  # not handed back


def test_a_small_motion_across_a_border_changes_the_chart_once():
    model = by_slider()
    charts, parameters = prepare(model), default(model)
    border = model.charts[0].borders[0]
    state, seen = State(0.0, 0, 0, np.array([border.at - 1e-3]), np.array([0.2])), []
    for i in range(200):
        push = np.array([400.0 * (-1.0) ** (i // 5), *np.zeros(6)])
        state = advance(charts, state, 2e-3, parameters, push, 2e-3)
        seen.append(state.chart)
    assert np.count_nonzero(np.diff(seen)) == 1


def test_a_long_step_across_a_border_is_taken_in_the_chart_ahead():
    model = by_slider()
    charts = prepare(model)
    near = State(0.0, 0, 0, np.array([model.charts[0].borders[0].at - 1e-4]), np.array([2.5]))
    once = advance(charts, near, 0.05, default(model), NO_INPUT, 0.05)
    fine = advance(charts, near, 0.05, default(model), NO_INPUT, 0.001)
    assert once.chart == fine.chart == 1
    assert once.z[0] == pytest.approx(fine.z[0], abs=1e-4)


def test_a_saved_state_remembers_its_chart():
    instance = Instance(prepare(by_slider()))
    instance.enter_initialization()
    instance.exit_initialization()
    time = 0.0
    while instance.state.chart != 3:
        instance.step(time, 0.01)
        time += 0.01
    saved, reference = instance.save(), []
    assert instance.state.lap == 0
    for _ in range(300):
        instance.step(instance.state.time, 0.01)
        reference.append(instance.state.numbers())
    assert instance.state.lap == 1
    instance.restore(saved)
    for numbers in reference:
        instance.step(instance.state.time, 0.01)
        assert instance.state.numbers() == numbers


def test_an_angle_goes_on_growing_lap_after_lap():
    """A torsion spring on the crank winds up over the turns; energy is kept, and so is the angle."""
    spring = Spring("wound", JointCoordinate("crank", 0), stiffness=0.8, free_length=0.0)
    model = bake(replace(crank_slider(), springs=(*crank_slider().springs, spring)))
    charts = prepare(model)
    states = whole_motion(model, charts, State(0.0, 0, 0, np.zeros(1), np.array([3.0])), 12.0, 0.004)
    found = [named(model, charts, s) for s in states]
    angle = np.array([f["spring.wound.angle"] for f in found])
    energy = np.array([f["energy.total"] for f in found])
    assert angle.max() > 4.0 * np.pi and np.abs(np.diff(angle)).max() < 0.1
    assert np.ptp(energy) < 1e-6 * energy[0]


def test_a_rocker_through_both_its_dead_centres():
    """A crank-rocker with the rocker as coordinate agrees with the same one in the crank angle."""
    four_bar = load(MECHANISMS / "four_bar.toml")
    rocker = replace(four_bar, coordinates=(Coordinate("rocker", JointCoordinate("rocker", 0)),))
    model = bake(rocker)  # the design is near a dead centre of the rocker: the motion starts in the crank angle
    charts, other = prepare(model), prepare(bake(four_bar))
    assert [chart.axes[0].name for chart in model.charts] == ["crank", "rocker", "crank", "rocker"]
    ours, theirs = (whole_motion(c[0].model, c, crank_state(0.0, 4.0), 4.0, 0.004) for c in (charts, other))
    assert ours[-1].lap != 0
    for a, b in zip(ours[::50], theirs[::50], strict=True):
        expected = named(other[0].model, other, b)["spring.rocker.angle"]
        assert named(model, charts, a)["q.rocker"] == pytest.approx(expected, abs=1e-5)


def test_check_of_a_design_near_a_dead_centre():
    four_bar = load(MECHANISMS / "four_bar.toml")
    report = inspect(replace(four_bar, coordinates=(Coordinate("rocker", JointCoordinate("rocker", 0)),)))
    assert not report.problems and len(report.charts) == 4
    assert "found for the chart" in report.reason


def test_the_first_arc_contains_the_design():
    s = np.linspace(0.0, 2.0 * np.pi, 72, endpoint=False)
    for phase, named in ((1.0, True), (0.2, False), (3.0, False), (4.5, True)):
        arcs = find_arcs(np.sin(s + phase), -np.cos(s + phase), 0.0)
        assert [arc.named for arc in arcs] == [named, not named] * 2
        assert arcs[0].first < arcs[0].begin < 0 < arcs[0].end < arcs[0].last
        for here, there in zip(arcs, arcs[1:], strict=False):
            assert here.end > there.begin and here.last < there.end  # each border lies inside the other's arc
    assert find_arcs(2.0 + np.sin(s), 2.0 * s - np.cos(s), 4.0 * np.pi) == []  # no dead centre


def test_a_design_at_a_dead_centre_starts_in_the_coordinate_found_for_it():
    at_rest = Coordinate("slider", JointCoordinate("slide", 0))
    mechanism = replace(load(MECHANISMS / "crank_slider.toml"), coordinates=(at_rest,))
    model = bake(mechanism)
    assert [chart.axes[0].name for chart in model.charts] == ["crank", "slider", "crank", "slider"]
    charts, other = prepare(model), prepare(bake(load(MECHANISMS / "crank_slider.toml")))
    start = crank_state(0.0, 2.0)
    ours = named(model, charts, whole_motion(model, charts, start, 5.0)[-1])
    theirs = named(other[0].model, other, whole_motion(other[0].model, other, start, 5.0)[-1])
    assert ours["q.slider"] == pytest.approx(theirs["spring.slider.length"], abs=1e-7)
    names = [v.name for v in variables(model)]
    assert "qd_start.crank" in names and "q.slider" in names and "Q.slider" in names
    with pytest.raises(SingularityError, match=r"dead centre of 'slider'.*qd_start.crank"):
        bake(replace(mechanism, coordinates=(replace(at_rest, start_rate=1.0),)))


def test_a_range_in_the_file_is_kept_to():
    limited = replace(crank_slider(), coordinates=(replace(crank_slider().coordinates[0], lower=-0.3, upper=0.4),))
    topology = spanning_tree(limited)
    design = close_loops(limited, topology)
    assert len(cover(choose_coordinates(limited, topology, design), design).pieces) == 1


def test_a_start_outside_the_first_chart_says_what_to_do():
    late = replace(crank_slider(), coordinates=(replace(crank_slider().coordinates[0], start=-0.62),))
    topology = spanning_tree(late)
    design = close_loops(late, topology)
    with pytest.raises(SingularityError, match=r"starts at .* it serves from .* move the design position"):
        cover(choose_coordinates(late, topology, design), design)


def test_outside_all_charts_the_error_names_the_coordinate():
    model = by_slider()
    charts = prepare(model)
    with pytest.raises(Exception, match="'slider'"):
        acceleration(charts[0], np.array([1.4]), np.zeros(1), default(model), NO_INPUT)


# -- chosen automatically ---------------------------------------------------------------------------------------------


def triple_rocker():
    """A four-bar none of whose links turns fully: every coordinate meets dead centres, and the motion is closed."""
    pin, ground, coupler, rocker = np.exp(1j * np.deg2rad(100.0)), 1.4, 1.2, 1.1
    rest = ground - pin
    inner = np.arccos((abs(rest) ** 2 + coupler**2 - rocker**2) / (2.0 * abs(rest) * coupler))
    angle = np.angle(rest) + inner
    last = np.angle(rest - coupler * np.exp(1j * angle))
    return planar_four_bar((1.0, 100.0), (coupler, np.rad2deg(angle)), (rocker, np.rad2deg(last)))


def atlas_of(mechanism):
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    return cover(choose_coordinates(mechanism, topology, design), design)


def test_charts_are_chosen_where_no_coordinate_serves_all():
    atlas = atlas_of(triple_rocker())
    assert [piece.coordinates.names for piece in atlas.pieces] == [("d",), ("a",), ("d",), ("a",)]
    report = inspect(triple_rocker())
    assert not report.problems and len(report.charts) == 4 and report.paste == '[coordinates.free.d]\nof = "joint.d"'


def test_a_motion_goes_through_the_dead_centres_of_a_coordinate_chosen_automatically():
    model = bake(triple_rocker())
    charts = prepare(model)
    states = whole_motion(model, charts, State(0.0, 0, 0, np.zeros(1), np.array([3.0])), 2.0, 0.0025)
    assert {state.chart for state in states} == {0, 1, 2, 3}
    energy = [named(model, charts, state, np.zeros(1))["energy.total"] for state in states[::100]]
    assert np.ptp(energy) < 1e-6 * energy[0]


def test_a_wheel_or_a_stop_keeps_a_suspension_in_one_chart():
    m = triple_rocker()
    wheel = Marker("wheel", "two", np.zeros(3), spin_axis=np.array([0.0, 1.0, 0.0]))
    assert len(atlas_of(replace(m, markers=[wheel])).pieces) == 1
    stop = Spring("s", JointCoordinate("d"), stiffness=1.0, free_length=0.0, bump_stop=Stop(-0.2, stiffness=1e3))
    assert len(atlas_of(replace(m, springs=[stop])).pieces) == 1


def test_a_design_near_a_dead_centre_of_the_coordinate_that_is_chosen():
    """Its first chart is over another one, and nobody asks for `start` or `rate` that the file does not have."""
    atlas = atlas_of(random_planar_mechanism(34))
    assert len(atlas.pieces) == 4 and atlas.pieces[0].coordinates.names != tuple(c.name for c in atlas.named)


@pytest.mark.parametrize("driven", [{"driven": True}, {"driven": "filtered", "filter_time": 0.02}])
def test_what_is_driven_stays_this_side_of_its_dead_centres(driven):
    """Charts hand over to another coordinate, which nothing would drive; check and bake agree on a range instead."""
    m = load(MECHANISMS / "short" / "trailing_arm.toml")
    travel = Coordinate("travel", MarkerCoordinate("wheel", "z", relative=True), **driven)
    m = replace(m, coordinates=(travel,), tables=replace(m.tables, tolerance=1e-3))
    report, model = inspect(m), bake(m)
    assert not report.charts and len(model.charts) == 1
    (axis,) = model.charts[0].axes
    assert f"from = {1e3 * axis.lower:.4g}" in report.paste and f"to = {1e3 * axis.upper:.4g}" in report.paste
