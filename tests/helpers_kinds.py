"""The kinds of FMUs that behave alike, and what builds them."""

from functools import partial

import pytest

from fmu_src.build.compile import FRONT_PLATFORM, current_platform
from fmu_src.build.native_fmu import build_native_fmu
from fmu_src.build.python_fmu import build_fmu

NO_FRONT = pytest.mark.skipif(current_platform() != FRONT_PLATFORM, reason="Python FMUs have our front on Linux only")
FRONTS = ["native", pytest.param("python", marks=NO_FRONT), pytest.param("numpy", marks=NO_FRONT)]


def builder(kind):
    """What builds FMUs of a kind of `FRONTS`, from a model and a path."""
    return {"native": build_native_fmu, "python": build_fmu, "numpy": partial(build_fmu, platforms=())}[kind]
