"""Dry friction: what it holds, at what it slides, what a cycle loses."""

import numpy as np
import pytest
from helpers_devices import STIFF, Rig
from scipy.integrate import simpson, solve_ivp

from precompute.device_types.friction import cycle_loss

G = 9.81
MU, N, ZS = 0.5, 10.0, 1e-4
PLAIN = {"coulomb": MU, "normal": N, "presliding": ZS, "damping": 0.0}


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_block_on_a_slope_does_not_creep_in_a_hundred_seconds(share):
    """1 kg on a slope that pulls with a share of what makes it slide; the first swing of the larger ones slips."""
    slope = np.arctan(share * MU)
    rig = Rig.of("friction", coulomb=MU, normal=G * np.cos(slope))
    times = np.array([0.0, 20.0, 60.0, 100.0, 120.0])
    found = rig.moved(1.0, 0.0, 0.0, times, load=lambda t: G * np.sin(slope), **STIFF)
    assert abs(found[-1, 0] - found[1, 0]) < 1e-12
    np.testing.assert_allclose(found[1:, 2], ZS * share, rtol=1e-6)  # as a spring holds it
    if share < 0.35:
        np.testing.assert_allclose(found[:, 0] - found[:, 2], 0.0, atol=1e-12)  # it has not slid at all


def test_a_slope_that_is_too_steep_lets_the_block_go():
    """With the acceleration that is left: gravity along the slope less friction."""
    slope = np.arctan(1.5 * MU)
    rig = Rig.of("friction", coulomb=MU, normal=G * np.cos(slope))
    found = rig.moved(1.0, 0.0, 0.0, np.array([0.0, 0.5, 1.0]), load=lambda t: G * np.sin(slope), **STIFF)
    gained = (found[2, 1] - found[1, 1]) / 0.5
    np.testing.assert_allclose(gained, G * (np.sin(slope) - MU * np.cos(slope)), rtol=1e-8)


def test_it_holds_a_load_that_swings_below_breakaway_without_drift():
    """A load that goes to and fro about a mean; models that slip a little at every swing would ratchet downhill."""
    rig = Rig.of("friction", coulomb=MU, normal=N)
    times = np.linspace(0.0, 2.0, 5)
    found = rig.moved(1.0, 0.0, 0.0, times, load=lambda t: 0.35 * MU * N * (1.0 + 0.6 * np.sin(10.0 * t)), **STIFF)
    np.testing.assert_allclose(found[:, 0] - found[:, 2], 0.0, atol=1e-12)


def test_above_breakaway_it_slides_on_under_a_load_that_swings():
    """What is not held elastically gives, so that the test before is one."""
    rig = Rig.of("friction", coulomb=MU, normal=N)
    load = {"load": lambda t: 0.6 * MU * N * (1.0 + 0.6 * np.sin(10.0 * t))}
    found = rig.moved(1.0, 0.0, 0.0, np.array([0.0, 0.5, 1.5]), **load, **(STIFF | {"rtol": 1e-6}))
    slid = found[:, 0] - found[:, 2]
    assert slid[2] > slid[1] + 1e-6 > 1e-6


def cycle(rig, amplitude, w, start):
    """States over the second of two cycles, with times, measures and rates."""
    times = np.linspace(0.0, 4.0 * np.pi / w, 8001)
    s, v = amplitude * np.sin(w * times), amplitude * w * np.cos(w * times)
    x = rig.driven(
        lambda t: (amplitude * np.sin(w * t), amplitude * w * np.cos(w * t)),
        times,
        start,
        method="LSODA",
        rtol=1e-8,
        atol=1e-12,
        max_step=times[4],
    )
    last = slice(4000, 8001)
    return times[last], s[last], v[last], x[last]


@pytest.mark.parametrize(("amplitude", "w"), [(5e-3, 3.0), (20e-3, 30.0)])
def test_a_cycle_loses_what_it_must(amplitude, w):
    rig = Rig.of("friction", **PLAIN)
    times, s, v, x = cycle(rig, amplitude, w, rig.x0)
    power = [-rig.force(*row[:2], row[2:]) * row[1] for row in np.column_stack((s, v, x))]
    lost = simpson(power, x=times)
    np.testing.assert_allclose(lost, cycle_loss(amplitude, MU, N, ZS, 0.7), rtol=1e-5)


def test_the_loss_is_that_of_a_block_on_a_rough_plane_less_what_presliding_saves():
    """4 mu N X of a block that slides at once; the loop's corners are cut by elastic deflections."""
    found = [cycle_loss(amplitude, MU, N, 1e-6, 0.7) / (4.0 * MU * N * amplitude) for amplitude in (1e-3, 1e-2)]
    assert 1.0 - 2e-3 < found[0] < 1.0
    assert 1.0 - 2e-4 < found[1] < 1.0


def test_the_loss_of_a_cycle_follows_from_the_way_alone():
    """The quadrature of (6) against the way itself, without time."""

    def along(u, y):
        zb = 0.7 * ZS
        slip = 0.5 + 0.5 * np.sin(np.pi * (y[0] - (ZS + zb) / 2.0) / (ZS - zb)) if y[0] > zb else 0.0
        return [1.0 - slip * y[0] / ZS, y[0]]

    X = 2e-3
    found = solve_ivp(along, (0.0, 2.0 * X), [-ZS, 0.0], method="LSODA", rtol=1e-11, atol=1e-16, max_step=X / 200)
    np.testing.assert_allclose(2.0 * MU * N / ZS * found.y[1, -1], cycle_loss(X, MU, N, ZS, 0.7), rtol=1e-8)


@pytest.mark.parametrize("v", [-1.0, -0.02, -0.001, 0.001, 0.02, 1.0])
def test_in_steady_sliding_it_follows_stribeck(v):
    rig = Rig.of("friction", coulomb=0.4, static=0.6, normal=N, stribeck=0.02, viscous=3.0, presliding=1e-5)
    x = rig.driven(lambda t: (v * t, v), np.array([0.0, 20e-5 / abs(v)]), **STIFF)[-1]
    level = 0.4 + 0.2 * np.exp(-((v / 0.02) ** 2))
    np.testing.assert_allclose(rig.force(0.0, v, x), -np.sign(v) * level * N - 3.0 * v, rtol=1e-6)


def test_stick_and_slip_of_a_block_that_is_pulled_by_a_spring():
    """It sticks until the spring has reached what holds, then jumps; again and again, and never chatters."""
    rig = Rig.of("friction", coulomb=0.3, static=0.5, normal=N, presliding=1e-5, stribeck=0.005)
    times = np.linspace(0.0, 4.0, 4001)
    k, pull = 200.0, 0.02

    def rate(t, y):
        done = rig.at(y[0], y[1], y[2:])
        return [y[1], done.force[0] + k * (pull * t - y[0]), *done.rate]

    def slope(t, y):
        done = rig.at(y[0], y[1], y[2:], slopes=True)
        return np.vstack(([0.0, 1.0, 0.0], done.F - [[k, 0.0, 0.0]], done.R))

    found = solve_ivp(rate, (0.0, 4.0), np.zeros(3), method="Radau", jac=slope, rtol=1e-6, atol=1e-9, t_eval=times).y
    spring = k * (pull * times - found[0])
    assert spring.max() == pytest.approx(0.5 * N, rel=0.05)
    sticking = np.abs(found[1]) < 0.1 * pull
    assert 2 <= np.count_nonzero(np.diff(sticking.astype(int)) == 1) <= 8
    assert found[1].min() > -0.02  # it does not swing while it sticks


def test_the_normal_force_as_an_input_makes_it_and_takes_it_away():
    rig = Rig.of("friction", coulomb=MU, normal_start=N, presliding=ZS)
    x = np.array([ZS])
    assert rig.inputs == {"normal": N} and "normal" not in rig.parameters
    np.testing.assert_allclose(rig.force(0.0, 0.0, x), -MU * N)
    np.testing.assert_allclose(rig.force(0.0, 0.0, x, normal=3.0), -MU * 3.0)
    assert rig.force(0.0, 0.5, x, normal=0.0) == 0.0


def test_what_sticks_is_damped():
    """With the share of critical damping that its key gives: damping / 2 times the circular frequency."""
    rig = Rig.of("friction", coulomb=MU, normal=N)
    done = rig.at(0.0, 0.0, slopes=True)
    w = np.sqrt(MU * N / ZS)  # of 1 kg
    np.testing.assert_allclose(-done.F[0, 1] / (2.0 * w), 1e-3 * w / 2.0, rtol=1e-12)


@pytest.mark.parametrize("beyond", [1.5, 8.0])
def test_beyond_its_deflection_of_sliding_it_gives_no_more_force_and_comes_back(beyond):
    """Where a step was longer than all of presliding; slowly enough for explicit steps."""
    rig = Rig.of("friction", **PLAIN)
    x = np.array([beyond * ZS])
    np.testing.assert_allclose(rig.force(0.0, 0.4, x), -MU * N)
    done = rig.at(0.0, 0.4, x, slopes=True)
    assert done.rate[0] < 0.0 and 0.0 > done.R[0, 2] >= -300.0
    back = rig.driven(lambda t: (0.4 * t, 0.4), np.array([0.0, 0.2]), x)[-1]
    np.testing.assert_allclose(rig.state(back, "z"), ZS, rtol=1e-4)
    assert rig.at(0.0, -0.4, x).rate[0] == -0.4  # it gives back elastically


def test_without_a_drop_it_is_shorter():
    assert list(Rig.of("friction", **PLAIN).at(0.0).outputs) == ["give"]
    assert "stribeck" not in Rig.of("friction", **PLAIN).parameters
