"""Steps of a shaft that moves freely over the borders of its cam, where accelerations jump: they keep their order."""

import numpy as np
import pytest
from helpers_baked import baked
from helpers_cam_files import MACHINES
from helpers_kernel import Pair

from fmu_src.build.compile import library
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.instance import Instance
from fmu_src.slave.kernel_instance import KernelModel
from fmu_src.slave.kernel_library import load_library
from precompute.mechanism_file import loads

SIZE, COUNT = 0.016, 60  # 1.6 turns
TEXT = MACHINES["roller on egg"].replace("tolerance = 1e-7", "tolerance = 1e-9\nmax_nodes = 1001")


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    return Pair(baked(loads(TEXT)), tmp_path_factory.mktemp("egg"))


def end(pair, step, check=0.0, numpy=False, count=COUNT):
    """Coordinate, rate and energy after a run."""
    kernel = KernelModel(load_library(library()), pair.file)
    instance = Instance(prepare(pair.model)) if numpy else kernel()
    instance.setup(0.0)
    instance.set([pair.names.index("solver.step"), pair.names.index("solver.check")], [step, check])
    instance.enter_initialization()
    instance.exit_initialization()
    for i in range(count):
        instance.step(i * SIZE, SIZE)
    return np.array(instance.get([pair.names.index(name) for name in ("q.shaft", "qd.shaft", "energy.total")]))


def test_errors_fall_with_the_fourth_power_of_the_step_at_least(pair):
    exact = end(pair, 1e-4)
    errors = np.array([np.abs(end(pair, step) - exact) for step in (2e-3, 1e-3, 5e-4)])
    assert exact[1] > 5.0  # it has gone on, over ten borders
    assert (errors[:-1] > 12.0 * errors[1:]).all()
    assert errors[1, 2] < 1e-5 * 0.03  # of the energy, at 1 ms


def test_both_run_times_cut_their_steps_alike(pair):
    assert end(pair, 2e-3, numpy=True, count=40) == pytest.approx(end(pair, 2e-3, count=40), abs=1e-11)


def test_measuring_errors_changes_nothing(pair):
    assert (end(pair, 1e-3, check=1.0) == end(pair, 1e-3)).all()


@pytest.mark.parametrize("rate", [50.0, 70.0, 100.0, 140.0, 200.0])
def test_both_run_times_find_the_same_cells_between_borders(pair, rate):
    """A border is several knots at one place, and no cell: what a step may cross there at most is the same."""
    said = []
    for made in (Instance(prepare(pair.model)), KernelModel(load_library(library()), pair.file)()):
        made.setup(0.0)
        made.set([pair.names.index("qd_start.shaft")], [rate])
        made.enter_initialization()
        said.append((made.exit_initialization(), *made.get([pair.names.index("solver.step")])))
    assert said[0] == said[1]
    assert "of a cell of its table" in said[0][0]
