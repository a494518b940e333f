"""Ready types of elements: what mechanisms often have, written as formulas once.

In: the name of a type and values of its keys, as the mechanism file has them, in SI.  Out: `model.devices.Device`, as
if the file had held its formulas.  One module per type; `TYPES` has them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from precompute.device_types.actuator import ACTUATOR
from precompute.device_types.air_spring import AIR_SPRING
from precompute.device_types.cam_traction import CAM_TRACTION
from precompute.device_types.dc_motor import DC_MOTOR
from precompute.device_types.device_type import DeviceType, KeyFaults, TypeKey
from precompute.device_types.expanding import S, expanded, symbol_fault
from precompute.device_types.film_bearing import FILM_BEARING
from precompute.device_types.friction import FRICTION
from precompute.device_types.hydraulic_mount import HYDRAULIC_MOUNT
from precompute.device_types.maxwell import MAXWELL
from precompute.device_types.monotube import MONOTUBE
from precompute.device_types.prony import PRONY
from precompute.device_types.servo import SERVO
from precompute.device_types.stop import STOP
from precompute.device_types.traction import TRACTION
from precompute.measures.measure import Measure
from precompute.model.devices import Device

TYPES: dict[str, DeviceType] = {
    kind.name: kind
    for kind in (
        ACTUATOR,
        MAXWELL,
        PRONY,
        HYDRAULIC_MOUNT,
        FRICTION,
        AIR_SPRING,
        MONOTUBE,
        DC_MOTOR,
        SERVO,
        STOP,
        FILM_BEARING,
        TRACTION,
        CAM_TRACTION,
    )
}
"""Name -> type."""


def expand(
    kind: str,
    name: str,
    on: Measure | Mapping[str, Measure],
    unit: str | Mapping[str, str],
    values: Mapping[str, Any],
) -> Device:
    """An element of a ready type.

    Args:
        kind: name of the type, one of `TYPES`.
        name: of the element.
        on: its measure, whose symbol is "s", or measures by their symbols.
        unit: "m" or "rad", of the measure or of each.
        values: of the keys that are given, in SI; numbers, lists of numbers, or rows.

    Raises:
        KeyFaults: with all that is wrong with the values.
    """
    measures = {S: on} if isinstance(on, Measure) else on
    units = {S: unit} if isinstance(unit, str) else unit
    return expanded(TYPES[kind], name, measures, units, values)


__all__ = ["TYPES", "DeviceType", "KeyFaults", "TypeKey", "expand", "symbol_fault"]
