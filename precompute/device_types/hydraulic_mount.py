"""A rubber mount over a chamber of fluid, from which a long narrow track leads to a soft second chamber.

With d = reference - s the compression, V the volume that has gone through the track and Q its flow:

    dV/dt = Q                                                                          (1)
    p = (area d - V) / compliance                                                      (2)
    inertance dQ/dt = p - resistance Q - quadratic |Q| Q - bellows V                   (3)
    inertance = density track_length / track_area                                      (4)
    f = stiffness d - damping ds/dt + area p                                           (5)

At low frequencies the fluid follows and the mount is as soft as its rubber; around the resonance of the fluid on the
bulge of the chamber, at sqrt(1 / (compliance inertance)), it damps strongly; above, the fluid stands still and the
bulge area^2 / compliance acts beside the rubber.  Without the quadratic term its complex stiffness at the circular
frequency w is

    stiffness + j w damping + area^2 T / (1 + compliance T),   T = -w^2 inertance + j w resistance + bellows    (6)

There is no decoupler in it: small amplitudes see the same mount as large ones, apart from the quadratic resistance.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.device_types.device_type import LENGTH, DeviceType, On, TypeKey
from precompute.device_types.expanding import S, parameters
from precompute.model.devices import Device, DeviceForce, DeviceOutput, DeviceState

DIAGRAM = r"""
              A o   |
            ____|____      rubber: stiffness, damping
           /////|\\\\\
          |  area, p  |    upper chamber: compliance
          |===( Q )===|    track: track_length, track_area, density, resistance, quadratic
           \_ _ _ _ _/     lower chamber: bellows
                |
              B o   |      s = distance of A and B
"""

KEYS = (
    TypeKey("stiffness", "E/L", "Stiffness of the rubber", minimum=0.0),
    TypeKey("damping", "E.s/L", "Damping of the rubber", 0.0, 0.0),
    TypeKey("reference", "L", "Value of the measure at which it has no force at rest", 0.0),
    TypeKey("area", "m2", "Area with which the rubber pumps", positive=True),
    TypeKey("compliance", "m3/Pa", "Compliance of the upper chamber: bulge per pressure", positive=True),
    TypeKey("track_length", "m", "Length of the track", positive=True),
    TypeKey("track_area", "m2", "Cross-section of the track", positive=True),
    TypeKey("density", "kg/m3", "Density of the fluid", 1060.0, positive=True),
    TypeKey("resistance", "Pa.s/m3", "Resistance of the track: pressure per flow", 0.0, 0.0),
    TypeKey("quadratic", "Pa.s2/m6", "Its turbulent part: pressure per square of the flow", 0.0, 0.0),
    TypeKey("bellows", "Pa/m3", "Stiffness of the lower chamber: pressure per volume", 0.0, 0.0),
)


def complex_stiffness(frequency: Array, values: Mapping[str, float]) -> Array:
    """Force per deflection, (6), without the quadratic resistance.

    Args:
        frequency: (n,) [Hz].
        values: of all keys, in SI.
    """
    w = 2.0 * np.pi * np.asarray(frequency)
    inertance = values["density"] * values["track_length"] / values["track_area"]
    track = -(w**2) * inertance + 1j * w * values["resistance"] + values["bellows"]
    fluid = values["area"] ** 2 * track / (1.0 + values["compliance"] * track)
    return np.asarray(values["stiffness"] + 1j * w * values["damping"] + fluid)


def _expand(name: str, on: On, unit: str, values: Mapping[str, Any]) -> Device:
    drop = "(pressure - resistance*flow - quadratic*abs(flow)*flow - bellows*volume)"
    return Device(
        name,
        on=on,
        parameters=parameters(KEYS, values, unit),
        states=(
            DeviceState("volume", "flow", 0.0, "m3", "Volume that has gone through the track"),  # (1)
            DeviceState("flow", f"{drop}*track_area/(density*track_length)", 0.0, "m3/s", "Flow"),  # (3, 4)
        ),
        forces=(DeviceForce(S, "stiffness*(reference - s) - damping*s_rate + area*pressure"),),  # (5)
        outputs=(
            DeviceOutput("pressure", "(area*(reference - s) - volume)/compliance", "Pa", "Pressure, excess"),  # (2)
            DeviceOutput(
                "loss",
                "damping*s_rate^2 + (resistance + quadratic*abs(flow))*flow^2",
                "W",
                "Power that it turns into heat",
            ),
        ),
    )


HYDRAULIC_MOUNT = DeviceType(
    "hydraulic_mount",
    "A rubber mount with fluid in an inertia track.  States `volume` and `flow` of the fluid, output `pressure`.",
    DIAGRAM,
    KEYS,
    _expand,
    measures=LENGTH,
)
