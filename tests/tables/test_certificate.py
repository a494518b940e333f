"""The certificate: what it claims holds at points that the sweep never saw."""

import re
from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, joint, random_body

from precompute.coordinates.decouple import find_dependence
from precompute.coordinates.independent import choose_coordinates
from precompute.errors import SingularityError, SweepError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import Body, Coordinate, Distance, JointCoordinate, Mechanism, Spring, TableSettings
from precompute.tables.certificate import DERIVATIVE_FACTOR
from precompute.tables.columns import plan_columns
from precompute.tables.layout import find_layout
from precompute.tables.splines import evaluate_block
from precompute.tables.sweep import Solver
from precompute.tables.tabulate import tabulate
from precompute.tables.walking import walk

RANDOM_POINTS = 1000


def stages(mechanism):
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    return choose_coordinates(mechanism, topology, design), design


@pytest.mark.parametrize("name", ["crank_slider", "four_bar", "spatial_slider_crank", "rssr", "double_wishbone_rigid"])
def test_certificate_holds_at_random_points(name):
    mechanism = replace(load(MECHANISMS / f"{name}.toml"), tables=TableSettings(1e-6))
    coordinates, design = stages(mechanism)
    table = tabulate(coordinates, design, find_layout(coordinates, design), mechanism.tables)
    rng = np.random.default_rng(20)
    lower, upper = (np.array([getattr(c, end) for c in coordinates.free]) for end in ("lower", "upper"))
    z = rng.uniform(lower, upper, (RANDOM_POINTS, len(lower)))
    everything = tuple(range(len(lower)))
    with Solver(coordinates, table.columns, walk(coordinates, design, everything)) as solver:
        _, data = solver.at(z, "")
    span = upper - lower
    for i, block in enumerate(table.blocks):
        index, axes = table.columns.of_block(i), list(block.axes)
        value, gradient = evaluate_block(block, z[:, axes])
        exact, exact_gradient = data.value[:, index], data.gradient[:, index]
        others = [k for k in everything if k not in axes]
        scale = np.array([row.scale for row in table.certificate.columns])[index]
        slope_scale = np.maximum(np.ptp(exact_gradient, axis=0), scale[:, None] / span)
        assert (np.abs(value - exact) / scale).max(initial=0.0) <= mechanism.tables.tolerance
        error = np.abs(gradient - exact_gradient[..., axes]) / slope_scale[:, axes]
        assert error.max(initial=0.0) <= DERIVATIVE_FACTOR * mechanism.tables.tolerance
        assert (np.abs(exact_gradient[..., others]) * span[others]).max(initial=0.0) < 1e-8 * scale.max()


def test_certificate_names_every_column_and_where(baked):
    certificate = baked("double_wishbone_rigid").certificate
    names = [row.column for row in certificate.columns]
    coordinates, design = stages(load(MECHANISMS / "double_wishbone_rigid.toml"))
    planned = plan_columns(coordinates.closure.mechanism, coordinates.names, find_dependence(coordinates, design)[0])
    assert names == list(planned.names)
    for row in certificate.columns:
        assert 0 <= row.value_error <= certificate.tolerance
        assert 0 <= row.slope_error <= DERIVATIVE_FACTOR * certificate.tolerance
        assert len(row.value_at) == len(row.slope_at) == 2 and abs(row.value_at[0]) <= np.pi / 6 + 1e-12
    assert certificate.points >= 1000 and certificate.worst_condition > 1


def test_a_tighter_tolerance_takes_more_nodes(baked):
    loose = replace(load(MECHANISMS / "crank_slider.toml"), tables=TableSettings(1e-4))
    coordinates, design = stages(loose)
    few = tabulate(coordinates, design, find_layout(coordinates, design), loose.tables).certificate.nodes[-1]
    assert few < baked("crank_slider").certificate.nodes[-1]


def test_too_few_nodes_allowed():
    m = replace(load(MECHANISMS / "crank_slider.toml"), tables=TableSettings(1e-8, max_nodes=40))
    coordinates, design = stages(m)
    with pytest.raises(
        SweepError, match=r"do not reach the tolerance 1e-08 with 40 nodes along 'crank'.*raise `max_nodes`"
    ):
        tabulate(coordinates, design, find_layout(coordinates, design), m.tables)


def test_a_range_beyond_a_singularity_ends_the_sweep():
    m = load(MECHANISMS / "double_wishbone_rigid.toml")
    pitman, shock = m.coordinates
    far = replace(m, coordinates=(pitman, replace(shock, lower=-0.1, upper=0.06)))
    coordinates, design = stages(far)
    message = (
        r"range of 'shock', -3.93701 in to 2.3622 in, cannot be swept: loop 'lower_ball' locks .*condition number .*"
    )
    with pytest.raises(SweepError, match=message + r"Largest feasible range found there: -3.24\d* in to [4-7]\."):
        walk(coordinates, design, (0, 1))


def test_a_full_turn_that_cannot_be_made_has_no_end_to_blame():
    """The rocker of a four-bar; where it locks and how far it can go are the same number."""
    m = load(MECHANISMS / "four_bar.toml")
    rocker = replace(m.coordinates[0], name="rocker", of=JointCoordinate("rocker"))
    coordinates, design = stages(replace(m, coordinates=(rocker,)))
    with pytest.raises(SweepError) as error:
        walk(coordinates, design, (0,))
    told = re.search(
        r"the full turn of 'rocker' cannot be swept: .* at rocker = (-?[\d.]+ deg)\. Largest feasible range found "
        r"there: (-?[\d.]+ deg) to (-?[\d.]+ deg)\. Give it such a range without `periodic`",
        str(error.value),
    )
    assert told and told[1] in (told[2], told[3])


def bake_tables(mechanism):
    coordinates, design = stages(mechanism)
    return tabulate(coordinates, design, find_layout(coordinates, design), mechanism.tables)


def test_massless_bodies_leave_the_inertia_singular():
    """A flag without mass on a hinge of its own."""
    m = load(MECHANISMS / "crank_slider.toml")
    flag = Body("flag", 0.0, np.zeros(3), np.zeros((3, 3)))
    hinge = joint("revolute", "hinge", "crank", "flag", np.array([2.0, 0, 0]), np.array([0.0, 0.0, 1.0]))
    turn = Coordinate("hinge", JointCoordinate("hinge"), -1, 1)
    light = replace(m, bodies=(*m.bodies, flag), joints=(*m.joints, hinge), coordinates=(*m.coordinates, turn))
    with pytest.raises(SingularityError, match="reduced inertia is singular at .*mass or an inertia"):
        bake_tables(light)


def test_an_inertia_that_vanishes_between_the_nodes_is_found():
    """Only the slider has mass: at the dead centres, 0 and 180 deg, the crank moves nothing.  No node is there."""
    m = load(MECHANISMS / "crank_slider.toml")
    bodies = tuple(b if b.name == "slider" else replace(b, mass=0.0, inertia=np.zeros((3, 3))) for b in m.bodies)
    shifted = replace(m.coordinates[0], lower=np.deg2rad(-63.0), upper=np.deg2rad(297.0))
    with pytest.raises(SingularityError, match=r"singular at crank = (-?\d(\.\d+)?(e-\d+)?|17\d\.\d+|180(\.\d+)?) deg"):
        bake_tables(replace(m, bodies=bodies, coordinates=(shifted,), tables=TableSettings(1e-4)))


def test_gimbal_lock_is_found_between_the_nodes():
    """A point mass on a universal joint: at 90 deg elevation azimuth moves nothing."""
    body = Body("ball", 1.0, np.array([1.0, 0, 0]), np.zeros((3, 3)))
    axes = (np.array([0.0, 0, 1]), np.array([0.0, 1, 0]))
    m = Mechanism(
        "Gimbal",
        [body],
        [joint("universal", "u", "ground", "ball", np.zeros(3), *axes)],
        coordinates=(
            Coordinate("az", JointCoordinate("u", 0), -1.0, 1.0),
            Coordinate("el", JointCoordinate("u", 1), np.deg2rad(-50), np.deg2rad(120)),
        ),
    )
    with pytest.raises(SingularityError, match=r"el = (89\.\d+|90(\.\d+)?) deg .*gimbal lock"):
        bake_tables(m)


def test_a_spring_that_shrinks_to_nothing_is_named():
    body = random_body(np.random.default_rng(0), "a")
    spring = Spring("s", Distance("ground", "a", np.array([1.0, 0, 0]), np.zeros(3)), stiffness=1, free_length=0.1)
    slide = joint("prismatic", "j", "ground", "a", np.zeros(3), np.array([1.0, 0, 0]))
    m = Mechanism("Z", [body], [slide], springs=[spring], coordinates=(Coordinate("x", JointCoordinate("j"), -2, 2),))
    with pytest.raises(SweepError, match=r"the two ends of spring.s meet at x = 1000 mm"):
        bake_tables(m)
    beyond = replace(m, coordinates=(Coordinate("x", JointCoordinate("j"), -2, 2.1),))
    with pytest.raises(SweepError, match=r"the error of measure.spring.s near (99\d|100\d).*steeply there"):
        bake_tables(beyond)


def test_a_spring_and_a_damper_on_the_same_points_share_a_column(baked):
    names = [row.column for row in baked("double_wishbone_rigid").certificate.columns]
    assert names.count("measure.spring.shock") == 1 and "measure.damper.shock" not in names
