"""What devices do at a state: forces, rates, unknowns, slopes; how fast they are; where they rest."""

from dataclasses import replace

import numpy as np
import pytest
from helpers_elements import BUSY, baked, bob, element, maxwell, rotor, slider
from helpers_model import defaults

from fmu_src.errors import StepError
from fmu_src.numpy_runtime.devices import Memory, respond
from fmu_src.numpy_runtime.dynamics import mechanics, moving_force, prepare, response
from fmu_src.numpy_runtime.resting import memory_at_rest
from fmu_src.numpy_runtime.steps.swift import device_matrix, fastest_device
from fmu_src.numpy_runtime.tangent import device_motion

NONE = np.zeros(0)


def answered(mechanism, s, sdot, x=NONE, u=NONE, inputs=NONE, slopes=True):
    model = baked(mechanism)
    s, sdot, x, u, inputs = (np.array(part, dtype=float) for part in (s, sdot, x, u, inputs))
    return respond(model, defaults(model), inputs, s, sdot, Memory(x, u, np.zeros(x.size)), slopes)


def test_a_maxwell_element():
    found = answered(slider(maxwell(1000.0, 50.0)), [0.1], [2.0], [30.0])
    assert found.force.tolist() == [-30.0] and found.rate.tolist() == [1000.0 * (2.0 - 30.0 / 50.0)]
    assert found.F.tolist() == [[0.0, 0.0, -1.0]] and found.R.tolist() == [[0.0, 1000.0, -20.0]]


# --- unknowns ---------------------------------------------------------------------------------------------------------


def in_series(start=0.0):
    """A spring f = k (s - u) and one f = a u^3, joined where they are equal: an internal point without mass."""
    made = element(force="-k*(s - u)", residuals={"u": "k*(s - u) - a*u^3"}, k=1000.0, a=5e4)
    return replace(made, unknowns=(replace(made.unknowns[0], start=start, nominal=0.1),))


@pytest.mark.parametrize("s", [-0.4, -1e-3, 0.0, 0.05, 0.7])
def test_an_internal_point_and_its_slopes_by_implicit_differentiation(s):
    found = answered(slider(in_series()), [s], [0.0], u=[0.3])
    u = np.roots([5e4, 0.0, 1000.0, -1000.0 * s])
    u = float(u[np.abs(u.imag) < 1e-9].real[0])
    assert found.u[0] == pytest.approx(u, abs=1e-14)
    stiffness = 1000.0 * 15e4 * u**2 / (1000.0 + 15e4 * u**2)
    assert found.force[0] == pytest.approx(-1000.0 * (s - u), abs=1e-10)
    assert found.F[0, 0] == pytest.approx(-stiffness, rel=1e-10, abs=1e-9)


def test_newton_goes_shorter_steps_where_residuals_grow():
    made = element(force="-u", residuals={"u": "atan2(u - 3*s, 1)"})
    assert answered(slider(made), [1.0], [0.0], u=[60.0]).u[0] == pytest.approx(3.0, abs=1e-12)


@pytest.mark.parametrize(
    "residual, message",
    [
        ("u^2 - 1 + 2*s^2", "no value of its unknown 'e.u' makes its residual zero, the search came to"),
        (
            "(1 - s)*u - 1",
            r"its residuals do not determine the unknowns 'e.u' here: their slopes are singular; .* other start values",
        ),
        ("1/(s - 1) + u", "element 'e': the formula of its residual of 'u' divides by zero"),
    ],
)
def test_unknowns_that_are_not_found_are_told(residual, message):
    """They are where the motion starts."""
    made = element(force="-u", residuals={"u": residual})
    made = replace(made, unknowns=(replace(made.unknowns[0], start=0.5),))
    with pytest.raises(StepError, match=message):
        answered(slider(made), [1.0], [0.0], u=[0.5])


def test_a_formula_without_a_value_names_element_and_formula():
    made = element(
        "damper",
        force="-F",
        rates={"F": "s_rate - F/(c*in_valve)"},
        outputs={"loss": "F^2/in_valve"},
        c=1.0,
        in_valve=1,
    )
    with pytest.raises(StepError, match="element 'damper': the formula of its rate of state 'F' divides by zero"):
        answered(slider(made), [0.0], [0.0], [1.0], inputs=[0.0])


# --- slopes -----------------------------------------------------------------------------------------------------------


def test_slopes_are_those_of_differences():
    """Of the equations of motion, along rates and states; positions but for the curvature of measures."""
    model = baked(bob(BUSY))
    (runtime,) = prepare(model)
    p, inputs = defaults(model), np.zeros(runtime.slots.count)
    inputs[runtime.slots.devices] = 0.8
    rng = np.random.default_rng(3)
    z = np.array([0.2, *rng.normal(size=6) * 1e-3])
    zd, x, u = rng.normal(size=7) * 0.3, np.array([12.0, 0.3]), np.array([0.5])

    def at(z, zd, x):
        there = mechanics(runtime, z, 0.0, Memory(x, u, x))
        found = response(runtime, there, zd, p, inputs)
        return np.concatenate((there.ds @ found.force, found.rate))

    motion = device_motion(runtime, mechanics(runtime, z, 0.0, Memory(x, u, x)), zd, p, inputs)
    for exact, step, size in (
        (np.vstack((-motion.C, motion.G)), lambda e: (z, zd + 1e-6 * e, x), 7),
        (np.vstack((motion.D, motion.A)), lambda e: (z, zd, x + 1e-6 * e), 2),
    ):
        found = np.column_stack([(at(*step(e)) - at(*step(-e))) / 2e-6 for e in np.eye(size)])
        np.testing.assert_allclose(exact, found, rtol=1e-7, atol=1e-5)


def test_forces_of_devices_are_among_those_that_move():
    free, busy = baked(bob()), baked(bob(BUSY))
    (a,), (b,) = prepare(free), prepare(busy)
    z, zd = np.array([0.2, 1e-3, 0, 0, 0, 0, 0]), np.full(7, 0.1)
    inputs = np.zeros(b.slots.count)
    inputs[b.slots.devices] = 1.0
    there = mechanics(b, z)
    more = moving_force(b, there, zd, defaults(busy), inputs) - moving_force(
        a, mechanics(a, z), zd, defaults(free), np.zeros(a.slots.count)
    )
    assert np.abs(more).max() > 1.0
    np.testing.assert_allclose(more, there.ds @ response(b, there, zd, defaults(busy), inputs).force, atol=1e-9)


# --- how fast they are ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k, c", [(10.0, 1.0), (1e3, 50.0), (1e9, 50.0), (1e5, 1e6)])
def test_the_bound_is_above_the_eigenvalues_and_not_far(k, c):
    model = baked(slider(maxwell(k, c)))
    (runtime,) = prepare(model)
    at = mechanics(runtime, np.zeros(1))
    found = response(runtime, at, np.zeros(1), defaults(model), np.zeros(runtime.slots.count), slopes=True)
    P = device_matrix(runtime, at, found)
    exact, perron = (float(np.abs(np.linalg.eigvals(matrix)).max()) for matrix in (P, np.abs(P)))
    bound = fastest_device(runtime, at, found, 0.5 * exact)
    assert exact * (1.0 - 1e-12) <= bound <= 1.3 * max(perron, 0.5 * exact)
    assert fastest_device(runtime, at, found, 1.5 * perron) <= 1.5 * perron


def test_a_device_on_a_heavier_part_is_slower():
    found = []
    for inertia, limit in ((0.01, 80.0), (1.0, 8.0)):
        model = baked(rotor(element(force="-k*s", k=100.0), inertia=inertia))
        (runtime,) = prepare(model)
        at = mechanics(runtime, np.zeros(1))
        answer = response(runtime, at, np.zeros(1), defaults(model), np.zeros(runtime.slots.count), slopes=True)
        found.append(fastest_device(runtime, at, answer, limit))
    np.testing.assert_allclose(found, [100.0, 10.0], rtol=0.3)


# --- rest -------------------------------------------------------------------------------------------------------------


def rested(mechanism, s=0.0, x=NONE, u=NONE, inputs=NONE):
    model = baked(mechanism)
    memory = Memory(np.array(x, dtype=float), np.array(u, dtype=float), np.zeros(len(x)))
    return memory_at_rest(model, defaults(model), np.array(inputs, dtype=float), np.array([s]), memory)


def test_states_come_to_rest():
    assert rested(slider(maxwell()), 0.2, [7.0]).x == pytest.approx([0.0], abs=1e-15)
    made = element(rates={"p": "4 - p^2 + s", "q": "p - 2*q"}, force="-q")
    np.testing.assert_allclose(rested(slider(made), 0.5, [1.0, 0.0]).x, [4.5**0.5, 0.5 * 4.5**0.5], rtol=1e-14)


def test_states_that_nothing_determines_stay():
    made = element(
        rates={"gas": "in_fill", "z": "s_rate*(1 - z)", "p": "gas - p + u"},
        residuals={"u": "u - 2*s"},
        force="-p",
        in_fill=0,
    )
    found = rested(slider(made), 0.5, [3.0, 0.4, 0.0], [0.0], [0.0])
    np.testing.assert_allclose(found.x, [3.0, 0.4, 4.0], rtol=1e-14)
    assert found.u == pytest.approx([1.0])


def test_states_that_keep_changing_are_told():
    made = element(rates={"gas": "in_fill"}, force="-gas", in_fill=0)
    with pytest.raises(StepError, match="do not come to rest: 'e.gas' keeps changing at 0.5 per second"):
        rested(slider(made), 0.0, [3.0], inputs=[0.5])
