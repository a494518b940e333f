"""How fast elements make bodies of the full model follow, and what becomes of steps into which they have no value."""

import numpy as np
import pytest
from helpers_elements import element, maxwell, slider
from helpers_reference import moving

from precompute.errors import PrecomputeError
from precompute.reference import simulate
from precompute.reference.devices.swift import swiftest
from precompute.reference.inputs import Inputs
from precompute.reference.simulation import driven_values, usual_rank

LIMIT = 2e4


def swift_of(*devices):
    model, state = moving(slider(*devices))
    inputs = Inputs(None, None, {})
    rank = usual_rank(model, state, inputs, 0.0)
    return swiftest(model, state, inputs.load(0.0), driven_values(model, inputs, 0.0)[2], rank, LIMIT)


def damper(c, name="d"):
    return element(name, force="-c*s_rate", c=c)


def test_a_damper_is_as_swift_as_its_rate_over_the_mass():
    """The slider has 1 kg."""
    assert swift_of(damper(3e6)) == pytest.approx(3e6, rel=1e-6)
    assert swift_of(damper(3e6), damper(1e6, "e")) == pytest.approx(4e6, rel=1e-6)
    assert swift_of(damper(100.0)) <= LIMIT
    assert swift_of() == 0.0


def test_states_count_as_before():
    assert swift_of(maxwell(k=1e3, c=1e-2)) == pytest.approx(1e5, rel=1e-4)


def test_a_mass_in_thick_oil_is_integrated_as_well():
    model, state = moving(slider(damper(1e7)), rates={"x": 1.0})
    found = simulate(model, state, [0.0, 1e-3])
    np.testing.assert_allclose(found.coordinates["x"].value[-1], 1e-7, rtol=1e-4)


def test_steps_into_which_a_formula_has_no_value_are_taken_shorter():
    """Against a wall at 1 mm that no mass passes, since its force has no bound there; the energy is kept."""
    k, gap = 1e-2, 1e-3
    wall = element(force="-k*((1 - s/gap)^-1.5 - 1)", k=k, gap=gap)
    model, state = moving(slider(wall), rates={"x": 0.02})
    found = simulate(model, state, np.linspace(0.0, 0.2, 41)).coordinates["x"]
    assert 0.9 * gap < found.value.max() < gap
    energy = found.rate**2 / 2.0 + k * (2.0 * gap / np.sqrt(1.0 - found.value / gap) - 2.0 * gap - found.value)
    np.testing.assert_allclose(energy, 2e-4, rtol=1e-9)


def test_where_it_cannot_get_on_the_formula_is_named():
    model, state = moving(slider(element(force="-k*sqrt(1 - s/gap)", k=1.0, gap=1e-3)), rates={"x": 1.0})
    with pytest.raises(
        PrecomputeError, match="stopped at t = 0.001.*element 'e': its formula forces.s takes the square"
    ):
        simulate(model, state, [0.0, 0.01])
