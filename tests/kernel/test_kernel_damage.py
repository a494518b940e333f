"""Damaged and hostile model files, many instances, many steps: the kernel gives errors and never crashes or grows."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers_fmu import python
from helpers_model import crank_slider, double_pendulum
from helpers_random import as_factors, random_model
from helpers_stiff import stiff_pendulum

from fmu_src.build import model_writer
from fmu_src.build.compile import library
from fmu_src.build.model_writer import save
from fmu_src.errors import FmuError, TableFormatError
from fmu_src.slave.kernel_instance import KernelModel
from fmu_src.slave.kernel_library import load_library
from fmu_src.slave.runtimes import MODEL_FILE

FLAGS = {"periodic": (True, False, False), "outside": ("linear", "error", "error"), "driven": ("no",) * 3}
MODELS = {
    "crank": lambda: crank_slider(nodes=12),
    "pendulum": lambda: double_pendulum(nodes=8),
    "stiff": lambda: stiff_pendulum(nodes=8, moving=True, driven="direct"),
    "quasistatic": lambda: stiff_pendulum(nodes=8, quasistatic=True),
    "factors": lambda: random_model(12, nf=3, ns=0, charts=1, degree=1, moving=False, quasistatic=False, **FLAGS),
    "charts": lambda: random_model(5, nf=2, ns=0, charts=2, degree=3, moving=True, quasistatic=False, **FLAGS),
    "loads": lambda: random_model(6, nf=2, ns=1, charts=1, degree=3, moving=True, quasistatic=False, loads=2, **FLAGS),
}

DAMAGE = """
import random, struct, sys
from pathlib import Path
from fmu_src.build import model_writer
from fmu_src.build.compile import library
from fmu_src.errors import FmuError, TableFormatError
from fmu_src.slave.kernel_instance import KernelModel
from fmu_src.slave.kernel_library import load_library
from fmu_src.model.model_file import KERNEL, PRELUDE, padding
from fmu_src.build.model_writer import checksum

source, scratch = Path(sys.argv[1]), Path(sys.argv[2])
data, rng, kernel = source.read_bytes(), random.Random(1), load_library(library())
start = PRELUDE.size + KERNEL.size + PRELUDE.unpack_from(data)[2]
start += padding(start)
place, words, _ = KERNEL.unpack_from(data, PRELUDE.size)
NASTY = (0, 1, -1, 2, 7, 8, 63, 255, 2**31 - 1, 2**31, 2**32, 2**62, -2**63)
REALS = (0.0, -1.0, 1e300, -1e-300, float("inf"), float("nan"))

def flipped():
    raw = bytearray(data)
    for _ in range(rng.choice((1, 1, 3))):
        raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
    return raw

def shortened():
    return bytearray(data[: rng.randrange(len(data))])

def crafted():
    # words of the plan or of the arrays changed, with a checksum that fits
    raw = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 4))):
        word = rng.randrange(words) if rng.random() < 0.9 else rng.randrange((len(data) - start) // 8)
        at = start + (place if rng.random() < 0.95 else 0) + 8 * word
        if at + 8 > len(raw):
            continue
        if rng.random() < 0.3:
            raw[at : at + 8] = struct.pack("<d", rng.choice(REALS))
        elif rng.random() < 0.5:
            raw[at : at + 8] = struct.pack("<q", rng.choice(NASTY))
        else:
            (old,) = struct.unpack_from("<q", raw, at)
            raw[at : at + 8] = struct.pack("<q", max(-2**63, min(2**63 - 1, old + rng.choice((-2, -1, 1, 2)))))
    KERNEL.pack_into(raw, PRELUDE.size, place, words, checksum(bytes(raw[start:])))
    return raw

count = {"refused": 0, "ran": 0, "failed": 0}
for number in range(int(sys.argv[3])):
    make = (flipped, shortened, crafted, crafted, crafted, crafted)[number % 6]
    raw = make()
    scratch.write_bytes(raw)
    print(number, make.__name__, flush=True)
    try:
        instance = KernelModel(kernel, scratch)()
    except FmuError as error:
        assert str(error).startswith("model file"), error
        count["refused"] += 1
        continue
    try:
        everything = range(instance._count)
        instance.get(everything)
        instance.setup(0.0)
        instance.enter_initialization()
        instance.exit_initialization()
        for i in range(3):
            instance.step(i * 1e-3, 1e-3)
            instance.get(everything)
        instance.restore(instance.save())
        count["ran"] += 1
    except FmuError as error:
        count["failed"] += 1
print(count)
"""


@pytest.mark.parametrize("name", MODELS)
def test_damaged_files_never_crash(name, tmp_path):
    source = save(MODELS[name](), tmp_path / MODEL_FILE)
    done = python(DAMAGE, source, tmp_path / "scratch", 300)
    assert done.returncode == 0, done.stdout[-200:] + done.stderr[-2000:]
    *_, counts = done.stdout.splitlines()
    assert int(counts.split("'refused': ")[1].split(",")[0]) > 100


def forged(model, change):
    """The model with other cells in its last block."""
    chart = model.charts[0]
    block = replace(chart.blocks[-1], cells=np.array(change(chart.blocks[-1].cells.tolist())))
    return replace(model, charts=(replace(chart, blocks=(*chart.blocks[:-1], block)),))


def test_rows_that_come_twice_are_refused(tmp_path, monkeypatch):
    """Reading counts on it: each chunk of rows once in a block."""
    monkeypatch.setattr(model_writer, "check_model", lambda model: None)
    for make in (crank_slider, double_pendulum):
        model = forged(make(), lambda cells: [*cells[:-1], cells[0]] if len(cells) > 1 else [[7, -1, -1, -1]])
        with pytest.raises(TableFormatError, match="its plan is wrong: (the rows of a chunk|the cells of a part)"):
            KernelModel(load_library(library()), save(model, tmp_path / MODEL_FILE))()


def test_deflections_that_do_not_ascend_in_a_chunk_are_refused(tmp_path, monkeypatch):
    """The slope along a deflection comes from one cell with it alone, and is not cleared before."""
    monkeypatch.setattr(model_writer, "check_model", lambda model: None)
    model = forged(
        stiff_pendulum(nodes=8), lambda cells: [[row, 0 if i >= 0 > j else i, j, k] for row, i, j, k in cells]
    )
    with pytest.raises(TableFormatError, match="its plan is wrong: the factor of a cell"):
        KernelModel(load_library(library()), save(model, tmp_path / MODEL_FILE))()


def factored(core, *bases, knots=None):
    """The pendulum with these factors of its tables."""
    model = double_pendulum(nodes=8)
    chart = model.charts[0]
    block = replace(chart.blocks[-1], core=core, bases=bases, knots=knots or chart.blocks[-1].knots)
    return replace(model, charts=(replace(chart, blocks=(*chart.blocks[:-1], block)),))


FACTORS = as_factors(double_pendulum(nodes=8).charts[0].blocks[-1])
CORE, (FIRST, SECOND) = FACTORS.core, FACTORS.bases


def stretched(nodes):
    """Next to no numbers, and so many nodes along each axis."""
    grids = (np.linspace(-end, end, nodes) for end in (1.6, 1.8))
    knots = tuple(np.concatenate((x[:1], x, x[-1:])) for x in grids)
    return factored(CORE[:1, :1], np.ones((nodes, 1)), np.ones((nodes, 1)), knots=knots)


@pytest.mark.parametrize(
    ("model", "what"),
    [
        (factored(CORE, FIRST, SECOND, SECOND), "the number of bases"),
        (factored(CORE, FIRST), "the number of bases"),
        (factored(CORE, FIRST, SECOND[:-1]), "the size of a basis"),
        (factored(CORE, FIRST, np.ones((8, 9))), "the size of a basis"),
        (factored(CORE, FIRST, SECOND[:, 1:]), "the size of a block"),
        (factored(CORE[1:], FIRST, SECOND), "the size of a block"),
        (stretched(4000), "the size of a block"),
        (stretched(3000), "there is not enough memory"),
    ],
)
def test_factors_that_do_not_fit_are_refused(model, what, tmp_path, monkeypatch):
    """A small file does not take all memory, either."""
    monkeypatch.setattr(model_writer, "check_model", lambda model: None)
    with pytest.raises(TableFormatError, match=f"its plan is wrong: {what}"):
        KernelModel(load_library(library()), save(model, tmp_path / MODEL_FILE))()


def resident():
    """[bytes] of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is counted elsewhere")


@pytest.fixture
def model(tmp_path):
    return KernelModel(load_library(library()), save(stiff_pendulum(nodes=15), tmp_path / MODEL_FILE))


SHORTENED = """
import os, sys
from pathlib import Path
from helpers_fmi import Kernel

whole, cut, empty = (Kernel(path).start() for path in [Path(sys.argv[1])] * 3)
for kernel, size in ((cut, 100), (empty, 0)):
    os.truncate(sys.argv[1], size)
    for i in range(20):
        for each in (whole, kernel) if kernel is empty else (kernel,):
            each.step(1e-3 * i, 1e-3)
    kernel.library.kt_step(kernel.instance, c_double(-1.0), c_double(1e-3))
    assert b"start" in kernel.library.kt_message(kernel.instance), kernel.library.kt_message(kernel.instance)
    refused = kernel.library.kt_set(kernel.instance, references(0), c_size_t(1), reals(float("nan")))
    assert refused and b"nan" in kernel.library.kt_message(kernel.instance).lower()
    assert len(kernel.get(range(10))) == 10
os.remove(sys.argv[1])
assert cut.get(range(10)) == empty.get(range(10)) == whole.get(range(10))
print("alive")
"""


def test_a_model_file_that_is_cut_short_while_it_runs_harms_nobody(tmp_path):
    """It was mapped once; the host then died of a bus error at the next look at it."""
    path = save(stiff_pendulum(nodes=8), tmp_path / MODEL_FILE)
    names = "from ctypes import c_double, c_size_t\nfrom helpers_fmi import reals, references\n"
    done = python(f"import sys\nsys.path.insert(0, {str(Path(__file__).parents[1])!r})\n{names}{SHORTENED}", path)
    assert done.returncode == 0 and done.stdout == "alive\n", done.stderr


def start(instance):
    instance.setup(0.0)
    instance.enter_initialization()
    instance.exit_initialization()
    return instance


def test_a_thousand_instances_are_apart(model):
    instances = [start(model()) for _ in range(1000)]
    for round in range(3):
        for instance in instances:
            instance.step(round * 1e-3, 1e-3)
    assert len({instance.save() for instance in instances}) == 1
    instances[7].step(3e-3, 1e-3)
    assert len({instance.save() for instance in instances}) == 2


@linux
@pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""), reason="AddressSanitizer keeps freed memory for a while"
)
def test_many_steps_and_many_instances_take_no_more_memory(model):
    instance = start(model())
    everything = list(range(instance._count))
    time, sizes = 0.0, []
    for _ in range(5):
        for _ in range(20_000):
            instance.set([0], [1e-3])
            instance.step(time, 1e-3)
            instance.get(everything[-20:])
            time += 1e-3
        for _ in range(50):
            start(model()).restore(instance.save())
        with pytest.raises(FmuError):
            instance.step(-1.0, 1e-3)
        sizes.append(resident())
    assert sizes[-1] - sizes[1] < 2**20, sizes
