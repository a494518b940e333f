"""A motor that drives its measure to a target (section 3.5 of the thesis on arbitrarily connected systems, 3.5.9).

    f = constant i                                                                     (1)
    inductance di/dt = gain (target - s) - resistance i - constant ds/dt               (2)

The voltage is proportional to the error.  The back-EMF takes voltage away: its sign is negative, with the positive one
that is printed there the loop is unstable.  An inertia alone on it is stable if resistance constant > gain inductance,
whatever the inertia; there is no other damping than the back-EMF.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from precompute.device_types.dc_motor import CONSTANT, FORCE, INDUCTANCE, RESISTANCE, current
from precompute.device_types.device_type import DeviceType, On, TypeKey
from precompute.device_types.expanding import parameters, started
from precompute.model.devices import Device, DeviceOutput

DIAGRAM = r"""
                      voltage  resistance  inductance
    target -->(+)-->[ gain ]----[=====]-----^^^^^^--->( M )===>  f = constant i  on s
               ^-                                       |
               +---------------------- s ---------------+
"""

TARGET = TypeKey("target_start", "L", "Value of the measure that is wanted", 0.0)

KEYS = (
    TypeKey("gain", "V/L", "Voltage per error", minimum=0.0),
    CONSTANT,
    RESISTANCE,
    INDUCTANCE,
    TARGET,
)


def _expand(name: str, on: On, unit: str, values: Mapping[str, Any]) -> Device:
    return Device(
        name,
        on=on,
        parameters=parameters(KEYS, values, unit),
        inputs=started(TARGET, values, unit),
        states=current("(gain*(target - s) - resistance*current - constant*s_rate)/inductance"),  # (2)
        forces=FORCE,
        outputs=(
            DeviceOutput("voltage", "gain*(target - s)", "V", "Voltage"),
            DeviceOutput("error", "target - s", unit, "What is still to go"),
        ),
    )


SERVO = DeviceType(
    "servo",
    "A motor with a position loop: input `target`, state `current`.",
    DIAGRAM,
    KEYS,
    _expand,
)
