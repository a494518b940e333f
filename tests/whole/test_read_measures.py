"""Measures that are read: their outputs, the rows behind these, and both against the full model."""

import tomllib
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_baked import baked
from helpers_corner import Corner, document
from helpers_verify import motion

import kinetab as kt
from fmu_src.interface.variables import variables
from fmu_src.model.rows import Need
from fmu_src.numpy_runtime.state import State
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import from_document
from precompute.reference import ChassisState, on_chassis, simulate
from precompute.verify.motion.comparison import notes

CRANK = {
    "turning": {"of": "joint.crank_pin"},
    "crank": {"of": "joint.crank"},
    "travel": {"of": "spring.slider.length"},
    "height": {"of": "marker.crank_pin.y"},
    "gap": {"of": {"between": ["crank", "slider"], "at": ["crank_pin", [6, 1, 0]]}},
    "again": {"of": {"between": ["crank", "slider"], "at": ["crank_pin", [6, 1, 0]]}},
}
CORNER = {
    **{f"bushing_{d}": {"of": f"bushing.front.{d}"} for d in ("x", "y", "z", "rx", "ry", "rz")},
    "coil": {"of": "spring.coil.length"},
    "mount": {"of": "joint.arm_mount"},
    "across": {"of": "joint.arm_mount[3]"},
    "wheel": {"of": "marker.wheel.x"},
    "gap": {"of": {"between": ["rack", "upright"], "at": [[0, 100, 200], [0, 800, 300]]}},
}
SPAN = np.array([0.08, 0.015, 2e-4, 2e-4])  # of random coordinates: two free ones, two deflections [rad, m]


@cache
def crank_slider(name):
    found = tomllib.loads((MECHANISMS / f"{name}.toml").read_text(encoding="utf-8"))
    found["tables"]["tolerance"] = 1e-5
    return baked(from_document(found | {"measures": CRANK}))


@cache
def corner(stiff):
    own = CORNER if stiff else {name: each for name, each in CORNER.items() if name != "across"}
    return Corner(baked(from_document(document(stiff=stiff) | {"measures": own})))


# -- outputs ----------------------------------------------------------------------------------------------------------


def test_a_measure_gives_two_outputs_with_unit_text_and_dependencies():
    table = {variable.name: variable for variable in variables(crank_slider("crank_slider"))}
    value, rate = table["measure.turning"], table["measure.turning.rate"]
    assert (value.unit, rate.unit) == ("rad", "rad/s")
    assert value.description == "Measure turning: joint crank_pin" and rate.description == "Rate of measure turning"
    assert value.depends_on == rate.depends_on == ()
    assert value.depends_initially_on is rate.depends_initially_on is None
    assert table["measure.gap"].unit == "m" and table["measure.gap"].description.endswith("distance crank to slider")
    names = [name for name in table if name.startswith("measure.")]
    assert names == [name + end for name in (f"measure.{own}" for own in CRANK) for end in ("", ".rate")]
    assert list(table).index(names[0]) == list(table).index("marker.slider.angle[3]") + 1


def test_it_is_read_for_outputs_alone_unless_a_force_acts_on_it():
    model = crank_slider("crank_slider")
    (chart,) = model.charts
    rows = dict(zip(CRANK, chart.rows.measures, strict=True))
    assert rows["travel"] == chart.rows.elements[0] < chart.rows.ends[Need.MOTION]
    assert rows["again"] == rows["gap"]
    own = {rows[name] for name in ("turning", "crank", "height", "gap")}
    assert len(own) == 4
    assert all(chart.rows.ends[Need.MOMENTS] <= row < chart.rows.ends[Need.SHOWN] for row in own)


def test_without_measures_the_rows_are_as_before():
    plain = baked(kt.load(MECHANISMS / "crank_slider.toml"))
    assert plain.measures == () and plain.charts[0].rows.measures == ()
    assert not any(variable.name.startswith("measure.") for variable in variables(plain))


def test_over_several_charts_angles_grow_by_their_laps():
    model = crank_slider("crank_slider_charts")
    laps = {measure.name: measure.lap for measure in model.measures}
    assert laps["crank"] == -laps["turning"] == pytest.approx(2.0 * np.pi) and laps["gap"] == 0.0
    assert len(model.charts) > 1 and all(len(chart.rows.measures) == len(CRANK) for chart in model.charts)


# -- against the full model -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("stiff", "tolerance"), [(False, 1e-7), (True, 5e-6)])
def test_values_and_rates_on_a_moving_chassis_are_those_of_the_full_model(seed, stiff, tolerance):
    c, rng = corner(stiff), np.random.default_rng(seed)
    z, zd = (scale * rng.uniform(-1, 1, c.runtime.nz) for scale in (SPAN[: c.runtime.nz], 10 * SPAN[: c.runtime.nz]))
    drive = c.slots.drives[0].first
    inputs = c.inputs.copy()
    inputs[drive : drive + 3] = z[1], zd[1], 0.0
    ours = c.outputs(State(0.0, 0, 0, z, zd), inputs)
    twist = rng.uniform(-2, 2, 6)
    turn = rng.standard_normal(4)
    there = ChassisState(rng.uniform(-1, 1, 3), turn / np.linalg.norm(turn), twist)
    motion = simulate(c.full, on_chassis(c.full_state(z, zd), there), [0.0], chassis=lambda t: (twist, np.zeros(6)))
    assert set(motion.measures) == {read.name for read in c.mechanism.measures}
    bushing = motion.bushings["front"]
    for i, direction in enumerate(("x", "y", "z", "rx", "ry", "rz")):  # known there in another way
        assert motion.measures[f"bushing_{direction}"].value[0] == pytest.approx(bushing.deflection[0, i], abs=1e-14)
        assert motion.measures[f"bushing_{direction}"].rate[0] == pytest.approx(bushing.rate[0, i], abs=1e-11)
    for name, theirs in motion.measures.items():
        assert ours[f"measure.{name}"] == pytest.approx(theirs.value[0], abs=tolerance)
        assert ours[f"measure.{name}.rate"] == pytest.approx(theirs.rate[0], abs=20 * tolerance)


@pytest.mark.fmu
@pytest.mark.parametrize("name", ["crank_slider", "crank_slider_charts"])
def test_verify_compares_them_through_full_turns(name, tmp_path):
    fmu = kt.build(crank_slider(name), tmp_path / "x.fmu")
    found = {d.quantity: d for d in motion(fmu, stop=4.0, step=0.01).differences}
    assert {f"measure.{own}" for own in CRANK} <= set(found)
    assert found["measure.turning"].span > 400.0 and found["measure.turning"].unit == "deg"
    assert all(found[f"measure.{own}"].error < 2e-3 for own in CRANK)


@pytest.mark.fmu
def test_the_native_fmu_reads_the_same(tmp_path):
    model = crank_slider("crank_slider_charts")
    runs = [
        kt.run(kt.build(model, tmp_path / f"{native}.fmu", native), stop=2.0, step=0.01) for native in (False, True)
    ]
    for name in (name for name in runs[0].outputs if name.startswith("measure.")):
        np.testing.assert_array_equal(*(run.outputs[name] for run in runs), err_msg=name)


# -- links that may spin ----------------------------------------------------------------------------------------------


def with_marker(off):
    """The four-bar linkage in space with a marker on its coupler, beside the line of the balls."""
    m = kt.load(MECHANISMS / "rssr.toml")
    ball = next(joint.p_P for joint in m.joints if joint.name == "A")
    return replace(m, markers=(*m.markers, kt.Marker("beside", "coupler", ball + [0.0, 0.0, off])))


def test_verify_says_which_measures_it_cannot_compare():
    m = with_marker(0.01)
    plain = list(notes(m))
    m = replace(m, measures=(kt.ReadMeasure("height", kt.MarkerCoordinate("beside", "z")),))
    assert [note for note in notes(m) if note not in plain] == [
        "measures of coupler are not compared: it may spin between its balls"
    ]


@pytest.mark.parametrize(("off", "kept"), [(0.0, False), (0.01, True)])
def test_a_force_on_a_marker_turns_the_link_if_it_is_off_its_line(off, kept):
    m = with_marker(off)
    height = kt.Damper("height", kt.MarkerCoordinate("beside", "z"), damping=1.0)
    topology = spanning_tree(replace(m, dampers=(height,)))
    assert bool(topology.spins) != kept
    assert any("kept, since 'height' acts on it" in note for note in topology.notes) == kept
