"""A damper of one tube: valves, oil that gives way, gas behind a floating piston, and a rod that is mounted in rubber.

    dF/dt = oil_stiffness (ds/dt - du/dt - flow(F / valve_scale))                      (1)
    V = gas_volume + rod_area (s - u - reference)                                      (2)
    f = -F + rod_area (gas_pressure (gas_volume / V)^exponent - ambient)               (3)
    mount_damping du/dt = -f - mount_stiffness u                                       (4)

F is the force that the pressure drop over the piston gives; the valves let pass the rate flow(F), the inverse of the
table `valve` of force over rate.  Between the piston and its valves the oil gives way with oil_stiffness, hence F is
late where the motion turns: over the rate the force has a loop, the wider the faster and the softer the oil.  In steady
motion F is that of the table.  The gas pushes the rod out, the more the deeper it is in.

The mount is in series with all that: u is how far it is stretched, and its end of the rod has no mass.  It takes small
and fast motion upon itself, hence widens the loop as soft oil does.  Without mount_stiffness there is none, u = 0.

The oil never tears here: a gas pressure that is too low for the valves (cavitation) does not show.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from precompute.device_types.device_type import LENGTH, DeviceType, KeyFaults, On, TypeKey
from precompute.device_types.expanding import S, parameters
from precompute.model.devices import Device, DeviceForce, DeviceOutput, DeviceState, DeviceTable

DIAGRAM = r"""
           ____________________________
    A o----|  gas  |)|  oil  ||  oil  |
           | V, p  |)|       ||=======|=====o B     rod: rod_area
           |_______|)|_______||_______|
                 floating    piston with valves: table `valve`
      |<---------------- s ---------------->|

    with a mount:  .. ======o-----/\/\/\/-----o B    mount_stiffness
                            |_______]|________|      mount_damping
                            |<----- u ------->|
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
    TypeKey("mount_stiffness", "E/L", "Stiffness of the rubber that holds the rod", optional=True, positive=True),
    TypeKey("mount_damping", "E.s/L", "Damping of that rubber", optional=True, positive=True),
)

GAS = ("rod_area", "gas_pressure", "gas_volume", "reference", "exponent", "ambient")
"""Keys that count if there is gas."""


def _expand(name: str, on: On, unit: str, values: Mapping[str, Any]) -> Device:
    rate, force_of_valve = np.array(values["valve"], dtype=float).T
    faults = []
    if len(rate) < 2 or not ((np.diff(rate) > 0.0).all() and (np.diff(force_of_valve) > 0.0).all()):
        faults.append(("valve", "must have two rows or more; its rates and its forces must ascend"))
    if not ((rate == 0.0) & (force_of_valve == 0.0)).any():
        faults.append(("valve", "must have the row [0, 0]"))
    gas = values["gas_pressure"] > 0.0 and values["rod_area"] > 0.0
    if (values["gas_pressure"] > 0.0) != (values["rod_area"] > 0.0):
        faults.append(("rod_area", "and 'gas_pressure' belong together: gas acts on the cross-section of the rod"))
    mounted = values["mount_stiffness"] is not None
    if mounted != (values["mount_damping"] is not None):
        missing, given = ("damping", "stiffness") if mounted else ("stiffness", "damping")
        faults.append((f"mount_{missing}", f"is missing; 'mount_{given}' needs it: rubber is a spring and a damper"))
    if faults:
        raise KeyFaults(*faults)
    inside = "s - mount" if mounted else "s"
    pushed = f"rod_area*(gas_pressure*(gas_volume/(gas_volume + rod_area*({inside} - reference)))^exponent - ambient)"
    force = "-F + gas_force" if gas else "-F"  # (3)
    return Device(
        name,
        on=on,
        parameters=parameters([key for key in KEYS if gas or key.name not in GAS], values, unit),
        states=(
            DeviceState(
                "F",
                f"oil_stiffness*(s_rate - {'yielding - ' if mounted else ''}passing)",
                0.0,
                "N",
                "Force of the pressure drop, tension",
            ),  # (1)
            *((DeviceState("mount", "yielding", 0.0, "m", "Stretch of the mount"),) if mounted else ()),
        ),
        forces=(DeviceForce(S, force),),
        outputs=(
            DeviceOutput("passing", "flow(F/valve_scale)", "m/s", "Rate that the valves let pass"),
            *((DeviceOutput("gas_force", pushed, "N", "Force of the gas"),) if gas else ()),  # (2, 3)
            DeviceOutput("loss", "F*passing", "W", "Power that the valves turn into heat"),
            *(_mount(force) if mounted else ()),
        ),
        tables=(DeviceTable("flow", force_of_valve, rate),),
    )


def _mount(force: str) -> tuple[DeviceOutput, ...]:
    return (
        DeviceOutput(
            "yielding", f"(-({force}) - mount_stiffness*mount)/mount_damping", "m/s", "Rate of the mount"
        ),  # (4)
        DeviceOutput("mount_loss", "mount_damping*yielding^2", "W", "Power that the mount turns into heat"),
    )


MONOTUBE = DeviceType(
    "monotube",
    "A damper with valves, oil that gives way and gas, its rod mounted in rubber if `mount_stiffness` is given.  State "
    "`F`, the force of the pressure drop, and `mount`, the stretch of the mount; output `gas_force`, that of the gas.",
    DIAGRAM,
    KEYS,
    _expand,
    measures=LENGTH,
)
