"""Mechanisms and variants of them, baked; what takes long is kept in build/bench."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

from engines.common import BUILD, MECHANISMS, kept_file

from fmu_src.build.compile import library
from fmu_src.build.kernel_shape import shape_header
from fmu_src.build.model_writer import to_bytes
from fmu_src.interface.variable import Variable
from fmu_src.interface.variables import variables
from fmu_src.model import model_file
from fmu_src.model.reduced_model import ReducedModel
from parts.stages import clocked
from precompute import pipeline
from precompute.mechanism_file import load, source_hash
from precompute.model.mechanism import Mechanism, TableSettings

ROOT = Path(__file__).resolve().parents[2]
KEPT = BUILD / "bench"
OTHERS = ROOT / "integration" / "mechanisms"
OUTPUTS = 20
TIMED = (
    "rigid_1",
    "rigid_2",
    "bushings_1",
    "bushings_1, midpoint",
    "double_wishbone",
    "double_wishbone, midpoint",
)
"""Mechanisms whose steps are timed, those with stiff directions with both methods."""

LOADS = (300.0, 200.0, 5000.0, 10.0, 5.0, -5.0)
"""Force [N] and moment [N m] at the port."""


@dataclass(frozen=True, eq=False)
class Baked:
    """A model file and what is known of its making."""

    path: Path
    stages: dict[str, float]  # processor time by stage [s]

    @property
    def seconds(self) -> float:
        """Processor time of baking."""
        return sum(self.stages.values())

    @property
    def model(self) -> ReducedModel:
        """Its content."""
        return model_file.load(self.path)

    @property
    def library(self) -> Path:
        """The kernel made for it."""
        return library(shape=shape_header(self.model))


def timed(key: str) -> Baked:
    """One of `TIMED`."""
    name, _, method = key.partition(", ")
    found = baked(mechanism(name))
    return with_method(found, "midpoint") if method else found


def with_method(baked: Baked, method: Literal["rk4", "midpoint"]) -> Baked:
    """The same tables with another integrator."""
    path = baked.path.with_name(f"{baked.path.stem}_{method}{baked.path.suffix}")
    path.write_bytes(to_bytes(replace(baked.model, method=method)))
    return Baked(path, baked.stages)


def mechanism(name: str) -> Mechanism:
    """By the name of its file, of `benchmarks/mechanisms` or else of `integration/mechanisms`."""
    path = MECHANISMS / f"{name}.toml"
    return load(path if path.exists() else OTHERS / path.name)


def with_tables(found: Mechanism, **settings: object) -> Mechanism:
    """The same with other settings of its tables."""
    tables: TableSettings = replace(found.tables, **settings)  # type: ignore[arg-type]
    return replace(found, tables=tables)


def baked(found: Mechanism) -> Baked:
    """The mechanism's model file; baked unless that was done before with the same code."""
    key = hashlib.sha256(f"{source_hash(found)} {code()}".encode()).hexdigest()[:12]
    path = KEPT / f"{found.name}_{key}.kinetab"
    times = path.with_name(f"{path.stem}_stages.json")
    KEPT.mkdir(parents=True, exist_ok=True)
    if not (path.exists() and times.exists()):
        with clocked(pipeline) as stages:
            model = pipeline.bake(found)
        start = time.process_time()
        data = to_bytes(model)
        stages["writing"] = time.process_time() - start
        times.write_text(json.dumps(stages), encoding="utf-8")
        with kept_file(path) as unfinished:
            unfinished.write_bytes(data)
    return Baked(path, json.loads(times.read_text(encoding="utf-8")))


@cache
def code() -> str:
    """Stands for all Python code that a model file depends on."""
    digest = hashlib.sha256()
    for folder in ("precompute", "fmu_src"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()


# -- which variables are set and read ------------------------------------------------------------------------------


def port_inputs(model: ReducedModel) -> list[int]:
    """Value references of the force and moment at the first port."""
    name = model.ports[0].name
    places = references(variables(model))
    return [places[f"port.{name}.{kind}[{i}]"] for kind in "FM" for i in (1, 2, 3)]


def read_outputs(model: ReducedModel, known: Collection[str] | None = None) -> list[int]:
    """Value references of 20 outputs: the first marker's, then coordinates, springs and what else there is.

    Only such as are `known`, if a kernel that does not have all is to read the same.
    """
    table = variables(model)
    heads = (f"marker.{model.markers[0].name}.", "q.", "qd.", "qdd.", "spring.", "")
    outputs = [i for i, v in enumerate(table) if v.causality == "output" and (known is None or v.name in known)]
    ranked = sorted(outputs, key=lambda i: next(k for k, head in enumerate(heads) if table[i].name.startswith(head)))
    return ranked[:OUTPUTS]


def references(table: tuple[Variable, ...]) -> dict[str, int]:
    """Value references by name."""
    return {v.name: i for i, v in enumerate(table)}
