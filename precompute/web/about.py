"""What the page in an FMU has from its mechanism: picture, 3D view, units, and the file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from fmu_src.build.pages.about import About
from fmu_src.model.units import DisplayUnit
from precompute.mechanism_file.document import document_of
from precompute.mechanism_file.schema.toml_text import dumps
from precompute.model.mechanism import Mechanism
from precompute.report.drawing import draw
from precompute.threads import one_thread
from precompute.units import SCALES, Units
from precompute.web.view import view_part

T = TypeVar("T")


@one_thread
def about(mechanism: Mechanism, note: Callable[[str], None]) -> About:
    """All of it; what cannot be drawn is left out, for no work should be lost for that, and noted."""

    def tried(what: str, make: Callable[[Mechanism], T], without: T) -> T:
        try:
            return make(mechanism)
        except Exception as error:
            note(f"no {what} in the FMU: {type(error).__name__}: {error}")
            return without

    return About(
        picture=tried("picture", draw, b""),
        view=tried("3D view", view_part, ""),
        units=units_of(mechanism.units),
        file=dumps(document_of(mechanism)),
    )


def units_of(units: Units) -> dict[str, DisplayUnit]:
    """Symbols of SI and what the file writes for them; those that it writes too are left out."""
    own = {next(iter(scales)): (getattr(units, quantity), units.scale(quantity)) for quantity, scales in SCALES.items()}
    return {si: DisplayUnit(name, scale.back(1.0)) for si, (name, scale) in own.items() if name != si}
