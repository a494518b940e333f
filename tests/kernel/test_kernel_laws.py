"""Each law that can be made, by itself in the NumPy reference and in the kernel."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from helpers_kernel import Pair
from helpers_model import crank_slider

from fmu_src.model.law_parts import ARGUMENTS, CURVES, SIDES
from fmu_src.model.reduced_model import Law, Parameter

MODEL = crank_slider()
LENGTH = 0.5  # [m] within the range of its spring
LAWS = [law for law in product(ARGUMENTS, SIDES, CURVES, (False, True)) if not (ARGUMENTS[law[0]].rate and law[3])]


def with_law(argument, side, curve, has_reference, rng):
    """The crank-slider with this law on the length of its spring."""
    numbers = [LENGTH, *rng.uniform(10.0, 90.0, len(CURVES[curve].single))]
    if CURVES[curve].table:
        numbers += [*np.cumsum(rng.uniform(0.05, 0.2, 4)), *(30.0 * rng.normal(size=4))]
    first = len(MODEL.parameters)
    more = tuple(Parameter(f"law.p{i}", float(x), "1", "A number") for i, x in enumerate(numbers))
    own = tuple(range(first + 1, first + len(numbers)))
    spring = replace(MODEL.elements[0], laws=(Law(argument, side, curve, own, first if has_reference else None),))
    return replace(MODEL, parameters=(*MODEL.parameters, *more), elements=(spring, *MODEL.elements[1:]))


@pytest.mark.parametrize("law", LAWS, ids=lambda law: "-".join(map(str, law)))
def test_force_and_energy_are_the_same_in_both(law, tmp_path):
    rng = np.random.default_rng(LAWS.index(law))
    both = Pair(with_law(*law, rng), tmp_path).start()
    wanted = [both.names.index(name) for name in ("spring.slider.force", "energy.potential", "qdd.theta")]
    numbers, seen = both.numbers().copy(), set()
    for angle in np.linspace(0.0, 6.0, 25):
        numbers[5:7] = angle, rng.normal()
        for instance in (both.numpy, both.compiled):
            instance.restore(both.block(numbers))
        found = np.array([instance.get(wanted) for instance in (both.numpy, both.compiled)])
        np.testing.assert_allclose(found[1], found[0], rtol=1e-12, atol=1e-12 * (1.0 + np.abs(found).max()))
        seen.add(found[0, 0])
    argument, _, curve, has_reference = law
    if curve != "constant" and (has_reference or ARGUMENTS[argument].rate):
        assert len(seen) > 5  # it acts
