"""From a mechanism file to an FMU running in FMPy, against independent numbers."""

import json
import math
from dataclasses import replace

import fmpy
import numpy as np
import pytest
from fmpy.validation import validate_fmu
from helpers import GOLDEN, MECHANISMS

from fmu_src.model.laws import free_value
from fmu_src.numpy_runtime.dynamics import acceleration, energies, mechanics, prepare
from fmu_src.numpy_runtime.reading import read
from precompute.errors import MechanismError
from precompute.mechanism_file import from_document, load, source_hash
from precompute.model.mechanism import Coordinate, ForceTable, JointCoordinate, Spring, TableSettings
from precompute.pipeline import bake
from precompute.reference import Loads, accelerations, assemble, full_model, initial_velocity
from precompute.running.simulation import run_fmu

ALL = ["crank_slider", "four_bar", "spatial_slider_crank", "rssr", "double_wishbone_rigid"]


@pytest.mark.fmu
def test_crank_slider_trajectory_from_the_fmu(fmu):
    """The golden trajectory: theta01(5 s) = 9.5267220328 to 1e-6, energy drift below 1e-8, at 1 ms steps."""
    golden = json.loads((GOLDEN / "crank_slider.json").read_text())["trajectory"]
    run = run_fmu(fmu("crank_slider"), stop=5.0, step=1e-3)
    at = np.searchsorted(run.time, np.array(golden["t"]) - 1e-9)
    np.testing.assert_allclose(run.outputs["q.crank"][at], golden["th01"], atol=1e-6)
    np.testing.assert_allclose(run.outputs["qd.crank"][at], golden["th01d"], atol=1e-6)
    energy = run.outputs["energy.total"]
    assert energy[0] == pytest.approx(66.0, rel=1e-7)
    assert np.ptp(energy) / energy[0] < 1e-8


@pytest.mark.fmu
@pytest.mark.parametrize("name", ALL)
def test_fmus_are_valid(fmu, name):
    assert validate_fmu(str(fmu(name))) == []


@pytest.mark.fmu
def test_fmu_offers_what_the_issue_asks_for(fmu):
    variables = {v.name: v for v in fmpy.read_model_description(str(fmu("double_wishbone_rigid"))).modelVariables}
    assert all(v.description for v in variables.values())
    assert all(v.unit for v in variables.values())
    expected = {
        "output": ["q.shock", "qd.shock", "qdd.shock", "spring.shock.length", "spring.shock.force", "energy.total"]
        + [f"marker.wheel.{x}[{i}]" for x in ("r", "v", "w", "angle") for i in (1, 2, 3)]
        + [f"marker.wheel.{x}" for x in ("steer", "camber", "steer_absolute", "camber_change")]
        + ["damper.shock.force", "spring.steering.angle", "spring.shock.free_length", "spring.steering.preload"],
        "input": ["Q.pitman", "Q.shock"] + [f"port.contact.{x}[{i}]" for x in "FM" for i in (1, 2, 3)],
        "parameter": ["q_start.shock", "qd_start.pitman", "solver.step", "spring.shock.k", "gravity[3]"]
        + ["spring.shock.preload", "spring.steering.free_length", "spring.shock.bump_stop.at"]
        + ["spring.shock.rebound_stop.k", "damper.steering.c"]
        + ["spring.shock.bump_stop.table.f[2]", "damper.shock.table.x[1]"],
    }
    for causality, names in expected.items():
        assert {variables[n].causality for n in names} == {causality}
    assert variables["spring.shock.k"].variability == "tunable" and variables["port.contact.F[3]"].start == "5000.0"


@pytest.mark.parametrize("name", ALL)
def test_reduced_accelerations_equal_those_of_the_full_model(baked, name):
    """At random states and loads: tables and equations of motion against maximal coordinates with multipliers."""
    model = baked(name)
    mechanism = from_document(model.mechanism)
    runtime, full = prepare(model)[0], full_model(mechanism)
    parameters = [p.value for p in model.parameters]
    rng = np.random.default_rng(5)
    axes = model.charts[0].axes
    for _ in range(4):
        z = np.array([rng.uniform(0.9 * a.lower, 0.9 * a.upper) for a in axes])
        zd = rng.uniform(-1, 1, len(axes)) * np.array([2.0 if a.unit == "rad" else 0.5 for a in axes])
        names = [c.name for c in model.coordinates]
        Q = rng.uniform(-3, 3, len(axes))
        ports = {p.name: rng.uniform(-20, 20, (2, 3)) for p in mechanism.ports}
        given = np.concatenate([Q, *(ports[p.name].ravel() for p in mechanism.ports)])
        inputs = np.pad(given, (0, runtime.slots.count - given.size))  # nothing acts on the wheels
        state = assemble(full, dict(zip(names, z, strict=True)))
        state = initial_velocity(full, state, dict(zip(names, zd, strict=True)))
        loads = Loads(
            ports={n: (load[0], load[1]) for n, load in ports.items()}, coordinates=dict(zip(names, Q, strict=True))
        )
        exact = accelerations(full, state, 0.0, lambda _t, loads=loads: loads).coordinates
        ours = acceleration(runtime, z, zd, parameters, inputs)
        theirs = np.array([exact[n] for n in names])
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-5 * np.abs(theirs).max())


@pytest.mark.parametrize("name", ALL)
def test_power_in_is_energy_out(baked, name):
    """d(energy)/dt of the tables equals the power of dampers, ports and inputs; here none but dampers."""
    model = baked(name)
    runtime = prepare(model)[0]
    parameters = [0.0 if p.name.endswith(".c") or ".table.f" in p.name else p.value for p in model.parameters]
    inputs = np.zeros(runtime.slots.count)
    z = np.array([0.3 * a.lower + 0.7 * a.upper for a in model.charts[0].axes])
    zd = np.array([1.0 if a.unit == "rad" else 0.3 for a in model.charts[0].axes])
    zdd = acceleration(runtime, z, zd, parameters, inputs)
    h = 1e-5

    def energy(t):
        return energies(runtime, z + t * zd + t * t / 2 * zdd, zd + t * zdd, parameters).total

    scale = max(abs(energy(0.0)), 1.0)
    assert abs(energy(h) - energy(-h)) / (2 * h) < 1e-5 * scale


def test_full_turns_go_on(baked):
    """A periodic coordinate may run on for many turns."""
    reading = prepare(baked("crank_slider"))[0].everything
    here, later = (read(reading, np.array([1.0 + turns * 2 * math.pi])) for turns in (0, 40))
    np.testing.assert_allclose(here[0], later[0], atol=1e-10)
    np.testing.assert_allclose(here[1], later[1], atol=1e-9)


def test_the_model_carries_its_mechanism(baked):
    mechanism = load(MECHANISMS / "double_wishbone_rigid.toml")
    model = baked("double_wishbone_rigid")
    assert model.source_hash == source_hash(mechanism)
    inside = from_document(model.mechanism)
    assert [c.name for c in inside.coordinates] == ["pitman", "shock"]
    assert inside.springs[0].free_length is None
    assert inside.springs[0].preload == pytest.approx(11700.0)  # as the file has it


def test_auto_coordinates_bake_end_to_end():
    m = replace(load(MECHANISMS / "four_bar.toml"), coordinates=None, tables=TableSettings(1e-4))
    model = bake(m)
    assert len(model.coordinates) == 1 and model.certificate.tolerance == 1e-4


def test_a_marker_coordinate_gives_the_same_motion_as_the_joint(baked):
    """Wheel height instead of shock travel: the same accelerations of the wheel at the same configuration."""
    m = load(MECHANISMS / "double_wishbone_rigid.toml")
    spring = m.springs[0]
    by_length = (m.coordinates[0], Coordinate("length", spring.on, 0.33, 0.38))
    other = bake(replace(m, coordinates=by_length, tables=TableSettings(1e-7)))
    model = baked("double_wishbone_rigid")
    shock = 0.005
    zero = np.zeros(2)
    runtime = prepare(model)[0]
    inputs = np.zeros(runtime.slots.count)
    at = mechanics(runtime, np.array([0.1, shock]))
    number = [element.name for element in model.elements].index("spring.shock")
    zdd = acceleration(runtime, np.array([0.1, shock]), zero, [p.value for p in model.parameters], inputs)
    length_dd = acceleration(
        prepare(other)[0], np.array([0.1, at.s[number]]), zero, [p.value for p in other.parameters], inputs
    )
    np.testing.assert_allclose([zdd[0], at.ds[:, number] @ zdd], length_dd, rtol=1e-4)


def test_preload_of_a_table_spring():
    m = load(MECHANISMS / "crank_slider.toml")
    table = ForceTable([0.0, 1.0, 2.0], [0.0, 10.0, 40.0])
    spring = Spring("s", JointCoordinate("slide"), table=table, preload=25.0)
    model = bake(replace(m, springs=(spring,), dampers=(), tables=TableSettings(1e-4)))
    assert next(p.value for p in model.parameters if p.name == "spring.s.preload") == 25.0
    assert free_value(model.elements[0].laws[0], [p.value for p in model.parameters]) == pytest.approx(1.5)
    flat = replace(spring, table=ForceTable([0.0, 1.0], [5.0, 5.0]))
    with pytest.raises(MechanismError, match="never has the force 25 N"):
        bake(replace(m, springs=(flat,), dampers=(), tables=TableSettings(1e-4)))
