"""Mechanism -> model in natural coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from precompute.arrays import Array
from precompute.model.mechanism import Mechanism
from precompute.natural.moving import Columns, Moved
from precompute.natural.places import Places

Values = Mapping[str, Array | float]
"""Coordinate -> (n,) or a constant."""


@dataclass(frozen=True, eq=False)
class NaturalModel:
    """A mechanism whose bodies are points and unit vectors that joints share.

    Coordinates have the names of the file (`coordinates.free.NAME`), else of what they measure: `joint.crank`,
    `joint.strut[2]`, `marker.wheel.z`, `spring.front.length`, `damper.front.length`, as candidates are called too
    (`crank`, `strut_2`, `wheel_z`, `front_length`); stiff directions as the FMU has them (`arm_mount.x`, `link[2]`).
    """

    mechanism: Mechanism

    def positions(self, values: Values, start: Places | None = None) -> Places:
        """Positions at n values of every independent coordinate, by continuation from the assembled design position.

        Args:
            values: name -> (n,) [m or rad]; as many free or driven coordinates as there are freedoms; stiff
                deflections by their names, zero if absent.
            start: solved places, of these coordinates or others, to start from in place of the design.

        Raises:
            PrecomputeError: which coordinates are missing or clash; what cannot be reached.
        """
        raise NotImplementedError

    def motion(
        self, places: Places, rates: Values, accelerations: Values | None = None, jerks: Values | None = None
    ) -> Moved:
        """Velocities, accelerations and jerks at solved places, from one factorization each.

        Args:
            places: what `positions` gave.
            rates: coordinate -> (n,), zero if absent; so the others.
            accelerations: the same.
            jerks: the same.
        """
        raise NotImplementedError

    def partials(self, places: Places) -> Columns:
        """Velocities per unit rate of each coordinate of the places, stiff ones included."""
        raise NotImplementedError

    def values(self, places: Places, names: Sequence[str]) -> dict[str, Array]:
        """(n,) of coordinates by name, whether or not they are independent there; angles count their laps."""
        raise NotImplementedError


def natural_model(mechanism: Mechanism) -> NaturalModel:
    """The model of a mechanism.

    Raises:
        PrecomputeError: something of the mechanism has no natural coordinates; the message says what.
    """
    return NaturalModel(mechanism)
