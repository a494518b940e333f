"""What a disc on the floor shows, and what its coordinates begin with: names, units and texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..model.reduced_model import ReducedModel
from ..model.tracks import CYCLIC
from .source import Operation, Source
from .variable import XYZ

PLACE = CYCLIC[1:]


class Shown(NamedTuple):
    """An output of a disc."""

    name: str
    unit: str
    text: str
    source: Source


def track_outputs(model: ReducedModel) -> Iterator[Shown]:
    """What the floor exerts on the disc."""
    track = model.track
    if track is None:
        return
    for i, axis in enumerate(XYZ):
        text = f"Force of the floor on the disc at joint {track.name} along ground {axis}"
        yield Shown(f"joint.{track.name}.F[{i + 1}]", "N", text, Source(Operation.CONTACT, i))


def led(model: ReducedModel, coordinate: str) -> bool:
    """Whether the rate of a coordinate follows from the spin of a disc that rolls."""
    return model.track is not None and model.track.rolling and coordinate in PLACE


def led_by(model: ReducedModel) -> tuple[str, ...]:
    """The parameters from which the rates of x and y of a disc that rolls follow at the start."""
    assert model.track is not None, "there is no disc"
    spin = model.coordinates[model.track.spin].name
    return "solver.static", "q_start.heading", f"qd_start.{spin}"
