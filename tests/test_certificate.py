"""The certificate: what it claims holds at points that the sweep never saw."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, joint, random_body

from precompute.assembly import close_loops
from precompute.certificate import DERIVATIVE_FACTOR, column_scales, relative_errors, tabulate
from precompute.columns import natural_scales, plan_columns
from precompute.coordinates import choose_coordinates
from precompute.errors import SingularityError, SweepError
from precompute.mechanism import Body, Coordinate, JointCoordinate, Mechanism, TableSettings
from precompute.mechanism_file import load
from precompute.sweep import Solver, grid_points, walk
from precompute.tables import Grid
from precompute.topology import spanning_tree

RANDOM_POINTS = 1000


def stages(mechanism):
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    return choose_coordinates(mechanism, topology, design), design


@pytest.mark.parametrize("name", ["crank_slider", "four_bar", "spatial_slider_crank", "rssr", "double_wishbone"])
def test_certificate_holds_at_random_points(name):
    mechanism = replace(load(MECHANISMS / f"{name}.toml"), tables=TableSettings(1e-6))
    coordinates, design = stages(mechanism)
    table = tabulate(coordinates, design, mechanism.tables)
    nodes = walk(coordinates, design)
    rng = np.random.default_rng(20)
    lower, upper = (np.array([getattr(c, end) for c in coordinates.free]) for end in ("lower", "upper"))
    z = rng.uniform(lower, upper, (RANDOM_POINTS, len(lower)))
    with Solver(coordinates, table.columns, nodes) as solver:
        _, coarse = solver.at(grid_points(nodes.axes), "")
        _, data = solver.at(z, "")
    shape = tuple(len(a) for a in nodes.axes)
    grid = Grid(nodes.axes, coarse.value.reshape(*shape, -1), coarse.gradient.reshape(*shape, -1, len(shape)))
    scales = column_scales(grid, natural_scales(coordinates.closure, table.columns, coarse))
    value, gradient = relative_errors(table.chart, scales, z, data)
    assert value.max() <= mechanism.tables.tolerance
    assert gradient.max() <= DERIVATIVE_FACTOR * mechanism.tables.tolerance


def test_certificate_names_every_column_and_where(baked):
    certificate = baked("double_wishbone").certificate
    assert [row.column for row in certificate.columns] == list(baked("double_wishbone").charts[0].columns)
    for row in certificate.columns:
        assert 0 <= row.value_error <= certificate.tolerance
        assert 0 <= row.slope_error <= DERIVATIVE_FACTOR * certificate.tolerance
        assert len(row.value_at) == len(row.slope_at) == 2 and abs(row.value_at[0]) <= np.pi / 6 + 1e-12
    assert certificate.points >= 1000 and certificate.worst_condition > 1


def test_a_tighter_tolerance_takes_more_nodes(baked):
    loose = replace(load(MECHANISMS / "crank_slider.toml"), tables=TableSettings(1e-4))
    coordinates, design = stages(loose)
    few = tabulate(coordinates, design, loose.tables).certificate.nodes[0]
    assert few < baked("crank_slider").certificate.nodes[0]


def test_too_few_nodes_allowed():
    m = replace(load(MECHANISMS / "crank_slider.toml"), tables=TableSettings(1e-8, max_nodes=40))
    coordinates, design = stages(m)
    with pytest.raises(
        SweepError, match=r"do not reach the tolerance 1e-08 with 40 nodes along 'crank'.*raise `max_nodes`"
    ):
        tabulate(coordinates, design, m.tables)


def test_a_range_beyond_a_singularity_ends_the_sweep():
    m = load(MECHANISMS / "double_wishbone.toml")
    pitman, shock = m.coordinates
    far = replace(m, coordinates=(pitman, replace(shock, lower=-0.1, upper=0.06)))
    coordinates, design = stages(far)
    message = r"range of 'shock', -0.1 to 0.06, cannot be swept: loop 'lower_ball' locks .*condition number .*"
    with pytest.raises(SweepError, match=message + r"Largest feasible range found there: -0.0[78]\d+ to 0.1"):
        walk(coordinates, design)


def test_massless_bodies_leave_the_inertia_singular():
    z = np.array([0.0, 0.0, 1.0])
    bodies = [Body("arm", 0.0, np.zeros(3), np.zeros((3, 3))), random_body(np.random.default_rng(0), "tip")]
    joints = [
        joint("revolute", "base", "ground", "arm", np.zeros(3), z),
        joint("spherical", "ball", "arm", "tip", np.array([1.0, 0, 0])),
        joint("prismatic", "slide", "ground", "tip", np.array([1.0, 0, 0]), np.array([1.0, 0, 0])),
    ]
    # the arm alone, on a second hinge, moves nothing that has mass
    m = Mechanism(
        "Light",
        [*bodies, Body("flag", 0.0, np.zeros(3), np.zeros((3, 3)))],
        [*joints, joint("revolute", "hinge", "tip", "flag", np.array([2.0, 0, 0]), z)],
        coordinates=(Coordinate("hinge", JointCoordinate("hinge"), -1, 1),),
    )
    with pytest.raises(
        (SingularityError, SweepError), match="reduced inertia is singular at hinge = .*mass or an inertia"
    ):
        coordinates, design = stages(m)
        tabulate(coordinates, design, m.tables)


def test_columns_are_planned_once_per_measure():
    m = load(MECHANISMS / "double_wishbone.toml")
    names = plan_columns(m, 2).names
    assert names.count("measure.spring.shock") == 1 and "measure.damper.shock" not in names  # they share it
