"""Native FMUs for other platforms, compiled by zig, run there: on Windows under wine, on 64-bit ARM under qemu.

One FMU of each is run by default, all by `make platforms`; what is missing for it is said.
"""

import shutil
from dataclasses import replace

import numpy as np
import pytest
from helpers import ROOT
from helpers_baked import baked
from helpers_model import crank_slider
from helpers_platforms import NO_ZIG, OURS, TARGETS, Target, Unpacked, console, run
from helpers_stiff import stiff_pendulum

from fmu_src.build.native_fmu import build_native_fmu
from precompute.mechanism_file import load

pytestmark = pytest.mark.fmu

SAME = 1e-11  # of a variable's largest value; compilers sum in another order
SIZE, STEPS, HALF = 1e-3, 200, 100


def bushed(**changes):
    """A baked crank-slider whose crank pin is on a bushing."""
    model = baked(load(ROOT / "tests" / "mechanisms" / "crank_slider_stiff.toml"))
    return replace(model, **changes)


MODELS = {
    "rigid": crank_slider,
    "rigid midpoint": lambda: replace(crank_slider(), method="midpoint"),
    "bushed": bushed,
    "bushed midpoint": lambda: bushed(method="midpoint"),
    "bushed quasistatic": lambda: stiff_pendulum(nodes=15, quasistatic=True),
}
SLOW = pytest.mark.slow
RUNS = [
    pytest.param(target, model, marks=() if model == "rigid" else SLOW, id=f"{target}-{model}")
    for target in TARGETS
    for model in MODELS
]


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """A folder with a name that not every platform reads alike; wine's Windows beside it is too large to be kept."""
    folder = tmp_path_factory.mktemp("platforms")
    yield folder / "Fahrwerk für 後輪 100%"
    shutil.rmtree(folder / "wine", ignore_errors=True)


class Machine:
    """A platform that FMUs run on."""

    def __init__(self, target, place):
        self.target, self.prefix = target, place.parent / "wine"
        self.folder = place / target.platform
        self.folder.mkdir(parents=True)
        self.program = console(target, place.parent / target.platform)

    def unpacked(self, model):
        """The native FMU of a model."""
        folder = self.folder / str(len(list(self.folder.iterdir())))
        folder.mkdir()
        path = build_native_fmu(model, folder / "a.fmu", [self.target.platform])
        return Unpacked(path, folder, self.target)

    def rows(self, lines):
        """What it prints, (lines, values)."""
        done = run(self.target, self.program, lines, self.prefix)
        assert done.returncode == 0, done.stderr.decode()
        return [[float.fromhex(x) for x in line.split(",")] for line in done.stdout.decode().split()]


@pytest.fixture(scope="session")
def machine(place):
    """Name of a target, or None for this platform -> what runs FMUs there; skips where something is missing."""
    known = {}

    def get(name):
        target = TARGETS[name] if name else OURS
        if name and target.missing:
            pytest.skip(target.missing)
        if name not in known:
            (place.parent / target.platform).mkdir()
            known[name] = Machine(target, place)
        return known[name]

    return get


def there_and_back(fmu):
    """To the end, from the state at half time to the end again, and in another instance from that state's bytes."""

    def steps(first, last):
        return [line for i in range(first, last) for line in (f"step {i * SIZE!r} {SIZE!r}", fmu.get)]

    force = next(reference for name, reference in fmu.references.items() if name.endswith(".F[1]"))
    start = [fmu.create, "start", f"set {force}=-3.5", fmu.get, *steps(0, HALF)]
    again = steps(HALF, STEPS)
    other = [fmu.create, "start", "unpack", "restore", *again, "free"]
    return [fmu.load, *start, "save", *again, "restore", *again, "pack", "free", *other]


def parts(rows):
    """The three runs of the second half, and the first run whole."""
    *first, (size,) = rows[: 1 + STEPS + HALF + 1]
    assert size > 0
    whole, again, other = first[: 1 + STEPS], first[1 + STEPS :], rows[1 + STEPS + HALF + 1 :]
    return np.array(whole), np.array(again), np.array(other)


@pytest.fixture(scope="session")
def expected(machine):
    """Model -> its outputs on this platform."""
    known = {}

    def get(model):
        if model not in known:
            here = machine(None)
            known[model] = parts(here.rows(there_and_back(here.unpacked(MODELS[model]()))))[0]
        return known[model]

    return get


@pytest.mark.parametrize(("target", "model"), RUNS)
def test_an_fmu_runs_there_as_here(target, model, machine, expected):
    there = machine(target)
    fmu = there.unpacked(MODELS[model]())
    whole, again, other = parts(there.rows(there_and_back(fmu)))
    here = expected(model)
    assert whole.shape == here.shape == (1 + STEPS, len(fmu.outputs)) and np.isfinite(whole).all()
    assert np.ptp(whole[:, fmu.outputs.index("energy.kinetic")]) > 0.0
    size = np.abs(here).max(axis=0)
    error = np.abs(whole - here).max(axis=0) / np.where(size > 0.0, size, 1.0)
    print(f"{target}, {model}: {error.max():.1e} of {fmu.outputs[error.argmax()]}")
    assert error.max() < SAME
    assert again.tobytes() == other.tobytes() == whole[1 + HALF :].tobytes()


def test_the_same_sequence_on_this_platform(machine, expected):
    """So that the sequence itself is always run."""
    here = machine(None)
    whole, again, other = parts(here.rows(there_and_back(here.unpacked(crank_slider()))))
    assert whole.tobytes() == expected("rigid").tobytes()
    assert again.tobytes() == other.tobytes() == whole[1 + HALF :].tobytes()
    assert np.ptp(whole[:, 0]) > 0.0


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_a_model_file_that_is_not_there_is_named(target, machine):
    there = machine(target)
    fmu = there.unpacked(crank_slider())
    done = run(there.target, there.program, [fmu.load, f"{fmu.create}/für nichts"], there.prefix)
    said = done.stderr.decode()
    assert done.returncode == 1 and "cannot read the model file" in said
    assert f"{there.target.drive}{there.folder.resolve().as_posix()}" in said and "für nichts/model.kinetab" in said


def test_what_is_missing_is_said(monkeypatch, tmp_path):
    empty = Target("aarch64-linux", "no-such-emulator", (), tmp_path / "ld.so", "qemu-user", "")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert empty.missing == NO_ZIG == "ziglang is not installed: pip install 'kinetab[native]'"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    assert empty.missing == "no-such-emulator is not installed: apt-get install qemu-user"
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    assert empty.missing == f"no-such-emulator finds no '{tmp_path / 'ld.so'}': apt-get install qemu-user"
    (tmp_path / "ld.so").touch()
    assert empty.missing == ""
