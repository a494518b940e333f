"""A measure held at a value: one scalar equation, in metres."""

from __future__ import annotations

from dataclasses import dataclass, replace

from precompute.arrays import Array
from precompute.measures.interfaces import Motion, Parts, Places
from precompute.measures.measure import Measure


@dataclass(frozen=True, eq=False)
class Held:
    """weight (s - value) = 0."""

    measure: Measure
    value: float  # [m or rad]
    weight: float  # makes it metres
    name: str  # of what it belongs to

    def gap(self, at: Places) -> Array:
        """What is missing.  -> (..., 1) [m]."""
        return self.weight * (self.measure.value(at) - self.value)[..., None]

    def row(self, at: Places) -> Array:
        """Its gradient with respect to the joint rates.  -> (..., 1, nv)."""
        return self.weight * self.measure.row(at)[..., None, :]

    def second(self, motion: Motion) -> Array:
        """Its second derivatives along z.  -> (..., 1, nz, nd)."""
        return self.weight * self.measure.second(motion)[..., None, :, :]


def hold(measure: Measure, value: float, name: str, parts: Parts, length: float) -> Held:
    """The measure held, in metres: angles count with the reference length [m]."""
    return Held(measure, value, length if measure.is_angle(parts) else 1.0, name)


def evened(held: Held, parts: Parts, length: float) -> Held:
    """The same with a weight that makes its largest part count as the measure itself would, whatever factors it has."""
    unit = 1.0 if held.measure.is_angle(parts) else length
    sizes = [abs(f) / (unit if of.is_angle(parts) else 1.0) for f, of in held.measure.terms]
    return replace(held, weight=held.weight / max(sizes))
