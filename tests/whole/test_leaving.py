"""Every coordinate of every mechanism that we ship is walked out of its table, with every method, in both run-times.

A step that leaves is an error that names the coordinate; nothing has changed, and the instance goes on with a smaller
step, smaller loads, a restored state or from anew.
"""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, ROOT
from helpers_baked import baked
from helpers_fmi import Unpacked
from helpers_kinds import FRONTS, builder
from helpers_leaving import Direct, Fmu, walk, ways
from helpers_model import double_pendulum
from helpers_stiff import stiff_pendulum

from fmu_src.build.compile import library
from fmu_src.build.kernel_shape import shape_header
from fmu_src.build.model_writer import save
from fmu_src.numpy_runtime.dynamics import mechanics, prepare
from fmu_src.numpy_runtime.instance import Instance
from fmu_src.slave.kernel_instance import KernelModel
from fmu_src.slave.kernel_library import load_library
from fmu_src.slave.runtimes import MODEL_FILE
from precompute.mechanism_file import load

SIZE = 1e-3
DRIVEN = ("macpherson_rigid", "film_bearing", "fuel_pump", "fuel_pump_film", "geneva", "macpherson_rack_pinion")
"""Files whose coordinates are all driven: no rate and no force leads these out."""

FILES = {
    path.stem: path
    for folder in (MECHANISMS, ROOT / "tests" / "mechanisms")
    for path in sorted(folder.glob("*.toml"))
    if path.stem not in DRIVEN
}
LEAST = 60
"""Ways out of a model that must be found."""


def models(name):
    """The model of a file with each method."""
    model = baked(load(FILES[name]))
    return [replace(model, method=method) for method in ("rk4", "midpoint")]


def quasistatic(name):
    """The models of a file with bushings whose deflections have no inertia, with each method."""
    mechanism = load(FILES[name])
    model = baked(replace(mechanism, tables=replace(mechanism.tables, stiff="quasistatic")))
    return [replace(model, method=method) for method in ("rk4", "midpoint")]


def compiled(model, folder, shape=None):
    made = KernelModel(load_library(library(shape=shape) if shape else library()), save(model, folder / MODEL_FILE))
    return Direct(made, model)


def numpy_of(model):
    charts = prepare(model)
    return Direct(lambda: Instance(charts), model)


def walk_all(runner, model, every=1, first=0):
    """How many of the ways out have led out."""
    return sum(walk(runner, model, way, SIZE) for way in ways(model, SIZE)[first::every])


def test_files_that_are_left_out_are_driven_wholly():
    for name in DRIVEN:
        assert all(c.driven for c in load(MECHANISMS / f"{name}.toml").coordinates)


@pytest.mark.parametrize("name", FILES)
def test_out_of_the_tables_in_the_kernel(name, tmp_path):
    for model in models(name):
        assert walk_all(compiled(model, tmp_path), model, every=4) >= LEAST / 4 - 3


@pytest.mark.parametrize("name", ["corner", "double_wishbone_rigid", "crank_slider_charts"])
def test_out_of_the_tables_in_numpy(name):
    for model in models(name):
        assert walk_all(numpy_of(model), model, every=16, first=1) >= 3


@pytest.mark.parametrize("run", [compiled, lambda model, folder: numpy_of(model)], ids=["kernel", "numpy"])
def test_out_of_the_tables_with_quasistatic_deflections(run, tmp_path):
    for model in quasistatic("corner"):
        assert walk_all(run(model, tmp_path), model, every=16) >= 5


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_out_of_the_tables_in_60_ways(name, tmp_path):
    """In the kernel of the model's own shape, and in NumPy."""
    found = models(name)
    found += quasistatic(name) if found[0].stiff else []
    for model in found:
        assert walk_all(compiled(model, tmp_path, shape_header(model)), model) >= LEAST
        assert walk_all(numpy_of(model), model, every=8) >= LEAST / 8 - 3


# --- FMUs -------------------------------------------------------------------------------------------------------------


def walk_fmu(kind, model, folder, every):
    runner = Fmu(Unpacked(builder(kind)(model, folder / "leaving.fmu"), folder / "fmu"), model)
    try:
        return walk_all(runner, model, every)
    finally:
        runner.component.free()


@pytest.mark.fmu
@pytest.mark.parametrize("kind", FRONTS)
def test_out_of_the_tables_of_an_fmu(kind, tmp_path):
    assert walk_fmu(kind, stiff_pendulum(nodes=15, method="midpoint"), tmp_path, every=20) >= 3


@pytest.mark.slow
@pytest.mark.fmu
@pytest.mark.parametrize("kind", FRONTS)
@pytest.mark.parametrize("way", ["explicit", "rosenbrock", "midpoint", "quasistatic"])
def test_out_of_the_tables_of_fmus_in_60_ways(way, kind, tmp_path):
    rk4, midpoint = models("double_wishbone_rigid" if way == "explicit" else "corner")
    model = {"explicit": rk4, "rosenbrock": rk4, "midpoint": midpoint}.get(way) or quasistatic("corner")[0]
    every = 8 if kind == "numpy" else 1
    assert walk_fmu(kind, model, tmp_path, every) >= LEAST / every - 3


# --- what is no way out -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", [compiled, lambda model, folder: numpy_of(model)], ids=["kernel", "numpy"])
def test_a_table_that_goes_on_linearly_is_left_with_a_word(run, tmp_path):
    runner = run(double_pendulum(nodes=15, outside="linear"), tmp_path)
    runner.start({"q_start.alpha": 1.5, "qd_start.alpha": 300.0})
    said = [runner.instance.step(i * SIZE, SIZE) for i in range(3)]
    assert said[0] and "'alpha'" in said[0] and "continued linearly" in said[0] and said[1:] == [None, None]
    assert np.isfinite(runner.get()).all()


@pytest.mark.parametrize("run", [compiled, lambda model, folder: numpy_of(model)], ids=["kernel", "numpy"])
def test_a_table_is_not_continued_to_where_no_inertia_is_left(run, tmp_path):
    """The midpoint rule does not look there itself, and no output could be read."""
    model = replace(double_pendulum(nodes=15, outside="linear"), method="midpoint")
    chart, along = prepare(model)[0], np.array([1.0, -1.0])
    where = np.linspace(2.0, 20.0, 100_000)  # where the inertia ends, from the design position outwards
    last = next(x for x in where if np.linalg.eigvalsh(mechanics(chart, x * along).J)[0] <= 0.0)
    runner, size, refused = run(model, tmp_path), 1e-5, 0
    for share in np.linspace(0.3, 1.3, 24):
        runner.start(
            dict(zip(("q_start.alpha", "q_start.beta"), (last - 1e-3 * share) * along, strict=True))
            | {"qd_start.alpha": 100.0, "qd_start.beta": -100.0}
        )
        shown, state = runner.get(), runner.save()
        said = runner.step(0.0, size)
        refused += said is not None and "diverged" in said and "inertia of" in said
        if said is not None:
            assert runner.save() == state
        assert np.isfinite(runner.get()).all() and (said is None or runner.get() == shown)
    assert refused
