"""Native FMUs in FMPy, libcosim and a C host: the same numbers as the kernel's own, bit for bit."""

import ctypes
import io
import subprocess
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from xml.etree import ElementTree

import fmpy
import numpy as np
import pytest
from fmpy import simulate_fmu
from fmpy.validation import validate_fmu
from helpers_fmi import ERROR, OK, Component, Kernel, Unpacked, c_host, references
from helpers_fmu import Host, python, side_by_side
from helpers_model import CRANK_END_ANGLE, CRANK_ENERGY, crank_slider, double_pendulum
from helpers_stiff import stiff_pendulum

from fmu_src.build.compile import PLATFORMS, compile_c, compiler, current_platform
from fmu_src.build.model_writer import to_bytes
from fmu_src.build.native_fmu import build_native_fmu, model_guid
from fmu_src.build.python_fmu import build_fmu

pytestmark = pytest.mark.fmu

MODELS = {
    "crank": crank_slider(),
    "pendulum": double_pendulum(nodes=15),
    "stiff": stiff_pendulum(nodes=15, moving=True),
    "midpoint": replace(stiff_pendulum(nodes=15, moving=True), name="Midpoint", method="midpoint"),
}
SIZE = 1e-3


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("native")


@pytest.fixture(scope="module")
def fmus(folder):
    """name -> path of the native FMU."""
    return {name: build_native_fmu(model, folder / f"{name}.fmu") for name, model in MODELS.items()}


@pytest.fixture(scope="module")
def unpacked(fmus, folder):
    return {name: Unpacked(path, folder / name) for name, path in fmus.items()}


@pytest.fixture(scope="module")
def host(folder):
    return c_host(folder)


def description(path):
    with zipfile.ZipFile(path) as archive:
        return ElementTree.fromstring(archive.read("modelDescription.xml"))


def text(element):
    return ElementTree.canonicalize(ElementTree.tostring(element), strip_text=True)


# --- the archive ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_it_is_valid(name, fmus):
    assert validate_fmu(str(fmus[name])) == []


@pytest.mark.parametrize("name", MODELS)
def test_all_but_the_capabilities_is_as_in_the_python_fmu(name, fmus, tmp_path):
    native = description(fmus[name])
    python_fmu = description(build_fmu(MODELS[name], tmp_path / "python.fmu"))
    for part in ("UnitDefinitions", "LogCategories", "DefaultExperiment", "ModelVariables", "ModelStructure"):
        assert text(native.find(part)) == text(python_fmu.find(part))
    for key in ("fmiVersion", "modelName", "description", "variableNamingConvention"):
        assert native.get(key) == python_fmu.get(key)
    simulation = native.find("CoSimulation").attrib
    assert simulation["modelIdentifier"] == python_fmu.find("CoSimulation").get("modelIdentifier")
    can = ("canHandleVariableCommunicationStepSize", "canInterpolateInputs", "canGetAndSetFMUstate")
    assert all(simulation[key] == "true" for key in (*can, "canSerializeFMUstate", "providesDirectionalDerivative"))
    assert simulation["needsExecutionTool"] == simulation["canNotUseMemoryManagementFunctions"] == "false"


def test_what_the_archive_holds(fmus):
    with zipfile.ZipFile(fmus["crank"]) as archive:
        names = archive.namelist()
        assert archive.read("resources/model.kinetab") == to_bytes(MODELS["crank"])
        page = archive.read("documentation/index.html").decode()
    here = current_platform()
    assert names == sorted(names) and f"binaries/{here}/CrankSlider{PLATFORMS[here].suffix}" in names
    assert "runs without Python on" in page and "NumPy" not in page
    code = [name.removeprefix("sources/") for name in names if name.endswith(".c")]
    listed = [file.get("name") for file in description(fmus["crank"]).iter("File")]
    assert code == listed and "fmi2.c" in code and "sources/kinetab.h" in names


def test_the_guid_is_the_kernels(unpacked):
    for name, fmu in unpacked.items():
        kernel = Kernel(fmu.folder / "resources" / "model.kinetab", fmu.binary)
        digits = kernel.library.kt_guid(kernel.instance).decode()
        assert fmu.guid.translate(str.maketrans("", "", "{}-")) == digits
        assert fmu.guid == model_guid(to_bytes(MODELS[name]))
        kernel.free()


def test_equal_models_give_equal_bytes(tmp_path):
    first = build_native_fmu(MODELS["crank"], tmp_path / "a.fmu").read_bytes()
    assert build_native_fmu(crank_slider(), tmp_path / "b.fmu").read_bytes() == first
    assert description(io.BytesIO(first)).get("generationDateAndTime") is None
    bare = build_native_fmu(MODELS["crank"], tmp_path / "c.fmu", sources=False)
    with zipfile.ZipFile(bare) as archive:
        assert not [name for name in archive.namelist() if name.startswith("sources/")]
    assert description(bare).find("CoSimulation/SourceFiles") is None and validate_fmu(str(bare)) == []


def test_the_sources_compile_without_warnings_and_with_a_prefix(unpacked, tmp_path):
    folder = unpacked["crank"].folder / "sources"
    files = sorted(folder.glob("*.c"))
    flags = ("-O0", "-std=c99", "-fPIC", "-shared", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
    made = compile_c(
        compiler(current_platform()), files, tmp_path / "a.so", (*flags, "-DFMI2_FUNCTION_PREFIX=Crank_"), ("-lm",)
    )
    library = ctypes.CDLL(str(made))
    library.Crank_fmi2GetVersion.restype = ctypes.c_char_p
    assert library.Crank_fmi2GetVersion() == b"2.0"
    assert not hasattr(library, "fmi2GetVersion")


def test_the_build_description_follows_its_schema(unpacked):
    etree = pytest.importorskip("lxml.etree")
    schema = etree.XMLSchema(file=f"{fmpy.__path__[0]}/schema/fmi3/fmi3BuildDescription.xsd")
    schema.assertValid(etree.parse(unpacked["crank"].folder / "sources" / "buildDescription.xml"))


# --- numbers ----------------------------------------------------------------------------------------------------------


def loads(fmu):
    """Value references and constant values of some inputs."""
    names = [name for name in ("Q.theta", "Q.alpha", "port.pin.F[1]", "port.tip.F[2]") if name in fmu.references]
    return [fmu.references[name] for name in names], [0.5 + 0.25 * i for i in range(len(names))]


def by_the_kernel(fmu, steps):
    """All outputs at the start and after each step."""
    kernel = Kernel(fmu.folder / "resources" / "model.kinetab", fmu.binary)
    kernel.call("setup", ctypes.c_double(0.0))
    kernel.call("enter_initialization")
    kernel.set(*loads(fmu))
    kernel.call("exit_initialization")
    rows = [kernel.get(fmu.outputs)]
    for i in range(steps):
        kernel.set(*loads(fmu))
        kernel.step(i * SIZE, SIZE)
        rows.append(kernel.get(fmu.outputs))
    kernel.free()
    return np.array(rows)


def test_the_crank_slider_of_the_reference_text(fmus):
    result = simulate_fmu(str(fmus["crank"]), stop_time=5.0, output_interval=1e-3, output=["q.theta", "energy.total"])
    assert len(result) == 5001
    assert result["q.theta"][-1] == pytest.approx(CRANK_END_ANGLE, abs=1e-6)
    assert np.abs(result["energy.total"] / CRANK_ENERGY - 1.0).max() < 1e-8


@pytest.mark.parametrize("name", MODELS)
def test_fmpy_gives_the_kernels_bits(name, fmus, unpacked):
    fmu, host = unpacked[name], Host(str(fmus[name]))
    host.fmu.setReal(*loads(fmu))
    host.start()
    rows = [host.fmu.getReal(fmu.outputs)]
    for i in range(200):
        host.step(i * SIZE, SIZE)
        rows.append(host.fmu.getReal(fmu.outputs))
    host.close()
    assert np.array(rows).tobytes() == by_the_kernel(fmu, 200).tobytes()


@pytest.mark.parametrize("name", MODELS)
def test_the_c_host_gives_the_kernels_bits(name, host, unpacked):
    fmu = unpacked[name]
    inputs = ",".join(f"{reference}={value}" for reference, value in zip(*loads(fmu), strict=True))
    outputs = ",".join(map(str, fmu.outputs))
    command = [host, fmu.binary, fmu.guid, fmu.uri, "300", repr(SIZE), inputs, outputs]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    rows = np.array([[float.fromhex(x) for x in line.split(",")] for line in done.stdout.splitlines()])
    assert rows[:, 1:].tobytes() == by_the_kernel(fmu, 300).tobytes()
    timed = subprocess.run([str(host), "-t", *map(str, command[1:])], capture_output=True, text=True, timeout=60)
    assert timed.returncode == 0 and float(timed.stdout) > 0.0


COSIM = """
import sys
from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimManipulator import CosimManipulator
from libcosimpy.CosimObserver import CosimObserver
from libcosimpy.CosimSlave import CosimLocalSlave
path, steps = sys.argv[1], int(sys.argv[2])
inputs = [int(x) for x in sys.argv[3].split(",")]
values = [float(x) for x in sys.argv[4].split(",")]
outputs = [int(x) for x in sys.argv[5].split(",")]
execution = CosimExecution.from_step_size(step_size=10**6)
slave = execution.add_local_slave(CosimLocalSlave(fmu_path=path, instance_name="axle"))
observer = CosimObserver.create_last_value()
execution.add_observer(observer)
for reference, value in zip(inputs, values):
    execution.real_initial_value(slave, reference, value)
execution.step(steps)
print("result", *(x.hex() for x in observer.last_real_values(slave, outputs)))
"""


def test_libcosim_gives_the_kernels_numbers(fmus, unpacked):
    pytest.importorskip("libcosimpy")
    fmu = unpacked["pendulum"]
    words = (",".join(map(str, numbers)) for numbers in (*loads(fmu), fmu.outputs))
    done = python(COSIM, fmus["pendulum"], 100, *words)
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("result ")]
    found = [float.fromhex(word) for word in line.split()[1:]]
    np.testing.assert_allclose(found, by_the_kernel(fmu, 100)[-1], rtol=1e-9, atol=1e-9)


def test_directional_derivatives_are_the_outputs_slopes(unpacked):
    for name, fmu in unpacked.items():
        native = Component(fmu).initialize()
        for i in range(20):
            assert native.step(i * SIZE, SIZE) == OK
        inputs = [reference for reference in range(fmu.outputs[0]) if is_input(fmu, reference)]
        for known in inputs[:14]:
            found = derivative(native, fmu.outputs, [known], [1.0])
            expected = difference(native, fmu.outputs, known)
            scale = np.abs(expected).max() + 1e-3
            np.testing.assert_allclose(found, expected, atol=1e-6 * scale, err_msg=f"{name}, input {known}")
        for known in inputs[:2]:
            native.call("SetReal", references(known), ctypes.c_size_t(1), (ctypes.c_double * 1)(0.1))
        before = native.to_bytes(native.save())
        both = derivative(native, fmu.outputs, inputs[:2], [2.0, -3.0])
        assert native.to_bytes(native.save())[: -8 * len(fmu.outputs)] == before[: -8 * len(fmu.outputs)]
        apart = [derivative(native, fmu.outputs, [known], [1.0]) for known in inputs[:2]]
        np.testing.assert_allclose(both, 2.0 * apart[0] - 3.0 * apart[1], rtol=1e-9, atol=1e-9)
        native.free()


def is_input(fmu, reference):
    root = ElementTree.parse(fmu.folder / "modelDescription.xml").getroot()
    variable = root.findall("ModelVariables/ScalarVariable")[reference]
    return variable.get("causality") == "input" and not variable.get("name").startswith("drive.")


def derivative(native, unknowns, knowns, seed):
    found = (ctypes.c_double * len(unknowns))()
    status = native.call(
        "GetDirectionalDerivative",
        references(*unknowns),
        ctypes.c_size_t(len(unknowns)),
        references(*knowns),
        ctypes.c_size_t(len(knowns)),
        (ctypes.c_double * len(seed))(*seed),
        found,
    )
    assert status == OK, native.log
    return np.array(found)


def difference(native, outputs, known, h=1e-3):
    names = {reference: name for name, reference in native.fmu.references.items()}
    (now,) = native.get(known)
    sides = []
    for value in (now + h, now - h):
        assert native.set(names[known], value) == OK
        sides.append(np.array(native.get(*outputs)))
    native.set(names[known], now)
    return (sides[0] - sides[1]) / (2 * h)


def ramped(fmu, size, rates):
    """All outputs at 0.2 s under a force that grows by 20 N/s, told at communication points."""
    native = Component(fmu).initialize()
    vr = references(fmu.references["port.tip.F[1]"])
    one = ctypes.c_size_t(1)
    for i in range(round(0.2 / size)):
        native.set("port.tip.F[1]", 20.0 * i * size)
        if rates:
            assert (
                native.call("SetRealInputDerivatives", vr, one, (ctypes.c_int * 1)(1), (ctypes.c_double * 1)(20.0))
                == OK
            )
        assert native.step(i * size, size) == OK
    found = np.array(native.get("q.alpha", "q.beta", "qd.alpha", "qd.beta"))
    native.free()
    return found


def test_gravity_has_no_derivative(unpacked):
    """With a moving ground it is an input, but held over a step."""
    native = Component(unpacked["stiff"]).initialize()
    vr, order = references(native.fmu.references["gravity[2]"]), (ctypes.c_int * 1)(1)
    for rate, status in ((0.0, OK), (1.0, ERROR)):
        values = (ctypes.c_double * 1)(rate)
        assert native.call("SetRealInputDerivatives", vr, ctypes.c_size_t(1), order, values) == status
    assert "'gravity[2]' is set to 1, but it is held" in native.log[-1][3]
    native.free()


def test_input_derivatives_make_a_ramp_of_steps(unpacked):
    fmu = unpacked["pendulum"]
    exact = ramped(fmu, 1e-4, rates=True)
    held = np.abs(ramped(fmu, 0.02, rates=False) - exact).max()
    sloped = np.abs(ramped(fmu, 0.02, rates=True) - exact).max()
    fine = np.abs(ramped(fmu, 1e-4, rates=False) - exact).max()
    assert sloped < 1e-7 and held > 1e3 * sloped
    assert fine < held / 100


def test_a_saved_state_holds_the_input_derivatives_of_the_step_to_come(unpacked):
    fmu = unpacked["pendulum"]
    native, other = Component(fmu).initialize(), Component(fmu)
    vr, one = references(fmu.references["port.tip.F[1]"]), ctypes.c_size_t(1)
    held = native.save()
    for rate in (20.0, 0.0):
        native.call("SetFMUstate", held)
        native.call("SetRealInputDerivatives", vr, one, (ctypes.c_int * 1)(1), (ctypes.c_double * 1)(rate))
        state = native.save()
        assert native.step(0.0, SIZE) == OK
        first = native.get(*fmu.outputs)
        for again in (native, other):
            assert again.call("SetFMUstate", state) == OK and again.step(0.0, SIZE) == OK
            assert again.get(*fmu.outputs) == first
    native.call("SetFMUstate", held)
    assert native.step(0.0, SIZE) == OK and native.get(*fmu.outputs) == first  # of the rate 0
    native.free(), other.free()


# --- several at once --------------------------------------------------------------------------------------------------


def test_two_fmus_side_by_side(fmus):
    side_by_side(str(fmus["crank"]), str(fmus["pendulum"]))


def test_a_thousand_instances(unpacked):
    natives = [Component(unpacked["crank"]).initialize() for _ in range(1000)]
    for i, native in enumerate(natives):
        native.set("Q.theta", float(i))
        assert native.step(0.0, SIZE) == OK
    rates = [native.get("qd.theta")[0] for native in natives]
    assert (np.diff(rates) > 0).all()
    for native in natives:
        native.free()
        assert not native.blocks


def test_threads_have_an_instance_each(unpacked):
    """Calls through ctypes run at the same time."""
    fmu = unpacked["stiff"]

    def run(_):
        native = Component(fmu).initialize()
        for i in range(300):
            assert native.step(i * SIZE, SIZE) == OK
        found = native.get(*fmu.outputs)
        native.free()
        return found

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(run, range(16)))
    assert all(result == results[0] for result in results)


def test_a_rebuilt_fmu_runs_its_new_content_in_the_same_process(tmp_path):
    ends = []
    for rate in (1.0, 3.0):
        model = replace(MODELS["crank"], starts=(replace(MODELS["crank"].starts[0], rate=rate),))
        path = build_native_fmu(model, tmp_path / "again.fmu")
        result = simulate_fmu(str(path), stop_time=0.1, output_interval=1e-2, output=["q.theta"])
        ends.append(result["q.theta"][-1])
    assert ends[0] < ends[1]
