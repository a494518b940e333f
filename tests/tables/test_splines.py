"""Spline tables of the shipped mechanisms: order of convergence, periodicity, constant columns, winding."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, joint, random_body
from scipy.interpolate import NdBSpline

from precompute.coordinates.decouple import find_dependence
from precompute.coordinates.independent import choose_coordinates
from precompute.errors import SweepError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import Coordinate, JointCoordinate, Mechanism, TableSettings
from precompute.tables.certificate import column_scales, relative_errors, scattered_points
from precompute.tables.columns import Level, Sizes, column_sizes, evaluate, plan_columns
from precompute.tables.splines import DEGREE, LEAST_DEGREE, LOW_DEGREE, Part, evaluate_block, fit_block, interpolate
from precompute.tables.sweep import Solver
from precompute.tables.tabulate import demands, solve_grid
from precompute.tables.walking import walk


class Swept:
    """One block of a mechanism, walked coarsely, ready to be tabulated on any uniform grid."""

    def __init__(self, mechanism, axes=None):
        topology = spanning_tree(mechanism)
        design = close_loops(mechanism, topology)
        self.coordinates = coordinates = choose_coordinates(mechanism, topology, design)
        dependence, samples = find_dependence(coordinates, design)
        self.columns = plan_columns(mechanism, coordinates.names, dependence)
        self.axes = tuple(range(len(coordinates.free))) if axes is None else axes
        index = self.columns.of_block(self.columns.blocks.index((self.axes, False)))
        sizes = column_sizes(coordinates.closure, self.columns, evaluate(coordinates.closure, self.columns, samples))
        self.columns, sizes = self.columns.only(index), sizes.only(index)
        asked = demands(Level.REST, len(self.axes), sizes, TableSettings(1e-8))
        self.part = Part(coordinates, self.columns, self.axes, sizes, *asked)
        self.nodes = walk(coordinates, design, self.axes)
        self.solver = Solver(coordinates, self.columns, self.nodes)

    def grid(self, n):
        return solve_grid(self.part, self.solver, tuple(np.linspace(a[0], a[-1], n) for a in self.nodes.axes))

    def errors(self, n, degree=DEGREE):
        """Largest relative error of values and of first derivatives at scattered points."""
        grid, part = self.grid(n), replace(self.part, degree=degree)
        z = scattered_points(self.nodes.axes, 1024)
        _, data = self.solver.at(self.part.embed(z), "")
        scales = column_scales(grid, self.part.floor, self.part.slack)
        value, gradient = relative_errors(part, fit_block(part, grid), scales, z, data)
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


def test_halving_the_cell_shows_the_order_of_a_spline_of_low_degree(crank_slider):
    (v1, g1), (v2, g2) = crank_slider.errors(97, LOW_DEGREE), crank_slider.errors(193, LOW_DEGREE)
    assert order(v1, v2) == pytest.approx(LOW_DEGREE + 1, abs=0.6)
    assert order(g1, g2) == pytest.approx(LOW_DEGREE, abs=0.6)


def test_few_digits_take_splines_of_low_degree():
    sizes, loose = Sizes(np.ones(3), np.full(3, 1e-13)), TableSettings(tolerance=1e-6, stiff_tolerance=1e-3)
    strict = TableSettings(tolerance=1e-9, stiff_tolerance=1e-8)
    assert demands(Level.REST, 1, sizes, loose)[1:3] == (DEGREE, 1.0)
    assert demands(Level.REST, 2, sizes, loose)[1:3] == (DEGREE, 1.0)
    assert demands(Level.REST, 2, sizes, replace(loose, tolerance=3e-6))[1:3] == (LOW_DEGREE, 1.0)
    assert demands(Level.SLOPE, 1, sizes, loose)[1:3] == (LOW_DEGREE, pytest.approx(100.0))
    assert demands(Level.HIGHEST, 1, sizes, loose)[1:3] == (LOW_DEGREE, pytest.approx(100.0))
    looser = replace(loose, stiff_tolerance=1e-2)
    assert demands(Level.SLOPE, 1, sizes, looser)[1:3] == (LOW_DEGREE, pytest.approx(1000.0))
    assert demands(Level.HIGHEST, 1, sizes, looser)[1:3] == (LEAST_DEGREE, pytest.approx(1000.0))
    assert demands(Level.HIGHEST, 2, sizes, looser)[1:3] == (LOW_DEGREE, pytest.approx(1000.0))
    assert demands(Level.SLOPE, 1, sizes, strict)[1:3] == (DEGREE, 1.0)


def test_halving_the_cell_shows_the_order_on_two_axes():
    """Away from the toggle of full rebound, where a quarter of the range is enough to see the order."""
    m = load(MECHANISMS / "double_wishbone_rigid.toml")
    pitman, shock = m.coordinates
    narrow = (replace(pitman, lower=-0.3, upper=0.3), replace(shock, lower=-0.02, upper=0.06))
    swept = Swept(replace(m, coordinates=narrow))
    (v1, g1), (v2, g2) = swept.errors(9), swept.errors(17)
    assert order(v1, v2) > DEGREE + 1 - 1.2
    assert order(g1, g2) > DEGREE - 1.0


def test_nodes_are_met_exactly(crank_slider):
    grid = crank_slider.grid(33)
    value, _ = evaluate_block(fit_block(crank_slider.part, grid), grid.axes[0][:, None])
    np.testing.assert_allclose(value, grid.value, atol=1e-11)


def test_a_winding_joint_angle_grows_by_a_turn_per_turn():
    m = load(MECHANISMS / "crank_slider.toml")
    on_pin = replace(m.springs[0], name="pin", on=JointCoordinate("crank_pin"), stiffness=1.0)
    swept = Swept(replace(m, springs=(on_pin,), dampers=()))
    block = fit_block(swept.part, swept.grid(65))
    column = block.columns.index("measure.spring.pin")
    assert block.slope[column, 0] == -1.0  # the crank pin turns back once per turn
    ends = evaluate_block(block, np.array([[0.0], [2 * np.pi]]))[0][:, column]
    assert ends[1] - ends[0] == pytest.approx(-2 * np.pi, abs=1e-12)


def test_a_turn_that_is_missed_is_told_without_whole_turns():
    m = load(MECHANISMS / "crank_slider.toml")
    swept = Swept(replace(m, springs=(replace(m.springs[0], name="pin", on=JointCoordinate("crank_pin")),), dampers=()))
    grid = swept.grid(33)
    broken = grid.value.copy()
    broken[-1, swept.part.names.index("measure.spring.pin")] += 0.01
    message = "measure.spring.pin has changed, whole turns of its own left out, by 0.01:"
    with pytest.raises(SweepError, match=message):
        fit_block(swept.part, replace(grid, value=broken))


def test_slopes_that_differ_at_the_seam_by_rounding_do_no_harm():
    """Of the second axis, where the first is periodic: their ends would be interpolated around."""
    x, y = np.linspace(0.0, 2 * np.pi, 33), np.linspace(-1.0, 1.0, 9)
    value = (np.sin(x)[:, None] * y)[..., None]
    gradient = np.stack([np.cos(x)[:, None] * y, np.sin(x)[:, None] + 0.0 * y], axis=-1)[..., None, :]
    gradient[-1, :, :, 1] += 3e-15
    knots, coefficients = interpolate(DEGREE, (x, y), value, gradient, (True, False))
    spline = NdBSpline(knots, coefficients, k=DEGREE)
    z = np.random.default_rng(0).uniform((0.0, -1.0), (2 * np.pi, 1.0), (50, 2))
    np.testing.assert_allclose(spline(z)[:, 0], np.sin(z[:, 0]) * z[:, 1], atol=1e-6)


def test_columns_that_do_not_vary_have_no_table(crank_slider):
    block = fit_block(crank_slider.part, crank_slider.grid(33))
    stored = dict(zip(block.columns, block.stored, strict=True))
    assert stored["marker.slider.r[3]"] == stored["marker.slider.R[1,1]"] == stored["moment.crank[3]"] == -1
    assert stored["marker.slider.r[1]"] >= 0
    constant = dict(zip(block.columns, block.constant, strict=True))
    assert constant["marker.slider.R[1,1]"] == pytest.approx(1.0) and constant["marker.slider.r[2]"] == pytest.approx(
        1.0
    )


def test_a_mechanism_that_does_not_come_back_is_not_periodic(crank_slider):
    grid = crank_slider.grid(33)
    broken = grid.value.copy()
    broken[-1, crank_slider.part.names.index("marker.slider.r[1]")] += 0.01
    message = r"'crank' is periodic, but after one turn marker.slider.r\[1\] has changed by 0.01"
    with pytest.raises(SweepError, match=message):
        fit_block(crank_slider.part, replace(grid, value=broken))


def test_three_axes():
    """A triple pendulum on tilted axes: its tip depends on all three coordinates."""
    rng = np.random.default_rng(0)
    names = ["ground", "a", "b", "c"]
    hinges = [
        joint("revolute", n, p, n, rng.uniform(-1, 1, 3), rng.standard_normal(3))
        for p, n in zip(names, names[1:], strict=False)
    ]
    free = [Coordinate(n, JointCoordinate(n), -0.7, 0.7) for n in names[1:]]
    swept = Swept(Mechanism("Triple", [random_body(rng, n) for n in names[1:]], hinges, coordinates=free))
    (v1, g1), (v2, g2) = swept.errors(9), swept.errors(13)
    assert v2 < 1e-4 and g2 < 1e-3
    assert v2 < v1 / 4 and g2 < g1 / 3
