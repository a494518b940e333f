"""A spring and a damper in series, and, if asked for, a spring beside them: the standard linear solid.

    dF/dt = stiffness (ds/dt - F / damping)                                            (1)
    f = -F - parallel (s - reference)                                                  (2)

F is the tension of the series; its time constant is damping / stiffness.  As the state is that tension, the series has
no position of its own and is at rest, without force, anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from precompute.device_types.device_type import DeviceType, On, TypeKey
from precompute.device_types.expanding import S, parameters
from precompute.model.devices import Device, DeviceForce, DeviceOutput, DeviceState

DIAGRAM = r"""
             stiffness   damping
          +--/\/\/\/\/----]|----+
    A o---|                     |---o B
          +------/\/\/\/\/------+
                 parallel
      |<------------ s ------------>|
"""

KEYS = (
    TypeKey("stiffness", "E/L", "Stiffness of the spring in series", positive=True),
    TypeKey("damping", "E.s/L", "Damping of the damper in series", positive=True),
    TypeKey("parallel", "E/L", "Stiffness of the spring beside them", 0.0, 0.0),
    TypeKey("reference", "L", "Value of the measure at which the spring beside them has no force", 0.0),
)


def _expand(name: str, on: On, unit: str, values: Mapping[str, Any]) -> Device:
    effort = "N.m" if unit == "rad" else "N"
    return Device(
        name,
        on=on,
        parameters=parameters(KEYS, values, unit),
        states=(DeviceState("F", "stiffness*(s_rate - F/damping)", 0.0, effort, "Tension of the series"),),  # (1)
        forces=(DeviceForce(S, "-F - parallel*(s - reference)"),),  # (2)
        outputs=(
            DeviceOutput("loss", "F^2/damping", "W", "Power that the damper turns into heat"),
            DeviceOutput(
                "energy", "F^2/(2*stiffness) + parallel*(s - reference)^2/2", "J", "Energy of the two springs"
            ),
        ),
    )


MAXWELL = DeviceType(
    "maxwell",
    "A spring and a damper in series, and optionally a spring beside them.  State `F`, the tension of the series.",
    DIAGRAM,
    KEYS,
    _expand,
)
