"""The oil film of a journal bearing: against Reynolds' equation, textbooks, differences, and what it gives to heat."""

import numpy as np
import pytest
from helpers_devices import Rig
from scipy.integrate import quad

from fmu_src.errors import StepError
from precompute.device_types import KeyFaults, expand
from precompute.measures.joint_coordinate import JointCoordinate

R, L, C, MU = 6e-3, 5e-3, 6e-6, 0.017
VALUES = {"radius": R, "width": L, "clearance": C, "viscosity": MU}
FILM = Rig.of("film_bearing", **VALUES)
RNG = np.random.default_rng(22)

STATES = [
    (e * C * np.array([np.cos(a), np.sin(a)]), u * np.array([np.cos(b), np.sin(b)]), w)
    for e, (a, b), u, w in zip(
        [0.0, 0.0, 1e-9, 0.05, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 0.995],
        RNG.uniform(-np.pi, np.pi, (12, 2)),
        [1e-3, 0.0, 1e-3, 1e-3, 0.0, 1e-2, 1e-4, 1e-3, 1e-5, 1e-3, 0.0, 1e-2],
        [0.0, 100.0, 0.0, 300.0, -300.0, 0.0, 100.0, -700.0, 50.0, 300.0, 300.0, 0.0],
        strict=True,
    )
]
"""Eccentricity (2,), its rate (2,), speed."""


def force_of(e, rate, w):
    found = FILM.at([*e, 0.3], [*rate, w]).force
    return found[:2], found[2]


def pressed(e, rate, w):
    """The force by quadrature of the pressure of a short bearing wherever it is positive.

    In axes that stand still Reynolds' equation is h^3 / (12 MU) p'' = dh/dt + w/2 dh/dangle with p = 0 at both ends of
    the width; nothing is known here of a squeeze velocity.
    """

    def of_angle(angle):
        n, t = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        h = C - e @ n
        wedge = -rate @ n - w / 2.0 * (e @ t)  # dh/dt + w/2 dh/dangle
        return max(0.0, -MU * L**3 * wedge / h**3), n  # the integral of p over the width

    corners = _changes(lambda angle: of_angle(angle)[0] > 0.0)
    return np.array(
        [
            quad(lambda a, k=k: -R * of_angle(a)[0] * of_angle(a)[1][k], 0.0, 2.0 * np.pi, points=corners,
                 epsabs=0.0, epsrel=1e-11, limit=400)[0]
            for k in range(2)
        ]
    )  # fmt: skip


def _changes(flag):
    """Angles at which a flag changes, by bisection."""
    grid, found = np.linspace(0.0, 2.0 * np.pi, 721), []
    for low, high in zip(grid, grid[1:], strict=False):
        if flag(low) != flag(high):
            a, b = low, high
            for _ in range(50):
                middle = 0.5 * (a + b)
                a, b = (middle, b) if flag(middle) == flag(a) else (a, middle)
            found.append(0.5 * (a + b))
    return found


@pytest.mark.parametrize("state", STATES, ids=str)
@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
def test_the_force_is_that_of_the_pressure_wherever_it_is_positive(state):
    wanted = pressed(*state)
    np.testing.assert_allclose(force_of(*state)[0], wanted, rtol=0.0, atol=1e-8 * np.hypot(*wanted))


@pytest.mark.parametrize("e", [0.01, 0.1, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("w", [104.7, -31.0])
def test_a_settled_journal_has_the_load_and_attitude_of_dubois_and_ocvirk(e, w):
    """Components along and across the line of centres; the attitude angle is between load and line of centres."""
    (fe, ft), _ = force_of(np.array([e * C, 0.0]), np.zeros(2), w)
    q2 = 1.0 - e**2
    assert -fe == pytest.approx(MU * abs(w) * R * L**3 / C**2 * e**2 / q2**2, rel=1e-12)
    assert ft == pytest.approx(MU * w * R * L**3 / C**2 * np.pi * e / (4.0 * q2**1.5), rel=1e-12)
    sommerfeld = MU * abs(w) / (2.0 * np.pi) * (2.0 * R * L) / np.hypot(fe, ft) * (R / C) ** 2
    curve = q2**2 / (np.pi * e * np.sqrt(np.pi**2 * q2 + 16.0 * e**2))
    assert sommerfeld * (L / (2.0 * R)) ** 2 == pytest.approx(curve, rel=1e-12)
    assert np.arctan2(abs(ft), -fe) == pytest.approx(np.arctan(np.pi * np.sqrt(q2) / (4.0 * e)), rel=1e-12)


@pytest.mark.parametrize("e", [0.0, 0.2, 0.6, 0.95])
def test_pure_squeeze_has_the_damping_of_half_a_film(e):
    """Along the line of centres, both ways (Booker): the half that closes alone bears."""
    q2 = 1.0 - e**2
    for sign in (1.0, -1.0):
        wanted = 3.0 * sign * e / q2**2 + (1.0 + 2.0 * e**2) / q2**2.5 * np.arccos(-sign * e)
        (force, across), _ = force_of(np.array([e * C, 0.0]), np.array([sign * 1e-3, 0.0]), 0.0)
        assert force == pytest.approx(-sign * 1e-3 * MU * R * L**3 / C**3 * wanted, rel=1e-12)
        assert across == 0.0


@pytest.mark.parametrize("state", STATES, ids=str)
def test_it_looks_alike_from_a_bush_that_turns(state):
    """Turning axes and a bush that turns, as much as the journal is slower: the same force (Reynolds' mean speed)."""
    e, rate, w = state
    spin = 83.0
    turned = rate - spin * np.array([-e[1], e[0]])  # of the same motion, in axes that turn with `spin`
    np.testing.assert_allclose(force_of(e, turned, w - 2.0 * spin)[0], force_of(e, rate, w)[0], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("state", STATES, ids=str)
def test_journal_and_bush_see_the_same_film(state):
    """Seen from the other body, whose axes turn along: e and force change their signs, the moment follows."""
    e, rate, w = state
    force, moment = force_of(e, rate, w)
    other, back = force_of(-e, -(rate - w * np.array([-e[1], e[0]])), -w)
    np.testing.assert_allclose(other, -force, rtol=1e-9, atol=1e-12)
    assert moment + back + e[0] * force[1] - e[1] * force[0] == pytest.approx(0.0, abs=1e-12 + 1e-9 * abs(moment))


@pytest.mark.parametrize("state", STATES, ids=str)
def test_what_goes_in_becomes_heat(state):
    e, rate, w = state
    done = FILM.at([*e, 0.0], [*rate, w])
    power = done.force @ [*rate, w]
    assert done.outputs["loss"] == pytest.approx(-power, rel=1e-9, abs=1e-15)
    assert done.outputs["loss"] >= 0.0


def test_friction_of_a_settled_journal_is_that_of_shear_and_of_the_attitude():
    """The torque about the bush is Couette's and half the couple of load and reaction."""
    e, w = 0.6, 104.7
    done = FILM.at([e * C, 0.0, 0.0], [0.0, 0.0, w])
    couette = 2.0 * np.pi * MU * R**3 * L * w / (C * np.sqrt(1.0 - e**2))
    assert -done.force[2] == pytest.approx(couette + 0.5 * e * C * done.force[1], rel=1e-12)


SCALES = np.array([1e-3 * C, 1e-3 * C, 1e-3, 1e-6, 1e-6, 1.0])


@pytest.mark.parametrize("state", [s for s in STATES if np.hypot(*s[0]) < 0.991 * C and np.hypot(*s[1]) + abs(s[2])])
def test_slopes_are_those_of_the_formulas(state):
    e, rate, w = state
    at = np.array([*e, 0.3, *rate, w])
    if not (np.hypot(*rate) or np.hypot(*e)):
        pytest.skip("there is no squeeze: the slope depends on the direction")
    exact = FILM.at(at[:3], at[3:], slopes=True).F * SCALES
    steps = 1e-4 * SCALES * (np.eye(6)[:, :, None] * [1.0, -1.0, 2.0, -2.0]).transpose(2, 0, 1)
    one, two, three, four = (np.array([FILM.at((at + d)[:3], (at + d)[3:]).force for d in way]).T for way in steps)
    found = (8.0 * (one - two) - (three - four)) / 12.0 / 1e-4
    largest = np.abs(exact).max(axis=1, keepdims=True)
    np.testing.assert_allclose(found / largest, exact / largest, atol=1e-6)


def test_nothing_moves_nothing_pushes():
    done = FILM.at([0.5 * C, 0.1 * C, 0.0], [0.0, 0.0, 0.0], slopes=True)
    assert not done.force.any() and np.isfinite(done.F).all()
    assert (np.diag(done.F[:2, 3:5]) < 0.0).all()  # it damps from the first moment on


def test_what_touches_is_told():
    with pytest.raises(StepError, match=r"element 'e': the formula of its output 'room' \(.*touch.*'solver.step'\)"):
        FILM.at([C, 0.1 * C, 0.0], [0.0, 0.0, 1.0])


@pytest.mark.parametrize(
    ("on", "units", "message"),
    [
        (JointCoordinate("pin"), "rad", r"is one measure; 'film_bearing' has 3: y \(.*\), z \(.*\), turn \(.*\)"),
        (
            {"y": JointCoordinate("pin"), "x": JointCoordinate("pin")},
            {"y": "m", "x": "m"},
            "names y, x; 'film_bearing'",
        ),
        (
            {s: JointCoordinate("pin") for s in ("y", "z", "turn")},
            {"y": "rad", "z": "m", "turn": "m"},
            "has an angle as y; 'film_bearing' acts on lengths there; on: has a length as turn; .* angles there",
        ),
    ],
)
def test_measures_that_do_not_fit_are_refused(on, units, message):
    with pytest.raises(KeyFaults, match=message):
        expand("film_bearing", "e", on, units, VALUES)
