from dataclasses import replace

import numpy as np
from helpers_model import double_pendulum

from fmu_src.model.laws import law_state_count
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.instance import Instance
from fmu_src.numpy_runtime.state import HEAD, VECTORS, State, from_numbers

MODEL = double_pendulum()


def with_states(names):
    """The pendulum with a damper that has states of its own; none of the run-times would load it from a file."""
    spring, damper = MODEL.elements
    return replace(MODEL, elements=(spring, replace(damper, laws=(replace(damper.laws[0], states=names),))))


def test_laws_have_no_states_yet_and_take_no_room():
    state = Instance(prepare(MODEL)).state
    assert law_state_count(MODEL) == state.law_states.size == 0
    assert len(state.numbers()) == HEAD + VECTORS * 2


def test_a_saved_state_has_a_place_for_the_states_of_laws():
    plain, own = Instance(prepare(MODEL)), Instance(prepare(with_states(("a", "b", "c"))))
    assert len(own.state.numbers()) == len(plain.state.numbers()) + 3
    own.state = replace(own.state, law_states=np.array([1.0, 2.0, 3.0]))
    block = own.save()
    assert len(block) == len(plain.save()) + 3 * 8
    own.state = replace(own.state, law_states=np.zeros(3))
    own.restore(block)
    assert own.state.law_states.tolist() == [1.0, 2.0, 3.0]


def test_numbers_give_the_state_again():
    rng = np.random.default_rng(0)
    for nl in range(3):
        vectors = rng.normal(size=(VECTORS, 2))
        state = State(1.5, 2, -1, *vectors[:4], 7, *vectors[4:], law_states=rng.normal(size=nl))
        numbers = state.numbers()
        again = from_numbers(np.array(numbers), nl)
        assert again.numbers() == numbers and again.law_states.size == nl
        assert (again.time, again.chart, again.lap, again.age) == (1.5, 2, -1, 7)
