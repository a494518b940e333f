"""What `kinetab check` has to say about stiff directions and the bushings that hold them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from precompute.model.bushings import equivalent_bushing
from precompute.model.mechanism import Joint, Mechanism
from precompute.units import USUAL, Units


@dataclass(frozen=True)
class StiffReport:
    """The stiff directions of a joint."""

    joint: str
    directions: tuple[str, ...]  # as in the file; numbers in a sequence
    units: tuple[str, ...]  # of the stiffnesses: N/m or N m/rad
    stiffness: tuple[float, ...]  # of all bushings across the joint along each direction alone, at design
    bushings: tuple[str, ...]

    def text(self, units: Units = USUAL) -> str:
        """In words, in the units of the file."""
        named = zip(self.directions, self.units, self.stiffness, strict=True)
        shown = [f"{direction} {units.shown_stiffness(k, angular=unit != 'N/m')}" for direction, unit, k in named]
        if not self.bushings:
            return f"{self.joint} (no bushing between its bodies): {', '.join(self.directions)}"
        return f"{self.joint} (bushing{'s' * (len(self.bushings) > 1)} {', '.join(self.bushings)}): {', '.join(shown)}"


def stiff_reports(mechanism: Mechanism) -> tuple[StiffReport, ...]:
    """Of all joints that have stiff directions."""
    return tuple(stiff_report(mechanism, joint) for joint in mechanism.joints if joint.stiff)


def stiff_report(mechanism: Mechanism, joint: Joint) -> StiffReport:
    """Of one of them."""
    equivalent = equivalent_bushing(joint, mechanism.bushings)
    rate = np.cumsum([0, *(p.rates for p in joint.primitives)])
    turning = [joint.primitives[i].kind != "translation" for i in joint.stiff]
    named = zip(joint.stiff, joint.stiff_directions, strict=True)
    return StiffReport(
        joint=joint.name,
        directions=tuple(direction or f"[{i + 1}]" for i, direction in named),
        units=tuple("N m/rad" if turns else "N/m" for turns in turning),
        stiffness=tuple(float(equivalent.stiffness[rate[i], rate[i]]) for i in joint.stiff),
        bushings=tuple(b.name for b in equivalent.bushings),
    )
