"""FMUs of the corners and of the slaves; what takes long is kept in build/vehicle."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path
from typing import Literal

from pythonfmu import FmuBuilder

from corners.car import corner
from fmu_src.build.model_writer import to_bytes
from fmu_src.build.native_fmu import build_native_fmu
from fmu_src.build.python_fmu import build_fmu
from fmu_src.model import model_file
from fmu_src.model.reduced_model import ReducedModel
from precompute.mechanism_file import source_hash
from precompute.pipeline import bake

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "build" / "vehicle"
Kind = Literal["python", "native"]


def corner_fmu(name: str, kind: Kind, rigid: bool = False, elements: bool = False) -> Path:
    """FMU of a corner; made unless that was done before with the same code."""
    path = KEPT / f"{name}_{kind}_{_key(name, rigid, elements)}.fmu"
    if not path.exists():
        model = corner_model(name, rigid, elements)
        unfinished = path.with_suffix(f".{os.getpid()}.fmu")
        (build_fmu if kind == "python" else build_native_fmu)(model, unfinished)
        unfinished.replace(path)
    return path


def corner_model(name: str, rigid: bool = False, elements: bool = False) -> ReducedModel:
    """Tables of a corner; baked unless that was done before with the same code."""
    path = KEPT / f"{name}_{_key(name, rigid, elements)}.kinetab"
    if not path.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(to_bytes(bake(corner(name, rigid, elements))))
        unfinished.replace(path)
    return model_file.load(path)


@cache
def _key(name: str, rigid: bool, elements: bool) -> str:
    """Stands for the mechanism and all code that its FMUs depend on."""
    digest = hashlib.sha256(source_hash(corner(name, rigid, elements)).encode())
    for folder in ("precompute", "fmu_src"):
        for file in sorted((ROOT / folder).rglob("*.[pch]*")):
            if file.suffix in (".py", ".c", ".h"):
                digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def slave_fmu(name: str) -> Path:
    """FMU of one of the slaves, `tyre` for kinetab_tyre.py; its module name is its own in every process."""
    KEPT.mkdir(parents=True, exist_ok=True)
    folder = ROOT / "integration" / "slaves"
    script, shared = folder / f"kinetab_{name}.py", [folder / "kinetab_part.py", folder / "kinetab_rotation.py"]
    key = hashlib.sha256(b"".join(file.read_bytes() for file in (script, *shared))).hexdigest()[:12]
    path = KEPT / f"{name}_{key}.fmu"
    if not path.exists():
        unfinished = path.with_suffix(f".{os.getpid()}.fmu")
        FmuBuilder.build_FMU(script, unfinished, shared, needsExecutionTool=False)
        unfinished.replace(path)
    return path
