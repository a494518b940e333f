"""Each law that can be made, by itself in the NumPy reference and in the kernel."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from helpers_kernel import FIRST, Pair
from helpers_model import crank_slider

from fmu_src.errors import StepError
from fmu_src.model.law_parts import ARGUMENTS, CURVES, SIDES
from fmu_src.model.reduced_model import Law, Parameter

MODEL = crank_slider()
LENGTH = 0.5  # [m] within the range of its spring
LAWS = [law for law in product(ARGUMENTS, SIDES, CURVES, (False, True)) if not (ARGUMENTS[law[0]].rate and law[3])]


PRELOADED = [curve for curve, form in CURVES.items() if form.inverse]


def with_law(argument, side, curve, has_reference, rng, preload=False):
    """The crank-slider with this law on the length of its spring; its first number is the reference or preload."""
    numbers = [LENGTH, *rng.uniform(10.0, 90.0, len(CURVES[curve].single))]
    if CURVES[curve].table:
        numbers += [*np.cumsum(rng.uniform(0.05, 0.2, 4)), *(30.0 * rng.normal(size=4))]
    first = len(MODEL.parameters)
    more = tuple(Parameter(f"law.p{i}", float(x), "1", "A number") for i, x in enumerate(numbers))
    own = tuple(range(first + 1, first + len(numbers)))
    law = Law(argument, side, curve, own, first if has_reference else None, first if preload else None, LENGTH)
    spring = replace(MODEL.elements[0], laws=(law if has_reference or preload else replace(law, design=None),))
    return replace(MODEL, parameters=(*MODEL.parameters, *more), elements=(spring, *MODEL.elements[1:]))


@pytest.mark.parametrize("law", LAWS, ids=lambda law: "-".join(map(str, law)))
def test_force_and_energy_are_the_same_in_both(law, tmp_path):
    rng = np.random.default_rng(LAWS.index(law))
    both = Pair(with_law(*law, rng), tmp_path).start()
    wanted = [both.names.index(name) for name in ("spring.slider.force", "energy.potential", "qdd.theta")]
    numbers, seen = both.numbers().copy(), set()
    for angle in np.linspace(0.0, 6.0, 25):
        numbers[FIRST : FIRST + 2] = angle, rng.normal()
        for instance in (both.numpy, both.compiled):
            instance.restore(both.block(numbers))
        found = np.array([instance.get(wanted) for instance in (both.numpy, both.compiled)])
        np.testing.assert_allclose(found[1], found[0], rtol=1e-12, atol=1e-12 * (1.0 + np.abs(found).max()))
        seen.add(found[0, 0])
    argument, _, curve, has_reference = law
    if curve != "constant" and (has_reference or ARGUMENTS[argument].rate):
        assert len(seen) > 5  # it acts


@pytest.mark.parametrize("curve", PRELOADED)
@pytest.mark.parametrize("preload", [-20.0, 0.0, 0.5, 25.0])
def test_with_a_preload_they_are_the_same_too_and_both_show_the_free_length(curve, preload, tmp_path):
    model = with_law("compression", "both", curve, False, np.random.default_rng(3), preload=True)
    both = Pair(model, tmp_path).start()
    shown = (
        "spring.slider.force",
        "energy.potential",
        "qdd.theta",
        "spring.slider.free_length",
        "spring.slider.length",
    )
    wanted = [both.names.index(name) for name in shown]
    both.put("law.p0", preload)
    numbers = both.numbers().copy()
    for angle in np.linspace(0.0, 6.0, 13):
        numbers[5] = angle
        for instance in (both.numpy, both.compiled):
            instance.restore(both.block(numbers))
        found = np.array([instance.get(wanted) for instance in (both.numpy, both.compiled)])
        np.testing.assert_allclose(found[1], found[0], rtol=1e-12, atol=1e-12 * (1.0 + np.abs(found).max()))
        assert np.isfinite(found).all() and abs(found[0, 3] - LENGTH) < 2.0


def test_a_stiffness_of_zero_leaves_the_preload_in_both(tmp_path):
    both = Pair(with_law("compression", "both", "linear", False, np.random.default_rng(3), preload=True), tmp_path)
    both.put("law.p0", 12.5)
    both.put("law.p1", 0.0)
    wanted = [both.names.index(f"spring.slider.{name}") for name in ("force", "free_length")]
    assert [list(instance.get(wanted)) for instance in (both.start().numpy, both.compiled)] == [[12.5, LENGTH]] * 2


def test_the_other_of_free_length_and_preload_is_shown_by_both(tmp_path):
    both = Pair(with_law("compression", "both", "linear", True, np.random.default_rng(3)), tmp_path).start()
    k = both.numpy.values[both.names.index("law.p1")]
    both.put("law.p0", LENGTH + 0.1)  # the free length
    for instance in (both.numpy, both.compiled):
        assert instance.get([both.names.index("spring.slider.preload")])[0] == pytest.approx(0.1 * k, rel=1e-12)


def test_both_refuse_a_preload_that_the_table_never_has_in_the_same_words(tmp_path):
    model = with_law("compression", "both", "table", False, np.random.default_rng(3), preload=True)
    flat = [p.name for p in model.parameters[-4:]]  # at both ends
    both, said = Pair(model, tmp_path).start(), []
    for name, value in zip(flat, (2.0, 2.0, 2.5, 2.5), strict=True):
        both.put(name, value)
    both.put("law.p0", 3.0)
    for instance in (both.numpy, both.compiled):
        with pytest.raises(StepError) as caught:
            instance.get([both.names.index("spring.slider.force")])
        said.append(str(caught.value))
    assert said[0] == said[1]
    assert said[0].startswith(
        "parameter 'law.p0' = 3 is a force that the table of 'spring.slider' never has: it goes from 2 "
    )
