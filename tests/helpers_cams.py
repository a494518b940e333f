"""Cams that several tests use: that of the fuel injection pump, built by ruler and compass."""

import numpy as np

from precompute.cams.profile import Side

MM = 1e-3
BASE, TOP, FLANK, FOOT = 16.0 * MM, 26.0 * MM, 2.5 * MM, 102.0
ROLLER = 12.0 * MM


def shown(value, quantity):
    return f"{value * 1e3:.6g} mm" if quantity == "length" else f"{np.degrees(value):.6g} deg"


def polar(radius, degrees):
    return radius * np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])


def pump_sides():
    """Base circle, flank tangent to it, a small arc tangent to that and to the top circle; symmetric about 180 deg."""
    away = np.sqrt((TOP - FLANK) ** 2 - (BASE - FLANK) ** 2)  # how long the flank is
    n = polar(1.0, FOOT)
    t = np.array([-n[1], n[0]])
    centre = (BASE - FLANK) * n + away * t
    foot, end, top = BASE * n, BASE * n + away * t, TOP * centre / np.hypot(*centre)
    origin = np.zeros(2)

    def mirrored(p):
        return p * [1.0, -1.0]

    return [
        Side(mirrored(foot), foot, origin),
        Side(foot, end),
        Side(end, top, centre),
        Side(top, mirrored(top), origin),
        Side(mirrored(top), mirrored(end), mirrored(centre)),
        Side(mirrored(end), mirrored(foot)),
    ]
