"""What a bake takes after one thing of the file was changed, with the tables of the file before in the cache."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from fmu_src.build.python_fmu import build_fmu
from parts.models import OTHERS
from precompute.cache.stages import NO_CACHE, Stages
from precompute.mechanism_file import loads
from precompute.pipeline import bake

NAME = "double_wishbone"

EDITS = {
    "nothing": ("", ""),
    "a bushing's rate": ("stiffness = [15200,", "stiffness = [16000,"),
    "a damper's table": ("[10, 1800]", "[10, 1900]"),
    "a start value": ("to = 30\n", "to = 30\nstart = 2\n"),
    "the communication step": ("step_size = 0.001", "step_size = 0.0005"),
    "a hardpoint": ("outer = [32.327,", "outer = [32.4,"),
    "an output marker more": ("[markers.wheel]", '[markers.more]\nbody = "hub"\nat = [34, 40, 33]\n\n[markers.wheel]'),
}
"""What is changed: a text of the file and what stands in its place."""


def measure() -> list[dict[str, object]]:
    """One row per change: processor time of reading the file, baking and building the FMU, without Python's start."""
    text = (OTHERS / f"{NAME}.toml").read_text(encoding="utf-8")
    with TemporaryDirectory() as name:
        folder = Path(name)
        made(text, folder, NO_CACHE)  # the kernel is compiled
        rows = [{"what": "without a cache", "s": made(text, folder, NO_CACHE), "reused": False}]
        made(text, folder, Stages(folder / "cache"))
        for what, (old, new) in EDITS.items():
            assert old in text, what
            stages = Stages(folder / "cache")
            rows.append(
                {
                    "what": f"changed: {what}",
                    "s": made(text.replace(old, new, 1), folder, stages),
                    "reused": bool(stages.reused),
                }
            )
    return rows


def made(text: str, folder: Path, stages: Stages) -> float:
    """Processor time [s] from a file to its FMU."""
    start = time.process_time()
    build_fmu(bake(loads(text), kept=stages), folder / "a.fmu")
    return time.process_time() - start
