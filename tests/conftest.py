"""Fixed random seeds, and reduced models and FMUs that are baked once per test process."""

import os

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):  # before NumPy: one core per process
    os.environ.setdefault(variable, "1")

# ruff: noqa: E402
from functools import cache
from pathlib import Path

import pytest
from helpers import MECHANISMS
from hypothesis import settings

from fmu_src.build.python_fmu import build_fmu
from fmu_src.model.reduced_model import ReducedModel
from precompute.mechanism_file import load
from precompute.pipeline import bake

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@cache
def baked_model(name: str) -> ReducedModel:
    return bake(load(MECHANISMS / f"{name}.toml"))


@pytest.fixture(scope="session")
def baked():
    """name -> ReducedModel of a mechanism file."""
    return baked_model


@pytest.fixture(scope="session")
def fmu(tmp_path_factory):
    """name -> FMU of a mechanism file."""
    folder = tmp_path_factory.mktemp("fmus")

    @cache
    def build(name: str) -> Path:
        return build_fmu(baked_model(name), folder / f"{name}.fmu")

    return build
