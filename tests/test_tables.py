"""Spline tables of the shipped mechanisms: order of convergence, periodicity, constant columns, winding."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, joint, random_body

from precompute.assembly import close_loops
from precompute.certificate import column_scales, relative_errors, scattered_points, solve_grid
from precompute.columns import natural_scales, plan_columns
from precompute.coordinates import choose_coordinates
from precompute.errors import SweepError
from precompute.mechanism import Coordinate, JointCoordinate
from precompute.mechanism_file import load
from precompute.sweep import Solver, walk
from precompute.tables import DEGREE, evaluate_chart, fit_chart
from precompute.topology import spanning_tree


class Swept:
    """A mechanism walked coarsely, ready to be tabulated on any uniform grid."""

    def __init__(self, mechanism):
        topology = spanning_tree(mechanism)
        design = close_loops(mechanism, topology)
        self.coordinates = choose_coordinates(mechanism, topology, design)
        self.columns = plan_columns(mechanism, len(self.coordinates.free))
        self.nodes = walk(self.coordinates, design)
        self.solver = Solver(self.coordinates, self.columns, self.nodes)

    def chart(self, n):
        axes = tuple(np.linspace(a[0], a[-1], n) for a in self.nodes.axes)
        grid, data = solve_grid(self.solver, axes)
        floor = natural_scales(self.coordinates.closure, self.columns, data)
        return fit_chart(self.coordinates, self.columns, grid, floor), column_scales(grid, floor)

    def errors(self, n):
        """Largest relative error of values and of first derivatives at scattered points."""
        chart, scales = self.chart(n)
        z = scattered_points(self.nodes.axes)
        _, data = self.solver.at(z, "")
        value, gradient = relative_errors(chart, scales, z, data)
        return value.max(), gradient.max()


@pytest.fixture(scope="module")
def crank_slider():
    return Swept(load(MECHANISMS / "crank_slider.toml"))


def order(coarse, fine):
    return np.log2(coarse / fine)


def test_halving_the_cell_shows_the_order_of_a_periodic_spline(crank_slider):
    (v1, g1), (v2, g2) = crank_slider.errors(49), crank_slider.errors(97)
    assert order(v1, v2) == pytest.approx(DEGREE + 1, abs=0.6)
    assert order(g1, g2) == pytest.approx(DEGREE, abs=0.6)


def test_halving_the_cell_shows_the_order_on_two_axes():
    """Away from the toggle of full rebound, where a quarter of the range is enough to see the order."""
    m = load(MECHANISMS / "double_wishbone.toml")
    pitman, shock = m.coordinates
    narrow = (replace(pitman, lower=-0.3, upper=0.3), replace(shock, lower=-0.02, upper=0.06))
    swept = Swept(replace(m, coordinates=narrow))
    (v1, g1), (v2, g2) = swept.errors(9), swept.errors(17)
    assert order(v1, v2) > DEGREE + 1 - 1.2
    assert order(g1, g2) > DEGREE - 1.0


def test_nodes_are_met_exactly(crank_slider):
    chart, _ = crank_slider.chart(33)
    z = np.linspace(*crank_slider.nodes.axes[0][[0, -1]], 33)[:, None]
    _, data = crank_slider.solver.at(z, "")
    np.testing.assert_allclose(evaluate_chart(chart, z)[0], data.value, atol=1e-11)


def test_a_winding_joint_angle_grows_by_a_turn_per_turn():
    m = load(MECHANISMS / "crank_slider.toml")
    on_pin = replace(m.springs[0], name="pin", on=JointCoordinate("crank_pin"), stiffness=1.0)
    swept = Swept(replace(m, springs=(on_pin,), dampers=()))
    chart, _ = swept.chart(65)
    column = chart.columns.index("measure.spring.pin")
    assert chart.slope[column, 0] == -1.0  # the crank pin turns back once per turn
    ends = evaluate_chart(chart, np.array([[0.0], [2 * np.pi]]))[0][:, column]
    assert ends[1] - ends[0] == pytest.approx(-2 * np.pi, abs=1e-12)


def test_columns_that_do_not_vary_have_no_table(crank_slider):
    chart, _ = crank_slider.chart(33)
    stored = dict(zip(chart.columns, chart.stored, strict=True))
    assert stored["marker.slider.r[3]"] == stored["marker.slider.R[1,1]"] == stored["moment[3]"] == -1
    assert stored["marker.slider.r[1]"] >= 0
    constant = dict(zip(chart.columns, chart.constant, strict=True))
    assert constant["marker.slider.R[1,1]"] == pytest.approx(1.0) and constant["marker.slider.r[2]"] == pytest.approx(
        1.0
    )


def test_a_mechanism_that_does_not_come_back_is_not_periodic():
    m = load(MECHANISMS / "crank_slider.toml")
    swept = Swept(m)
    grid, data = solve_grid(swept.solver, swept.nodes.axes)
    broken = grid.value.copy()
    broken[-1, chart_column(swept, "marker.slider.r[1]")] += 0.01
    floor = natural_scales(swept.coordinates.closure, swept.columns, data)
    with pytest.raises(
        SweepError, match=r"'crank' is periodic, but after one turn marker.slider.r\[1\] has changed by 0.01"
    ):
        fit_chart(swept.coordinates, swept.columns, replace(grid, value=broken), floor)


def chart_column(swept, name):
    return swept.columns.names.index(name)


def test_three_axes():
    """Steering, wishbones, and a flap hinged to the lower arm: three free coordinates."""
    m = load(MECHANISMS / "double_wishbone.toml")
    flap = random_body(np.random.default_rng(0), "flap")
    hinge = joint("revolute", "hinge", "lower_arm", "flap", np.array([0.5, 1.0, 0.7]), np.array([1.0, 0.2, 0.0]))
    limits = {"pitman": 0.2, "lower_arm": 0.2, "hinge": 0.5}
    swept = Swept(
        replace(
            m,
            joints=(*(j for j in m.joints if not j.name.startswith("shock")), hinge),
            bodies=(*(b for b in m.bodies if not b.name.startswith("shock")), flap),
            coordinates=tuple(Coordinate(name, JointCoordinate(name), -x, x) for name, x in limits.items()),
        )
    )
    (v1, g1), (v2, g2) = swept.errors(9), swept.errors(13)
    assert v2 < 1e-4 and g2 < 1e-3
    assert v2 < v1 / 4 and g2 < g1 / 3
