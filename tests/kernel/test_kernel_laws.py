"""Each law by itself in the NumPy reference and in the kernel."""

from dataclasses import replace

import numpy as np
import pytest
from helpers_kernel import Pair
from helpers_laws import KINDS, law
from helpers_model import crank_slider

from fmu_src.model.reduced_model import Parameter

MODEL = crank_slider()


def with_law(kind, rng):
    """The crank-slider with this law on the length of its spring."""
    *_, curve, has_reference = KINDS[kind]
    n = 4
    numbers = [0.5] if has_reference else []
    if curve == "table":
        numbers += [*np.cumsum(rng.uniform(0.05, 0.2, n)), *(30 * rng.normal(size=n))]
    else:
        numbers = [rng.uniform(10.0, 90.0), *numbers]
    first = len(MODEL.parameters)
    more = tuple(Parameter(f"law.p{i}", float(x), "1", "A number") for i, x in enumerate(numbers))
    made = law(kind, tuple(range(first, first + len(numbers))))
    spring = replace(MODEL.elements[0], laws=(made,))
    return replace(MODEL, parameters=(*MODEL.parameters, *more), elements=(spring, *MODEL.elements[1:]))


@pytest.mark.parametrize("kind", KINDS)
def test_force_and_energy_of_a_law_are_the_same_in_both(kind, tmp_path):
    rng = np.random.default_rng(sum(map(ord, kind)))
    both = Pair(with_law(kind, rng), tmp_path).start()
    wanted = [both.names.index(name) for name in ("spring.slider.force", "energy.potential", "qdd.theta")]
    numbers, seen = both.numbers().copy(), []
    for angle in np.linspace(0.0, 6.0, 25):
        numbers[5:7] = angle, rng.normal()
        for instance in (both.numpy, both.compiled):
            instance.restore(both.block(numbers))
        found = np.array([instance.get(wanted) for instance in (both.numpy, both.compiled)])
        np.testing.assert_allclose(found[1], found[0], rtol=1e-12, atol=1e-12 * (1.0 + np.abs(found).max()))
        seen.append(found[0, 0])
    assert kind == "constant" or len(set(seen)) > 5  # it acts
