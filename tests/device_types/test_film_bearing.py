"""The oil film of a journal bearing: against Reynolds' equation, textbooks, differences, and what it gives to heat."""

from functools import cache

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_devices import Rig
from scipy.integrate import quad

from fmu_src.build.compile import library
from fmu_src.build.model_writer import save
from fmu_src.errors import StepError
from fmu_src.interface.variables import variables
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.instance import Instance
from fmu_src.slave.kernel_instance import KernelModel
from fmu_src.slave.kernel_library import load_library
from fmu_src.slave.runtimes import MODEL_FILE
from precompute.device_types import KeyFaults, expand
from precompute.measures.joint_coordinate import JointCoordinate
from precompute.mechanism_file import loads
from precompute.pipeline import bake
from precompute.reduction.statics import StaticsError

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


@pytest.mark.parametrize("state", [s for s in STATES if np.hypot(*s[0]) < 0.991 * C and (s[0].any() or s[1].any())])
def test_slopes_are_those_of_the_formulas(state):
    e, rate, w = state
    at = np.array([*e, 0.3, *rate, w])
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
            "y is an angle; 'film_bearing' acts on lengths there; on: turn is a length; .* acts on angles there",
        ),
    ],
)
def test_measures_that_do_not_fit_are_refused(on, units, message):
    with pytest.raises(KeyFaults, match=message):
        expand("film_bearing", "e", on, units, VALUES)


# -- in the run-time's fixed steps ------------------------------------------------------------------------------------

FILE = (MECHANISMS / "film_bearing.toml").read_text(encoding="utf-8")
W = 1000.0 * np.pi / 30.0  # 1000 rpm


def turning(made, load, step, stop, start=(0.0, 0.0), names=("element.film.y", "element.film.z")):
    """The shipped bearing at 1000 rpm with a force on its roller over time [N] along x and z."""
    number = {variable.name: i for i, variable in enumerate(variables(baked_bearing()))}

    def put(**values):
        made.set([number[name] for name in values], list(values.values()))

    put(**{"solver.step": step, "q_start.pin.y": start[0], "q_start.pin.z": start[1]})
    made.setup(0.0)
    made.enter_initialization()
    made.exit_initialization()
    found = []
    for i in range(round(stop / step)):
        t, (x, z) = i * step, load(i * step)
        drive = {"drive.turn.q": W * t, "drive.turn.qd": W, "drive.turn.qdd": 0.0}
        put(**drive, **{"port.load.F[1]": x, "port.load.F[3]": z})
        made.step(t, step)
        found.append(made.get([number[name] for name in names]))
    return np.array(found)


@pytest.fixture
def kernel(tmp_path):
    return KernelModel(load_library(library()), save(baked_bearing(), tmp_path / MODEL_FILE))


@cache
def baked_bearing():
    return bake(loads(FILE))


@pytest.mark.parametrize("e", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("attitude", [0.0, 2.0])
def test_a_roller_settles_on_the_curves_of_load_and_attitude(e, attitude, kernel):
    """To 1e-6 of the clearance, in steps of 0.1 ms.

    The joint's y points along -x of the ground, its z up, and it turns from y to z.
    """
    q2 = 1.0 - e**2
    radial, tangential = e**2 / q2**2, np.pi * e / (4.0 * q2**1.5)
    size = MU * W * R * L**3 / C**2 * np.hypot(radial, tangential)
    settled = attitude + np.arctan2(tangential, radial)  # the journal goes ahead of the load
    push = size * np.array([np.cos(attitude), np.sin(attitude)])
    wanted = e * C * np.array([np.cos(settled), np.sin(settled)])
    found = turning(kernel(), lambda t: (-push[0], push[1]), 1e-4, 1.0)
    np.testing.assert_allclose(found[-1], wanted, rtol=0.0, atol=1e-6 * C)
    np.testing.assert_allclose(found[-1], found[-2], rtol=0.0, atol=1e-8 * C)


def test_it_follows_a_load_that_beats(kernel):
    """From 50 to 800 N forty times a second, round about: in steps of 0.1 ms it stays within, as in those of 10 us."""

    def load(t):
        return tuple((425.0 + 375.0 * np.sin(250.0 * t)) * np.array([np.cos(90.0 * t), np.sin(90.0 * t)]))

    coarse, fine = turning(kernel(), load, 1e-4, 0.1), turning(kernel(), load, 1e-5, 0.1)[9::10]
    assert 0.5 < np.hypot(*coarse[100:].T).max() / C < 0.95
    assert np.abs(coarse - fine)[20:].max() < 0.02 * C


def test_deflections_on_a_film_float():
    """The bake, which looks for an equilibrium of all others, leaves them where they begin."""
    model = baked_bearing()
    assert [stiff.floats for stiff in model.stiff] == [True, True]
    assert [start.value for start in model.starts] == [0.0, 0.0, 0.0]


def test_a_start_at_rest_leaves_them_where_they_are(kernel):
    """In both run-times; a film bears nothing at rest, and without this no start would be found under the load."""
    names = [variable.name for variable in variables(baked_bearing())]
    for made in (kernel(), Instance(prepare(baked_bearing()))):
        for name, value in (("solver.static", 1.0), ("q_start.pin.y", 2e-6), ("q_start.pin.z", -1e-6)):
            made.set([names.index(name)], [value])
        made.setup(0.0)
        made.enter_initialization()
        made.exit_initialization()
        assert list(made.get([names.index("q.pin.y"), names.index("q.pin.z")])) == [2e-6, -1e-6]


def test_one_that_a_bushing_holds_too_does_not():
    spring = """
[springs.across]
on = "joint.pin[2]"
stiffness = 1e6
preload = 0
"""
    model = bake(loads(FILE + spring))
    assert [stiff.floats for stiff in model.stiff] == [False, True]
    assert model.starts[1].value == pytest.approx(-120.0 / 1e9, rel=1e-6)


def test_without_inertia_nothing_can_float():
    with pytest.raises(StaticsError, match="'pin.y', 'pin.z': an element damps it"):
        bake(loads(FILE + '\n[tables]\nstiff = "quasistatic"\n'))
