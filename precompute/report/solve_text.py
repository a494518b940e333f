"""What `kinetab solve` says and draws."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from precompute.coordinates.stiff_check import stiff_name
from precompute.model.mechanism import Mechanism
from precompute.running.samples import Samples

OF_A_MARKER = re.compile(r"marker\.\w+\.(r|v|a|jerk)\[\d\]")
OTHERS = re.compile(r"marker\.\w+\.(steer|camber)|measure\.\w+")

REST = 1e-9
"""Of the largest of its kind: a coordinate of a marker that changes less, or a derivative that is smaller, rests."""


def solved(samples: Samples, mechanism: Mechanism, files: Sequence[Path]) -> str:
    """What was given, what was held, and where it went."""
    count, first, last = len(samples.time), samples.time[0], samples.time[-1]
    when = f"{count} samples from {first:g} s to {last:g} s" if count > 1 else f"one sample at {first:g} s"
    given = [name.removeprefix("q.") for name in samples.inputs]
    held = sum(stiff_name(mechanism, c) not in given for c in mechanism.stiff_coordinates)
    rest = f", {held} stiff directions at zero" if held else ""
    where = f" -> {', '.join(map(str, files))}" if files else ""
    return f"{samples.name}: {when}, given {', '.join(given)}{rest}; {len(samples.outputs)} quantities{where}"


def usual_names(samples: Samples) -> list[str]:
    """What is drawn if nothing is asked for: what is given, how markers move, steer and camber, measures."""
    sizes: dict[str, dict[str, float]] = {}
    for name, values in samples.outputs.items():
        if found := OF_A_MARKER.fullmatch(name):
            size = np.ptp(values) if found[1] == "r" else np.abs(values).max()
            sizes.setdefault(found[1], {})[name] = float(size)
    moving = [name for own in sizes.values() for name, size in own.items() if size > REST * max(own.values())]
    return [*samples.inputs, *moving, *(name for name in samples.outputs if OTHERS.fullmatch(name))]
