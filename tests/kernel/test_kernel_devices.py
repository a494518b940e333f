"""Devices in the kernel: formulas, failures, steps and memory as in NumPy; no damaged program is run."""

import ctypes
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers_elements import BUSY, MOTOR, SERVO, bob, element, maxwell, rotor, slider
from helpers_formulas import NAMES, TABLES, Plan, device_of, formulas, plans
from helpers_kernel import FIRST, Pair, alike, random_numbers
from helpers_model import double_pendulum
from helpers_random import random_model
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from fmu_src.build import kernel_stream, model_writer
from fmu_src.build.compile import KERNEL, PLATFORMS, compile_c, compiler, current_platform, flags, kernel_files, library
from fmu_src.build.kernel_shape import shape_header
from fmu_src.build.model_writer import save
from fmu_src.errors import StepError, TableFormatError
from fmu_src.model.devices import Device, DeviceInput, DeviceOutput, Formula
from fmu_src.model.programs import Op, problem
from fmu_src.model.reduced_model import Element
from fmu_src.numpy_runtime.devices import Memory, respond, start_memory
from fmu_src.slave.kernel_instance import KernelModel
from fmu_src.slave.kernel_library import load_library
from fmu_src.slave.runtimes import MODEL_FILE
from precompute.formulas.compiling import program
from precompute.formulas.syntax import parse
from precompute.model.devices import DeviceUnknown
from precompute.pipeline import bake

EVALUATION = 1e-12
SIZE = 1e-3
SLOW = {"suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]}


def test_the_kernel_knows_all_operations():
    words = (KERNEL / "limits.h").read_text(encoding="utf-8").replace(",", " ").split()
    known = [word.removeprefix("KT_OP_") for word in words if word.startswith("KT_OP_")]
    assert known[: len(Op)] == [op.name for op in Op]


# --- what devices do --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def probe(tmp_path_factory):
    """Path of a kernel that can be asked for what devices do."""
    folder = tmp_path_factory.mktemp("probe")
    own = {"respond.c": Path(__file__).with_name("respond.c").read_bytes()}
    for name, content in {**kernel_files(), **own}.items():
        (folder / name).write_bytes(content)
    platform = PLATFORMS[current_platform()]
    all_flags = (*flags(current_platform()), "-DKT_SHARED", "-DKT_NARROW=2", "-O1")
    files = sorted(folder.glob("*.c"))
    return compile_c(compiler(current_platform()), files, folder / "probe.so", all_flags, platform.libraries)


PENDULUM = double_pendulum(nodes=8)


def with_devices(*plans):
    """The pendulum with devices on measures of their own, all of which lie where that of its first spring does."""
    model, own = PENDULUM, []
    first, parameters = len(model.elements), len(model.parameters)
    elements = []
    for number, plan in enumerate(plans):
        here = range(first + len(elements), first + len(elements) + plan.measures)
        elements += [Element(f"element.e{number}.s{i}", "m", ()) for i in range(plan.measures)]
        own.append(device_of(plan, f"e{number}", here, tuple(range(parameters))[: plan.parameters]))
    (chart,) = model.charts
    rows = replace(chart.rows, elements=(*chart.rows.elements, *chart.rows.elements[:1] * len(elements)))
    charts = (replace(chart, rows=rows),)
    return replace(model, charts=charts, elements=(*model.elements, *elements), devices=tuple(own))


def asked(probe, both, given_numbers, sloped, found):
    """What the kernel says of devices; none if it fails."""
    both.compiled.get(both.outputs[:1])
    array = np.ascontiguousarray(given_numbers, dtype=float)
    status = load_library(probe).respond(
        both.compiled._handle, ctypes.c_void_p(array.ctypes.data), int(sloped), ctypes.c_void_p(found.ctypes.data)
    )
    return None if status else found


def expected_of(model, parameters, inputs, given_numbers, sloped):
    """The same from NumPy, in the order of the kernel."""
    on = [c.element for device in model.devices for c in device.connections]
    memory, ne = start_memory(model), len(model.elements)
    n, nx = len(on), memory.x.size
    s, sdot, x, u = np.split(np.asarray(given_numbers), np.cumsum([n, n, nx]))
    full = np.zeros((2, ne))
    full[:, on] = s, sdot
    found = respond(model, parameters, inputs, *full, Memory(x, u, memory.mean), sloped)
    numbers, at = [found.force[on], found.rate, found.u], 0
    for device in model.devices if sloped else ():
        own, states = [c.element for c in device.connections], range(at, at + len(device.states))
        columns = [*own, *(ne + i for i in own), *(2 * ne + i for i in states)]
        numbers += [found.F[np.ix_(own, columns)].ravel(), found.R[np.ix_(states, columns)].ravel()]
        at += len(device.states)
    return np.concatenate(numbers)


@settings(max_examples=100, **SLOW)
@given(
    made=st.lists(plans, min_size=1, max_size=3),
    texts=st.lists(formulas, min_size=3, max_size=6),
    wild=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_forces_rates_unknowns_and_slopes(made, texts, wild, seed, probe, tmp_path_factory):
    """Also of formulas that have no value here and there."""
    model = with_devices(*(replace(plan, texts=tuple(texts)) if wild else plan for plan in made))
    both, rng = Pair(model, tmp_path_factory.mktemp("model"), probe), np.random.default_rng(seed)
    size = 2 * sum(len(device.connections) for device in model.devices) + sum(both.memory[:2])
    inputs = np.array([i.start for device in model.devices for i in device.inputs])
    parameters = [p.value for p in model.parameters]
    for sloped in (False, True, True):
        numbers, room = rng.normal(size=size), np.zeros(4000)
        try:
            exact = expected_of(model, parameters, inputs, numbers, sloped)
        except StepError as error:
            assert asked(probe, both, numbers, sloped, room) is None
            assert alike(str(both.compiled._error()), str(error))
            continue
        found = asked(probe, both, numbers, sloped, room)
        np.testing.assert_allclose(found[: exact.size], exact, rtol=1e-11 if both.memory[1] else 1e-14, atol=1e-300)


def shown_only(text, values):
    """A device that shows one formula of eight inputs."""
    made = program(parse(text), NAMES.index, {"curve": 0, "ramp": 1})
    return Device(
        connections=(),
        states=(),
        unknowns=(),
        parameters=(),
        inputs=tuple(DeviceInput(f"e.{n}", "1", v, None, None, "") for n, v in zip(NAMES, values, strict=True)),
        constants=made.constants,
        tables=TABLES,
        formulas=(Formula("e", "output 'y'", made.code),),
        inner=0,
        outputs=(DeviceOutput("e.y", "1", "", 0),),
    )


def outcome(instance, place):
    try:
        return instance.get([place])[0]
    except StepError as error:
        return str(error)


@settings(max_examples=150, **SLOW)
@given(text=formulas, values=st.lists(st.floats(-3.0, 3.0, allow_subnormal=False), min_size=8, max_size=8))
@example(text="(-n0)^(1/(n1 - n2))", values=[2.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
@example(text="(-n0)^exp(n1)", values=[2.0, 900.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
@example(text="exp(n0)", values=[709.79, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
@example(text="curve(exp(n0) - exp(n0))", values=[900.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
@example(text="min(n0, exp(n1) - exp(n1))", values=[1.0, 900.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
@example(text="1/(1 + exp(n0))", values=[900.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
@example(text="atan2(0*n0, -abs(n1))", values=[-1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
def test_values_of_formulas_are_the_same_to_the_bit(text, values, tmp_path_factory):
    model = replace(PENDULUM, devices=(shown_only(text, values),))
    both = Pair(model, tmp_path_factory.mktemp("model"))
    place = both.names.index("element.e.y")
    assert outcome(both.compiled, place) == outcome(both.numpy, place)


# --- steps ------------------------------------------------------------------------------------------------------------

PLANS = (
    Plan(
        2, 2, 1, 1, 1, 30.0, 5.0, ("n0*n1", "tanh(n2 + n3)", "sin(n4) + 0.3*n1", "if(n0 < n3, n1, 0.2*n2)", "n1 - n4")
    ),
    Plan(1, 1, 0, 1, 0, 30.0, 5e3, ("curve(n0)", "sin(n1)", "n2 - 10*n0")),
    Plan(0, 1, 0, 0, 1, 1.0, 0.1, ("1", "0.5")),
)
FREE = {"periodic": (False, True, False), "outside": ("linear", "error", "error"), "driven": ("no",) * 3}
STEPPED = {
    "explicit": {"nf": 2, "ns": 0, "charts": 1, "devices": PLANS[:1]},
    "implicit": {"nf": 2, "ns": 0, "charts": 1, "devices": PLANS},
    "charts": {"nf": 2, "ns": 0, "charts": 2, "devices": PLANS},
    "moving": {"nf": 1, "ns": 0, "charts": 1, "moving": True, "devices": PLANS[1:]},
    "driven": {"nf": 3, "ns": 0, "charts": 1, "driven": ("direct", "no", "filtered"), "devices": PLANS},
    "all driven": {"nf": 1, "ns": 0, "charts": 1, "driven": ("filtered",) * 3, "devices": PLANS},
    "deflections": {"nf": 2, "ns": 3, "charts": 1, "devices": PLANS},
    "deflections, driven": {"nf": 2, "ns": 2, "charts": 1, "driven": ("direct", "no", "no"), "devices": PLANS},
    "quasi-static": {"nf": 1, "ns": 2, "charts": 1, "quasistatic": True, "devices": PLANS[::2]},
    "loads": {"nf": 2, "ns": 1, "charts": 1, "loads": 3, "devices": PLANS},
}


def stepped(name, seed, method):
    own = {"degree": 3, "moving": False, "quasistatic": False, **FREE, **STEPPED[name]}
    return random_model(seed, method=method, **own)


@pytest.mark.parametrize("method", ["rk4", "midpoint"])
@pytest.mark.parametrize("name", STEPPED)
def test_steps_of_each_kind(name, method, tmp_path):
    for seed in range(3):
        both, rng = Pair(stepped(name, seed, method), tmp_path), np.random.default_rng(seed)
        for _ in range(3):
            numbers = random_numbers(both, rng)
            assert both.difference(numbers, rng) < EVALUATION
            assert both.difference(numbers, rng, step=SIZE) < EVALUATION


MECHANISMS = {
    "motor": lambda: rotor(MOTOR),
    "servo": lambda: rotor(SERVO, rate=2.0),
    "maxwell": lambda: slider(maxwell(), rate=1.0),
    "stiff maxwell": lambda: slider(maxwell(k=1e9), rate=1.0),
    "all at once": lambda: bob(BUSY),
    "all at once, midpoint": lambda: bob(BUSY, method="midpoint"),
    "all at once, quasi-static": lambda: bob(BUSY, stiff="quasistatic"),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_runs_of_mechanisms(name, tmp_path):
    """And a state that is restored goes on as before, to the bit; after a reset all is as at first."""
    step = 1e-4 if "quasi-static" in name else SIZE
    model = bake(MECHANISMS[name]())
    both = Pair(model, tmp_path, library(shape=shape_header(model))).start()
    k, saved = both.compiled, []
    for i in range(100):
        saved.append(k.save())
        for instance in (both.numpy, k):
            instance.step(i * step, step)
        if i % 10 == 9:
            a, b = (both.numbers(instance)[FIRST : both.end] for instance in (both.numpy, k))
            np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-9 * np.abs(a).max())
    k.restore(saved[50])
    k.get(both.outputs)
    for i in range(50, 60):
        assert k.save() == saved[i]
        k.step(i * step, step)
    first = saved[0]
    k._checked(k._library.kt_reset(k._handle))
    k.setup(0.0)
    k.enter_initialization()
    k.exit_initialization()
    assert k.save() == first


def test_a_start_at_rest(tmp_path):
    spring = element("spring", force="-k*s", k=20.0)
    both = Pair(bake(rotor(MOTOR, spring)), tmp_path)
    both.put("solver.static", 1.0)
    both.start()
    a, b = (both.numbers(instance)[FIRST : both.end] for instance in (both.numpy, both.compiled))
    np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-12)
    assert both.compiled.get([both.names.index("element.motor.i")])[0] == pytest.approx(10.0)


def test_states_that_do_not_come_to_rest(tmp_path):
    both = Pair(bake(rotor(element("e", force="-10*s", rates={"p": "1 + 0*s"}))), tmp_path)
    both.put("solver.static", 1.0)
    said = []
    for instance in (both.numpy, both.compiled):
        instance.setup(0.0)
        instance.enter_initialization()
        with pytest.raises(StepError, match="states of elements do not come to rest: 'e.p'") as caught:
            instance.exit_initialization()
        said.append(str(caught.value))
    assert alike(*said)


# --- failures ---------------------------------------------------------------------------------------------------------

FAULTS = {
    "formula": element("e", outputs={"far": "sqrt(0.01 - s)"}, force="10*far"),
    "residual": replace(
        element("e", force="1*u"), unknowns=(DeviceUnknown("u", "u^2 + 0.001 - 0.1*(0.02 - s)", start=0.05),)
    ),
    "slopes": element("e", residuals={"u": "max(0.01 - s, 0)*u - 0.1"}, force="0*u"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_failures_while_running_are_told_alike_and_change_nothing(name, tmp_path):
    both = Pair(bake(slider(FAULTS[name], rate=1.0)), tmp_path).start()
    said = []
    for instance in (both.numpy, both.compiled):
        with pytest.raises(StepError) as caught:
            for i in range(100):
                before = instance.save()
                instance.step(i * SIZE, SIZE)
        assert instance.save() == before
        said.append(re.sub(r"came to [^;]+;", "came to;", str(caught.value)))  # a search without end goes anywhere
    assert said[0] == said[1]
    assert said[0].startswith("between t = 0.0") and "element 'e': " in said[0]


def test_inputs_of_devices_have_bounds(tmp_path):
    made = element("e", force="-in_valve", in_valve=1)
    made = replace(made, inputs=(replace(made.inputs[0], minimum=0.0, maximum=2.0),))
    both = Pair(bake(slider(made)), tmp_path).start()
    place, said = both.names.index("element.e.in_valve"), []
    for instance in (both.numpy, both.compiled):
        instance.set([place], [2.0])
        with pytest.raises(StepError, match=r"input 'element.e.in_valve' is set to 3, outside \[0, 2\]") as caught:
            instance.set([place], [3.0])
        said.append(str(caught.value))
    assert said[0] == said[1]


# --- directional derivatives ------------------------------------------------------------------------------------------


def directional(both, unknown, known):
    k = both.compiled
    references = [(ctypes.c_uint32 * 1)(both.names.index(name)) for name in (unknown, known)]
    seed, found = (ctypes.c_double * 1)(1.0), (ctypes.c_double * 1)()
    k._checked(k._library.kt_directional(k._handle, references[0], 1, references[1], 1, seed, found))
    return found[0]


@pytest.mark.parametrize(
    ("valve", "force", "slope"),
    [(0.7, "-in_valve^3", -3 * 0.7**2), (0.0, "-sqrt(in_valve + 1)", -0.5), (2.0, "1*log(2.5 - in_valve)", -2.0)],
)
def test_derivatives_along_an_input(valve, force, slope, tmp_path):
    """At its bounds they look to one side."""
    made = element("e", force=force, in_valve=valve)
    made = replace(made, inputs=(replace(made.inputs[0], minimum=0.0, maximum=2.0),))
    both = Pair(bake(slider(made)), tmp_path).start()
    before = both.compiled.save()
    assert directional(both, "qdd.x", "element.e.in_valve") == pytest.approx(slope, rel=1e-5)
    assert both.compiled.save() == before


# --- damaged programs -------------------------------------------------------------------------------------------------

NUMBER, SLOT, ADD, JUMP, UNLESS = (int(op) for op in (Op.NUMBER, Op.SLOT, Op.ADD, Op.JUMP, Op.JUMP_UNLESS))


def opened(device, folder, monkeypatch):
    """Whether the kernel takes a model with a device that Python has not looked at."""
    monkeypatch.setattr(model_writer, "check_model", lambda model: None)
    path = save(replace(PENDULUM, devices=(device,)), folder / MODEL_FILE)
    try:
        return KernelModel(load_library(library()), path)()
    except TableFormatError as error:
        assert "its plan is wrong" in str(error), error
        return None


def with_code(code):
    device = shown_only("curve(n0) + 2", [1.0] * 8)
    return replace(device, formulas=(replace(device.formulas[0], code=tuple(code)),))


BAD = {
    "nothing": (),
    "unknown": (27, 0),
    "negative": (-1, 0),
    "empty stack": (ADD, 0),
    "two left": (NUMBER, 0, NUMBER, 0),
    "constant": (NUMBER, 1),
    "slot": (SLOT, 8),
    "table": (NUMBER, 0, int(Op.TABLE), 2),
    "power": (NUMBER, 0, int(Op.WHOLE_POWER), 65),
    "back": (NUMBER, 0, NUMBER, 0, UNLESS, 1),
    "beyond": (NUMBER, 0, NUMBER, 0, UNLESS, 4),
    "unequal": (NUMBER, 0, UNLESS, 4, NUMBER, 0, JUMP, 4, NUMBER, 0),
    "unreached": (NUMBER, 0, JUMP, 3, NUMBER, 0),
    "deep": (NUMBER, 0) * 33 + (ADD, 0) * 32,
    "long": (NUMBER, 0) + (int(Op.NEGATE), 0) * 1024,
}


@pytest.mark.parametrize("case", BAD)
def test_a_program_that_cannot_run_is_refused(case, tmp_path, monkeypatch):
    assert problem(BAD[case], 1, 8, 2)
    assert opened(with_code(BAD[case]), tmp_path, monkeypatch) is None


@settings(max_examples=150, **SLOW)
@given(text=formulas, place=st.integers(0, 200), number=st.integers(-2, 40), last=st.booleans())
def test_the_kernel_refuses_what_python_refuses(text, place, number, last, tmp_path_factory):
    """Programs with one of their numbers changed, or cut short; those that are taken run."""
    made = program(parse(text), NAMES.index, {"curve": 0, "ramp": 1})
    code = list(made.code)
    code[place % len(code)] = number
    code = code[: -2 * last or None]
    device = replace(with_code(code), constants=made.constants)
    with pytest.MonkeyPatch.context() as patch:
        found = opened(device, tmp_path_factory.mktemp("model"), patch)
    assert (found is None) == (problem(code, len(made.constants), 8, 2) is not None)
    if found is not None:
        outcome(found, found._count - 1)


FORGED = {
    "a force of a device": ("force", lambda old: [99, *old[1:]]),
    "a measure of a device": ("element", lambda old: [99, *old[1:]]),
    "a rate of a device": ("rate", lambda old: [99, *old[1:]]),
    "a residual of a device": ("residual", lambda old: [old[0] + 1, *old[1:]]),
    "a parameter of a device": ("parameter", lambda old: [99, *old[1:]]),
    "the inputs of a device": ("inputs", lambda old: 9),
    "a nominal value": ("unknown", lambda old: [{**old[0], "nominal": 0.0}, *old[1:]]),
    "the length of a table": ("curve", lambda old: [{"count": 1, "x": [0.0], "y": [0.0]}, *old[1:]]),
    "a table": ("curve", lambda old: [{**old[0], "x": old[0]["x"][::-1]}, *old[1:]]),
    "the formulas of residuals": ("inner", lambda old: 99),
    "the loads of a device": ("loads", lambda old: 99),
}


@pytest.mark.parametrize("what", FORGED)
def test_a_device_that_is_not_sound_is_refused(what, tmp_path, monkeypatch):
    field, change = FORGED[what]
    given = kernel_stream.device_values

    def forged(*of):
        return {**given(*of), field: change(given(*of)[field])}

    monkeypatch.setattr(kernel_stream, "device_values", forged)
    path = save(with_devices(PLANS[0]), tmp_path / MODEL_FILE)
    with pytest.raises(TableFormatError, match=f"its plan is wrong: {what}"):
        KernelModel(load_library(library()), path)()
