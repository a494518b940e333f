"""Whether an FMU was baked from a mechanism file as it is now."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fmu_src.model.reduced_model import ReducedModel
from precompute.errors import SimulationError
from precompute.mechanism_file import load, source_hash, to_document

MOST = 8
"""Differences that a message names."""


def check_version(model: ReducedModel, fmu: str, file: Path) -> None:
    """That a model was baked from a file.

    Raises:
        MechanismError: the file cannot be read.
        SimulationError: it was not; says what differs.
    """
    mechanism = load(file)
    if source_hash(mechanism) == model.source_hash:
        return
    found = list(changes(to_document(mechanism), model.mechanism))
    lines = found[:MOST] + ([f"and {len(found) - MOST} more"] if len(found) > MOST else [])
    raise SimulationError(
        "\n  ".join(
            [
                f"{fmu} was baked from another version of '{file}': verify it as it is, without --mechanism, or bake "
                f"again: kinetab bake {file} -o {fmu}",
                *(lines or ["they differ in something that the FMU does not hold"]),
            ]
        )
    )


def changes(now: Any, baked: Any, place: str = "") -> Iterator[str]:
    """What differs between two documents, place by place, but for coordinates that the bake has chosen."""
    if isinstance(now, dict) and isinstance(baked, dict):
        for key in dict.fromkeys((*now, *baked)):
            inner = f"{place}.{key}" if place else str(key)
            if key not in now:
                if inner != "coordinates":  # chosen by the bake, as where the file says "auto"
                    yield f"{inner}: not in the file, {shown(baked[key])} in the FMU"
            elif key not in baked:
                yield f"{inner}: {shown(now[key])} in the file, not in the FMU"
            else:
                yield from changes(now[key], baked[key], inner)
    elif now != baked and now != "auto":
        yield f"{place}: {shown(now)} in the file, {shown(baked)} in the FMU"


def shown(value: Any) -> str:
    """A value as a message names it."""
    text = f"{value:.9g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
