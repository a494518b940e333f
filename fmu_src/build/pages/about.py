"""What the page in an FMU has from the mechanism itself, which a reduced model does not have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...model.units import DisplayUnit


@dataclass(frozen=True)
class About:
    """Whoever has the mechanism says this; without it the page has SI units, no picture and no 3D view."""

    picture: bytes = b""  # the mechanism at design as a PNG
    view: str = ""  # the same in 3D as HTML, with data and scripts; shown where scripts run
    units: Mapping[str, DisplayUnit] = field(default_factory=dict)  # "m", "rad", "kg", "N" -> that of the file
    file: str = ""  # the mechanism file


NOTHING = About()
"""Of a model alone."""
