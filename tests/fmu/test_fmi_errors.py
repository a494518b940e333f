"""Both FMUs in wrong hands: calls out of order, null pointers, foreign states; never a crash."""

import shutil
from ctypes import byref, c_char_p, c_double, c_int, c_size_t, c_void_p, create_string_buffer
from dataclasses import replace

import pytest
from helpers_fmi import DISCARD, ERROR, LAST_TIME, OK, TERMINATED, WARNING, Component, Unpacked, reals, references
from helpers_kinds import FRONTS, builder
from helpers_model import crank_slider, double_pendulum
from helpers_stiff import stiff_pendulum

from fmu_src.interface.description_xml import LOG_CATEGORIES
from precompute.running.simulation import SimulationError, run_fmu

pytestmark = pytest.mark.fmu

ONE, NONE = c_size_t(1), c_size_t(0)
NULL = c_void_p()


@pytest.fixture(scope="module", params=FRONTS)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def paths(kind, tmp_path_factory):
    folder = tmp_path_factory.mktemp("fmus")
    models = {"crank": crank_slider(), "pendulum": double_pendulum(nodes=15)}
    return {name: builder(kind)(model, folder / f"{name}.fmu") for name, model in models.items()}


@pytest.fixture(scope="module")
def unpacked(kind, paths, tmp_path_factory):
    found = {name: Unpacked(path, tmp_path_factory.mktemp(name)) for name, path in paths.items()}
    for fmu in found.values() if kind == "numpy" else ():
        first = Component(fmu)
        assert first.call("EnterInitializationMode") == WARNING and "NumPy" in first.log[-1][3]  # said once
        first.free()
    return found


@pytest.fixture
def crank(unpacked):
    return instance(unpacked["crank"])


@pytest.fixture
def pendulum(unpacked):
    return instance(unpacked["pendulum"])


def instance(fmu):
    native = Component(fmu)
    assert native.component, native.log
    return native


def refused(native, name, *arguments):
    """The one message of a call that is an error."""
    before = len(native.log)
    assert native.call(name, *arguments) == ERROR
    ((who, status, category, text),) = native.log[before:]
    assert (who, status, category) == ("axle", ERROR, "logStatusError")
    return text


# --- instances --------------------------------------------------------------------------------------------------------


def not_made(*arguments, **options):
    native = Component(*arguments, **options)
    assert native.component is None and not native.blocks
    return native.log[-1][3]


def test_what_cannot_be_instantiated(unpacked):
    fmu, other = unpacked["crank"], unpacked["pendulum"]
    assert "is not that of the model" in not_made(fmu, guid=other.guid)
    assert "is not that of the model" in not_made(fmu, guid="")
    assert "is not that of the model" in not_made(fmu, guid=fmu.guid[:-3])
    assert "is not that of the model" in not_made(fmu, guid=fmu.guid + "0")
    assert "co-simulation only" in not_made(fmu, kind=0)
    assert "no name" in not_made(fmu, name=b"") and "no name" in not_made(fmu, name=None)
    text = not_made(fmu, uri="file:///nowhere/100%25s %n")
    assert "/nowhere/100%s %n/" in text


def test_a_guid_in_other_letters(unpacked):
    fmu = unpacked["crank"]
    for guid in (fmu.guid.upper(), fmu.guid.strip("{}"), fmu.guid.replace("-", "")):
        native = Component(fmu, guid=guid)
        assert native.component
        native.free()


def test_null_pointers_at_instantiation(crank):
    create, good = crank.library.fmi2Instantiate, crank.callbacks
    guid, uri = crank.fmu.guid.encode(), crank.fmu.uri.encode()
    assert create(b"axle", 1, guid, uri, None, 0, 0) is None
    assert create(b"axle", 1, None, uri, byref(good), 0, 0) is None and "guid" in crank.log[-1][3]
    assert create(b"axle", 1, guid, None, byref(good), 0, 0) is None and "resource location" in crank.log[-1][3]
    silent = type(good)()
    assert create(b"axle", 1, b"wrong", uri, byref(silent), 0, 0) is None
    again = create(b"axle", 1, guid, uri, byref(silent), 0, 0)  # the C library's memory
    assert again and crank.library.fmi2GetReal(c_void_p(again), None, ONE, None) == ERROR
    crank.library.fmi2FreeInstance(c_void_p(again))
    crank.free()


def test_no_component(crank):
    crank.free()
    for name in ("EnterInitializationMode", "Reset", "Terminate", "CancelStep"):
        assert crank.call(name) == ERROR
    assert crank.call("GetReal", references(0), ONE, reals(0.0)) == ERROR
    assert crank.call("SetReal", references(0), ONE, reals(0.0)) == ERROR
    assert crank.call("DoStep", 0.0, 0.1, 1) == ERROR
    assert crank.call("GetFMUstate", byref(c_void_p())) == ERROR
    crank.library.fmi2FreeInstance(None)


def test_a_damaged_model_file(paths, tmp_path):
    fmu = Unpacked(paths["crank"], tmp_path)
    file = tmp_path / "resources" / "model.kinetab"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    assert "damaged" in not_made(fmu)
    file.write_bytes(data[:100])
    not_made(fmu)
    file.write_bytes(b"")
    not_made(fmu)


# --- the order of calls -----------------------------------------------------------------------------------------------


def test_calls_out_of_order(crank):
    vr, value, kind = references(0), reals(1e-3), c_int(LAST_TIME)
    derivative = ("GetDirectionalDerivative", vr, NONE, vr, NONE, value, value)

    assert refused(crank, "DoStep", 0.0, 0.1, 1) == "fmi2DoStep must not be called before initialization"
    for name in ("ExitInitializationMode", "Terminate"):
        assert "before initialization" in refused(crank, name)
    assert "before initialization" in refused(crank, *derivative)
    assert "before initialization" in refused(crank, "GetRealStatus", kind, byref(c_double()))
    assert crank.call("SetupExperiment", 0, 0.0, 0.0, 0, 0.0) == OK

    assert crank.call("EnterInitializationMode") == OK
    for name in ("EnterInitializationMode", "Terminate"):
        assert "during initialization" in refused(crank, name)
    assert "during initialization" in refused(crank, "SetupExperiment", 0, 0.0, 0.0, 0, 0.0)
    assert "during initialization" in refused(crank, "DoStep", 0.0, 0.1, 1)

    assert crank.call("ExitInitializationMode") == OK
    for name in ("EnterInitializationMode", "ExitInitializationMode"):
        assert "between steps" in refused(crank, name)
    assert "between steps" in refused(crank, "SetupExperiment", 0, 0.0, 0.0, 0, 0.0)
    assert crank.step(0.0, 0.1) == OK
    assert "no step to be cancelled" in refused(crank, "CancelStep")

    assert crank.call("Terminate") == OK
    assert "after termination" in refused(crank, "SetReal", vr, ONE, value)
    assert "after termination" in refused(crank, "DoStep", 0.1, 0.1, 1)
    assert "after termination" in refused(crank, "SetRealInputDerivatives", vr, NONE, None, None)
    assert "after termination" in refused(crank, "Terminate")
    assert crank.get("q.theta") != [0.0]
    assert crank.call("Reset") == OK and crank.initialize().get("q.theta") == [0.0]
    crank.free()


def test_status(crank):
    crank.initialize()
    assert crank.step(0.0, 0.25) == OK
    time, ended, other = c_double(), c_int(7), c_int()
    assert crank.call("GetRealStatus", LAST_TIME, byref(time)) == OK and time.value == 0.25
    assert crank.call("GetBooleanStatus", TERMINATED, byref(ended)) == OK and ended.value == 0
    assert crank.call("GetRealStatus", TERMINATED, byref(time)) == DISCARD
    assert crank.call("GetBooleanStatus", LAST_TIME, byref(ended)) == DISCARD
    assert crank.call("GetStatus", 0, byref(other)) == DISCARD
    assert crank.call("GetIntegerStatus", 0, byref(other)) == DISCARD
    assert crank.call("GetStringStatus", 1, byref(c_char_p())) == DISCARD
    assert "null pointer" in refused(crank, "GetRealStatus", LAST_TIME, None)
    crank.free()


def test_the_stop_time(crank):
    assert "stop after the start" in refused(crank, "SetupExperiment", 0, 0.0, 1.0, 1, 0.5)
    assert crank.call("SetupExperiment", 0, 0.0, 0.0, 1, 0.3) == OK
    assert crank.call("EnterInitializationMode") == crank.call("ExitInitializationMode") == OK
    for i in range(3):
        assert crank.step(0.1 * i, 0.1) == OK  # 0.1 * 2 + 0.1 > 0.3
    assert "goes beyond the stop time of 0.3 s" in refused(crank, "DoStep", 0.3, 0.1, 1)
    crank.free()


# --- arguments --------------------------------------------------------------------------------------------------------


def test_null_pointers(crank):
    crank.initialize()
    vr, value, order = references(9), reals(1.0), (c_int * 1)(1)
    for name in ("GetReal", "SetReal"):
        for arguments in ((None, ONE, value), (vr, ONE, None)):
            assert refused(crank, name, *arguments) == f"fmi2{name} is called with a null pointer"
        assert crank.call(name, None, NONE, None) == OK
    for name in ("GetFMUstate", "SetFMUstate"):
        assert "null pointer" in refused(crank, name, None)
    assert crank.call("FreeFMUstate", None) == OK and crank.call("FreeFMUstate", byref(c_void_p())) == OK
    assert "null pointer" in refused(crank, "SerializedFMUstateSize", None, byref(c_size_t()))
    assert "null pointer" in refused(crank, "SerializeFMUstate", None, create_string_buffer(8), ONE)
    assert "null pointer" in refused(crank, "DeSerializeFMUstate", None, ONE, byref(c_void_p()))
    assert "null pointer" in refused(crank, "SetRealInputDerivatives", vr, ONE, None, value)
    assert "null pointer" in refused(crank, "SetRealInputDerivatives", vr, ONE, order, None)
    assert "null pointer" in refused(crank, "GetDirectionalDerivative", vr, ONE, vr, ONE, None, value)
    assert "null pointer" in refused(crank, "SetDebugLogging", 1, ONE, None)
    assert "null pointer" in refused(crank, "SetDebugLogging", 1, ONE, (c_char_p * 1)())
    crank.free()


def test_other_types_and_orders(crank):
    crank.initialize()
    vr, value = references(9), (c_int * 1)()
    for name in ("Integer", "Boolean", "String"):
        for way in ("Get", "Set"):
            assert crank.call(f"{way}{name}", None, NONE, None) == OK
            assert "all variables are Real" in refused(crank, f"{way}{name}", vr, ONE, value)
            assert "null pointer" in refused(crank, f"{way}{name}", None, ONE, value)
    assert "only the first" in refused(crank, "SetRealInputDerivatives", vr, ONE, (c_int * 1)(2), reals(1.0))
    assert "not available" in refused(
        crank, "GetRealOutputDerivatives", references(16), ONE, (c_int * 1)(1), reals(0.0)
    )
    known = [name.encode() for name in LOG_CATEGORIES]
    assert crank.call("SetDebugLogging", 1, c_size_t(len(known)), (c_char_p * len(known))(*known)) == OK
    assert "no log category 'logJokes'" in refused(crank, "SetDebugLogging", 1, ONE, (c_char_p * 1)(b"logJokes"))
    crank.free()


def test_values_that_cannot_be(pendulum, kind):
    fmu = pendulum.fmu.references
    text = refused(pendulum, "SetReal", references(fmu["solver.step"]), ONE, reals(0.0))
    assert text == "parameter 'solver.step' is set to 0 s, outside [1e-09, inf]; set a value inside"
    pendulum.initialize()
    q_start, q, force = (references(fmu[name]) for name in ("q_start.alpha", "q.alpha", "Q.alpha"))
    assert "9999" in refused(pendulum, "GetReal", references(9999), ONE, reals(0.0))
    assert "9999" in refused(pendulum, "SetReal", references(9999), ONE, reals(0.0))
    assert "output" in refused(pendulum, "SetReal", q, ONE, reals(0.0))
    assert "fixed" in refused(pendulum, "SetReal", q_start, ONE, reals(0.0))
    assert "'Q.alpha' is set to nan" in refused(pendulum, "SetReal", force, ONE, reals(float("nan")))
    text = refused(pendulum, "SetRealInputDerivatives", references(9999), ONE, (c_int * 1)(1), reals(1.0))
    assert "9999" in text if kind == "native" else "the native FMU has them" in text
    refused(pendulum, "SetRealInputDerivatives", q, ONE, (c_int * 1)(1), reals(1.0))
    refused(pendulum, "SetRealInputDerivatives", force, ONE, (c_int * 1)(1), reals(float("inf")))
    refused(pendulum, "GetDirectionalDerivative", references(9999), ONE, force, ONE, reals(1.0), reals(0.0))
    refused(pendulum, "GetDirectionalDerivative", q, ONE, references(9999), ONE, reals(1.0), reals(0.0))
    for size in (0.0, -1.0, float("nan"), float("inf")):
        refused(pendulum, "DoStep", 0.0, size, 1)
    assert "0.5" in refused(pendulum, "DoStep", 0.5, 0.1, 1)
    assert pendulum.step(0.0, 0.1) == OK
    pendulum.free()


# --- going on after an error ------------------------------------------------------------------------------------------


def test_after_a_failed_step_a_state_or_a_reset_goes_on(pendulum):
    pendulum.initialize()
    start = pendulum.save()
    calm = step_ends(pendulum)
    pendulum.call("SetFMUstate", start)
    pendulum.set("Q.alpha", 1e3)
    before = pendulum.get(*pendulum.fmu.outputs)
    assert "'alpha'" in refused(pendulum, "DoStep", 0.0, 1.0, 1)
    assert pendulum.get(*pendulum.fmu.outputs) == before
    assert pendulum.call("SetFMUstate", start) == OK and step_ends(pendulum) == calm
    pendulum.call("SetFMUstate", start)
    pendulum.set("Q.alpha", 1e3)
    refused(pendulum, "DoStep", 0.0, 1.0, 1)
    assert pendulum.call("Reset") == OK
    assert step_ends(pendulum.initialize()) == calm
    assert pendulum.call("FreeFMUstate", byref(start)) == OK and not start
    pendulum.free()
    assert not pendulum.blocks


def test_a_motion_that_diverges_is_an_error_and_can_be_taken_back(crank):
    crank.initialize()
    start = crank.save()
    calm = step_ends(crank)
    for value in (1e300, -1e308):
        crank.call("SetFMUstate", start)
        assert crank.set("Q.theta", value) == OK
        text = refused(crank, "DoStep", 0.0, 1e-3, 1)
        assert "between t = 0 s and 0.001 s: the motion diverged: the acceleration of 'theta'" in text
    assert crank.call("SetFMUstate", start) == OK and step_ends(crank) == calm
    assert crank.call("Reset") == OK and step_ends(crank.initialize()) == calm
    crank.free()


def step_ends(native):
    assert native.step(0.0, 0.1) == OK
    return native.get(*native.fmu.outputs)


def test_foreign_states(crank, pendulum, kind, tmp_path):
    crank.initialize(), pendulum.initialize()
    mine, theirs = crank.save(), pendulum.save()
    before = crank.get(*crank.fmu.outputs)
    refused(crank, "SetFMUstate", theirs)
    assert "belongs to another model" in refused(crank, "GetFMUstate", byref(theirs))
    block = pendulum.to_bytes(theirs)
    assert "restore only what the same FMU" in refused(
        crank, "DeSerializeFMUstate", block, c_size_t(len(block)), byref(c_void_p())
    )
    assert "too few" in refused(crank, "SerializeFMUstate", mine, create_string_buffer(8), c_size_t(8))
    altered = bytearray(crank.to_bytes(mine))
    altered[0] ^= 1
    state = crank.from_bytes(bytes(altered))
    refused(crank, "SetFMUstate", state)
    assert crank.get(*crank.fmu.outputs) == before

    similar = replace(crank_slider(), source_hash="7" * 64)
    native = instance(Unpacked(builder(kind)(similar, tmp_path / "similar.fmu"), tmp_path / "similar"))
    refused(native, "SetFMUstate", mine)
    crank.free(), pendulum.free(), native.free()


def test_run_tells_what_the_fmu_says(kind, paths, tmp_path):
    with pytest.raises(SimulationError, match=r"pendulum.fmu stopped at 0\.\d+ s: .*'alpha'"):
        run_fmu(paths["pendulum"], stop=3.0, step=0.01, values={"Q.alpha": 50.0})
    notes = run_fmu(paths["pendulum"], stop=0.1, step=0.01).warnings
    assert len(notes) == (kind == "numpy") and all("NumPy" in note for note in notes)
    soft = builder(kind)(stiff_pendulum(nodes=15), tmp_path / "soft.fmu")
    run = run_fmu(soft, stop=0.2, step=0.001, values={"port.bob.F[2]": -4000.0})
    warning = run.warnings[-1]
    assert "mount." in warning and "table.inRange" in warning and run.outputs["table.inRange"].min() == 0.0
    shutil.copy(paths["crank"], tmp_path / "Kurbel für 2 %.fmu")
    assert run_fmu(tmp_path / "Kurbel für 2 %.fmu", stop=0.1, step=0.01).steps == 10
