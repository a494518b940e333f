"""Discs on the floor as FMUs run them: golden motions, energy, the force of the floor, both run-times, full model."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from helpers_baked import baked, baked_file
from helpers_kernel import Pair
from helpers_rolling import RADIUS, TH, disc, with_pendulum

from fmu_src.build.compile import library
from fmu_src.build.kernel_shape import shape_header
from fmu_src.errors import StepError
from fmu_src.model.rows import Need
from fmu_src.numpy_runtime.dynamics import acceleration_at, mechanics, mechanics_of, moving_force, prepare
from fmu_src.numpy_runtime.ground import ground_at
from fmu_src.numpy_runtime.instance import Instance
from fmu_src.numpy_runtime.reading import read
from precompute.model.contacts import TrackStart
from precompute.reference import assemble, full_model, initial_velocity, simulate
from precompute.verify.kinematic_check import kinematic_check

KINDS = ("rolling", "sliding")
AT_2S = {"heading": 2.299260834913, "spin": -12.583683757739, "x": 1.600097795021, "y": 5.082150921713}
LEAN = 1.155101376548 - TH
FORCE = (-4.291764097, -3.681194848, 19.563842272)
ENERGY = 22.0076246324
STEP = 1e-3


def started(instance, **values):
    names = [v.name for v in instance.variables] if isinstance(instance, Instance) else instance.names
    for name, value in values.items():
        instance.set([names.index(name)], [value])
    instance.setup(0.0)
    instance.enter_initialization()
    instance.exit_initialization()
    return names


def running(model, stop, **values):
    """A NumPy instance after some seconds, and a function that reads its outputs."""
    instance = Instance(prepare(model))
    names = started(instance, **values)
    for i in range(round(stop / STEP)):
        instance.step(i * STEP, STEP)
    return lambda *wanted: instance.get([names.index(name) for name in wanted])


@cache
def with_start(kind, unbalanced=False):
    start = TrackStart(x=0.2, y=-0.1, heading=0.3, heading_rate=0.4)
    return baked(with_pendulum(kind, [0.02, 0.01, RADIUS + 0.03] if unbalanced else None, start))


# -- the golden disc --------------------------------------------------------------------------------------------------


def test_the_shipped_disc_rolls_as_the_golden_one():
    get = running(baked_file("rolling_disc"), 2.0)
    for name, value in {**AT_2S, "lean": LEAN}.items():
        assert get(f"q.{name}")[0] == pytest.approx(value, abs=1e-8), name
    np.testing.assert_allclose(get(*(f"joint.contact.F[{i}]" for i in (1, 2, 3))), FORCE, atol=1e-8)
    assert get("energy.total")[0] == pytest.approx(ENERGY, rel=1e-10)
    heading, spin = get("q.heading", "qd.spin")
    np.testing.assert_allclose(get("qd.x", "qd.y"), -RADIUS * spin * np.array([np.cos(heading), np.sin(heading)]))


def test_tables_are_over_the_lean_alone():
    model = baked_file("rolling_disc")
    assert [c.name for c in model.coordinates] == ["lean", "spin", "heading", "x", "y"]
    assert {axis for block in model.charts[0].blocks for axis in block.axes} == {0}
    assert model.charts[0].rows.N >= model.charts[0].rows.ends[Need.MOMENTS]


@pytest.mark.parametrize(("n", "frequency"), [(3.0, 2.429815), (6.0, 8.408567)])
def test_an_upright_disc_swings(n, frequency):
    values = {"q_start.lean": 0.0, "qd_start.lean": 1e-4, "qd_start.heading": 0.0, "qd_start.spin": n}
    model, quarter = baked_file("rolling_disc"), 0.5 * np.pi / frequency
    instance = Instance(prepare(model))
    names = started(instance, **values)
    found, count = [], round(quarter / STEP)
    for k in range(4 * count):
        if k % count == 0:
            found.append(instance.get([names.index("q.lean")])[0])
        instance.step(k * quarter / count, quarter / count)
    np.testing.assert_allclose(found, 1e-4 / frequency * np.array([0.0, 1.0, 0.0, -1.0]), atol=1e-5 * 1e-4)


def test_a_slow_disc_falls():
    growth, stop = 2.469008, 0.8
    values = {"q_start.lean": 0.0, "qd_start.lean": 1e-5, "qd_start.heading": 0.0, "qd_start.spin": 2.0}
    (lean,) = running(baked_file("rolling_disc"), stop, **values)("q.lean")
    assert lean == pytest.approx(1e-5 / growth * np.sinh(growth * stop), rel=1e-5)


# -- energy, force and moment of the floor ----------------------------------------------------------------------------


@pytest.mark.parametrize("unbalanced", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_energy_is_kept_on_a_floor_that_leans(kind, unbalanced):
    before, after = (running(with_start(kind, unbalanced), stop)("energy.total")[0] for stop in (0.0, 0.4))
    assert after == pytest.approx(before, rel=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_terms_of_quasi_velocities_have_no_power_whatever_the_tables_are(kind):
    """Without gravity and springs: u . (J du/dt + dJ u u / 2) = 0 at any state."""
    model = with_start(kind, True)
    runtime, rng = prepare(model)[0], np.random.default_rng(3)
    still = [0.0] * len(model.parameters)
    inputs = np.zeros(runtime.slots.count)
    for _ in range(10):
        z = np.array([axis.lower + rng.random() * (axis.upper - axis.lower) for axis in model.charts[0].axes])
        at = mechanics(runtime, z)
        zd = runtime.track.kept(z, 5.0 * rng.normal(size=z.size))
        u = runtime.track.rates(z, zd)
        power = u @ moving_force(runtime, at, zd, still, inputs)
        changing = 0.5 * u @ np.tensordot(u, at.dJ, 1) @ u
        assert abs(power + changing) < 1e-12 * np.abs(at.dJ).max() * np.abs(u).max() ** 3


@pytest.mark.parametrize("kind", KINDS)
def test_the_floor_exerts_no_moment_and_a_floor_without_friction_no_force_along_it(kind):
    model = with_start(kind, True)
    runtime, rng = prepare(model)[0], np.random.default_rng(5)
    inputs = np.zeros(runtime.slots.count)
    parameters = [0.0 if p.name == "spring.swing.k" else p.value for p in model.parameters]  # it holds on to the fork
    gravity = np.array([parameters[i] for i in model.gravity])
    for _ in range(10):
        z = np.array([axis.lower + rng.random() * (axis.upper - axis.lower) for axis in model.charts[0].axes])
        zd = runtime.track.kept(z, 3.0 * rng.normal(size=z.size))
        at = mechanics_of(runtime, z, *read(runtime.everything, z))
        zdd = acceleration_at(runtime, at, zd, parameters, inputs)
        u = runtime.track.rates(z, zd)
        ud = runtime.track.quasi_accelerations(z, u, zdd)
        np.testing.assert_allclose(runtime.track.accelerations(z, u, ud), zdd, atol=1e-10)
        ground = ground_at(runtime.rows, at.value, at.slopes, model.mass)
        force, moment = runtime.track.contact_wrench(z, ground, u, ud, gravity)
        assert np.abs(moment).max() < 2e-4 * np.abs(force).max(), "as good as slopes of the tables"
        if kind == "sliding":
            assert np.abs(force[:2]).max() < 2e-4 * np.abs(force[2])


# -- both run-times ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unbalanced", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_kernel_and_numpy_agree(kind, unbalanced, tmp_path):
    model, rng = with_start(kind, unbalanced), np.random.default_rng(7)
    shaped = kind == "rolling" and not unbalanced  # compiling takes long
    for path in (library(), *([library(shape=shape_header(model))] if shaped else ())):
        pair = Pair(model, tmp_path, path=path).start()
        numbers = pair.numbers().copy()
        for _ in range(3):
            assert pair.difference(numbers, rng) < 1e-12
            assert pair.difference(numbers, rng, STEP) < 1e-12
            numbers[7 : 7 + 2 * pair.nz] += 0.05 * rng.normal(size=2 * pair.nz)


def test_both_refuse_to_look_for_a_place_of_rest(tmp_path):
    pair = Pair(baked_file("rolling_disc"), tmp_path)
    pair.put("solver.static", 1.0)
    said = []
    for instance in (pair.numpy, pair.compiled):
        instance.setup(0.0)
        instance.enter_initialization()
        with pytest.raises(StepError, match="nothing holds the disc 'contact'") as refused:
            instance.exit_initialization()
        said.append(str(refused.value))
    assert said[0] == said[1]


def test_variables_of_a_disc():
    names = {v.name: v for v in Instance(prepare(baked_file("rolling_disc"))).variables}
    assert {"q_start.x", "q_start.y", "q_start.heading", "qd_start.heading", "Q.heading", "Q.spin"} <= {*names}
    assert not {"qd_start.x", "qd_start.y", "Q.x", "Q.y"} & {*names}
    assert names["qd.x"].depends_initially_on == ("solver.static", "q_start.heading", "qd_start.spin")
    sliding = {v.name for v in Instance(prepare(with_start("sliding"))).variables}
    assert {"qd_start.x", "qd_start.y"} <= sliding and "Q.x" not in sliding


# -- the full model, natural coordinates ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_full_model_agrees(kind):
    """With velocity rows: places, force of the floor, markers, off the origin and on a floor that leans."""
    start = TrackStart(x=0.2, y=-0.1, heading=0.3, heading_rate=0.4, **({} if kind == "rolling" else {"x_rate": 0.7}))
    mechanism = with_pendulum(kind, [0.02, 0.01, RADIUS + 0.03], start)
    get, stop = running(baked(mechanism), 0.3), 0.3
    model = full_model(mechanism)
    values = {"lean": 1.2 - TH, "heading": 0.3, "x": 0.2, "y": -0.1, "swing": 0.3}
    rates = {"heading": 0.4, "spin": -6.0, "swing": 0.5} | ({} if kind == "rolling" else {"x": 0.7})
    motion = simulate(model, initial_velocity(model, assemble(model, values), rates), [0.0, stop])
    for name in ("lean", "spin", "swing", "heading", "x", "y"):
        assert get(f"q.{name}")[0] == pytest.approx(motion.coordinates[name].value[-1], abs=1e-6), name
    force = get(*(f"joint.contact.F[{i}]" for i in (1, 2, 3)))
    np.testing.assert_allclose(force, -motion.chassis.wrench[-1, 3:], atol=1e-4)
    for name in ("bob", "rim"):
        at = motion.markers[name]
        for symbol, theirs in (("r", at.p), ("v", at.v), ("w", at.w)):
            ours = get(*(f"marker.{name}.{symbol}[{i}]" for i in (1, 2, 3)))
            np.testing.assert_allclose(ours, theirs[-1], atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_tables_are_those_of_natural_coordinates_on_the_ground(kind):
    mechanism = replace(disc(kind), tables=replace(disc(kind).tables, tolerance=1e-7))
    check = kinematic_check(baked(mechanism), mechanism)
    assert {d.quantity for d in check.differences} == {"S", "J", "inertia force", "force of the floor"}
    assert all(d.passes for d in check.differences)
    assert [c.coordinate for c in check.coverage] == ["lean", "spin"]


def test_a_table_that_is_wrong_is_found():
    mechanism = replace(disc(), tables=replace(disc().tables, tolerance=1e-7))
    model = baked(mechanism)
    track = replace(model.track, radius=1.001 * model.track.radius)
    check = kinematic_check(replace(model, track=track), mechanism)
    failing = {d.quantity for d in check.differences if not d.passes}
    assert {"J", "inertia force"} <= failing
