"""What a bake takes after one thing of the file was changed, with the tables of the file before in the cache."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from fmu_src.build.model_writer import to_bytes
from parts.models import OTHERS
from precompute.cache.stages import Stages
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
    """One row per change: processor time [s] from the text of the file to that of the model, without Python's start."""
    text = (OTHERS / f"{NAME}.toml").read_text(encoding="utf-8")
    with TemporaryDirectory() as name:
        rows = [timed("no tables in the cache", text, Path(name))]
        for what, (old, new) in EDITS.items():
            assert old in text, what
            rows.append(timed(f"changed: {what}", text.replace(old, new, 1), Path(name)))
    return rows


def timed(what: str, text: str, cache: Path) -> dict[str, object]:
    """A bake, on a clock."""
    stages, start = Stages(cache), time.process_time()
    to_bytes(bake(loads(text), stages=stages))
    return {"what": what, "s": time.process_time() - start, "reused": bool(stages.reused)}
