import numpy as np
from helpers_model import double_pendulum

from fmu_src.numpy_runtime.devices import Memory
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.instance import Instance
from fmu_src.numpy_runtime.state import HEAD, VECTORS, State, from_numbers


def test_where_there_are_no_devices_their_memory_takes_no_room():
    state = Instance(prepare(double_pendulum())).state
    assert len(state.numbers()) == HEAD + VECTORS * 2


def test_numbers_give_the_state_again():
    rng = np.random.default_rng(0)
    for nx, nu in ((0, 0), (1, 0), (0, 2), (3, 1)):
        vectors = rng.normal(size=(VECTORS, 2))
        memory = Memory(rng.normal(size=nx), rng.normal(size=nu), rng.normal(size=nx))
        state = State(1.5, 2, -1, *vectors[:4], 7, *vectors[4:], memory=memory)
        numbers = state.numbers()
        again = from_numbers(np.array(numbers), memory)
        assert again.numbers() == numbers
        assert [part.size for part in again.memory] == [nx, nu, nx]
        assert (again.time, again.chart, again.lap, again.age) == (1.5, 2, -1, 7)
