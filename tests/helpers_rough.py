"""Roughly drawn mechanisms as texts of mechanism files: links that are not yet where they belong."""

from __future__ import annotations

from math import cos, radians, sin


def rough_four_bar(
    crank: float = 1.0, coupler: float = 2.5, rocker: float = 2.0, base: float = 3.0,
    at: float = 60.0, coupler_at: float = 0.0, rocker_at: float = 90.0, free: str | None = "crank",
) -> str:  # fmt: skip
    """A planar four-bar from A = (0, 0) to B = (base, 0), in m and deg, with its links at the angles given.

    The pin between coupler and rocker is given twice, where the coupler and where the rocker has it.
    """

    def end(x: float, y: float, length: float, angle: float) -> list[float]:
        return [x + length * cos(radians(angle)), y + length * sin(radians(angle)), 0.0]

    P = end(0.0, 0.0, crank, at)
    Q, Q_rocker = end(P[0], P[1], coupler, coupler_at), end(base, 0.0, rocker, rocker_at)
    named = f'[coordinates.free.{free}]\nof = "joint.{free}"\n' if free else ""
    return f"""\
# a four-bar, roughly drawn
schema = 1
name = "RoughFourBar"
units = {{ length = "m", mass = "kg", angle = "deg", force = "N" }}

[points]
A = [0, 0, 0]  # the crank's bearing
P = {P}
Q = {Q}        # where the coupler has its end
Q_rocker = {Q_rocker}
B = [{base}, 0, 0]

[bodies.crank]
mass = 1
com = "A"
inertia = [0.1, 0.1, 0.1]

[bodies.coupler]
mass = 2
com = "P"
inertia = [0.1, 0.2, 0.25]

[bodies.rocker]
mass = 1.5
com = "Q_rocker"
inertia = [0.1, 0.1, 0.1]

[joints.crank]
type = "revolute"
parent = "ground"
child = "crank"
at = "A"
axis = "z"

[joints.crank_pin]
type = "revolute"
parent = "crank"
child = "coupler"
at = "P"
axis = "z"

[joints.coupler_pin]
type = "revolute"
parent = "coupler"
child = "rocker"
at = ["Q", "Q_rocker"]
axis = "z"

[joints.rocker]
type = "revolute"
parent = "ground"
child = "rocker"
at = "B"
axis = "z"

[markers.P]
body = "crank"
at = "P"

[markers.Q]
body = "coupler"
at = "Q"

{named}"""
