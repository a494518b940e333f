"""How all costs grow: with stiff coordinates, free coordinates and markers."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from typing import Any

from engines.common import MECHANISMS

from fmu_src.build.kernel_shape import shape_header
from fmu_src.interface.variables import variables
from parts.kernel import Kernel
from parts.making import cost
from parts.master import ALONE, CALLED, Master, ways
from parts.models import Baked, baked, mechanism, port_inputs
from parts.timing import interleaved
from parts.variants import compile_seconds, compilers, families
from precompute.mechanism_file import from_document
from precompute.model.mechanism import Mechanism

STIFF = (0, 1, 2, 4, 6, 8, 10, 12)
MARKERS = (1, 2, 5, 10, 20)
FREE = ("rigid_1", "rigid_2", "front_axle")
DIRECTIONS = ("x", "y", "z", "ry", "rz")
MOUNT = {"stiffness": [40000, 40000, 40000, 0, 0, 0], "damping": [60, 60, 60, 0, 0, 0]}  # N/in, N s/in


def document(name: str) -> dict[str, Any]:
    """A mechanism file as a dictionary."""
    return tomllib.loads((MECHANISMS / f"{name}.toml").read_text(encoding="utf-8"))


def with_stiff(n: int) -> Mechanism:
    """The suspension with n stiff coordinates: first of the lower arm, then of the upper arm and the shock's top."""
    found = document("bushings_1")
    for arm, axis, stiff in (("lower", ["p3", "p4"], min(n, 5)), ("upper", ["p1", "p2"], min(max(n - 5, 0), 5))):
        joint: dict[str, Any] = {"type": "revolute", "parent": "ground", "child": f"{arm}_arm", "axis": axis}
        if stiff:
            joint["stiff"] = list(DIRECTIONS[:stiff])
        else:
            del found["bushings"][f"{arm}_front"], found["bushings"][f"{arm}_rear"]
        found["joints"][f"{arm}_arm"] = joint
    if n > 10:
        found["joints"]["shock_upper"]["stiff"] = ["x", "y", "z"][: n - 10]
        found["bushings"]["top"] = {"parent": "ground", "child": "shock_body", "at": "shock_upper", "axis": "x"} | MOUNT
    if not found["bushings"]:
        del found["bushings"]
    found["name"] = f"Stiff{n}"
    return from_document(found)


def with_markers(n: int) -> Mechanism:
    """The rigid suspension with n markers on its hub."""
    found = document("rigid_1")
    for i in range(1, n):
        found["markers"][f"m{i}"] = {"body": "hub", "at": [35.0, 39.5 + 0.1 * i, 32.0]}
    found["name"] = f"Markers{n}"
    return from_document(found)


def measure(
    repetitions: int, stiff: Sequence[int] = STIFF, free: Sequence[str] = FREE, markers: Sequence[int] = MARKERS
) -> list[dict[str, object]]:
    """Times of steps alone and with the port's inputs set and all outputs of all markers read."""
    models = {("stiff coordinates", n): baked(with_stiff(n)) for n in stiff}
    rigid = [baked(mechanism(name)) for name in free]
    models |= {("free coordinates", len(found.model.coordinates)): found for found in rigid}
    models |= {("markers", n): baked(with_markers(n)) for n in markers}
    candidates: dict[tuple[str, int, str], Callable[[], float]] = {}
    for key, found in models.items():
        candidates |= {(*key, way): run for way, run in marker_ways(found).items()}
    times = interleaved(candidates, repetitions)
    return [
        {
            "what": what,
            "n": n,
            "step_us": times[what, n, ALONE].median,
            "all_us": times[what, n, CALLED].median,
            "compile_s": compile_seconds(next(iter(compilers())), families()[0], shape_header(found.model)),
        }
        | cost(found)
        for (what, n), found in models.items()
    ]


def marker_ways(found: Baked) -> dict[str, Callable[[], float]]:
    """A step alone, and one with inputs and the outputs of all markers."""
    kernel, model = Kernel(found.library, found.path), found.model
    table = variables(model)
    wanted = [i for i, v in enumerate(table) if v.causality == "output" and v.name.startswith("marker.")]
    return ways(kernel, Master(port_inputs(model), wanted))
