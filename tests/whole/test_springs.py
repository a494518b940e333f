"""Springs given by a preload or a free length, and constant forces: from the file to both FMUs and the full model."""

from dataclasses import replace

import numpy as np
import pytest
from helpers_fmu import Host
from helpers_kernel import Pair
from helpers_verify import motion

from fmu_src.build.native_fmu import build_native_fmu
from fmu_src.build.python_fmu import build_fmu
from fmu_src.interface.variables import variables
from precompute.errors import MechanismError
from precompute.mechanism_file import from_document, load, loads, save
from precompute.pipeline import bake
from precompute.reference import assemble, full_model
from precompute.reference.dynamics import potential_energy
from precompute.report.inspection import inspect
from precompute.running.simulation import SimulationError, run_fmu

ARM = """
schema = 1
name = "Arm"
units = { length = "mm", angle = "deg", force = "N" }
gravity = [0, 0, -9.80665]

[bodies.arm]
mass = 20
com = [400, 0, 50]
inertia = [2e5, 1e6, 1e6]

[joints.pivot]
type = "revolute"
parent = "ground"
child = "arm"
at = [0, 0, 0]
axis = "-y"

{forces}

[markers.wheel]
body = "arm"
at = [500, 0, 0]

[coordinates.free.pivot]
of = "joint.pivot"
from = -20
to = 20

[tables]
tolerance = 1e-9

[experiment]
stop_time = 0.2
"""

COIL = """[springs.coil]
between = ["ground", "arm"]
at = [[250, 0, 350], [300, 0, 20]]
"""
ROWS = "table = [[-50, -500], [0, 0], [20, 300], [60, 1500]]\n"
WEIGHT = 20 * 9.80665
LENGTH = float(np.hypot(0.05, 0.33))
"""[m] of the coil at design."""


def arm(forces):
    return loads(ARM.replace("{forces}", forces))


def pair(forces, folder):
    return Pair(bake(arm(forces)), folder)


def shown(both, *names):
    """Outputs, which must be the same in NumPy and the kernel to 1e-12."""
    found = [np.array(each.get([both.names.index(n) for n in names])) for each in (both.numpy, both.compiled)]
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12, atol=1e-12 * (1.0 + np.abs(found[0]).max()))
    return found[0]


def causality(model, name):
    return {v.name: (v.causality, v.variability, v.unit) for v in variables(model)}.get(name)


# --- which of the two is a parameter ----------------------------------------------------------------------------------


@pytest.mark.parametrize("curve", ["stiffness = 30\n", ROWS], ids=["linear", "table"])
@pytest.mark.parametrize("on", [COIL, '[springs.coil]\njoint = "pivot"\n', '[springs.coil]\non = "marker.wheel.z"\n'])
@pytest.mark.parametrize("given", ["preload", "free_length"])
def test_what_the_file_gives_is_tunable_and_the_other_an_output(curve, on, given, tmp_path):
    m = arm(on + curve + f"{given} = {250 if given == 'preload' else 30}")
    model = bake(m)
    effort, length = ("N.m", "rad") if "joint" in on else ("N", "m")
    kinds = {"preload": effort, "free_length": length}
    other = "free_length" if given == "preload" else "preload"
    assert causality(model, f"spring.coil.{given}") == ("parameter", "tunable", kinds[given])
    assert causality(model, f"spring.coil.{other}") == ("output", "discrete", kinds[other])
    inside = from_document(model.mechanism).springs[0]
    assert (inside.free_length is None) == (given == "preload")
    both = Pair(model, tmp_path).start()
    force, value = shown(both, "spring.coil.force", f"spring.coil.{other}")
    if given == "preload":
        assert force == pytest.approx(250.0 * (1e-3 if "joint" in on else 1.0))
    else:
        assert force == pytest.approx(value, rel=1e-6)
    turned = replace(m.springs[0], **{given: None, other: value})  # the other way round it is the same spring
    again = Pair(bake(replace(m, springs=(turned,))), tmp_path).start()
    np.testing.assert_allclose(
        shown(again, "qdd.pivot", "spring.coil.force"), shown(both, "qdd.pivot", "spring.coil.force")
    )


def test_outputs_follow_what_is_tuned(tmp_path):
    both = pair(COIL + "stiffness = 30\npreload = 250", tmp_path).start()
    for k, p in ((30e3, 250.0), (60e3, 250.0), (60e3, -90.0), (1.0, 1e3)):
        both.put("spring.coil.k", k)
        both.put("spring.coil.preload", p)
        force, free = shown(both, "spring.coil.force", "spring.coil.free_length")
        assert force == pytest.approx(p, abs=1e-4) and free == pytest.approx(LENGTH + p / k, rel=1e-12)
    both.put("spring.coil.k", 0.0)
    np.testing.assert_allclose(shown(both, "spring.coil.force", "spring.coil.free_length"), (1e3, LENGTH), rtol=1e-12)


def test_the_preload_of_a_free_length_follows_the_stiffness(tmp_path):
    both = pair(COIL + "stiffness = 30\nfree_length = 350", tmp_path).start()
    assert shown(both, "spring.coil.preload") == pytest.approx(30e3 * (0.35 - LENGTH))
    both.put("spring.coil.k", 60e3)
    assert shown(both, "spring.coil.preload") == pytest.approx(60e3 * (0.35 - LENGTH))
    both.put("spring.coil.free_length", LENGTH)
    assert shown(both, "spring.coil.preload") == pytest.approx(0.0, abs=1e-9)


def test_a_table_can_be_tuned_about_its_preload(tmp_path):
    both = pair(COIL + ROWS + "preload = 250", tmp_path).start()
    x = 0.02 * 250 / 300
    np.testing.assert_allclose(
        shown(both, "spring.coil.force", "spring.coil.free_length"), (250, LENGTH + x), rtol=1e-6
    )
    both.put("spring.coil.table.f[3]", 600.0)
    np.testing.assert_allclose(
        shown(both, "spring.coil.force", "spring.coil.free_length"), (250, LENGTH + x / 2), rtol=1e-6
    )


# --- the ride height --------------------------------------------------------------------------------------------------


@pytest.mark.fmu
@pytest.mark.parametrize("build", [build_fmu, build_native_fmu])
def test_a_rate_is_tuned_without_changing_the_ride_height(build, tmp_path):
    path = build(bake(arm(COIL + 'stiffness = 30\npreload = "static"')), tmp_path / "Arm.fmu")
    height = []
    for k in (30e3, 12e3, 90e3, 0.0):
        host = Host(path)
        host.set("spring.coil.k", k)
        host.start()
        for i in range(40):
            host.step(5e-3 * i, 5e-3)
        preload, free = host.get("spring.coil.force", "spring.coil.free_length")
        assert host.get("q.pivot", "qd.pivot") == pytest.approx([0.0, 0.0], abs=1e-8)
        assert free == pytest.approx(LENGTH + (preload / k if k else 0.0), abs=1e-9)
        host.set("spring.coil.preload", 1.1 * preload)  # while it runs: now it rises
        host.step(0.2, 5e-3)
        height += host.get("marker.wheel.r[3]")
        host.close()
    assert min(height) > 1e-5


def test_the_static_preload_is_the_weight_over_the_lever(tmp_path):
    model = bake(arm(COIL + ROWS + 'preload = "static"'))
    lever = (0.3 * 0.33 + 0.05 * 0.02) / LENGTH  # [m] of the coil, which pushes down, about the pivot
    found = next(p.value for p in model.parameters if p.name == "spring.coil.preload")
    assert found == pytest.approx(-WEIGHT * 0.4 / lever, rel=1e-6)
    assert model.mechanism["springs"]["coil"]["preload"] == found
    assert abs(shown(Pair(model, tmp_path).start(), "qdd.pivot")[0]) < 1e-6


def test_a_tuned_preload_leaves_the_start_where_it_is(tmp_path):
    """Start values are found when the mechanism is baked; they are parameters, and no tuning moves them."""
    text = ARM.replace("{forces}", COIL + "stiffness = 30\npreload = -300") + "static = true\n"
    both = Pair(bake(loads(text)), tmp_path)
    at = both.numpy.values[both.names.index("q_start.pivot")]
    assert abs(at) > 1e-3
    both.put("spring.coil.preload", -200.0)
    q, qdd = shown(both.start(), "q.pivot", "qdd.pivot")
    assert q == at and abs(qdd) > 0.1


# --- energy, the full model -------------------------------------------------------------------------------------------

FORCES = f"""{COIL}stiffness = 30
preload = -250

[springs.table]
joint = "pivot"
{ROWS.replace("300", "9e4").replace("1500", "5e5").replace("-500", "-2e5")}preload = 4e4

[forces.motor]
joint = "pivot"
value = -25000   # N mm

[forces.pull]
between = ["ground", "arm"]
at = [[800, 0, 300], [500, 0, 0]]
value = -30

[forces.lift]
on = "marker.wheel.z"
value = 40
"""


@pytest.fixture(scope="module")
def all_forces(tmp_path_factory):
    return build_fmu(bake(arm(FORCES)), tmp_path_factory.mktemp("fmu") / "Arm.fmu")


@pytest.mark.fmu
@pytest.mark.parametrize(
    "values",
    [
        {},
        {"spring.coil.k": 45e3, "spring.coil.preload": -100.0, "spring.table.preload": -10.0},
        {"spring.coil.k": 0.0, "spring.table.table.f[3]": 60.0},
        {"force.motor.value": 10.0, "force.pull.value": 20.0, "force.lift.value": -60.0},
    ],
    ids=str,
)
def test_the_full_model_follows_what_is_tuned(all_forces, values):
    result = motion(all_forces, values=values)
    assert result.worst("mm").span > 1.0 and result.worst("mm").error < 1e-4
    assert result.worst("deg").error < 1e-5 and result.worst("N").error < 1e-2
    names = {d.quantity for d in result.differences}
    assert {"spring.coil.force", "spring.table.force", "force.motor.force", "force.pull.force"} <= names


@pytest.mark.fmu
def test_who_sets_the_other_of_the_two_is_told(all_forces):
    told = r"'spring.coil.free_length' is an output, not a parameter of Arm.fmu; did you mean 'spring.coil.preload'\?"
    with pytest.raises(SimulationError, match=told):
        run_fmu(all_forces, values={"spring.coil.free_length": 0.3})


def test_energy_is_conserved_and_the_full_models(tmp_path):
    model = bake(arm(FORCES))
    both, full = Pair(model, tmp_path), full_model(from_document(model.mechanism))
    both.put("qd_start.pivot", 3.0)
    start, potential = shown(both.start(), "energy.total", "energy.potential")
    assert potential == pytest.approx(WEIGHT * 0.05, abs=1e-8)  # of gravity; springs and forces have none at design
    for i in range(100):
        for instance in (both.numpy, both.compiled):
            instance.step(1e-3 * i, 1e-3)
    q, total, potential = shown(both, "q.pivot", "energy.total", "energy.potential")
    assert total == pytest.approx(start, abs=1e-6) and abs(potential - WEIGHT * 0.05) > 5.0
    assert potential == pytest.approx(potential_energy(full, assemble(full, {"pivot": q})), abs=1e-6)


# --- constant forces --------------------------------------------------------------------------------------------------


def test_a_constant_torque_is_the_generalized_force_of_that_value(tmp_path):
    on = 'joint = "pivot"\nvalue = -25000'
    both, plain = pair(f"[forces.motor]\n{on}", tmp_path).start(), pair("", tmp_path).start()
    plain.put("Q.pivot", -25.0)
    assert shown(both, "qdd.pivot") == pytest.approx(shown(plain, "qdd.pivot"), rel=1e-13)
    assert shown(both, "force.motor.force", "force.motor.angle") == pytest.approx([-25.0, 0.0])
    inertia = 1.0 + 20 * (0.4**2 + 0.05**2)
    assert shown(both, "qdd.pivot")[0] == pytest.approx((-25.0 - 0.4 * WEIGHT) / inertia, rel=1e-9)
    both.put("force.motor.value", 0.4 * WEIGHT)  # now it holds the arm
    assert abs(shown(both, "qdd.pivot")[0]) < 1e-9
    assert causality(both.model, "force.motor.value") == ("parameter", "tunable", "N.m")


def test_a_constant_force_acts_on_any_measure(tmp_path):
    """On z of a marker it is a vertical force there; between two points it pushes them apart."""
    loaded = ARM.replace("{forces}", '[ports.wheel]\nmarker = "wheel"\nforce = {force}')
    lift = pair('[forces.lift]\non = "marker.wheel.z"\nvalue = 40', tmp_path).start()
    same = Pair(bake(loads(loaded.replace("{force}", "[0, 0, 40]"))), tmp_path).start()
    assert shown(lift, "qdd.pivot") == pytest.approx(shown(same, "qdd.pivot"), rel=1e-9)
    push = '[forces.push]\nbetween = ["ground", "arm"]\nat = [[500, 0, -300], [500, 0, 0]]\nvalue = 40'
    assert shown(pair(push, tmp_path).start(), "qdd.pivot") == pytest.approx(shown(same, "qdd.pivot"), rel=1e-9)


def test_statics_knows_constant_forces():
    holding = f'[forces.motor]\njoint = "pivot"\nvalue = {0.4 * WEIGHT * 1e3 + 500}\n{COIL}stiffness = 30\npreload = 0'
    text = ARM.replace("{forces}", holding) + "static = true\n"
    assert 0.0 < bake(loads(text)).starts[0].value < 1e-3


def test_constant_forces_in_the_file(tmp_path):
    m = arm(FORCES)
    assert [f.value for f in m.forces] == [-25.0, -30.0, 40.0]  # N mm, N, N
    save(m, tmp_path / "copy.toml")
    again = load(tmp_path / "copy.toml")
    assert [(f.name, f.value, f.on.name) for f in again.forces] == [(f.name, f.value, f.on.name) for f in m.forces]
    assert [(s.preload, s.free_length) for s in again.springs] == [(s.preload, s.free_length) for s in m.springs]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('joint = "pivot"', "line 19, forces.motor: needs 'value'"),
        ("value = 3", "line 19, forces.motor: needs one of 'between', 'joint', 'on'"),
        ('joint = "pivot"\nvalue = "big"', "forces.motor.value: is 'big'; it must be a number"),
        ('joint = "pivott"\nvalue = 3', "forces.motor.joint: there is no joint 'pivott'; did you mean 'pivot'?"),
        ('joint = "pivot"\nvalue = 3\nforce = 3', "forces.motor.force: unknown key"),
    ],
)
def test_mistakes_in_a_constant_force_are_told(text, told):
    with pytest.raises(MechanismError) as caught:
        arm(f"[forces.motor]\n{text}")
    assert len(caught.value.problems) == 1 and told in caught.value.problems[0]


def test_check_and_bake_find_a_preload_that_a_table_never_has():
    m = arm(COIL + "table = [[0, 5], [10, 9], [20, 9]]\npreload = 250")
    for do in (bake, inspect):
        with pytest.raises(MechanismError, match="springs.coil: its table never has the force 250 N"):
            do(m)


def test_a_preload_that_a_table_never_has_is_told_in_the_units_of_the_file():
    m = arm('[springs.twist]\njoint = "pivot"\ntable = [[0, 5], [10, 9], [20, 9]]\npreload = 250')
    told = r"springs.twist: its table never has the force 250 N mm .* from 5 N mm to 9 N mm and on"
    with pytest.raises(MechanismError, match=told):
        bake(m)
