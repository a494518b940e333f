"""The run-time half imports only the standard library, NumPy and, for the slave and the builder, pythonfmu."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fmu_src.build import RUNTIME_MODULES

ROOT = Path(__file__).parent.parent

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


def modules():
    return sorted(path.stem for path in (ROOT / "fmu_src").glob("*.py"))


def test_every_module_imports_without_the_offline_half():
    done = imports(OFFLINE, *(f"fmu_src.{name}" for name in modules()))
    assert done.returncode == 0, done.stderr


def test_the_run_time_needs_no_pythonfmu_but_for_the_slave():
    done = imports((*OFFLINE, "pythonfmu"), *(f"fmu_src.{name}" for name in RUNTIME_MODULES if name != "slave"))
    assert done.returncode == 0, done.stderr


def test_what_is_not_in_the_fmu_is_known():
    assert set(modules()) - set(RUNTIME_MODULES) == {
        "archive",
        "arrangement",
        "build",
        "compile",
        "documentation",
        "kernel_plan",
        "model_writer",
        "native_build",
    }


INSTANTIATE = """
from fmu_src.slave import MechanismSlave
MechanismSlave(instance_name="axle", resources=sys.argv[2])
"""


def test_a_missing_numpy_is_said_in_words(tmp_path):
    done = run(IMPORT.rsplit("for name", 1)[0] + INSTANTIATE, "numpy", tmp_path)
    assert done.returncode != 0
    assert "the FMU was built without a compiled kernel, and numpy is blocked" in done.stderr
    assert "install NumPy in the Python that runs this FMU" in done.stderr


def test_what_a_kernel_needs_is_the_standard_library():
    done = imports((*OFFLINE, "numpy"), "fmu_src.slave", "fmu_src.runtimes", "fmu_src.kernel_instance")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", sorted((ROOT / "fmu_src").glob("*.py")), ids=lambda path: path.stem)
def test_imports_inside_the_package_are_relative(path):
    """So that the package works under the name that the builder gives it."""
    assert "import fmu_src" not in path.read_text() and "from fmu_src" not in path.read_text()
