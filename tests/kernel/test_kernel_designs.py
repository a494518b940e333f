"""Design parameters in both run-times: the model at other values of them, in tables and in all other numbers.

Random models, whose numbers mean nothing; what mechanisms make of it is in `tests/variants`.
"""

from dataclasses import replace

import numpy as np
import pytest
from helpers_kernel import Pair, random_numbers
from helpers_random import models, random_model, with_designs
from hypothesis import HealthCheck, given, settings

from fmu_src.build.model_writer import to_bytes
from fmu_src.errors import StepError, TableFormatError
from fmu_src.model.designs import at_design, numbers_of, product_values, products
from fmu_src.model.model_file import from_bytes
from fmu_src.model.reduced_model import Changes
from fmu_src.slave.kernel_instance import KernelModel

EVALUATION = 1e-12
SIZE = 1e-3
PLAIN = {"periodic": (False, True, False), "outside": ("linear", "error", "error"), "driven": ("no",) * 3}


def wheeled(count=3, seed=14):
    """A random model with wheels, loads, a moving ground and stiff directions."""
    return with_designs(random_model(1, 2, 2, 1, 3, True, False, wheels=2, loads=2, **PLAIN), count, seed)


def without_wheels(model):
    """What changes wheels left out."""
    numbers = (n for n in model.design_numbers if n.kind in ("mass", "law", "spin", "spin_design"))
    return replace(model, design_numbers=tuple(numbers))


@pytest.fixture
def pair(tmp_path):
    return Pair(wheeled(), tmp_path)


def references(pair):
    return list(pair.layout.designs)


def at(pair, numbers, p):
    """The same state with design parameters p."""
    numbers = numbers.copy()
    numbers[len(numbers) - len(pair.table) + np.array(references(pair))] = p
    return numbers


def random_p(pair, rng):
    return rng.uniform(-1.0, 1.0, len(pair.model.designs)) * [design.range for design in pair.model.designs]


def outputs(pair, p, numbers):
    pair.compiled.restore(pair.block(at(pair, numbers, p)))
    return np.array(pair.compiled.get(pair.outputs))


# --- the sum ----------------------------------------------------------------------------------------------------------


def test_products_are_those_of_first_and_second_order():
    u = (0.3, -0.5, 0.7)
    assert product_values(u) == pytest.approx([np.prod([u[i] for i in factors]) for factors in products(3)])
    assert len(products(6)) == 27


def test_the_model_at_other_parameters_is_the_polynomial():
    model = wheeled(seed=15)
    p = [0.4 * design.range for design in model.designs]
    m, found = product_values([0.4] * 3), at_design(model, p)
    for before, after in zip(model.charts[0].blocks, found.charts[0].blocks, strict=True):
        expected = before.coefficients.copy()
        own = before.changes
        for k, (cell, product) in enumerate(own.cells.tolist()):
            expected[..., 8 * cell : 8 * cell + 8] += own.coefficients[..., 8 * k : 8 * k + 8] * m[product]
        assert np.abs(after.coefficients - expected).max() < 1e-15
    changes, new = {(n.kind, n.place, n.part): n.changes for n in model.design_numbers}, numbers_of(found)
    assert {key[0] for key in changes} >= {"mass", "law", "spin", "radius", "wheel_spin", "centre", "ball"}
    for key, value in numbers_of(model).items():
        assert new[key] == pytest.approx(value + np.dot(changes.get(key, np.zeros(len(m))), m), abs=1e-15)


# --- both run-times ---------------------------------------------------------------------------------------------------


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(model=models)
def test_evaluations_and_steps_of_random_models(model, tmp_path):
    seed = int(model.source_hash, 16) % 2**32
    both, rng = Pair(with_designs(model, 1 + seed % 3, seed), tmp_path), np.random.default_rng(seed)
    for p in (random_p(both, rng), random_p(both, rng), 0.0):
        numbers = at(both, random_numbers(both, rng), p)
        assert both.difference(numbers, rng) < EVALUATION
        assert both.difference(numbers, rng, step=SIZE) < EVALUATION


def test_a_file_with_the_sum_in_it_gives_the_same(tmp_path):
    pair, rng = Pair(without_wheels(wheeled()), tmp_path), np.random.default_rng(2)
    numbers, p = random_numbers(pair, rng), random_p(pair, rng)
    folded = at_design(pair.model, p)
    blocks = tuple(replace(block, changes=None) for block in folded.charts[0].blocks)
    charts = (replace(folded.charts[0], blocks=blocks),)
    (tmp_path / "folded").mkdir()
    alone = Pair(replace(folded, charts=charts, designs=(), design_numbers=()), tmp_path / "folded")
    kept = np.delete(numbers, len(numbers) - len(pair.table) + np.array(references(pair)))
    alone.compiled.restore(alone.block(kept))
    expected, found = np.array(alone.compiled.get(alone.outputs)), outputs(pair, p, numbers)
    shown = np.isfinite(expected)
    road = np.array([".contact." in pair.table[i].name for i in pair.outputs])  # start values of roads are inputs
    assert np.abs(found - expected)[shown & ~road].max() < 1e-12 * np.abs(expected[shown]).max()


def test_what_is_set_is_kept_by_saved_states_and_undone_by_reset(pair):
    rng = np.random.default_rng(3)
    pair.start()
    never = np.array(pair.compiled.get(pair.outputs))
    p = random_p(pair, rng)
    for instance in (pair.compiled, pair.numpy):
        instance.set(references(pair), p.tolist())
        instance.step(0.0, SIZE)
        saved = instance.save()
        instance.step(SIZE, SIZE)
        once = instance.get(pair.outputs)
        instance.set(references(pair), [0.0] * len(p))
        instance.step(2 * SIZE, SIZE)
        assert not np.array_equal(instance.get(pair.outputs), once, equal_nan=True)
        instance.restore(saved)
        instance.step(SIZE, SIZE)
        assert np.array_equal(instance.get(pair.outputs), once, equal_nan=True)
    pair.compiled._checked(pair.compiled._library.kt_reset(pair.compiled._handle))
    pair.compiled.setup(0.0)
    pair.compiled.enter_initialization()
    pair.compiled.exit_initialization()
    assert np.array_equal(pair.compiled.get(pair.outputs), never, equal_nan=True)


def test_instances_have_their_own(pair):
    rng = np.random.default_rng(4)
    numbers, other = random_numbers(pair, rng), KernelModel(pair.compiled._library, pair.file)
    first, second = other(), other()
    p = random_p(pair, rng)
    first.restore(pair.block(at(pair, numbers, p)))
    second.restore(pair.block(at(pair, numbers, 0.0)))
    moved, bare = (np.array(instance.get(pair.outputs)) for instance in (first, second))
    before = outputs(pair, 0.0 * p, numbers)
    assert np.array_equal(moved, outputs(pair, p, numbers), equal_nan=True)
    assert np.array_equal(bare, before, equal_nan=True)
    assert np.array_equal(outputs(pair, 0.0 * p, numbers), before, equal_nan=True)
    assert not np.array_equal(outputs(pair, p, numbers), before, equal_nan=True)


# --- limits -----------------------------------------------------------------------------------------------------------


def test_beyond_the_range_there_is_one_warning_and_far_beyond_an_error(pair):
    names = pair.names
    assert pair.start() is pair
    for instance in (pair.compiled, pair.numpy):
        instance.set([names.index("design.d1")], [0.0101])
        said = instance.step(0.0, SIZE)
        expected = "design parameter 'design.d1' = 10.1 mm is beyond 10 mm, up to which the tables were measured; "
        assert said is not None and expected in said
        assert instance.get([names.index("table.inRange")]) == [0.0]
        again = instance.step(SIZE, SIZE)
        assert again is None or "design" not in again
        with pytest.raises(StepError, match=r"'design.d1' is set to 0.11 m, outside \[-0.1, 0.1\]"):
            instance.set([names.index("design.d1")], [0.11])


def test_models_come_back_from_their_files():
    model = wheeled()
    found = from_bytes(to_bytes(model))
    assert found.designs == model.designs and found.design_numbers == model.design_numbers
    own = found.charts[0].blocks[1].changes
    assert (own.core == model.charts[0].blocks[1].changes.core).all() and own.bases


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda m: replace(m, designs=(replace(m.designs[0], range=0.0), *m.designs[1:])), "has the range 0"),
        (lambda m: replace(m, designs=m.designs * 3), "at most 6"),
        (lambda m: replace(m, designs=m.designs[:2]), "finite numbers"),
        (lambda m: replace(m, design_numbers=(replace(m.design_numbers[0], place=99),)), "which is not there"),
        (lambda m: replace(m, design_numbers=(replace(m.design_numbers[0], kind="colour"),)), "which is not there"),
        (lambda m: with_changes(m, lambda c: replace(c, cells=c.cells[::-1])), "not in order"),
        (lambda m: with_changes(m, lambda c: replace(c, core=c.core[..., 8:])), "a core of shape"),
        (lambda m: with_changes(m, lambda c: replace(c, core=c.core * np.inf)), "not finite"),
        (lambda m: with_changes(m, lambda c: Changes(c.cells, c.core, c.bases * 2)), "bases of shapes"),
    ],
)
def test_faulty_changes_are_not_written(wrong, said):
    with pytest.raises(TableFormatError, match=said):
        to_bytes(wrong(wheeled()))


def with_changes(model, change):
    """With other changes of its second block, which has bases."""
    first, second, *others = model.charts[0].blocks
    blocks = (first, replace(second, changes=change(second.changes)), *others)
    return replace(model, charts=(replace(model.charts[0], blocks=blocks),))
