"""Run by commit.py with the packages of another commit: bakes its models and compiles its kernels into a folder.

    python -P commit_side.py FOLDER KEY ...

Only names that all commits since 3107e84 have are used here; what has changed since is at the top.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import sys
from pathlib import Path

from parts import models  # of that commit
from parts.models import variables

try:
    library = importlib.import_module("fmu_src.build.compile").library
    shape_header = importlib.import_module("fmu_src.build.kernel_shape").shape_header
    FLAGS = {"AVX-512": "", "AVX2": "-DKT_NARROW=4", "plain": "-DKT_NARROW=2"}
except ImportError:  # one kernel for all models
    library = importlib.import_module("fmu_src.compile").library
    shape_header = None
    FLAGS = {"AVX-512": "", "AVX2": "-DKT_AVX2", "plain": "-DKT_PLAIN"}


def main(folder: Path, keys: list[str]) -> None:
    found = {}
    for key in keys:
        print(f"bench: {key} of the commit ...", file=sys.stderr, flush=True)
        found[key] = side(key, folder)
    draft = folder / "unfinished.json"
    draft.write_text(json.dumps(found), encoding="utf-8")
    draft.replace(folder / "sides.json")


def side(key: str, folder: Path) -> dict[str, object]:
    """Model file, its bake [s], names of variables and libraries by family of processors; copied into the folder."""
    name, _, method = key.partition(", ")
    baked = models.baked(models.mechanism(name))
    if method:
        baked = models.with_method(baked, "midpoint")
    model = baked.model
    shape = {} if shape_header is None else {"shape": shape_header(model)}
    libraries = {}
    for family, flags in FLAGS.items():
        os.environ["KINETAB_CFLAGS"] = flags
        libraries[family] = kept(library(**shape), folder)
    return {
        "model": kept(baked.path, folder),
        "bake_s": baked.seconds,
        "variables": [variable.name for variable in variables(model)],
        "libraries": libraries,
    }


def kept(path: Path, folder: Path) -> str:
    shutil.copy(path, folder / path.name)
    return path.name


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
