"""The Python FMU with the compiled kernel: what it imports, what it says where it cannot be loaded, its bits."""

import gc
import logging
import re
import shutil
import struct
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from fmpy import simulate_fmu
from fmpy.validation import validate_fmu
from helpers_fmu import KERNELS, Host, make_resources, python
from helpers_model import crank_slider, double_pendulum
from helpers_stiff import stiff_pendulum

import fmu_src.slave.slave
from fmu_src.build import python_fmu
from fmu_src.build.compile import PLATFORMS, current_platform, library
from fmu_src.build.kernel_shape import shape_header
from fmu_src.build.model_writer import save, to_bytes
from fmu_src.build.native_fmu import build_native_fmu
from fmu_src.build.python_fmu import build_fmu
from fmu_src.errors import FmuError, StepError
from fmu_src.interface.variables import variables
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.instance import Instance
from fmu_src.slave import kernel_library
from fmu_src.slave.kernel_instance import MOST_LISTS, KernelInstance, KernelModel
from fmu_src.slave.kernel_library import KernelMissing, library_name, load_library
from fmu_src.slave.runtimes import MODEL_FILE
from fmu_src.slave.slave import MechanismSlave

pytestmark = pytest.mark.fmu

CRANK = crank_slider(nodes=20)
MODELS = {
    "pendulum": double_pendulum(nodes=15),
    "stiff": stiff_pendulum(nodes=15, moving=True),
    "midpoint": replace(stiff_pendulum(nodes=15, moving=True), name="Midpoint", method="midpoint"),
    "quasistatic": stiff_pendulum(nodes=15, quasistatic=True, driven="filtered"),
}


@pytest.fixture(scope="module")
def fmus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fmus")
    return {name: build_fmu(model, folder / f"{name}.fmu") for name, model in MODELS.items()}


# --- the FMU ----------------------------------------------------------------------------------------------------------

RUN = """
import ctypes, sys

class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numpy", "scipy"):
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Block())
from helpers_fmi import Component, Unpacked, reals, references
unpacked = Unpacked(sys.argv[1], sys.argv[2])
inputs = [r for name, r in unpacked.references.items() if name.startswith(("Q.", "port.", "drive.", "chassis.v"))]
inputs = [r for r in inputs if r not in unpacked.outputs]
fmu = Component(unpacked)
assert fmu.component, fmu.log
for start in range(2):
    fmu.initialize()
    for i in range(100):
        values = [0.1 + 0.01 * ((i + k) % 7) for k in range(len(inputs))]
        assert fmu.call("SetReal", references(*inputs), ctypes.c_size_t(len(inputs)), reals(*values)) == 0
        assert fmu.step(i * 1e-3, 1e-3) == 0, fmu.log
    print(bytes(reals(*fmu.get(*unpacked.references))).hex())
    print(fmu.to_bytes(fmu.save()).hex())
    assert fmu.call("Reset") == 0
fmu.free()
assert not fmu.log, fmu.log
print({"numpy", "scipy"} & {name.partition(".")[0] for name in sys.modules})
"""


@pytest.mark.parametrize("name", MODELS)
def test_without_numpy_it_gives_the_bits_of_the_native_fmu(name, fmus, tmp_path):
    """Values, saved states and a reset; and nothing of NumPy or SciPy is imported."""
    native = build_native_fmu(MODELS[name], tmp_path / "native.fmu")
    said = [python(RUN, path, tmp_path / path.parent.name) for path in (fmus[name], native)]
    assert [done.returncode for done in said] == [0, 0], said[0].stderr + said[1].stderr
    assert said[0].stdout == said[1].stdout
    first, state, again, state_again, imported = said[0].stdout.split("\n")[:5]
    assert first == again and state == state_again and len(first) > 500 and imported == "set()"
    assert said[0].stderr == ""


def test_what_the_archive_holds(fmus):
    here = current_platform()
    with zipfile.ZipFile(fmus["pendulum"]) as archive:
        (kernel,) = [name for name in archive.namelist() if "kernel_" in name and not name.endswith(".py")]
        assert re.fullmatch(rf"resources/kinetab_kernel_\w{{8}}/{library_name(here)}", kernel)
        assert archive.read(kernel) == library(shape=shape_header(MODELS["pendulum"])).read_bytes()
        page = archive.read("documentation/index.html").decode()
    assert f"compiled for {here}; elsewhere with NumPy" in page
    assert validate_fmu(str(fmus["pendulum"])) == []


def test_kernels_are_part_of_the_identity(tmp_path, monkeypatch):
    """Also when there is one for a platform more; any file will do for another platform."""
    other = next(name for name in PLATFORMS if name != current_platform())
    monkeypatch.setattr(
        python_fmu, "libraries", lambda names, shape: dict.fromkeys(names, library(shape=shape).read_bytes())
    )
    monkeypatch.setattr(python_fmu, "compiler_version", lambda platform: f"a compiler for {platform}")
    names = []
    for set_of in ([], [current_platform()], [current_platform(), other]):
        path = build_fmu(CRANK, tmp_path / "a.fmu", set_of)
        with zipfile.ZipFile(path) as archive:
            names.append(archive.read("resources/slavemodule.txt"))
            assert sum("/kinetab_kernel_" in name for name in archive.namelist()) == len(set_of)
        result = simulate_fmu(str(path), stop_time=0.01, output_interval=1e-3, output=["q.theta"])
        assert len(result) == 11
    assert len(set(names)) == 3


def test_a_run_time_is_found_when_the_fmu_that_brought_it_has_gone(tmp_path, capfd):
    """Both FMUs have the same modules, but only the second needs those of NumPy."""
    with_kernel = build_fmu(crank_slider(nodes=23), tmp_path / "a.fmu")
    without = build_fmu(crank_slider(nodes=23), tmp_path / "b.fmu", platforms=())
    ends = []
    for path in (with_kernel, without):
        host = Host(path).start()
        host.step(0.0, 0.01)
        ends += host.get("q.theta")
        host.close()
    assert ends[0] == pytest.approx(ends[1], rel=1e-12)
    note = "the FMU was built without a compiled kernel; it runs in NumPy, which is slower"
    assert capfd.readouterr().out.count(note) == 1


# --- where the kernel cannot be loaded --------------------------------------------------------------------------------


@pytest.fixture
def resources(tmp_path, monkeypatch):
    monkeypatch.setattr(fmu_src.slave.slave.MechanismSlave, "kernels", KERNELS)
    return make_resources(CRANK, tmp_path, "kernel")


def start(resources):
    slave = MechanismSlave(instance_name="axle", resources=str(resources))
    slave.setup_experiment(0.0, None, None)
    slave.enter_initialization_mode()
    slave.exit_initialization_mode()
    slave.do_step(0.0, 0.01)
    return slave


def spoil_platform(resources, monkeypatch):
    (resources / KERNELS / current_platform()).rename(resources / KERNELS / "vax")
    return f"the FMU has no compiled kernel for {current_platform()}, only for vax"


def spoil_library(resources, monkeypatch):
    (resources / KERNELS / library_name(current_platform())).write_bytes(b"no library")
    return r"the compiled kernel cannot be loaded \(.*\)"


def spoil_functions(resources, monkeypatch):
    monkeypatch.setitem(kernel_library.FUNCTIONS, "kt_new", (None, ()))
    return r"the compiled kernel cannot be loaded \(.*kt_new.*\)"


def spoil_version(resources, monkeypatch):
    monkeypatch.setattr(kernel_library, "KERNEL_VERSION", 99)
    return "the compiled kernel has version 1 instead of 99; build the FMU again"


@pytest.mark.parametrize("spoil", [spoil_platform, spoil_library, spoil_functions, spoil_version])
def test_numpy_takes_over_with_one_note(spoil, resources, monkeypatch, caplog):
    said = spoil(resources, monkeypatch)
    with caplog.at_level(logging.WARNING, "kinetab"):
        slaves = [start(resources) for _ in range(3)]
    assert all(isinstance(slave.instance, Instance) for slave in slaves)
    (record,) = caplog.records
    assert re.fullmatch(f"axle: {said}; it runs in NumPy, which is slower", record.getMessage())
    assert [len(slave.log_queue) for slave in slaves] == [1, 0, 0]


def test_a_kernel_that_loads_says_nothing(resources, caplog):
    slave = start(resources)
    assert isinstance(slave.instance, KernelInstance) and not slave.log_queue and not caplog.records


def test_equal_kernels_are_loaded_once(kernel, tmp_path):
    copy = shutil.copy(library(), tmp_path / "copy.so")
    assert load_library(Path(copy)) is kernel


def test_an_unknown_platform(resources, monkeypatch):
    monkeypatch.setattr(kernel_library.sys, "platform", "plan9")
    monkeypatch.setattr(kernel_library.platform, "machine", lambda: "vax")
    assert kernel_library.platform_name() == "vax-plan9"
    with pytest.raises(KernelMissing, match="no compiled kernel for vax-plan9, only for"):
        kernel_library.find_library(resources / KERNELS)


def test_a_damaged_model_file_is_said_in_words(resources, caplog):
    data = to_bytes(CRANK)
    for broken, match in ((data[:-1], "is damaged"), (b"nothing", "is not a model file"), (b"", "is not a model file")):
        (resources / MODEL_FILE).write_bytes(broken)
        with pytest.raises(FmuError, match=f"model file .* {match}"):
            start(resources)
    (resources / MODEL_FILE).unlink()
    with pytest.raises(FmuError, match="cannot read the model file .*: No such file"):
        start(resources)


# --- the instance -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kernel():
    return load_library(library())


def both(model, kernel, folder):
    save(model, folder / MODEL_FILE)
    return Instance(prepare(model)), KernelModel(kernel, folder / MODEL_FILE)()


@pytest.mark.parametrize("name", MODELS)
def test_each_run_time_takes_the_states_of_the_other(name, kernel, tmp_path):
    """The block has one layout; after it both go on alike."""
    model = MODELS[name]
    everything = range(len(variables(model)))
    numpy, compiled = both(model, kernel, tmp_path)
    for giver, taker in ((numpy, compiled), (compiled, numpy)):
        giver.setup(1.0)
        giver.enter_initialization()
        giver.exit_initialization()
        giver.step(1.0, 0.01)
        values = giver.get(everything)
        taker.restore(giver.save())
        assert taker.save() == giver.save()
        assert taker.get(everything) == pytest.approx(values, rel=1e-9, abs=1e-9)
        for instance in (giver, taker):
            instance.step(1.01, 0.01)
        assert taker.get(everything) == pytest.approx(giver.get(everything), rel=1e-9, abs=1e-9)


def test_a_state_with_derivatives_of_inputs_is_the_kernels_alone(kernel, tmp_path):
    """NumPy has none."""
    plain, compiled = both(MODELS["stiff"], kernel, tmp_path)
    block = bytearray(compiled.save())
    plain.restore(bytes(block))
    place = len(block) - 8 * (len(plain.values) + 1)  # the last of the derivatives
    block[place : place + 8] = struct.pack("<d", 1.0)
    compiled.restore(bytes(block))
    with pytest.raises(StepError, match="holds derivatives of inputs"):
        plain.restore(bytes(block))


def test_foreign_states_are_refused(kernel, tmp_path):
    _, instance = both(CRANK, kernel, tmp_path)
    own = instance.save()
    for block in (b"", own[:-1], bytes(len(own)), own + bytes(8)):
        with pytest.raises(StepError, match="not one of this model"):
            instance.restore(block)
    assert instance.save() == own


def test_lists_of_references_are_remembered_up_to_a_limit(kernel, tmp_path):
    _, instance = both(MODELS["stiff"], kernel, tmp_path)
    values = instance.get(range(60))
    for first in range(60):
        for last in range(first, 60):
            assert instance.get(list(range(first, last))) == values[first:last]
    assert len(instance._lists) <= MOST_LISTS
    assert instance.get([]) == []
    instance.set([], [])


def test_an_instance_is_freed_once_and_its_model_outlives_it(kernel, tmp_path, monkeypatch):
    save(CRANK, tmp_path / MODEL_FILE)
    model = KernelModel(kernel, tmp_path / MODEL_FILE)
    instance = model()
    freed = []
    monkeypatch.setattr(instance, "_free", lambda handle: (freed.append(handle.value), kernel.kt_free(handle)))
    del model
    gc.collect()
    assert instance.get([0]) == [1e-3]
    instance.__del__()
    del instance
    gc.collect()
    assert len(freed) == 1


SHUTDOWN = """
import sys
from fmu_src.build.compile import library
from fmu_src.slave.kernel_instance import KernelModel
from fmu_src.slave.kernel_library import load_library
model = KernelModel(load_library(library()), sys.argv[1])
kept = model()
class Cycle: pass
cycle = Cycle()
cycle.me, cycle.instance = cycle, model()
sys.kept = model()
"""


def test_instances_that_are_alive_at_the_end_of_python(tmp_path):
    done = python(SHUTDOWN, save(CRANK, tmp_path / MODEL_FILE))
    assert done.returncode == 0 and done.stderr == ""
