"""The slave without an FMU around it: life cycle, variables, errors, saved states."""

import logging
import math

import numpy as np
import pytest
from helpers_fmu import choose_runtime, make_resources
from helpers_model import crank_slider, defaults, double_pendulum, no_inputs, start_state
from pythonfmu.enums import Fmi2Status

from fmu_src.build.model_writer import to_bytes
from fmu_src.errors import FmuError, StepError, TableFormatError, TableRangeError
from fmu_src.interface.variables import TAG_BYTES, variables
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.instance import Instance, Phase
from fmu_src.numpy_runtime.steps.integrator import advance
from fmu_src.slave.guard import format_safe
from fmu_src.slave.slave import MODEL_FILE, MechanismSlave

MODEL = double_pendulum(nodes=15)


TABLE = [variable.name for variable in variables(MODEL)]


@pytest.fixture(scope="module", params=["numpy", "kernel"])
def runtime(request):
    return request.param


@pytest.fixture(scope="module")
def resources(tmp_path_factory, runtime):
    return str(make_resources(MODEL, tmp_path_factory.mktemp("resources"), runtime))


@pytest.fixture(autouse=True)
def choice(runtime, monkeypatch):
    choose_runtime(runtime, monkeypatch)


@pytest.fixture
def slave(resources):
    return MechanismSlave(instance_name="axle", resources=resources)


def reference(slave, *names):
    return [TABLE.index(name) for name in names]


def put(slave, **values):
    names = [name.replace("__", ".") for name in values]
    slave.set_real(reference(slave, *names), list(values.values()))


def read(slave, *names):
    return slave.get_real(reference(slave, *names))


def numbers(slave):
    """Phase, time, chart, lap, z, zd and all values."""
    return np.frombuffer(slave.instance.save()[TAG_BYTES:])


def start(slave, time=0.0):
    slave.setup_experiment(time, None, None)
    slave.enter_initialization_mode()
    slave.exit_initialization_mode()
    return slave


# --- the ordinary way -------------------------------------------------------------------------------------------------


def test_a_run_equals_direct_integration(slave):
    start(slave)
    state, p, u = start_state(MODEL), defaults(MODEL), no_inputs(MODEL)
    u[2:5] = 1.0, -2.0, 0.5
    slave.set_real(reference(slave, *(f"port.tip.F[{i}]" for i in (1, 2, 3))), [1.0, -2.0, 0.5])
    for i in range(20):
        assert slave.do_step(i * 0.01, 0.01)
        state = advance(prepare(MODEL), state, 0.01, p, u, 1e-3)
    np.testing.assert_allclose(
        read(slave, "q.alpha", "q.beta", "qd.alpha", "qd.beta"), [*state.z, *state.zd], rtol=0, atol=1e-13
    )


def test_outputs_are_right_in_and_after_initialization(slave):
    slave.setup_experiment(0.0, None, None)
    slave.enter_initialization_mode()
    put(slave, q_start__alpha=0.2, qd_start__beta=3.0)
    assert read(slave, "q.alpha", "qd.beta") == [0.2, 3.0]
    put(slave, q_start__alpha=0.3)
    assert read(slave, "q.alpha") == [0.3]
    slave.exit_initialization_mode()
    assert read(slave, "q.alpha", "qd.beta") == [0.3, 3.0]


def test_inputs_act_on_accelerations_at_once_and_on_nothing_else(slave):
    start(slave)
    before = read(slave, "q.alpha", "qd.alpha", "spring.tip.force", "qdd.alpha")
    put(slave, Q__alpha=5.0)
    after = read(slave, "q.alpha", "qd.alpha", "spring.tip.force", "qdd.alpha")
    assert after[:3] == before[:3] and after[3] != before[3]


def test_tunable_parameters_act_at_the_next_step(resources):
    ends = []
    for rate in (10.0, 200.0):
        slave = start(MechanismSlave(instance_name="axle", resources=resources))
        slave.do_step(0.0, 0.05)
        put(slave, spring__tip__k=rate)
        slave.do_step(0.05, 0.05)
        ends += read(slave, "q.alpha")
    assert ends[0] != ends[1]


def test_the_start_time_is_respected(slave):
    start(slave, time=3.0)
    slave.do_step(3.0, 0.01)
    assert numbers(slave)[1] == pytest.approx(3.01)


def test_a_short_solver_step_divides_the_communication_step(resources):
    ends = []
    for size in (0.05, 0.001):
        slave = MechanismSlave(instance_name="axle", resources=resources)
        put(slave, solver__step=size)
        start(slave).do_step(0.0, 0.05)
        ends += read(slave, "q.alpha")
    assert ends[0] != ends[1] and ends[0] == pytest.approx(ends[1], abs=1e-4)


def test_termination_leaves_outputs_readable(slave):
    start(slave).do_step(0.0, 0.01)
    before = read(slave, "q.alpha")
    slave.terminate()
    assert read(slave, "q.alpha") == before and slave.instance.phase == Phase.TERMINATED


# --- errors -----------------------------------------------------------------------------------------------------------


def expect(slave, caplog, error, match, call):
    """One clean exception, one message in the FMI log with status error, one in Python's log."""
    caplog.clear()
    slave.log_queue.clear()
    with caplog.at_level(logging.ERROR, "kinetab"), pytest.raises(error, match=match) as caught:
        call()
    assert [(message.status, message.category) for message in slave.log_queue] == [(Fmi2Status.error, "logStatusError")]
    assert str(caught.value) == slave.log_queue[0].msg
    assert [format_safe(record.getMessage()) for record in caplog.records] == [f"axle: {slave.log_queue[0].msg}"]
    assert caught.value.__cause__ is None and caught.value.__suppress_context__


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused_by_name_and_changes_nothing(slave, caplog, value):
    start(slave)
    references = reference(slave, "Q.alpha", "port.tip.F[2]")
    expect(slave, caplog, StepError, r"input 'port.tip.F\[2\]'", lambda: slave.set_real(references, [1.0, value]))
    assert slave.get_real(references) == [0.0, 0.0]
    expect(
        slave, caplog, StepError, "parameter 'gravity", lambda: slave.set_real(reference(slave, "gravity[1]"), [value])
    )


@pytest.mark.parametrize("size", [0.0, -0.01, math.nan, math.inf])
def test_bad_step_sizes(slave, caplog, size):
    start(slave)
    expect(slave, caplog, StepError, "communication step is", lambda: slave.do_step(0.0, size))
    assert slave.do_step(0.0, 0.01)


def test_a_jump_in_time(slave, caplog):
    start(slave).do_step(0.0, 0.01)
    expect(slave, caplog, StepError, "to start at 0.5 s, but the FMU is at 0.01 s", lambda: slave.do_step(0.5, 0.01))
    expect(slave, caplog, StepError, "to start at nan s", lambda: slave.do_step(math.nan, 0.01))


def test_a_clock_that_adds_up_roundings_is_no_jump(slave):
    start(slave)
    time = 0.0
    for _ in range(50):
        slave.do_step(time, 0.01)
        time += 0.01
    assert slave.do_step(0.5, 0.01)


def test_steps_before_initialization_and_after_termination(slave, caplog):
    expect(slave, caplog, StepError, "before the end of initialization", lambda: slave.do_step(0.0, 0.01))
    start(slave).terminate()
    expect(slave, caplog, StepError, "after termination", lambda: slave.do_step(0.0, 0.01))


def test_fixed_parameters_after_initialization(slave, caplog):
    start(slave)
    expect(slave, caplog, StepError, "'q_start.alpha' is fixed", lambda: put(slave, q_start__alpha=0.1))


def test_outputs_cannot_be_set(slave, caplog):
    expect(slave, caplog, StepError, "'q.alpha' is an output", lambda: put(slave, q__alpha=0.1))


def test_bounds_of_parameters(slave, caplog):
    expect(slave, caplog, StepError, r"'solver.step' .* outside \[1e-09, inf\]", lambda: put(slave, solver__step=0.0))
    expect(slave, caplog, StepError, r"'q_start.alpha' .*\[-1.6, 1.6\]", lambda: put(slave, q_start__alpha=1.7))


def test_unknown_references(slave, caplog):
    expect(slave, caplog, StepError, "value reference 999", lambda: slave.get_real([0, 999]))
    expect(slave, caplog, StepError, "value reference -1", lambda: slave.set_real([-1], [0.0]))


def test_other_types(slave, caplog):
    assert slave.get_integer([]) == []
    expect(slave, caplog, StepError, "type Real", lambda: slave.get_boolean([0]))
    expect(slave, caplog, StepError, "type Real", lambda: slave.set_string([0], ["x"]))


def test_a_table_that_no_longer_ascends(slave, caplog):
    start(slave)
    slave.set_real(reference(slave, "damper.tip.x[1]"), [0.5])
    expect(slave, caplog, StepError, r"'damper.tip.x\[2\]' = 0 must be above", lambda: slave.do_step(0.0, 0.01))
    slave.set_real(reference(slave, "damper.tip.x[1]"), [-0.5])
    assert slave.do_step(0.0, 0.01)


def test_leaving_the_table_keeps_the_state_before_the_step(slave, caplog):
    start(slave)
    put(slave, Q__alpha=500.0)
    before = numbers(slave)
    expect(slave, caplog, TableRangeError, "'alpha' = 1.6", lambda: slave.do_step(0.0, 1.0))
    np.testing.assert_array_equal(numbers(slave), before)
    put(slave, Q__alpha=0.0)
    assert slave.do_step(0.0, 0.01)


def test_a_fault_of_ours_comes_out_as_one_clean_error(slave, caplog):
    start(slave)
    slave.instance = None
    expect(
        slave,
        caplog,
        FmuError,
        "fault in the run-time: AttributeError: .*please report",
        lambda: slave.do_step(0.0, 0.01),
    )


def test_percent_signs_survive_a_printf():
    assert format_safe("100 %s\0") == "100 %%s "


def test_a_damaged_model_file(tmp_path, caplog):
    (tmp_path / MODEL_FILE).write_bytes(to_bytes(MODEL)[:-1])
    with pytest.raises(FmuError, match="model file .* is damaged"):
        MechanismSlave(instance_name="axle", resources=str(tmp_path))
    assert "damaged" in caplog.text
    with pytest.raises(FmuError, match="cannot read"):
        MechanismSlave(instance_name="axle", resources=str(tmp_path / "missing"))


# --- saved states -----------------------------------------------------------------------------------------------------


def test_a_saved_state_repeats_a_step_exactly(slave):
    start(slave)
    put(slave, Q__beta=0.4, spring__tip__k=60.0)
    slave.do_step(0.0, 0.01)
    saved = slave._fmu_state_from_bytes(slave._fmu_state_to_bytes(slave._get_fmu_state()))
    everything = list(range(len(TABLE)))
    at_save = slave.get_real(everything)
    put(slave, Q__beta=0.9)
    slave.do_step(0.01, 0.01)
    slave._set_fmu_state(saved)
    assert slave.get_real(everything) == at_save
    slave.do_step(0.01, 0.01)
    first = slave.get_real(everything)
    slave._set_fmu_state(saved)
    slave.do_step(0.01, 0.01)
    assert slave.get_real(everything) == first


def test_a_saved_state_moves_to_another_instance(slave, resources):
    start(slave).do_step(0.0, 0.01)
    other = MechanismSlave(instance_name="other", resources=resources)
    other._set_fmu_state(slave._get_fmu_state())
    slave.do_step(0.01, 0.01)
    other.do_step(0.01, 0.01)
    assert read(other, "q.alpha", "energy.total") == read(slave, "q.alpha", "energy.total")


def test_a_saved_state_of_another_model_is_refused(slave, caplog):
    other = Instance(prepare(crank_slider(nodes=12))).save()
    own = slave.instance.save()
    for block in (other, own[:-1], b"", bytes(len(own))):
        expect(slave, caplog, StepError, "not one of this model", lambda block=block: slave._set_fmu_state(block))


def test_a_reset_is_a_new_instance_that_reads_no_file(runtime, tmp_path):
    make_resources(MODEL, tmp_path, runtime)
    first = MechanismSlave(instance_name="axle", resources=str(tmp_path))
    (tmp_path / MODEL_FILE).unlink()
    again = MechanismSlave(instance_name="axle", resources=str(tmp_path))
    assert again.instance is not first.instance
    assert read(start(again), "q.alpha") == [0.5]


def test_another_folder_is_another_model(resources, runtime, tmp_path):
    make_resources(crank_slider(nodes=12), tmp_path, runtime)
    assert MechanismSlave(instance_name="a", resources=str(tmp_path)).modelName == "CrankSlider"
    assert MechanismSlave(instance_name="b", resources=resources).modelName == "DoublePendulum"


def test_format_errors_are_fmu_errors():
    assert issubclass(TableFormatError, FmuError)
