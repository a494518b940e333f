"""Traction between a cam and the roller that slips on it, through an elastohydrodynamic film, with the cam's own load.

The equations are (1) to (3) of `traction`, with the normal load N, the reduced radius R of cam and roller where they
touch, and the speeds of both surfaces past that place: with the rate s of slip and the rate a at which the roller would
turn against the cam without it, which is that of the way of its centre over its radius,

    u1 = R a,   u2 = u1 - s                                                                                  (1)

N is a load of the mechanism that grows with the traction, N = N_0 + N_1 T: one scalar equation, whose unknown is N.

Without slip it is pure rolling; since T is finite there is always some, in proportion to it as long as it is small.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from precompute.device_types.device_type import LENGTH, DeviceType, KeyFaults, On, TypeKey
from precompute.device_types.expanding import parameters
from precompute.device_types.traction import OIL, film
from precompute.model.devices import Device, DeviceForce, DeviceLoad, DeviceOutput

DIAGRAM = r"""
          .---.
         (  o  )  <-- roller on its pin
          '---'
    ___====b====___   | N, of the cam      film: thickness h, pressure p
       cam -->        v
"""

KEYS = (TypeKey("length", "m", "Length of the line along which they touch", positive=True), *OIL)

SPEED = "reduced_radius*rolled_rate - slip_rate/2"  # (u1 + u2)/2 of (1)


def _expand(name: str, on: On, unit: str, values: Mapping[str, Any]) -> Device:
    del unit  # it is a length
    slip = on[0][1]
    rolled, radius = slip.beside("rolled"), slip.beside("reduced_radius")
    if slip.contact_of is None or slip.beside("slip") is not slip or rolled is None or radius is None:
        raise KeyFaults(("on", f"is the {slip.name}; this type acts on the slip of a roller, joint.NAME.slip"))
    outputs = (
        ("slipping", "slip_rate", "m/s", "Speed of the cam's surface past that of the roller"),
        ("rolling", SPEED, "m/s", "Mean surface speed"),
        ("pressed", "max(N, 0)", "N", "Normal load"),
        *film("reduced_radius"),
    )
    return Device(
        name,
        on=(("slip", slip), ("rolled", rolled), ("reduced_radius", radius)),
        parameters=parameters(KEYS, values, "m"),
        forces=(DeviceForce("slip", "-pull"),),
        outputs=tuple(DeviceOutput(*output) for output in outputs),
        loads=(DeviceLoad("N", f"joint.{slip.contact_of[0]}.normal"),),
    )


CAM_TRACTION = DeviceType(
    "cam_traction",
    "Traction between a cam and a roller that slips on it, through an elastohydrodynamic film of oil, on "
    "`joint.NAME.slip`; the normal load is that of the cam.  Outputs `pull`, `slipping`, `pressed`, `pressure`, "
    "`thickness`, `loss`.",
    DIAGRAM,
    KEYS,
    _expand,
    measures=LENGTH,
)
