"""A tyre on a road, for the contact point of a suspension on a moving chassis.

The contact point is fixed to the wheel carrier: a horizontal force on it is that of a wheel whose brake holds it
against the carrier, so the spin of the wheel need not be known.  With the pose R, p and twist w, v of the chassis, and
the point's position r and velocity u relative to it, all but p in chassis axes,

    P = p + R r,    U = R (v + w x r + u)                                                                           (1)

are its position and velocity on the road.  Over a step the point goes on with its velocity, P + h U.  The road has a
kerb of height H with a ramp of length L from x0 on,

    s(x) = H (3 t^2 - 2 t^3),   t = (x - x0) / L within 0..1                                                        (2)

The tyre carries `load` where its contact point is at `height` above the road.  With d = s - P_z + height

    N = load + k d + c d',   d' = s'(x) U_x - U_z,   N = 0 if load + k d <= 0 or N < 0                              (3)

acts along (-s', 0, 1), so that a smooth road does no work.  Along the wheel's heading, with its speed Vx, and to its
left, with Vy, brake and side force are limited by friction mu N; the side force needs the length sigma to build up:

    Fx = -brake sat(Vx / 0.1 m/s), at most mu N                                                                     (4)
    e' = -Vy - |Vx| e / sigma,   Fy = Fm tanh((C e / sigma + c e') / Fm),   Fm^2 = (mu N)^2 - Fx^2                  (5)

The force on the carrier is given in chassis axes.
"""

from __future__ import annotations

from math import cos, exp, hypot, sin, sqrt, tanh
from typing import Any

from kinetab_part import Part, places, three
from kinetab_rotation import cross, rotation, turned, turned_back

PARAMETERS = {
    "load": 4500.0,  # [N]
    "height": 0.0,  # [m]
    "k": 220e3,  # [N/m]
    "c": 500.0,  # [N s/m]
    "cornering": 80e3,  # C [N/rad]
    "sigma": 0.5,  # [m]
    "mu": 1.0,
    "kerb.x": 5.0,  # x0 [m]
    "kerb.height": 0.0,  # H [m]
    "kerb.ramp": 0.3,  # L [m]
}
INPUTS = {
    **dict.fromkeys(three("p"), 0.0),  # [m] of the chassis
    **{"e[1]": 1.0, "e[2]": 0.0, "e[3]": 0.0, "e[4]": 0.0},  # its attitude, a unit quaternion
    **dict.fromkeys(three("v", "w"), 0.0),  # [m/s], [rad/s]
    **dict.fromkeys(three("r", "u"), 0.0),  # [m], [m/s] of the contact point relative to the chassis
    "steer": 0.0,  # [rad] heading of the wheel relative to the chassis
    "brake": 0.0,  # [N] force asked for
}
OUTPUTS = [*three("F"), "N", "Fx", "Fy", "compression"]
AT = places([*PARAMETERS, *INPUTS])


class KinetabTyre(Part):
    """One tyre."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.description = "Tyre with vertical spring and damper, side force and brake force on a road with a kerb"
        self.e = 0.0  # [m] side deflection, equation (5)
        self.lay_out(PARAMETERS, INPUTS, OUTPUTS)

    def react(self, time: float, step: float) -> list[float]:
        """Equations (1) to (5)."""
        values = self.values
        R, r, v = rotation(*values[AT["e"]]), values[AT["r"]], values[AT["v"]]
        spin = cross(values[AT["w"]], r)
        U = turned(R, [v[i] + spin[i] + values[AT["u"]][i] for i in range(3)])  # (1)
        P = [p + x + step * speed for p, x, speed in zip(values[AT["p"]], turned(R, r), U, strict=True)]
        N, slope, compression = self.normal(P, U)
        steer, brake = values[AT["steer"]][0], values[AT["brake"]][0]
        x, y, _ = turned(R, (cos(steer), sin(steer), 0.0))
        x, y = x / hypot(x, y), y / hypot(x, y)
        Fx, Fy = self.horizontal(N, brake, x * U[0] + y * U[1], x * U[1] - y * U[0], step)
        force = (Fx * x - Fy * y - slope * N, Fx * y + Fy * x, N)
        return [*turned_back(R, force), N, Fx, Fy, compression]

    def normal(self, P: list[float], U: list[float]) -> tuple[float, float, float]:
        """Force, slope of the road, compression: equations (2) and (3)."""
        load, height, k, c, _, _, _, x0, H, L = self.values[: len(PARAMETERS)]
        t = min(max((P[0] - x0) / L, 0.0), 1.0)
        slope = 6.0 * H * t * (1.0 - t) / L  # (2)
        compression = H * t * t * (3.0 - 2.0 * t) - P[2] + height
        static = load + k * compression
        N = max(0.0, static + c * (slope * U[0] - U[2])) if static > 0.0 else 0.0  # (3)
        return N, slope, compression

    def horizontal(self, N: float, brake: float, Vx: float, Vy: float, step: float) -> tuple[float, float]:
        """Brake and side force; the speeds are held over the step, so (5) has an exact solution."""
        c, cornering, sigma, mu = self.values[AT["c"].start : AT["mu"].stop]
        rate = abs(Vx) / sigma
        keep = exp(-rate * step)
        self.e = keep * self.e - Vy * ((1.0 - keep) / rate if rate > 1e-9 else step)
        Fx = -min(brake, mu * N) * min(max(10.0 * Vx, -1.0), 1.0)  # (4)
        most = sqrt(max((mu * N) ** 2 - Fx**2, 0.0))
        asked = cornering * self.e / sigma - c * (Vy + rate * self.e)
        return Fx, most * tanh(asked / most) if most > 0.0 else 0.0  # (5)
