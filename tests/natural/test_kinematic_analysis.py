"""Examples of chapter 3 of Garcia de Jalon and Bayo against golden data, with the signs right that are misprinted."""

import json

import numpy as np
import pytest
from helpers import GOLDEN
from helpers_linkages import four_bar, four_bar_on_a_cylinder, rscr, slider_crank, spherical_four_bar, turning

from precompute.natural.newton import Method, follow
from precompute.natural.tangent import DrivenSystem, allowable_motions, factored, tangent

LINKS, BASE = (1.0, 2.5, 2.0), 3.0


@pytest.fixture(scope="module")
def golden():
    return json.loads((GOLDEN / "kinematic_analysis.json").read_text())


@pytest.fixture(scope="module")
def crank_rocker(golden):
    example = golden["ex3_10"]
    assert (example["L2"], example["L3"], example["L4"], example["B"]) == (*LINKS, [BASE, 0.0])
    return four_bar(LINKS, BASE, np.array(example["q"]))


def rank(system, x, columns, rows=slice(None)):
    return int(factored(system.jacobian(x)[None, rows][:, :, columns]).rank[0])


def test_position_velocity_acceleration_and_jerk_of_the_four_bar(golden, crank_rocker):
    system, x = crank_rocker
    driven = DrivenSystem(system, (4, 5))
    phi = np.radians([golden["ex3_10"]["phi_deg"]])
    far = turning(phi + np.linspace(0.1, 2 * np.pi, 63))[0]
    around = follow(driven, x, far)
    assert np.abs(around.x[-1, :4] - golden["ex3_10"]["q"]).max() < 1e-12
    rates = tangent(driven, around.x[-1:]).rates(*turning(phi)[1:])
    expected = golden["fourbar_phidot1"]
    for got, name in [(rates.velocity, "qd"), (rates.acceleration, "qdd"), (rates.jerk, "qddd")]:
        assert np.abs(got[0, :4] - expected[name]).max() < 1e-10, name


def test_slider_crank_turns_in_steps_of_five_degrees(golden):
    example = golden["ex3_8"]
    crank, rod = example["L2"], example["L3"]
    system, x = slider_crank(crank, rod)
    psi = np.radians(np.arange(0.0, 360.0, example["step_deg"]))
    given = turning(psi)[0]
    found = follow(DrivenSystem(system, (4, 5)), x, given, Method.NEWTON, example["tol"])
    assert len(found.x) == len(psi) and found.residual.max() <= example["tol"]
    assert found.iterations.max() <= example["max_iter"]
    slider = crank * np.cos(psi) + np.sqrt(rod**2 - (crank * np.sin(psi)) ** 2)
    assert np.abs(found.x[:, 2] - slider).max() < 1e-14


def test_slider_crank_is_regular_with_both_rows_of_its_angle_and_with_neither_alone(golden):
    example = golden["ex3_8"]
    system, x = slider_crank(example["L2"], example["L3"])
    found = follow(DrivenSystem(system, (4, 5)), x, turning(np.radians(np.arange(0.0, 360.0, 5.0)))[0])
    jacobian = system.jacobian(found.x)[:, :, :4]
    smallest = {
        name: factored(jacobian[:, rows]).s[:, -1].min()
        for name, rows in {"both": [0, 1, 2, 3, 4], "cosine": [0, 1, 2, 3], "sine": [0, 1, 2, 4]}.items()
    }
    assert smallest["both"] == pytest.approx(example["min_sv_with_iv_and_v"], abs=1e-12)
    assert smallest["cosine"] < 1e-12 and smallest["sine"] < 1e-12


def test_ranks_of_the_rscr_linkage(golden):
    expected = golden["ex3_3"]
    system, x = rscr()
    unknown = slice(0, 12)
    assert np.abs(system.value(x)).max() < 1e-14
    assert (expected["equations"], expected["unknowns"]) == (len(system.labels), 12)
    assert rank(system, x, unknown) == expected["rank_with_driver"]
    assert rank(system, x, unknown, slice(1, None)) == expected["rank_without_driver"]


def test_the_rscr_linkage_moves_with_its_redundant_rows():
    system, x = rscr()
    path = np.cos(np.radians(np.linspace(50.0, 70.0, 11)))[:, None]
    there = follow(DrivenSystem(system, (12,)), x, path)
    back = follow(DrivenSystem(system, (12,)), there.x[-1], path[::-1])
    assert there.residual.max() < 1e-12 and len(there.x) == len(path)
    assert np.abs(there.x[-1] - x).max() > 0.1
    assert np.abs(back.x[-1] - x).max() < 1e-12


def test_rank_of_the_spherical_four_bar(golden):
    example = golden["ex3_9"]
    system, x = spherical_four_bar(np.radians(example["arcs_deg"]), example["radii"], np.array(example["x"]))
    assert np.abs(system.value(x)).max() < 1e-14
    assert system.jacobian(x).shape == (example["m_printed"], example["n"])
    assert rank(system, x, slice(None)) == example["rank"]
    assert np.abs(factored(system.jacobian(x)[None]).s[0] - example["sv"]).max() < 1e-13


def test_the_velocities_that_a_four_bar_allows(golden, crank_rocker):
    """Example 3.10, with the minus that the third component lacks in print."""
    system, x = crank_rocker
    basis = allowable_motions(DrivenSystem(system, ()), x)[:4, 0]
    r = np.array(golden["ex3_10"]["r_correct"])
    direction = basis * np.sign(basis @ r) / np.linalg.norm(basis)
    assert np.abs(direction - r / np.linalg.norm(r)).max() < 1e-13


def test_the_velocities_that_a_two_link_arm_allows(golden, crank_rocker):
    """Example 3.11, the four-bar without its last link, its tip given: entries 1 and 2 of r1 are swapped in print."""
    system, x = crank_rocker
    driven = DrivenSystem(system, (2, 3))  # the row of the last link then holds no unknown
    partials = tangent(driven, x[None]).partials[0, :4]
    for column, name in enumerate(["r1_correct", "r2"]):
        assert np.abs(partials[:, column] - golden["ex3_11"][name]).max() < 1e-13, name


def test_the_four_bar_on_a_hydraulic_cylinder(golden):
    example = golden["ex3_12"]
    system, x = four_bar_on_a_cylinder(LINKS, BASE, np.array(golden["ex3_10"]["q"]))
    driven = DrivenSystem(system, (4,))
    t = np.array([row["t"] for row in example["rows"]])
    stroke = x[4] + 0.1 * np.sin(2 * t)
    found = follow(driven, x, stroke[:, None])
    third = np.zeros((len(t), 1))
    rates = tangent(driven, found.x).rates(0.2 * np.cos(2 * t)[:, None], -0.4 * np.sin(2 * t)[:, None], third)
    for name, got in [("q", found.x), ("qd", rates.velocity), ("qdd", rates.acceleration)]:
        expected = np.array([row[name] for row in example["rows"]])
        assert np.abs(got[:, :4] - expected).max() < 1e-9, name
