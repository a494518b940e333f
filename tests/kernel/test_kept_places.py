"""Places that are kept for what comes: an empty or small instance of each is read, in both run-times, by both builds.

Matrices of implicit steps that are not symmetric are those of drives and of a moving ground, see test_shapes.
"""

from dataclasses import replace

import numpy as np
import pytest
from helpers_kernel import Pair, random_numbers
from helpers_random import Maker, random_model

from fmu_src.build.compile import library
from fmu_src.build.kernel_shape import shape_header
from fmu_src.model.reduced_model import Block
from fmu_src.model.rows import CHUNK, Need

EVALUATION = 1e-12
SIZE = 1e-3
FLAGS = {"charts": 1, "moving": False, "quasistatic": False}


def flags(nf):
    return {"periodic": (False,) * nf, "outside": ("error",) * nf, "driven": ("no",) * nf, **FLAGS}


def agree(model, folder):
    for path in (library(), library(shape=shape_header(model))):
        both, rng = Pair(model, folder, path=path), np.random.default_rng(5)
        for step in (0.0, SIZE) * 3:
            assert both.difference(random_numbers(both, rng), rng, step) < EVALUATION


@pytest.mark.parametrize(("ns", "seed"), [(0, 21), (2, 27)])
def test_a_chart_has_more_axes_than_a_block(ns, seed, tmp_path):
    model = random_model(seed, nf=5, ns=ns, degree=3, **flags(5))
    widths = [len(block.axes) for block in model.charts[0].blocks]
    assert len(model.charts[0].axes) == 5 and max(widths) == 3
    agree(model, tmp_path)


@pytest.mark.parametrize("times", [2, 3])
def test_knots_are_multiple_and_cells_unequal(times, tmp_path, monkeypatch):
    def knots(self, axis, p):
        inner = axis.lower + (axis.upper - axis.lower) * np.array([0.1, 0.15, 0.6])
        return np.concatenate(([axis.lower] * (p + 1), np.repeat(inner, times), [axis.upper] * (p + 1)))

    monkeypatch.setattr(Maker, "knots", knots)
    model = random_model(22, nf=2, ns=2, degree=3, **flags(2))
    assert all(np.diff(t).min() == 0.0 for block in model.charts[0].blocks for t in block.knots)
    agree(model, tmp_path)


def on_request(model):
    """The model with a chunk of rows that are read on request, of which its read measure is the second."""
    (chart,) = model.charts
    end = chart.rows.count
    rows = replace(chart.rows, ends=(*chart.rows.ends[:-1], end + CHUNK), measures=(end + 1,))
    numbers = Block((), (), np.array([[end, -1, -1, -1]]), np.arange(CHUNK, dtype=float))
    blocks = [block for block in chart.blocks if block.axes]
    (constants,) = [block for block in chart.blocks if not block.axes]
    merged = replace(
        constants,
        cells=np.concatenate((constants.cells, numbers.cells)),
        core=np.concatenate((constants.coefficients, numbers.coefficients)),
    )
    return replace(model, charts=(replace(chart, rows=rows, blocks=(merged, *blocks)),))


def test_rows_are_read_on_request(tmp_path):
    model = on_request(random_model(23, nf=1, ns=2, degree=3, read=1, **flags(1)))
    rows = model.charts[0].rows
    assert rows.ends[Need.REQUEST] == rows.ends[Need.POSES] + CHUNK
    agree(model, tmp_path)
    both = Pair(model, tmp_path, path=library(shape=shape_header(model))).start()
    place = both.names.index("measure.r0")
    assert both.compiled.get([place]) == both.numpy.get([place]) == [1.0]
