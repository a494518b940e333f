"""Chrono's suspensions with arms: double wishbones, and MacPherson struts."""

from __future__ import annotations

import numpy as np

from precompute.importing.chrono_parts import (
    INERTIA,
    LOOKS,
    body,
    damper,
    position,
    spring,
    told_bushings,
    told_shaft,
    unit_vector,
    with_spindle,
)
from precompute.importing.draft import Draft
from precompute.importing.fields import Fields
from precompute.importing.layouts import arm, ball

Arms = list[tuple[str, str, str]]


def double_wishbone(file: Fields, draft: Draft) -> Arms:
    """ChDoubleWishbone: two arms on hinges, balls at the upright, spring and shock on the lower arm."""
    vehicle_axes = file.flag("Vehicle-Frame Inertia")
    for name, key in (("lower", "Lower Control Arm"), ("upper", "Upper Control Arm")):
        chrono_arm(draft, name, f"{name}_arm", file.table(key), key, vehicle_axes)
    with_spindle(draft, "upright", file.table("Upright"), file.table("Spindle"))
    for name in ("lower", "upper"):
        arm(draft, f"{name}_arm", f"{name}_rear", f"{name}_front")
        ball(draft, f"{name}_ball", f"{name}_arm")
    chrono_tie_rod(file, draft)
    spring(draft, file.table("Spring"), "lower_arm", "Location Arm")
    damper(draft, file.table("Shock"), "lower_arm", "Location Arm")
    told_shaft(file, draft)
    return [(f"{name}_rear", f"{name}_front", f"{name}_ball") for name in ("lower", "upper")]


def macpherson(file: Fields, draft: Draft) -> Arms:
    """ChMacPhersonStrut: an arm, a strut that slides and turns in the upright, a cardan joint on top."""
    chrono_arm(draft, "arm", "lower_arm", file.table("Control Arm"), "Control Arm", False, "lower_ball")
    with_spindle(draft, "upright", file.table("Upright"), file.table("Spindle"))
    spring(draft, file.table("Spring"), "upright", "Location Upright")
    damper(draft, file.table("Shock"), "upright", "Location Upright")
    strut = file.table("Strut")
    strut.known(*LOOKS)
    top, low = draft.points["spring_top"], draft.points["spring_low"]
    inertia = INERTIA * np.array(strut.numbers("Inertia"))
    draft.add("bodies", "strut_rod", mass=strut.number("Mass"), com=(top + low) / 2, inertia=inertia)
    arm(draft, "lower_arm", "arm_rear", "arm_front")
    ball(draft, "lower_ball", "lower_arm")
    draft.add(
        "joints", "strut", type="cylindrical", parent="strut_rod", child="upright", axis=["spring_low", "spring_top"]
    )
    along, rear = top - low, draft.points["arm_rear"]
    v = np.cross(low - rear, top - rear)
    draft.add(
        "joints",
        "top_mount",
        "keeps the rod from spinning",
        type="universal",
        parent="ground",
        child="strut_rod",
        at="spring_top",
        axis=unit_vector(np.cross(v, along)),
        axis2=unit_vector(v),
    )
    chrono_tie_rod(file, draft)
    told_shaft(file, draft)
    return [("arm_rear", "arm_front", "lower_ball")]


def chrono_arm(
    draft: Draft, name: str, own: str, table: Fields, key: str, vehicle_axes: bool, outer: str | None = None
) -> None:
    """An arm with its points; its own axes are x along its hinge, forward, and z across its plane."""
    for word, there in (("front", "Location Chassis Front"), ("rear", "Location Chassis Back")):
        draft.point(f"{name}_{word}", position(table, there))
    outer = outer or f"{name}_ball"
    draft.point(outer, position(table, "Location Upright"))
    axes = None if vehicle_axes else [[f"{name}_rear", f"{name}_front"], [f"{name}_rear", outer]]
    body(draft, own, table, axes)
    told_bushings(table, draft, key)


def chrono_tie_rod(file: Fields, draft: Draft) -> None:
    """Its points; it is a link without mass, as most files have it."""
    table = file.table("Tierod")
    draft.point("rack_end", position(table, "Location Chassis"), "inner end of the tie rod")
    draft.point("tie_outer", position(table, "Location Upright"))
    told_bushings(table, draft, "Tierod")
    if "Mass" in table:
        table.known("Mass", "Inertia", *LOOKS)
        draft.notes.left_out.append("'Tierod': its mass and inertia; it is a link without mass")
