"""Fixed random seeds, and reduced models and FMUs that are baked once per test process."""

import os

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):  # before NumPy: one core per process
    os.environ.setdefault(variable, "1")

# ruff: noqa: E402
import shutil
import signal
import tempfile
from functools import cache
from pathlib import Path

import pytest
from helpers_baked import FOLDER, baked_file
from hypothesis import settings

from fmu_src.build.python_fmu import build_fmu

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background by a shell: tests send interrupts
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config):
    """The first process makes the folder of models; those that it starts find it by its name."""
    if not hasattr(config, "workerinput"):
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="kinetab_models_")


def pytest_unconfigure(config):
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ[FOLDER], ignore_errors=True)


@pytest.fixture(scope="session")
def baked():
    """name -> ReducedModel of a mechanism file."""
    return baked_file


@pytest.fixture(scope="session")
def fmu(tmp_path_factory):
    """name -> FMU of a mechanism file."""
    folder = tmp_path_factory.mktemp("fmus")

    @cache
    def build(name: str) -> Path:
        return build_fmu(baked_file(name), folder / f"{name}.fmu")

    return build
