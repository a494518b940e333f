"""A volume of gas behind an area, with a flow of gas into it.

With the volume V and the area A = dV/ds over x = s - reference:

    V = volume + area x + area_slope x^2 / 2,   A = area + area_slope x                (1)
    p = pressure content (volume / V)^exponent                                         (2)
    f = (p - ambient) A                                                                (3)
    d(filled)/dt = fill                                                                (4)
    d(content)/dt = exponent gas T fill / (pressure volume) (V / volume)^(exponent - 1)
                    - cooling (content - c)                                            (5)
    c = gas temperature m / (pressure volume) (V / volume)^(exponent - 1)              (6)
    m = pressure volume / (gas temperature) + filled                                   (7)

The state `content` is p V^exponent in units of what it is at the start.  With the valve closed and no cooling its rate
is zero, so that p V^exponent stays what it is to the last bits, whatever s does: there is nothing that could drift.
The state `filled` is the mass that came in, so that mass is conserved as exactly as the input is integrated.

exponent = 1: isothermal, the gas is always as warm as its surroundings, and so should be what comes in (`supply`); slow
motion.  exponent = 1.4: adiabatic, and (5) is the energy of an open volume: what enters brings its enthalpy at the
temperature T = `supply`, what leaves takes that of the gas.  Between them: a fit.  An adiabatic gas with `cooling`, the
inverse of the time in which it takes the temperature of its surroundings, c, is soft when slow and stiff when fast.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from precompute.device_types.device_type import LENGTH, DeviceType, On, TypeKey
from precompute.device_types.expanding import S, parameters, started
from precompute.model.devices import Device, DeviceForce, DeviceOutput, DeviceState

DIAGRAM = r"""
    A o-------+
        ______|______
       (             )   p, V = volume + area (s - reference)
       (  filled     )<===|><|=== fill
        \___________/    pV^exponent = constant while fill is zero
           |_____|
    B o-------+          s = distance of A and B
"""

FILL = TypeKey("fill_start", "kg/s", "Mass flow of gas that is let in", 0.0)

KEYS = (
    TypeKey("pressure", "Pa", "Absolute pressure at `reference`, before anything is let in", positive=True),
    TypeKey("volume", "m3", "Volume at `reference`", positive=True),
    TypeKey("area", "m2", "Effective area at `reference`", positive=True),
    TypeKey("reference", "L", "Value of the measure that they belong to"),
    TypeKey("area_slope", "m", "Growth of the area with the measure", 0.0),
    TypeKey("exponent", "1", "Polytropic exponent: 1 isothermal, 1.4 adiabatic", 1.4, 1.0),
    TypeKey("ambient", "Pa", "Pressure around it", 101325.0, 0.0),
    TypeKey("temperature", "K", "Temperature of the gas at the start, and around it", 293.15, positive=True),
    TypeKey("supply", "K", "Temperature of the gas that is let in", 293.15, positive=True),
    TypeKey("gas", "J/(kg.K)", "Gas constant", 287.05, positive=True),
    TypeKey("cooling", "1/s", "Rate at which it takes the temperature around it", 0.0, 0.0),
    FILL,
)

LIFT = "(gas_volume/volume)^(exponent - 1)"


def _expand(name: str, on: On, unit: str, values: Mapping[str, Any]) -> Device:
    warm = "if(fill >= 0, supply, gas_temperature)"
    let_in = f"exponent*gas*{warm}*fill/(pressure*volume)*{LIFT}"
    given_up = f"cooling*(content - gas*temperature*mass/(pressure*volume)*{LIFT})"
    return Device(
        name,
        on=on,
        parameters=parameters(KEYS, values, unit),
        inputs=started(FILL, values, unit),
        states=(
            DeviceState("filled", "fill", 0.0, "kg", "Mass that came in"),  # (4)
            DeviceState("content", f"{let_in} - {given_up}", 1.0, "1", "pV^exponent over that at the start"),  # (5, 6)
        ),
        forces=(DeviceForce(S, "(gas_pressure - ambient)*(area + area_slope*(s - reference))"),),  # (3)
        outputs=(
            DeviceOutput(
                "gas_volume", "volume + area*(s - reference) + area_slope*(s - reference)^2/2", "m3", "Volume"
            ),  # (1)
            DeviceOutput("gas_pressure", "pressure*content*(volume/gas_volume)^exponent", "Pa", "Pressure"),  # (2)
            DeviceOutput("mass", "pressure*volume/(gas*temperature) + filled", "kg", "Mass of the gas"),  # (7)
            DeviceOutput("gas_temperature", "gas_pressure*gas_volume/(gas*mass)", "K", "Temperature of the gas"),
        ),
    )


AIR_SPRING = DeviceType(
    "air_spring",
    "A polytropic volume of gas with the input `fill`, a mass flow.  States `filled`, the mass that came in, and "
    "`content`, p V^exponent over that at the start.",
    DIAGRAM,
    KEYS,
    _expand,
    measures=LENGTH,
)
