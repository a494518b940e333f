"""A damper of one tube: valves, oil that gives way, and gas behind a floating piston.

    dF/dt = oil_stiffness (ds/dt - flow(F / valve_scale))                              (1)
    V = gas_volume + rod_area (s - reference)                                          (2)
    f = -F + rod_area (gas_pressure (gas_volume / V)^exponent - ambient)               (3)

F is the force that the pressure drop over the piston gives; the valves let pass the rate flow(F), the inverse of the
table `valve` of force over rate.  Between the piston and its valves the oil gives way with oil_stiffness, hence F is
late where the motion turns: over the rate the force has a loop, the wider the faster and the softer the oil.  In steady
motion F is that of the table.  The gas pushes the rod out, the more the deeper it is in.

The oil never tears here: a gas pressure that is too low for the valves (cavitation) does not show.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from precompute.device_types.device_type import DeviceType, KeyFaults, TypeKey
from precompute.device_types.expanding import S, parameters
from precompute.measures.measure import Measure
from precompute.model.devices import Device, DeviceForce, DeviceOutput, DeviceState, DeviceTable

DIAGRAM = r"""
           ____________________________
    A o----|  gas  |)|  oil  ||  oil  |
           | V, p  |)|       ||=======|=====o B     rod: rod_area
           |_______|)|_______||_______|
                 floating    piston with valves: table `valve`
      |<---------------- s ---------------->|
"""

KEYS = (
    TypeKey("valve", "1", "Rows [rate, force] of the valves, through [0, 0], both ascending", columns=("L/s", "E")),
    TypeKey("valve_scale", "1", "Factor of the forces of the valves", 1.0, positive=True),
    TypeKey("oil_stiffness", "E/L", "Stiffness of the oil between piston and valves", positive=True),
    TypeKey("rod_area", "m2", "Cross-section of the rod", 0.0, 0.0),
    TypeKey("gas_pressure", "Pa", "Absolute pressure of the gas at `reference`", 0.0, 0.0),
    TypeKey("gas_volume", "m3", "Volume of the gas at `reference`", 1.0, positive=True),
    TypeKey("reference", "L", "Value of the measure that they belong to", 0.0),
    TypeKey("exponent", "1", "Polytropic exponent of the gas", 1.3, 1.0),
    TypeKey("ambient", "Pa", "Pressure around it", 101325.0, 0.0),
)


def _expand(name: str, on: Measure, unit: str, values: Mapping[str, Any]) -> Device:
    rate, force = np.array(values["valve"], dtype=float).T
    faults = []
    if len(rate) < 2 or not ((np.diff(rate) > 0.0).all() and (np.diff(force) > 0.0).all()):
        faults.append(("valve", "must have two rows or more; its rates and its forces must ascend"))
    if not ((rate == 0.0) & (force == 0.0)).any():
        faults.append(("valve", "must have the row [0, 0]"))
    gas = values["gas_pressure"] > 0.0 and values["rod_area"] > 0.0
    if (values["gas_pressure"] > 0.0) != (values["rod_area"] > 0.0):
        faults.append(("rod_area", "and 'gas_pressure' belong together: gas acts on the cross-section of the rod"))
    if faults:
        raise KeyFaults(*faults)
    pushed = "rod_area*(gas_pressure*(gas_volume/(gas_volume + rod_area*(s - reference)))^exponent - ambient)"
    return Device(
        name,
        on=((S, on),),
        parameters=parameters(
            [key for key in KEYS if gas or key.name in ("valve_scale", "oil_stiffness")], values, unit
        ),
        states=(
            DeviceState(
                "F", "oil_stiffness*(s_rate - passing)", 0.0, "N", "Force of the pressure drop, tension"
            ),  # (1)
        ),
        forces=(DeviceForce(S, "-F + gas_force" if gas else "-F"),),  # (3)
        outputs=(
            DeviceOutput("passing", "flow(F/valve_scale)", "m/s", "Rate that the valves let pass"),
            *((DeviceOutput("gas_force", pushed, "N", "Force of the gas"),) if gas else ()),  # (2, 3)
            DeviceOutput("loss", "F*passing", "W", "Power that the valves turn into heat"),
        ),
        tables=(DeviceTable("flow", force, rate),),
    )


MONOTUBE = DeviceType(
    "monotube",
    "A damper with valves, oil that gives way and gas.  State `F`, the force of the pressure drop; its output "
    "`gas_force` is that of the gas.",
    DIAGRAM,
    KEYS,
    _expand,
    lengths_only=True,
)
