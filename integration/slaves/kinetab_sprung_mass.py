"""The sprung mass of a quarter car: it moves up and down only, a guide takes all other forces.

    m v' = F - m g,    z' = v                                                                                       (1)

with the vertical force F of the suspension held over a step: z and v are then exact.
"""

from __future__ import annotations

from typing import Any

from kinetab_part import Part

PARAMETERS = {"mass": 400.0, "gravity": 9.80665}  # [kg], [m/s2]
INPUTS = {"F": 0.0}  # [N] upward


class KinetabSprungMass(Part):
    """The mass; it starts at rest at z = 0."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.description = "A mass on a vertical guide"
        self.z, self.v = 0.0, 0.0
        self.lay_out(PARAMETERS, INPUTS, ["z", "v", "vd"])

    def react(self, time: float, step: float) -> list[float]:
        """Equation (1)."""
        mass, gravity, force = self.values[:3]
        vd = force / mass - gravity
        self.z, self.v = self.z + step * (self.v + 0.5 * step * vd), self.v + step * vd
        return [self.z, self.v, vd]
