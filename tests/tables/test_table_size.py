"""Sizes of tables with and without decoupling."""

from dataclasses import replace

import numpy as np
from helpers import MECHANISMS
from helpers_model import double_pendulum

from fmu_src.model.reduced_model import Block
from precompute.coordinates.decouple import find_dependence
from precompute.coordinates.independent import choose_coordinates
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.tables.columns import plan_columns
from precompute.tables.table_size import merged, planned_size, table_size


def planned(name):
    m = load(MECHANISMS / f"{name}.toml")
    t = spanning_tree(m)
    design = close_loops(m, t)
    coordinates = choose_coordinates(m, t, design)
    return planned_size(plan_columns(m, coordinates.names, find_dependence(coordinates, design)[0]), 20)


def test_one_coordinate_has_nothing_to_decouple(baked):
    model = baked("crank_slider")
    size = table_size(model)
    (block,) = [block for block in model.charts[0].blocks if block.axes]
    assert size.stored == 8 * block.coefficients.shape[0] * block.coefficients.any(axis=0).sum() == size.coupled
    assert size.text() == "tables 8.42 KiB"


def test_without_decoupling_every_column_is_over_the_finest_grid():
    """The pendulum's table over both angles, and a column over each: 9 x 12 coefficients."""
    model = double_pendulum(nodes=9)
    chart = model.charts[0]
    both = next(block for block in chart.blocks if block.axes)
    one = np.zeros((12, 8))
    one[:, 3] = 1.0
    other = Block((1,), both.knots[:1], np.array([[chart.rows.count, -1, -1]]), one)
    wider = replace(model, charts=(replace(chart, blocks=(both, other)),))
    stored = int(both.coefficients.any(axis=(0, 1)).sum())
    n = both.coefficients.shape[0]
    size = table_size(wider)
    assert size.stored == 8 * (n * n * stored + 12)
    assert size.coupled == 8 * (stored + 1) * n * max(n, 12)


def test_sums_count_once():
    assert merged([True, True, False, True], [(0, 1, 2), (2,), ()]) == 2


def test_the_axle_is_over_ten_times_smaller():
    size = planned("front_axle")
    assert size.ratio > 10 and f"({size.ratio:.3g} x)" in size.text()
    assert 1.0 < planned("double_wishbone_rigid").ratio < 2.0
