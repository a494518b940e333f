"""A force that an input commands.

    f = gain command                                                                   (1)

Without memory and without delay, along any measure: a hydraulic cylinder whose pressure is given, with the gain its
area (example of section 3.5 of the thesis on arbitrarily connected multibody systems, eq. 3.5.6); an active anti-roll
bar on the difference of two wheels' travels; the muscle of a driver.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from precompute.device_types.device_type import DeviceType, On, TypeKey
from precompute.device_types.expanding import S, parameters, started
from precompute.model.devices import Device, DeviceForce, DeviceOutput

DIAGRAM = r"""
          command
             |
    A o--<=======>--o B      f > 0 drives A and B apart
      |<---- s ---->|
"""

COMMAND = TypeKey("command_start", "1", "Command", 0.0)

KEYS = (TypeKey("gain", "E", "Force of a command of 1; positive makes the measure grow", 1.0), COMMAND)


def _expand(name: str, on: On, unit: str, values: Mapping[str, Any]) -> Device:
    return Device(
        name,
        on=on,
        parameters=parameters(KEYS, values, unit),
        inputs=started(COMMAND, values, unit),
        forces=(DeviceForce(S, "gain*command"),),
        outputs=(DeviceOutput("power", "gain*command*s_rate", "W", "Power that it gives to the mechanism"),),
    )


ACTUATOR = DeviceType(
    "actuator",
    "A force that is a gain times the input `command`, along any measure.",
    DIAGRAM,
    KEYS,
    _expand,
)
