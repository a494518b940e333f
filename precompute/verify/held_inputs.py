"""The constant inputs of a run as histories for the full model: loads, drives, and a chassis with constant twist.

An FMU takes gravity and loads in chassis axes.  They are constant there, so on a chassis that turns they turn with it.
For the full model the loads are turned, and gravity g becomes an acceleration of the chassis: with the twist [w; v + u]

    du/dt + w x u = -g,   u(0) = 0                                                          (1)

and no gravity, every body moves relative to the chassis as it does with the twist [w; v] and gravity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from fmu_src.model.reduced_model import CoordinateInfo, ReducedModel, StartInfo
from precompute.arrays import Array
from precompute.model.mechanism import Mechanism
from precompute.reference import Drive, Loads
from precompute.running.simulation import SimulationError


@dataclass(frozen=True, eq=False)
class HeldInputs:
    """Constant inputs, in chassis axes."""

    mechanism: Mechanism
    values: Mapping[str, float]
    w: Array  # (3,) [rad/s]
    v: Array  # (3,) [m/s]

    def loads(self, t: float) -> Loads:
        """Of the ports and coordinates at time t, for axes that rest."""
        R = Rotation.from_rotvec(self.w * t).as_matrix()
        ports = {
            p.name: (R @ self.vector(f"port.{p.name}.F", p.force), R @ self.vector(f"port.{p.name}.M", p.moment))
            for p in self.mechanism.ports
        }
        forced = [c.name for c in self.mechanism.coordinates or () if not c.driven]
        return Loads(ports, {name: self.values.get(f"Q.{name}", 0.0) for name in forced})

    def vector(self, name: str, start: Sequence[float] | Array) -> Array:
        """(3,) of three inputs with numbers."""
        return np.array([self.values.get(f"{name}[{i + 1}]", start[i]) for i in range(3)])

    @property
    def turning(self) -> bool:
        """Whether the chassis turns, so that gravity turns with it."""
        return bool(self.w.any())

    @property
    def gravity(self) -> Array:
        """(3,) that the full model has [m/s2]."""
        return np.zeros(3) if self.turning else self.mechanism.gravity

    def twist(self, t: float) -> tuple[Array, Array]:
        """Of the chassis of the full model, by (1), and its derivative.

        u = -(t - (1 - cos a)/w^2 K + (a - sin a)/w^3 K^2) g,   a = |w| t,   K = skew(w)
        """
        if not self.turning:
            return np.concatenate([self.w, self.v]), np.zeros(6)
        g, size = self.mechanism.gravity, float(np.linalg.norm(self.w))
        a, across = size * t, np.cross(self.w, g)
        u = -t * g + (1.0 - np.cos(a)) / size**2 * across
        u -= (a - np.sin(a)) / size**3 * np.cross(self.w, across)
        rate = -g - np.cross(self.w, u)
        return np.concatenate([self.w, self.v + u]), np.concatenate([np.zeros(3), rate])


def held_inputs(mechanism: Mechanism, values: Mapping[str, float]) -> HeldInputs:
    """The inputs of a run, most of them at their start values.

    Raises:
        SimulationError: the twist of the chassis is to change while it is held.
    """
    for name, value in values.items():
        if name.startswith(("chassis.wd[", "chassis.vd[")) and value:
            raise SimulationError(
                f"'{name}' is {value:g}, but inputs are held while an FMU is verified, and a twist that changes cannot "
                "be; set chassis.w and chassis.v alone"
            )
    plain = HeldInputs(mechanism, values, np.zeros(3), np.zeros(3))
    return HeldInputs(mechanism, values, *(plain.vector(f"chassis.{s}", np.zeros(3)) for s in "wv"))


def drives(model: ReducedModel, values: Mapping[str, float]) -> dict[str, Drive]:
    """Drives of the full model, by name of coordinate.

    Raises:
        SimulationError: a rate or an acceleration does not fit a position that is held.
    """
    named = zip(model.coordinates, model.starts, strict=False)
    return {c.name: drive(c, start, values) for c, start in named if c.driven != "no"}


def drive(c: CoordinateInfo, start: StartInfo, values: Mapping[str, float]) -> Drive:
    """A position that is held, or the step response of the filter x'' = (target - x)/T^2 - 2 x'/T."""
    target = values.get(f"drive.{c.name}.q", start.value)
    if c.driven == "direct":
        for symbol, default in (("qd", start.rate), ("qdd", 0.0)):
            name = f"drive.{c.name}.{symbol}"
            if value := values.get(name, default):
                raise SimulationError(
                    f"'{name}' is {value:g}, but inputs are held while an FMU is verified, and the position of a "
                    f"coordinate that moves cannot be; set {name}=0"
                )
        return lambda t: (target, 0.0, 0.0)
    T = c.filter_time
    a = values.get(f"q_start.{c.name}", start.value) - target
    b = values.get(f"qd_start.{c.name}", start.rate) + a / T

    def filtered(t: float) -> tuple[float, float, float]:
        x, fall = a + b * t, np.exp(-t / T)
        return target + x * fall, (b - x / T) * fall, (x / T - 2.0 * b) / T * fall

    return filtered
