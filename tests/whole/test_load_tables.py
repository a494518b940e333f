"""Tables of loads of several coordinates: parts of the mechanism by themselves, plans, what check and verify say."""

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_baked import baked
from helpers_corner import document
from helpers_kernel import Pair
from helpers_loads import Exact, watched
from helpers_verify import motion

from fmu_src.build.kernel_shape import shape_header
from fmu_src.build.model_writer import to_bytes
from fmu_src.build.native_fmu import build_native_fmu
from fmu_src.build.python_fmu import build_fmu
from fmu_src.interface.variables import layout, variables
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.outputs import outputs
from fmu_src.numpy_runtime.state import State
from precompute.mechanism_file import from_document, load, to_document
from precompute.pipeline import bake, fill, plan
from precompute.report.inspection import inspect
from precompute.report.report_text import text


def small(stiff=False):
    """A small suspension on a fixed ground with all its loads."""
    return watched(from_document(document(stiff=stiff, chassis="fixed")))


def axle():
    """A front axle: what its steering link carries moves both wheels, which depend on different coordinates."""
    found = to_document(load(MECHANISMS / "front_axle.toml"))
    found["loads"] = ["pitman_link", "outer_ball_r", "lower_ball_l"]
    found["tables"]["tolerance"] = 1e-5
    return from_document(found)


@pytest.mark.slow
def test_each_side_of_an_axle_is_tabulated_by_itself():
    mechanism = axle()
    exact, model = Exact(mechanism), baked(mechanism)
    nb = {len(block.axes) for chart in model.charts for block in chart.blocks}
    assert max(nb) == 2  # though the loads of the steering link depend on all three coordinates
    charts, rng = prepare(model), np.random.default_rng(1)
    names = [variable.name for variable in model.loads]
    for _ in range(4):
        design, free = exact.coordinates.design, exact.coordinates.free
        z = design + 0.4 * (np.array([rng.uniform(c.lower, c.upper) for c in free]) - design)
        zd = rng.normal(size=3) * [1.0, 0.3, 0.3]
        every = variables(model)[layout(model).inputs]
        u = np.array([variable.start or 0.0 for variable in every])
        u[charts[0].slots.loads] = rng.normal(size=12) * 500.0
        found = outputs(charts, State(0.0, 0, 0, z, zd), [p.value for p in model.parameters], u)
        ours = dict(zip((v.name for v in variables(model)[layout(model).outputs]), found, strict=True))
        zdd = np.array([[ours[f"qdd.{c.name}"] for c in model.coordinates]])
        forces = np.array([[ours[f"{e.name}.force"] for e in model.elements]])
        wrenches = np.zeros((1, len(model.loaded), 2, 3))
        wrenches[0, :2] = u[charts[0].slots.loads].reshape(2, 2, 3)
        theirs = exact.at(z[None], zd[None], zdd, forces, wrenches)
        largest = max(abs(float(theirs[name][0])) for name in names)
        assert max(abs(ours[name] - float(theirs[name][0])) for name in names) < 1e-4 * largest


STEPS = ("PLACE", "MOTION", "ACROSS", "MOMENTS", "SHOWN", "POSES")
"""What a step reads, and outputs that are no loads."""


@pytest.mark.parametrize("stiff", [False, True])
def test_steps_are_compiled_as_without_loads(stiff):
    """The kernel of a shape has another number of rows; with deflections it knows nothing else of loads."""
    plain = shape_header(baked(from_document(document(stiff=stiff))))
    with_loads = shape_header(baked(watched(from_document(document(stiff=stiff)), "ground")))
    if stiff:
        lines = zip(plain.splitlines(), with_loads.splitlines(), strict=True)
        assert [a.split()[1] for a, b in lines if a != b] == ["ROWS"]
    for name in STEPS:
        ours, theirs = (text.split(f"#define EACH_{name} ")[1].split("#define")[0] for text in (plain, with_loads))
        assert ours == theirs


def test_a_plan_knows_them():
    mechanism = small()
    assert to_bytes(fill(plan(mechanism), mechanism)) == to_bytes(bake(mechanism))


def test_check_lists_them_with_their_size():
    said = text(inspect(small()))
    assert "joint.ball.F[1], F[2], F[3]" in said and "rod.tie_rod.force" in said
    assert "Loads and accelerations, read on request; " in said and " of the tables below" in said
    assert "not defined" not in said


def test_check_says_why_some_are_not_defined():
    document = to_document(load(MECHANISMS / "four_bar.toml"))
    said = text(inspect(from_document({**document, "loads": "all"})))
    assert "not defined, left out: joint.crank.F[1], M[2], M[3]" in said
    assert "holds these directions more than once" in said and "Joints with 3 freedoms more in that loop would" in said
    document["joints"]["crank_pin"].update(type="spherical")
    document["joints"]["coupler_pin"].update(type="cylindrical")
    del document["joints"]["crank_pin"]["axis"]
    said = text(inspect(from_document({**document, "loads": "all"})))
    assert "not defined" not in said and "joint.coupler_pin.F[2], F[3], M[2], M[3]" in said


def test_bake_says_so_too_and_delivers_the_rest():
    document, notes = to_document(load(MECHANISMS / "four_bar.toml")), []
    model = bake(from_document({**document, "loads": "all"}), note=notes.append)
    assert len(notes) == 1 and "joint.crank.F[1], M[2], M[3]" in notes[0]
    assert {info.name for info in model.loads} >= {"joint.crank.F[2]", "joint.crank.F[3]"}


@pytest.mark.fmu
def test_verify_compares_them(tmp_path):
    path = build_fmu(baked(small()), tmp_path / "corner.fmu")
    found = motion(path, stop=0.1)
    compared = {difference.quantity: difference for difference in found.differences}
    assert {"joint.arm_mount.F", "joint.arm_mount.M", "joint.ball.F", "rod.tie_rod.force"} <= compared.keys()
    for name in ("joint.arm_mount.F", "joint.ball.F", "rod.tie_rod.force"):
        assert 0.0 < compared[name].error < 1e-5 * compared[name].span


@pytest.mark.fmu
def test_loads_over_several_charts(tmp_path):
    """A crank-slider by its slider, through both dead centres and all its charts, beside the full model."""
    model = baked(watched(load(MECHANISMS / "crank_slider_charts.toml")))
    assert len(model.charts) == 4
    found = motion(build_native_fmu(model, tmp_path / "charts.fmu"), stop=3.0)
    assert all(covered.share > 0.75 for covered in found.coverage)  # charts overlap
    compared = {d.quantity: d for d in found.differences if d.quantity.startswith("joint.")}
    assert {"joint.crank.F", "joint.crank_pin.F", "joint.slide.F"} <= compared.keys()
    assert all(d.error < 1e-6 * d.span for d in compared.values() if d.span > 1e-6)


def test_loads_change_neither_steps_nor_what_is_said_of_them(tmp_path):
    """Their tables have shorter cells than those that move the mechanism, which a step goes along."""
    plain, said, finest = from_document(to_document(load(MECHANISMS / "rssr.toml"))), [], []
    for name, mechanism in (("plain", plain), ("watched", watched(plain))):
        model = baked(mechanism)
        finest.append(max(knots.size - 2 * block.degree for block in model.charts[0].blocks for knots in block.knots))
        (tmp_path / name).mkdir()
        pair = Pair(model, tmp_path / name)
        pair.put("qd_start.crank", 400.0)
        for instance in (pair.numpy, pair.compiled):
            instance.setup(0.0)
            instance.enter_initialization()
            said.append((instance.exit_initialization(), instance.step(0.0, 1e-3), model.solver_step, model.step_note))
    assert finest[1] > finest[0]
    assert "solver.step" in str(said[0]) and said == [said[0]] * 4
