"""An electric motor at a given voltage (section 3.5 of the thesis on arbitrarily connected multibody systems, 3.5.7-8).

    f = constant i                                                                     (1)
    inductance di/dt = voltage - resistance i - constant ds/dt                         (2)

The same constant makes torque of current and voltage of speed, so that electric power voltage i is heat resistance i^2,
change of the energy inductance i^2 / 2, and mechanical power f ds/dt.  Without load it turns at voltage / constant.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from precompute.device_types.device_type import DeviceType, On, TypeKey
from precompute.device_types.expanding import S, parameters, started
from precompute.model.devices import Device, DeviceForce, DeviceOutput, DeviceState

DIAGRAM = r"""
        resistance  inductance
      +--[=====]-----^^^^^^----+
      |          i -->         |
    voltage                  ( M )===>  f = constant i  on s
      |                        |        back-EMF = constant ds/dt
      +------------------------+
"""

CONSTANT = TypeKey("constant", "E/A", "Force per current, and voltage per speed", positive=True)
RESISTANCE = TypeKey("resistance", "Ohm", "Resistance of the winding", minimum=0.0)
INDUCTANCE = TypeKey("inductance", "H", "Inductance of the winding", positive=True)
VOLTAGE = TypeKey("voltage_start", "V", "Voltage", 0.0)

KEYS = (CONSTANT, RESISTANCE, INDUCTANCE, VOLTAGE)

FORCE = (DeviceForce(S, "constant*current"),)  # (1)


def current(rate: str) -> tuple[DeviceState, ...]:
    """The state of a winding."""
    return (DeviceState("current", rate, 0.0, "A", "Current"),)


def _expand(name: str, on: On, unit: str, values: Mapping[str, Any]) -> Device:
    return Device(
        name,
        on=on,
        parameters=parameters(KEYS, values, unit),
        inputs=started(VOLTAGE, values, unit),
        states=current("(voltage - resistance*current - constant*s_rate)/inductance"),  # (2)
        forces=FORCE,
        outputs=(
            DeviceOutput("power", "voltage*current", "W", "Electric power that it takes"),
            DeviceOutput("loss", "resistance*current^2", "W", "Heat of the winding"),
        ),
    )


DC_MOTOR = DeviceType(
    "dc_motor",
    "An electric motor with the input `voltage` and the state `current`; its inertia is that of the mechanism.",
    DIAGRAM,
    KEYS,
    _expand,
)
