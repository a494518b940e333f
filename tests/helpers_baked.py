"""Models that are baked once per run of the tests, whichever process asks for them first."""

import atexit
import hashlib
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from filelock import FileLock
from helpers import MECHANISMS

from fmu_src.build.model_writer import save
from fmu_src.model.model_file import load as load_model
from fmu_src.model.reduced_model import ReducedModel
from precompute.mechanism_file import load, source_hash
from precompute.model.mechanism import Mechanism
from precompute.pipeline import bake

FOLDER = "KINETAB_TEST_MODELS"
"""The environment variable that names the folder of this run; `conftest` makes it, other programs their own."""

_known: dict[str, ReducedModel] = {}


def baked(mechanism: Mechanism) -> ReducedModel:
    """The reduced model of a mechanism; what is read back from its file is what was written."""
    told = hashlib.sha256(repr(mechanism.units).encode()).hexdigest()[:8]  # messages have numbers in these units
    key = f"{source_hash(mechanism)}_{told}"
    if key not in _known:
        if FOLDER not in os.environ:
            os.environ[FOLDER] = tempfile.mkdtemp(prefix="kinetab_models_")
            atexit.register(shutil.rmtree, os.environ[FOLDER], ignore_errors=True)
        path = Path(os.environ[FOLDER]) / f"{key}.kinetab"
        with FileLock(path.with_suffix(".lock")):
            if not path.exists():
                save(bake(mechanism), path)
        _known[key] = load_model(path)
    return _known[key]


@cache
def baked_file(name: str) -> ReducedModel:
    """The same of a mechanism file that we ship."""
    return baked(load(MECHANISMS / f"{name}.toml"))
