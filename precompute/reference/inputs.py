"""What acts on the full model from outside: loads, and motions that are prescribed in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from precompute.arrays import Array
from precompute.errors import MechanismError
from precompute.model.mechanism import nearest
from precompute.reference.chassis import TwistHistory
from precompute.reference.wheels import WheelLoad


@dataclass(frozen=True, eq=False)
class Loads:
    """External loads at one instant."""

    ports: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)  # force [N] and moment [N m]
    coordinates: Mapping[str, float] = field(default_factory=dict)  # generalized forces: virtual work Q delta c
    gravity: Array | None = None  # (3,) [m/s2]; None: that of the mechanism, in G
    carried: bool = (
        False  # whether ports, wheels and gravity are in axes that the chassis carries along; else in those of G
    )
    wheels: Mapping[str, WheelLoad] = field(default_factory=dict)
    devices: Mapping[str, float] = field(default_factory=dict)  # inputs of elements, "element.input"; others start


LoadHistory = Callable[[float], Loads]

Drive = Callable[[float], tuple[float, float, float]]
"""Time -> value, rate and acceleration of a driven coordinate [m or rad, per s, per s2]."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """All histories of a simulation."""

    loads: LoadHistory | None = None
    chassis: TwistHistory | None = None  # None: at rest
    drives: Mapping[str, Drive] = field(default_factory=dict)  # by name of coordinate

    def load(self, t: float) -> Loads:
        """Loads at time t."""
        return Loads() if self.loads is None else self.loads(t)

    def twist(self, t: float) -> tuple[Array, Array]:
        """Twist of the chassis and its derivative, (6,) each."""
        return (np.zeros(6), np.zeros(6)) if self.chassis is None else self.chassis(t)

    def driven(self, t: float, names: list[str]) -> Array:
        """(3, nc) value, rate and acceleration of each coordinate, nan where it is free."""
        check_names(self.drives, names, "coordinate")
        out = np.full((3, len(names)), np.nan)
        for name, drive in self.drives.items():
            out[:, names.index(name)] = drive(t)
        return out


def check_names(given: Mapping[str, object], known: list[str], what: str) -> None:
    """MechanismError for inputs to what does not exist."""
    if problems := [f"inputs: there is no {what} '{n}'; {nearest(n, known)}" for n in given if n not in known]:
        raise MechanismError(problems, "the inputs")
