"""Tables across branch points, against closed forms."""

import numpy as np
import pytest
from helpers_branching import equal_crank_slider, kite, kite_end, parallelogram
from helpers_verify import motion
from scipy.integrate import solve_ivp

from fmu_src.build.python_fmu import build_fmu
from precompute.kinematics.coefficients import Crossing
from precompute.pipeline import bake, survey
from precompute.running.simulation import SimulationError, run_fmu
from precompute.tables.splines import evaluate_blocks
from precompute.tables.sweep import around
from precompute.tables.tabulate import tabulate
from precompute.tables.walking import cleared, left_out

CASES = {
    "parallelogram": (parallelogram(), lambda a: [3.0 + np.cos(a), np.sin(a)]),
    "full turn": (parallelogram(coordinate=(-2.0, 2.0 * np.pi - 2.0, True)), lambda a: [3.0 + np.cos(a), np.sin(a)]),
    "ends in a branch point": (parallelogram(coordinate=(-1.0, 0.5, False)), lambda a: [3.0 + np.cos(a), np.sin(a)]),
    "kite": (kite(), lambda a: kite_end(a)[:2]),
    "equal crank-slider": (equal_crank_slider(), lambda a: [2.0 * np.cos(a), 0.0]),
}


@pytest.mark.parametrize("case", CASES)
def test_tables_go_through_branch_points(case):
    mechanism, closed_form = CASES[case]
    found = survey(mechanism)
    (piece,), (layout,) = found.atlas.pieces, found.layouts
    table = tabulate(piece.coordinates, piece.centre, layout, mechanism.tables)
    assert max(table.certificate.nodes)[0] < 60 and table.certificate.worst_condition < 1e4
    (axis,) = table.axes
    z = np.linspace(axis.lower, axis.upper, 2001)
    value = evaluate_blocks(table.blocks, z[:, None])
    columns = [table.columns.names.index(f"marker.Q.r[{i}]") for i in (1, 2)]
    exact = np.array([closed_form(1.0 + a) for a in z])
    np.testing.assert_allclose(value[:, columns], exact, atol=2e-6 * np.ptp(exact[:, 0]))


@pytest.mark.fmu
def test_a_parallelogram_turns_as_a_pendulum(tmp_path):
    """Through five branch points; and it is verified up to the first."""
    m = parallelogram(coordinate=(-2.0, 2.0 * np.pi - 2.0, True))
    path = build_fmu(bake(m), tmp_path / "turning.fmu")
    run = run_fmu(path, stop=1.2, values={"qd_start.crank": 12.0})
    crank, link, rocker = m.bodies
    J = crank.inertia[2, 2] + crank.mass * crank.com[:2] @ crank.com[:2]
    arm = rocker.com[:2] - np.array([3.0, 0.0])
    J += rocker.inertia[2, 2] + rocker.mass * arm @ arm + link.mass
    turned = crank.mass * crank.com[:2] + rocker.mass * arm  # first moment of what turns, at design
    lever = np.array([turned[0], turned[1]]) + link.mass * np.array([np.cos(1.0), np.sin(1.0)])

    def rate(_, y):
        return [y[1], -9.81 * (lever[0] * np.cos(y[0]) - lever[1] * np.sin(y[0])) / J]

    exact = solve_ivp(rate, (0.0, 1.2), [0.0, 12.0], t_eval=run.time, rtol=1e-11, atol=1e-12).y[0]
    assert np.abs(run.outputs["q.crank"] - exact).max() < 1e-4 and exact.max() > 4.5 * np.pi
    found = motion(path, stop=0.5, values={"qd_start.crank": 12.0})
    assert found.worst("deg").error < 1e-3 and found.stop < 0.2
    assert any(
        "does not cross the branch point at crank = 2.14159 rad: compared until 0" in note for note in found.notes
    )
    with pytest.raises(SimulationError, match="nothing can be compared.*-1 rad, and the run starts there or beyond"):
        motion(path, stop=0.5, values={"q_start.crank": -1.5})


def test_a_polynomial_leads_over_what_is_left_out():
    x = Crossing(0, 0.3, 0.05)
    value = np.linspace(0.25, 0.35, 11)
    places, weights = around(x, value)
    assert not left_out(x, places).any() and left_out(x, value[1:-1]).all()
    for degree in range(8):
        np.testing.assert_allclose(weights @ places**degree, value**degree, atol=1e-12)
    np.testing.assert_allclose(weights @ np.sin(3.0 * places), np.sin(3.0 * value), atol=1e-9)


def test_nodes_are_solved_beside_what_is_left_out():
    x = Crossing(1, 0.3, 0.05)
    axis = np.array([0.2, 0.26, 0.3, 0.34, 0.5])
    np.testing.assert_allclose(cleared((x,), 1, axis), [0.2, 0.25, 0.35, 0.35, 0.5])
    assert (cleared((x,), 0, axis) == axis).all()
