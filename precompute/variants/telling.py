"""What check and bake say of design parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fmu_src.model.designs import design_name, products
from fmu_src.model.reduced_model import DesignInfo, ReducedModel
from fmu_src.model.remainder import ANGLES, ANYTHING, LENGTHS
from precompute.tables.table_size import NUMBER, shown, table_size
from precompute.units import USUAL
from precompute.variants.surveys import Variants


@dataclass(frozen=True)
class DesignReport:
    """A design parameter of the FMU."""

    name: str
    of: str
    present: str  # in the units of the file
    range: str


def design_reports(variants: Variants | None) -> tuple[DesignReport, ...]:
    """Of all that a mechanism has."""
    if variants is None:
        return ()
    known = [(p, variants.design.variables[p.of]) for p in variants.parameters]
    return tuple(DesignReport(p.name, p.of, v.shown, f"{v.scale.back(p.range):.6g} {v.unit}") for p, v in known)


def design_lines(designs: Sequence[DesignReport], stored: int) -> Iterator[str]:
    """What they are, and how tables of so many bytes grow with them at most."""
    for d in designs:
        yield f"  {d.name}: {d.of}, {d.present}, changed by up to {d.range} either way"
    count = len(products(len(designs)))
    yield (
        f"  tables: up to {count} more of each column that changes, one per product of parameters, at most "
        f"{shown(count * stored)} in the file, mostly far less; in memory one copy, {shown(stored)} at most"
    )


def measured_lines(model: ReducedModel, tolerance: float) -> Iterator[str]:
    """The errors that were found, and what the tables have grown by; nothing without design parameters.

    Args:
        model: with design parameters, or without.
        tolerance: of what is natural for each value, up to which a change counts as valid.
    """
    if not model.designs:
        return
    for d in model.designs:
        yield f"{design_name(d)} within {d.told.text(d.range)}: {_errors(d.errors)}"
        if (radius := valid(d, tolerance)) < d.range:
            yield (
                f"Warning: that is {d.errors[ANYTHING] / tolerance:.3g} times what tables.stiff_tolerance allows; "
                f"a `range` of {d.told.text(radius, 2)} would keep to it"
            )
    if len(model.designs) > 1:
        yield f"all of them at the ends of their ranges: {_errors(model.designs_together)}"
    changes = [block.changes for chart in model.charts for block in chart.blocks if block.changes]
    more = NUMBER * sum(own.core.size + sum(basis.size for basis in own.bases) for own in changes)
    yield f"{shown(more)} of changes in the file, beside tables of {shown(table_size(model).stored)}"


def valid(design: DesignInfo, tolerance: float) -> float:
    """The radius of validity: how large a range may be for the error inside it, of third order, to be the tolerance."""
    error = design.errors[ANYTHING]
    return math.inf if error == 0.0 else design.range * (tolerance / error) ** (1.0 / 3.0)


def _errors(errors: tuple[float, float, float]) -> str:
    length, angle = (USUAL.told(unit).text(errors[kind], 2) for unit, kind in (("m", LENGTHS), ("rad", ANGLES)))
    return f"positions err by up to {length} more, angles by {angle}"
