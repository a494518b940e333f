"""A tyre on a road, at the contact of a wheel of a suspension on a moving chassis.

The suspension tells where the contact is, how it moves and where the wheel is heading; force and torque go back there
as they are, in chassis axes.  With the pose R, p of the chassis, the contact's place r and velocity u over the road,

    P = p + R r,    U = R u                                                                                         (1)

are those on the road.  Over a step the contact goes on with its velocity, P + h U.  The road has a kerb of height H
with a ramp of length L from x0 on,

    s(x) = H (3 t^2 - 2 t^3),   t = (x - x0) / L within 0..1                                                        (2)

The tyre carries `load` where its contact is at `height` above the road.  With d = s - P_z + height

    N = load + k d + c d',   d' = s'(x) U_x - U_z,   N = 0 if load + k d <= 0 or N < 0                              (3)

acts along (-s', 0, 1), so that a smooth road does no work.  The wheel has no inertia about its spin axis and the
suspension is not told its spin, so that slip speeds are those of the carrier: Vx along the heading x of the wheel, Vy
to its left, y = n x x with n the normal of the road.  Brake and side force are limited by friction mu N; the side force
needs the length sigma to build up, and the brake holds the wheel against the force along x, whose arm is the radius:

    Fx = -brake sat(Vx / 0.1 m/s), at most mu N,    torque = radius Fx                                              (4)
    e' = -Vy - |Vx| e / sigma,   Fy = Fm tanh((C e / sigma + c e') / Fm),   Fm^2 = (mu N)^2 - Fx^2                  (5)

Back to the suspension go F = N R^T (-s', 0, 1) + Fx x + Fy y, the torque, and the plane that the road is there.
"""

from __future__ import annotations

from math import exp, sqrt, tanh
from typing import Any

from kinetab_part import Part, places, three
from kinetab_rotation import cross, plus, rotation, turned, turned_back, unit

PARAMETERS = {
    "load": 4500.0,  # [N]
    "height": 0.0,  # [m]
    "radius": 0.3,  # [m]
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
    **dict.fromkeys(three("r", "u"), 0.0),  # [m], [m/s] of the contact, in chassis axes
    **{"x[1]": 1.0, "x[2]": 0.0, "x[3]": 0.0},  # heading of the wheel on the road, in chassis axes
    **{"slip.longitudinal": 0.0, "slip.lateral": 0.0},  # Vx, Vy [m/s]
    "brake": 0.0,  # [N] force asked for
}
OUTPUTS = [*three("F"), "torque", *three("road.n"), "road.d", "N", "Fx", "Fy", "compression"]
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
        R, r, x = rotation(*values[AT["e"]]), values[AT["r"]], values[AT["x"]]
        U = turned(R, values[AT["u"]])  # (1)
        P = [p + own + step * speed for p, own, speed in zip(values[AT["p"]], turned(R, r), U, strict=True)]
        N, slope, compression = self.normal(P, U)
        up = turned_back(R, (-slope, 0.0, 1.0))
        n = unit(up)
        (Vx,), (Vy,) = values[AT["slip.longitudinal"]], values[AT["slip.lateral"]]
        Fx, Fy = self.horizontal(N, Vx, Vy, step)
        force = plus(plus([N * component for component in up], Fx, x), Fy, cross(n, x))
        (radius,), (height,) = values[AT["radius"]], values[AT["height"]]
        gap = (height - compression) / sqrt(1.0 + slope * slope)  # from the contact down to the road
        road = sum(a * b for a, b in zip(n, r, strict=True)) - gap
        return [*force, radius * Fx, *n, road, N, Fx, Fy, compression]

    def normal(self, P: list[float], U: list[float]) -> tuple[float, float, float]:
        """Force, slope of the road, compression: equations (2) and (3)."""
        load, height, _, k, c, _, _, _, x0, H, L = self.values[: len(PARAMETERS)]
        t = min(max((P[0] - x0) / L, 0.0), 1.0)
        slope = 6.0 * H * t * (1.0 - t) / L  # (2)
        compression = H * t * t * (3.0 - 2.0 * t) - P[2] + height
        static = load + k * compression
        N = max(0.0, static + c * (slope * U[0] - U[2])) if static > 0.0 else 0.0  # (3)
        return N, slope, compression

    def horizontal(self, N: float, Vx: float, Vy: float, step: float) -> tuple[float, float]:
        """Brake and side force; the speeds are held over the step, so (5) has an exact solution."""
        c, cornering, sigma, mu = self.values[AT["c"].start : AT["mu"].stop]
        (brake,) = self.values[AT["brake"]]
        rate = abs(Vx) / sigma
        keep = exp(-rate * step)
        self.e = keep * self.e - Vy * ((1.0 - keep) / rate if rate > 1e-9 else step)
        Fx = -min(brake, mu * N) * min(max(10.0 * Vx, -1.0), 1.0)  # (4)
        most = sqrt(max((mu * N) ** 2 - Fx**2, 0.0))
        asked = cornering * self.e / sigma - c * (Vy + rate * self.e)
        return Fx, most * tanh(asked / most) if most > 0.0 else 0.0  # (5)
