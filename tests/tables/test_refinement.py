"""Refining: noise asks for no nodes, and where nodes do not help the message says why."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, joint, random_body
from helpers_baked import baked

from precompute.errors import SweepError
from precompute.mechanism_file import load
from precompute.model.mechanism import (
    Coordinate,
    JointCoordinate,
    Marker,
    Mechanism,
    TableSettings,
)
from precompute.pipeline import bake
from precompute.tables.certificate import SAFETY, Excess
from precompute.tables.columns import NOISE, Level, Sizes
from precompute.tables.refinement import enough, refine, scattered_excess
from precompute.tables.tabulate import SCALE_FLOOR, demands

STRICT = TableSettings(1e-11, max_nodes=2001)
Z = np.array([0.0, 0.0, 1.0])


def crank_slider(*markers):
    m = load(MECHANISMS / "crank_slider.toml")
    return replace(m, tables=STRICT, markers=(*m.markers, *markers))


def test_a_marker_on_a_fixed_pivot_takes_no_nodes():
    plain = baked(crank_slider())
    extra = Marker("pivot", "crank", np.array([2.0, 1.0, 0.0])), Marker("bed", "slider", np.array([5.0, 0.3, 0.7]))
    with_pivot = baked(crank_slider(*extra))
    assert with_pivot.certificate.nodes == plain.certificate.nodes and max(plain.certificate.nodes)[0] < 500
    allowed = {row.column: row.value_error for row in with_pivot.certificate.columns}
    assert allowed["marker.pivot.r[1]"] <= STRICT.tolerance


def test_constants_have_no_table_at_the_tightest_tolerance():
    """The pivot, and what lies across the plane: found constant, so that the kernel reads no spline for them."""
    model = baked(crank_slider(Marker("pivot", "crank", np.array([2.0, 1.0, 0.0]))))
    plain = baked(crank_slider())
    stored = [sum(block.coefficients.size for block in m.charts[0].blocks if block.axes) for m in (model, plain)]
    assert stored[0] == stored[1]


def test_noise_is_within_every_tolerance():
    sizes = Sizes(np.array([1.0, 2.0]), NOISE * np.array([1.0, 50.0]))
    for tolerance in (1e-11, 1e-8, 1e-6, 1e-2):
        floor, _, slack, constant = demands(Level.REST, 1, sizes, TableSettings(tolerance))
        assert slack == 1.0 and (floor >= SCALE_FLOOR * sizes.natural).all()
        assert (sizes.noise <= SAFETY * tolerance * floor * (1 + 1e-12)).all()
        assert (constant <= SAFETY * tolerance * floor).all()  # what is left out is less than what it may err
    assert (demands(Level.REST, 1, sizes, TableSettings(1e-6))[0] == SCALE_FLOOR * sizes.natural).all()


@pytest.mark.parametrize("distance", [0.0, 5.0, 100.0])
def test_constants_far_from_the_origin_take_no_nodes(distance):
    """A body on a hinge: its pivot and its inertia are constant, wherever the origin is."""
    at = np.array([distance, -0.3 * distance, 0.0])
    body = random_body(np.random.default_rng(0), "a")
    m = Mechanism(
        "Far",
        [replace(body, com=body.com + at)],
        [joint("revolute", "j", "ground", "a", at, Z)],
        markers=[Marker("pivot", "a", at)],
        coordinates=(Coordinate("j", JointCoordinate("j"), -1.0, 1.0),),
        tables=TableSettings(1e-11, max_nodes=401),
    )
    assert max(bake(m).certificate.nodes)[0] < 60


def part_of(periodic):
    """As much of a block as messages need."""

    class Free:
        name = "crank"

    Free.periodic = periodic

    class Coordinates:
        free = (Free,)

        @staticmethod
        def shown(k, value):
            return f"{value:g} deg"

    class Part:
        coordinates, axes, names, degree = Coordinates, (0,), ("marker.a.r[1]",), 5
        sizes = Sizes(np.ones(1), np.full(1, NOISE))

    return Part


AXIS = np.linspace(0.0, 100.0, 21)


@pytest.mark.parametrize(
    ("periodic", "near", "noise", "says"),
    [
        (True, 1.0, np.inf, "It changes steeply there: choose another"),
        (False, 1.0, np.inf, "The range may end close to a singularity: reduce it"),
        (False, 50.0, np.inf, "It changes steeply there: leave that out of the range"),
        (True, 1.0, 3.0, "That is rounding, and more nodes do not mend it: raise `tolerance`"),
    ],
)
def test_too_few_nodes_are_put_down_to_their_cause(periodic, near, noise, says):
    excess = Excess(np.full(20, 5.0), 0, near, noise)
    with pytest.raises(SweepError) as error:
        refine(part_of(periodic), (AXIS,), [excess], TableSettings(1e-6, max_nodes=21))
    assert f"with 21 nodes along 'crank': the error of marker.a.r[1] near {near:g} deg is still 2.5 times" in str(
        error.value
    )
    assert says in str(error.value) and not (periodic and "range" in str(error.value))


def test_the_last_nodes_are_tried_before_giving_up():
    excess = Excess(np.full(20, 500.0), 0, 50.0)
    (finer,) = refine(part_of(False), (AXIS,), [excess], TableSettings(1e-6, max_nodes=25))
    assert len(finer) == 25


def test_with_all_nodes_the_tolerance_itself_counts():
    settings = TableSettings(1e-6, max_nodes=21)
    within, beyond = Excess(np.full(20, 1.9), 0, 50.0), Excess(np.full(20, 2.1), 0, 50.0)
    assert enough(within, settings) and not enough(beyond, settings)
    assert not enough(within, replace(settings, max_nodes=22))
    assert refine(part_of(False), (AXIS,), [within], settings)[0] is AXIS


def test_what_scattered_points_find_is_told_with_its_place():
    from fmu_src.model.reduced_model import ColumnError

    rows = (ColumnError("marker.a.r[1]", 1.0, 3e-6, (71.0,), 1e-6, (5.0,)),)
    (found,) = scattered_excess(part_of(False), [Excess(np.full(20, 0.5), 0, 3.0)], rows, TableSettings(1e-6))
    assert found.near == 71.0 and found.worst * SAFETY == pytest.approx(3.0)
