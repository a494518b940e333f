"""What a difference may be: so much at any rate, and a share of how far the quantity moved.

    limit = absolute + relative * span                                                          (1)

The absolute part, 0.01 mm, 0.01 deg, 1 N or 1 N m, is what nobody would measure.  The relative part is what the model
promises.  Of rigid mechanisms that is ten times the tolerance of the tables, the promise of their slopes, which forces
come from: 1e-5 by default.  On bushings tables are Taylor polynomials in the deflections, within the tolerance asked of
these up to their radius: 1e-3 by default.  Forces, and the deflections of bushings, are small differences of positions:
of them ten times as much is accepted.

States, unknowns, forces and outputs of elements with formulas may be of any unit and size, so that nothing is known of
what nobody would measure.  With s their span and m the largest of their values,

    limit = relative * (10 s + m)                                                           (2)
"""

from __future__ import annotations

from dataclasses import dataclass

from fmu_src.model.reduced_model import ReducedModel

SMALL = 10.0
"""Relative part of the limit of small differences over that of motions."""

ROUNDING = 1e-12
"""Of what is zero in one model and nearly so in the other."""


@dataclass(frozen=True)
class Limits:
    """Of the differences between a motion of an FMU and one of the full model."""

    mm: float = 0.01
    deg: float = 0.01
    newton: float = 1.0  # N, and N m
    relative: float | None = (
        None  # share of the span; of forces and deflections of bushings ten times it; None: the promise
    )

    def of(self, model: ReducedModel) -> Limits:
        """With the relative part of a model, unless it is given."""
        return self if self.relative is not None else Limits(self.mm, self.deg, self.newton, promised(model))

    def allowed(self, unit: str, span: float, small: bool) -> float:
        """The limit (1) of a quantity in mm, deg, N or N m; `small` if it is a force or a deflection."""
        absolute = {"mm": self.mm, "deg": self.deg, "N": self.newton, "N m": self.newton}[unit]
        return absolute + (SMALL if small else 1.0) * (self.relative or 0.0) * span

    def natural(self, span: float, most: float) -> float:
        """The limit (2) of a number of an element whose largest value is `most`."""
        return ROUNDING + (self.relative or 0.0) * (SMALL * span + most)


def promised(model: ReducedModel) -> float:
    """The relative part for a model."""
    return max([model.certificate.motion_tolerance, *(s.tolerance for s in model.stiff)])
