"""Constraint stabilisation and stiff connections of the thesis on arbitrarily connected multibody systems (8.4).

One four-bar, cut at the pin between coupler and rocker, in three Lagrange coordinates q: the angles of its links.  With
the constraints h(q) = 0 of the cut, P = dh/dq, the text has

    [A P^T; P 0] [qdd; -lambda] = [Q; -Pdot qd - dp]                                        (8.1.15), (8.1.16)
    dp = 2 rho (P qd) + rho^2 h                                                             (8.4.8), (8.4.9)

where it prints no formula for dp; this is the one of the paper that it refers to, with its single constant rho.  The
plain equations have rho = 0.  Its other way is a stiff connection in place of the pin, with an integrator for stiff
equations: -P^T (k h + c P qd).  We project on h = 0 and P qd = 0, or have no constraints at all: tables over
independent coordinates.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from helpers_reference import G, four_bar, moving
from scipy.integrate import solve_ivp

from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.instance import Instance
from precompute.pipeline import bake
from precompute.reference import simulate
from precompute.reference.least_motion import least_motion

LENGTH, GROUND = np.array([1.0, 3.0, 2.5]), 3.2
MASS, INERTIA = np.array([1.0, 2.0, 1.5]), np.array([0.1, 0.5, 0.3])
LEVER = np.array([[0.5, 0.0, 0.0], [1.0, 1.5, 0.0], [0.0, 0.0, 1.25]])  # of the links' angles on mass centres
SIGN = np.array([1.0, 1.0, -1.0])

RATE, STOP, STEP = 3.0, 5.0, 0.01  # of the crank [rad/s]; [s]

# -- the equations of the text ----------------------------------------------------------------------------------------


def along(q):
    return np.stack([np.cos(q), np.sin(q)], axis=-1)


def across(q):
    return np.stack([-np.sin(q), np.cos(q)], axis=-1)


def h(q):
    """(2,) gap of the cut [m]."""
    return (SIGN * LENGTH) @ along(q) - [GROUND, 0.0]


def P(q):
    """(2, 3)."""
    return (SIGN * LENGTH * across(q).T).reshape(2, 3)


def mass_and_force(q, qd):
    J = LEVER[:, None, :] * across(q).T[None]
    bias = -np.einsum("bi,ic,i->bc", LEVER, along(q), qd**2)
    A = np.einsum("b,bci,bcj->ij", MASS, J, J) + np.diag(INERTIA)
    return A, np.einsum("b,bci,bc->i", MASS, J, [0.0, -G] - bias)


def augmented(rho):
    """y = [q; qd] -> its rate, by (8.4.8)."""

    def rate(y):
        q, qd = np.split(y, 2)
        (A, Q), p = mass_and_force(q, qd), P(q)
        dp = 2.0 * rho * p @ qd + rho**2 * h(q)
        right = np.einsum("i,ic,i->c", SIGN * LENGTH, along(q), qd**2) - dp
        matrix = np.block([[A, p.T], [p, np.zeros((2, 2))]])
        return np.concatenate([qd, np.linalg.solve(matrix, np.concatenate([Q, right]))[:3]])

    return rate


def stiff(k, c):
    """The same with a stiff connection in place of the pin."""

    def rate(_, y):
        q, qd = np.split(y, 2)
        (A, Q), p = mass_and_force(q, qd), P(q)
        return np.concatenate([qd, np.linalg.solve(A, Q - p.T @ (k * h(q) + c * p @ qd))])

    return rate


def energy(y):
    q, qd = np.split(y, 2)
    v = np.einsum("bi,ic,i->bc", LEVER, across(q), qd)
    return 0.5 * MASS @ (v**2).sum(axis=1) + 0.5 * INERTIA @ qd**2 + G * MASS @ (LEVER @ np.sin(q))


def start():
    """The crank along x, as in `four_bar`."""
    gap = GROUND - 1.0
    x = (gap**2 + 9.0 - 6.25) / (2.0 * gap)
    q = np.array([0.0, np.arctan2(np.sqrt(9.0 - x * x), x), np.arctan2(np.sqrt(9.0 - x * x), x - gap)])
    p = P(q)
    return np.concatenate([q, [RATE], np.linalg.solve(p[:, 1:], -p[:, 0] * RATE)])


# -- integration ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drift:
    gap: float  # largest [m]
    rate: float  # largest [m/s]
    energy: float  # largest change, over what the start has
    crank: float  # at the end [rad]


def drift(ys):
    """Of a motion (n, 6)."""
    first = energy(ys[0])
    return Drift(
        gap=max(float(np.abs(h(y[:3])).max()) for y in ys),
        rate=max(float(np.abs(P(y[:3]) @ y[3:]).max()) for y in ys),
        energy=max(abs(energy(y) - first) for y in ys) / abs(first),
        crank=float(ys[-1][0]),
    )


def projected(y):
    """Our projection: the nearest positions on h = 0, then the nearest rates on P qd = 0, by singular values."""
    q, qd = np.split(y, 2)
    for _ in range(8):
        q = q - least_motion(P(q), h(q))
    return np.concatenate([q, qd - least_motion(P(q), P(q) @ qd)])


def integrated(rho=0.0, project=False, step=STEP):
    """By the method of Runge and Kutta of order 4."""
    f, ys = augmented(rho), [start()]
    for _ in range(round(STOP / step)):
        y = ys[-1]
        a = f(y)
        b = f(y + 0.5 * step * a)
        c = f(y + 0.5 * step * b)
        y = y + step / 6.0 * (a + 2.0 * b + 2.0 * c + f(y + step * c))
        ys.append(projected(y) if project else y)
    return drift(ys)


@pytest.fixture(scope="module")
def crank():
    """The angle of the crank at the end."""
    f = augmented(20.0)
    found = solve_ivp(lambda t, y: f(y), (0.0, STOP), start(), "DOP853", rtol=1e-12, atol=1e-13)
    return float(found.y[0, -1])


def test_plain_equations_drift_away_and_projection_does_not(crank):
    plain, ours = integrated(), integrated(project=True)
    assert plain.gap > 1e-5 and ours.gap < 1e-13 and ours.rate < 1e-13
    assert ours.energy < 0.5 * plain.energy
    assert abs(ours.crank - crank) < abs(plain.crank - crank) < 1e-5


def test_stabilisation_is_better_than_nothing_but_needs_the_right_constant():
    """With the text's .001 per 10 ms little is won, too large a constant is worse than none; projection needs none."""
    gaps = {rho: integrated(rho) for rho in (0.0, 0.1, 5.0, 200.0)}
    ours = integrated(project=True)
    assert gaps[0.1].gap > 0.4 * gaps[0.0].gap
    assert gaps[5.0].gap < 0.1 * gaps[0.0].gap
    assert gaps[200.0].gap > 3.0 * gaps[0.0].gap
    assert ours.gap < 1e-6 * gaps[5.0].gap and ours.rate < 1e-6 * gaps[5.0].rate
    # the energy of the best constant is as good as ours: it is the error of the integrator that is left
    assert 0.2 < gaps[5.0].energy / ours.energy < 5.0
    assert gaps[200.0].energy > 100.0 * ours.energy


def test_stabilisation_leaves_a_gap_of_the_order_of_the_step_and_projection_rounding():
    coarse, fine = (integrated(5.0, step=step) for step in (STEP, 0.5 * STEP))
    assert 3.0 < np.log2(coarse.gap / fine.gap) < 5.0
    assert integrated(project=True, step=2.0 * STEP).gap < 1e-13


def test_a_stiff_connection_gives_way_by_its_load_and_costs_more(crank):
    gaps, calls = {}, {}
    for k in (1e6, 1e7):
        found = solve_ivp(stiff(k, 1e-2 * k), (0.0, STOP), start(), "BDF", rtol=1e-6, atol=1e-8)
        gaps[k], calls[k] = drift(found.y.T), found.nfev
    assert 5.0 < gaps[1e6].gap / gaps[1e7].gap < 15.0
    assert gaps[1e7].gap > 1e-6 > 1e6 * integrated(project=True).gap
    evaluations = 4 * STOP / STEP
    assert calls[1e7] > 2.0 * evaluations
    assert abs(gaps[1e6].crank - crank) > 10.0 * abs(integrated(project=True).crank - crank)


def test_the_full_model_projects_where_it_drifts(crank):
    model, state = moving(four_bar(), rates={"crank": RATE})
    found = simulate(model, state, np.linspace(0.0, 1.0, 11), rtol=1e-9)
    assert found.residual.max() < 1e-10
    assert np.ptp(found.energy) < 1e-8 * abs(energy(start()))
    f = augmented(20.0)
    exact = solve_ivp(lambda t, y: f(y), (0.0, 1.0), start(), "DOP853", rtol=1e-12, atol=1e-13)
    assert found.coordinates["crank"].value[-1] == pytest.approx(exact.y[0, -1], abs=1e-8)
    assert crank != 0.0


def test_independent_coordinates_have_nothing_to_drift(crank):
    """The run-time of the FMU with the same method and step: loops are closed in its tables, to their tolerance."""
    plain = four_bar()
    (c,) = plain.coordinates
    turning = replace(c, lower=-np.pi, upper=np.pi, periodic=True, start=0.0, start_rate=RATE)
    instance = Instance(prepare(bake(replace(plain, coordinates=(turning,)))))
    names = {v.name: i for i, v in enumerate(instance.variables)}
    instance.setup(0.0)
    instance.set([names["solver.step"]], [STEP])
    instance.enter_initialization()
    instance.exit_initialization()
    energies = []
    for i in range(round(STOP / STEP)):
        instance.step(i * STEP, STEP)
        energies.append(instance.get([names["energy.total"]])[0])
    ours = integrated(project=True)
    assert np.ptp(energies) / abs(energy(start())) < 3.0 * ours.energy
    assert abs(instance.get([names["q.crank"]])[0] - crank) < 3.0 * abs(ours.crank - crank)
