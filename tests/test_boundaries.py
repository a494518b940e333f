"""The run-time half imports only the standard library, NumPy and, for the slave and the builder, pythonfmu."""

import os
import subprocess
import sys

import pytest
from helpers import ROOT

from fmu_src.build.python_fmu import RUNTIME, runtime_sources

OFFLINE = ("scipy", "pydantic", "precompute", "matplotlib", "fmpy", "rich", "lxml")

IMPORT = """
import importlib, sys
blocked = set(sys.argv[1].split(","))

class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Block())
for name in sys.argv[2:]:
    importlib.import_module(name)
"""


def imports(blocked, *modules):
    return run(IMPORT, ",".join(blocked), *modules)


def run(script, *arguments):
    return subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def modules(folder="fmu_src", names=("",)):
    """Dotted names of all modules in a folder, or in some packages of it."""
    files = [file for name in names for file in (ROOT / folder / name).rglob("*.py")]
    return sorted(".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for file in files)


RUNTIME_PACKAGES = [name.rstrip("/") for name in RUNTIME if name.endswith("/")]


def test_every_module_imports_without_the_offline_half():
    done = imports(OFFLINE, *modules())
    assert done.returncode == 0, done.stderr


def test_the_run_time_needs_no_pythonfmu_but_for_the_slave():
    done = imports(
        (*OFFLINE, "pythonfmu"), *(name for name in modules(names=RUNTIME_PACKAGES) if name != "fmu_src.slave.slave")
    )
    assert done.returncode == 0, done.stderr


def test_what_is_not_in_the_fmu_is_known():
    inside = {f"fmu_src/{name}" for name in runtime_sources()}
    every = {file.relative_to(ROOT).as_posix() for file in (ROOT / "fmu_src").rglob("*.py")}
    assert {name.split("/")[1] for name in every - inside} == {"build", "files.py"}


INSTANTIATE = """
from fmu_src.slave.slave import MechanismSlave
MechanismSlave(instance_name="axle", resources=sys.argv[2])
"""


def test_a_missing_numpy_is_said_in_words(tmp_path):
    done = run(IMPORT.rsplit("for name", 1)[0] + INSTANTIATE, "numpy", tmp_path)
    assert done.returncode != 0
    assert "the FMU was built without a compiled kernel, and numpy is blocked" in done.stderr
    assert "install NumPy in the Python that runs this FMU" in done.stderr


def test_what_a_kernel_needs_is_the_standard_library():
    done = imports(
        (*OFFLINE, "numpy"), "fmu_src.slave.slave", "fmu_src.slave.runtimes", "fmu_src.slave.kernel_instance"
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", sorted((ROOT / "fmu_src").rglob("*.py")), ids=lambda path: path.stem)
def test_imports_inside_the_package_are_relative(path):
    """So that the package works under the name that the builder gives it."""
    assert "import fmu_src" not in path.read_text() and "from fmu_src" not in path.read_text()
