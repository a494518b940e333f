"""A bump stop: nothing within a gap, progressive beyond it, on one side or on both; it pushes and never pulls.

With the depth d = s - above, or below - s, and v its rate:

    e = stiffness d + progressive (d / depth)^power   for d > 0, else 0                (1)
    force against d = e max(0, 1 + damping v)                                          (2)

So `progressive` is what the second term gives at the depth `depth`.  Damping is in proportion to the elastic force
(Hunt and Crossley), hence there is no jump where the stop is met, and none where it is left: force and depth vanish
together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from precompute.device_types.device_type import DeviceType, KeyFaults, On, TypeKey
from precompute.device_types.expanding import S, parameters
from precompute.model.devices import Device, DeviceForce, DeviceOutput

DIAGRAM = r"""
    force on s
      |\                              stiffness d + progressive (d / depth)^power
      | \
    --+--`-------------------.------> s
       below                above \
                                   \
"""

KEYS = (
    TypeKey("above", "L", "Value of the measure above which it acts", optional=True),
    TypeKey("below", "L", "Value of the measure below which it acts", optional=True),
    TypeKey("stiffness", "E/L", "Stiffness where it is met", 0.0, 0.0),
    TypeKey("progressive", "E", "Further force at the depth `depth`", 0.0, 0.0),
    TypeKey("depth", "L", "Depth at which the further force is `progressive`", 0.01, positive=True),
    TypeKey("power", "1", "Power of the depth that the further force follows", 3.0, 1.0),
    TypeKey("damping", "s/L", "Share of the elastic force that is added per rate of the depth", 0.0, 0.0),
)


def _expand(name: str, on: On, unit: str, values: Mapping[str, Any]) -> Device:
    sides = {side: values[side] is not None for side in ("above", "below")}
    if not any(sides.values()):
        raise KeyFaults(("", "needs 'above' or 'below', or both"))
    if all(sides.values()) and values["above"] < values["below"]:
        raise KeyFaults(("above", "is less than 'below'; between them the stop does not act"))
    if values["stiffness"] == 0.0 and values["progressive"] == 0.0:
        raise KeyFaults(("stiffness", "is zero, and 'progressive' as well: the stop has no force"))
    depths = {"above": "s - above", "below": "below - s"}
    signs = {"above": "-", "below": ""}
    effort = "N.m" if unit == "rad" else "N"
    outputs = []
    for side in (side for side, given in sides.items() if given):
        rate = "damping*s_rate" if side == "above" else "-damping*s_rate"
        outputs += [
            DeviceOutput(f"into_{side}", f"max({depths[side]}, 0)", unit, f"Depth, {side} its limit"),
            DeviceOutput(
                f"push_{side}",
                f"(stiffness*into_{side} + progressive*(into_{side}/depth)^power)*max(0, 1 + {rate})",  # (1, 2)
                effort,
                f"Force against the depth, {side} its limit",
            ),
        ]
    force = " + ".join(f"{signs[side]}push_{side}" for side, given in sides.items() if given)
    return Device(
        name,
        on=on,
        parameters=parameters(KEYS, values, unit),
        forces=(DeviceForce(S, force),),
        outputs=tuple(outputs),
    )


STOP = DeviceType(
    "stop",
    "A progressive stop above or below a limit, or both, with damping that never pulls.  No state, no input.",
    DIAGRAM,
    KEYS,
    _expand,
)
