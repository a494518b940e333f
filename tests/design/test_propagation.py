"""Design propagation: the numbers of Zou, Abdel-Malek and Wang, least changes, and what both ways promise."""

import numpy as np
import pytest
from helpers_propagation import MCPHERSON, SLIDER_CRANK, McPherson, SliderCrank, freed
from scipy.integrate import solve_ivp
from scipy.optimize import minimize

from precompute.design.propagation import increments, least, least_change
from precompute.geometry.spatial import quaternion_rotation, rotation

ITERATES = 1e-10
"""Of the issue, for iterates of the text."""
LEAST = 1e-8
"""Of the issue, for least changes: the digits that it gives."""

Q, S = slice(0, 4), slice(4, 16)
CRANK = {"q_only": [Q], "s_only": [S], "q_and_s": [Q, S]}
P_AND_Q, LINKS, LENGTHS = slice(0, 6), slice(6, 18), slice(18, 20)
STRUT = {
    "method_1": [P_AND_Q],
    "method_2": [LINKS],
    "method_3": [P_AND_Q, LINKS],
    "method_4": [LINKS, LENGTHS],
    "method_5": [P_AND_Q, LINKS, LENGTHS],
}


def told_crank(result):
    s = [result[name] for name in ("s01", "s03", "s32", "s12")]
    return np.concatenate([np.radians(result["q_deg"]), [result["q4"]], *s])


def told_strut(result):
    s = [result[name] for name in ("s12RS", "s21RS", "s12TD", "s21TD")]
    return np.concatenate([result["q"], *s, [result["lRS"], result["lTD"]]])


def check_iterates(problem, unknowns, result, history, told):
    constraints, start = freed(problem, unknowns)
    found = increments(lambda share: constraints, start, result["iterations"])
    whole = problem.start.copy()
    whole[np.r_[tuple(unknowns)]] = found.x
    np.testing.assert_allclose(whole, told, rtol=0, atol=ITERATES)
    count = min(len(history), len(found.residuals))
    np.testing.assert_allclose(found.residuals[:count], history[:count], rtol=0, atol=ITERATES)


@pytest.mark.parametrize("which", ["printed_iterate", "converged"])
@pytest.mark.parametrize("case", CRANK)
def test_increments_of_the_slider_crank(case, which):
    result = SLIDER_CRANK[case][which]
    check_iterates(SliderCrank(), CRANK[case], result, result["Phi_norm_history"], told_crank(result))


@pytest.mark.parametrize("which", ["printed_iterate", "converged"])
@pytest.mark.parametrize("case", STRUT)
def test_increments_of_the_strut(case, which):
    result = MCPHERSON[case][which]
    problem = McPherson(np.array(MCPHERSON["assembly_2_iterates"]["q"]))
    check_iterates(problem, STRUT[case], result, result["Phi_history"], told_strut(result))


@pytest.mark.parametrize("which, iterations", [("assembly_2_iterates", 2), ("assembly_converged", 12)])
def test_the_strut_is_assembled(which, iterations):
    told = MCPHERSON["conventions"]["data"]
    problem = McPherson(np.array(told["q0"]))
    problem.s_ST = np.array(told["s12ST"])
    constraints, start = freed(problem, [P_AND_Q])
    found = increments(lambda share: constraints, start, iterations)
    np.testing.assert_allclose(found.x, MCPHERSON[which]["q"], rtol=0, atol=ITERATES)


# (case, norm, {unknown: value}), of the issue; angles of the slider-crank in degrees
LEAST_CRANK = [
    ("q_only", 0.0792801139, {0: 44.89892834, 1: -26.08811012, 2: -2.04540849, 3: -0.0186084235}),
    ("s_only", 0.1127023488, {}),
    ("q_and_s", 0.0646398471, {0: 45.09079483, 1: -27.37267715, 2: -1.35769270, 3: -0.0111562447}),
]
LEAST_STRUT = [
    ("q", [slice(0, 5)], 0.2457983324, (-0.35502074, 0.23810973, 0.203, 0.3742)),
    ("s'", [slice(5, 17)], 0.1251288951, (-0.43351057, 0.27510142, 0.203, 0.3742)),
    ("s',q", [slice(0, 17)], 0.1032886148, (-0.39901778, 0.28639255, 0.203, 0.3742)),
    ("s',l", [slice(5, 19)], 0.1123064316, (-0.43351057, 0.27510142, 0.24118046, 0.39811491)),
    ("s',q,l", [slice(0, 19)], 0.0971732952, (-0.40745877, 0.28489651, 0.23127533, 0.38565474)),
]


@pytest.mark.parametrize("case, norm, told", LEAST_CRANK)
def test_least_change_of_the_slider_crank(case, norm, told):
    constraints, start = freed(SliderCrank(), CRANK[case])
    found = least_change(constraints, start)
    assert found.settled and found.residuals[-1] < 1e-14
    assert np.linalg.norm(found.x - start) == pytest.approx(norm, abs=LEAST)
    for k, value in told.items():
        assert (np.degrees(found.x[k]) if k < 3 else found.x[k]) == pytest.approx(value, abs=LEAST)


def strut_at_rest():
    design = np.array(MCPHERSON["assembly_converged"]["q"])
    return McPherson(design, rotation(np.array([0.0, 0.0, 1.0]), np.pi / 2) @ quaternion_rotation(design[:4]))


@pytest.mark.parametrize("case, unknowns, norm, told", LEAST_STRUT)
def test_least_change_of_the_strut(case, unknowns, norm, told):
    problem = strut_at_rest()
    constraints, start = freed(problem, unknowns)
    found = least_change(constraints, start)
    whole = problem.start.copy()
    whole[unknowns[0]] = found.x
    assert found.settled and np.abs(constraints(found.x)[0]).max() < 1e-14
    assert np.linalg.norm(found.x - start) == pytest.approx(norm, abs=LEAST)
    np.testing.assert_allclose(whole[[3, 4, 17, 18]], told, rtol=0, atol=LEAST)


def test_derivatives_of_the_mechanisms():
    rng = np.random.default_rng(3)
    for problem in (SliderCrank(), strut_at_rest()):
        x, step = problem.start + 0.1 * rng.normal(size=len(problem.start)), 1e-5
        for k, e in enumerate(step * np.eye(len(x))):
            slope = (8 * (problem(x + e)[0] - problem(x - e)[0]) - problem(x + 2 * e)[0] + problem(x - 2 * e)[0]) / 12
            np.testing.assert_allclose(slope / step, problem(x)[1][:, k], atol=1e-9)


def ellipse(x):
    """x^2 + (y/2)^2 = 1."""
    return np.array([x[0] ** 2 + x[1] ** 2 / 4.0 - 1.0]), np.array([[2.0 * x[0], x[1] / 2.0]])


def test_least_change_finds_what_a_general_search_finds():
    start, weights = np.array([1.2, 0.9]), np.array([1.0, 0.3])
    found = least_change(ellipse, start, weights)
    told = minimize(
        lambda x: np.sum((weights * (x - start)) ** 2),
        start,
        constraints={"type": "eq", "fun": lambda x: ellipse(x)[0]},
        options={"ftol": 1e-15},
    ).x
    assert found.settled
    np.testing.assert_allclose(found.x, told, atol=1e-7)
    other = increments(lambda share: ellipse, start, 20, weights=weights)
    assert other.residuals[-1] < 1e-14
    change, more = (np.linalg.norm(weights * (x - start)) for x in (found.x, other.x))
    assert change < more - 1e-5  # increments end elsewhere


def test_many_increments_follow_the_way_of_least_steps():
    """dx/dt = -J^+ dPhi/dt, from one closed design to the next: of first order in the length of the steps."""
    start = np.array([0.6, 0.8])
    offset = ellipse(start)[0]

    def grown(share):
        def constraints(x):
            phi, J = ellipse(x)
            return phi - offset - 3.0 * share, J

        return constraints

    told = solve_ivp(lambda t, x: least(ellipse(x)[1], np.array([3.0])), (0, 1), start, rtol=1e-12, atol=1e-12).y[:, -1]
    found = [increments(grown, start, 8, steps=n).x for n in (16, 32, 64, 128)]
    errors = [float(np.linalg.norm(x - told)) for x in found]
    assert errors[-1] < 0.01
    assert all(1.8 < a / b < 2.5 for a, b in zip(errors[:-1], errors[1:], strict=True)), errors


def test_directions_that_say_the_same_twice_count_once():
    J = np.array([[1.0, 2.0], [1.0, 2.0], [0.0, 0.0]])
    np.testing.assert_allclose(least(J, np.array([5.0, 5.0, 0.0])), [1.0, 2.0])
    np.testing.assert_allclose(least(J, np.array([5.0, 5.0, 0.0]), np.array([1e3, 1.0])), [0.0, 2.5], atol=1e-5)


def test_what_does_not_count_follows():
    """The limit of small weights; a direction that moves nothing stays."""
    rng = np.random.default_rng(5)
    J, right = rng.normal(size=(4, 7)), rng.normal(size=4)
    J[:, 6] = 0.0
    weights = np.array([1.0, 0.3, 2.0, 0.7, 0.0, 0.0, 0.0])
    found = least(J, right, weights)
    np.testing.assert_allclose(J @ found, right, atol=1e-13)
    np.testing.assert_allclose(found, least(J, right, np.maximum(weights, 1e-6)), atol=1e-10)
    assert found[6] == 0.0


def test_a_change_that_cannot_be_had_does_not_settle():
    def circle(x):
        return np.array([x @ x + 1.0]), 2.0 * x[None]

    found = least_change(circle, np.array([1.0, 0.5]))
    assert not found.settled and found.residuals[-1] >= 1.0
