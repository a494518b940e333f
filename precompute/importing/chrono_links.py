"""Chrono's suspensions with links: multi-link, and three-link on a trailing arm."""

from __future__ import annotations

import numpy as np

from precompute.arrays import Array
from precompute.importing.chrono_arms import Arms, chrono_arm, chrono_tie_rod
from precompute.importing.chrono_parts import (
    body,
    damper,
    frame,
    position,
    spring,
    told_shaft,
    unit_vector,
    with_spindle,
)
from precompute.importing.draft import Draft
from precompute.importing.fields import Fields
from precompute.importing.layouts import arm, ball

UP = np.array([0.0, 0.0, 1.0])


def multi_link(file: Fields, draft: Draft) -> Arms:
    """ChMultiLink: an upper arm on a hinge, a lateral link, a trailing one with spring and shock; a tie rod."""
    chrono_arm(draft, "upper", "upper_arm", file.table("Upper Arm"), "Upper Arm", False)
    with_spindle(draft, "upright", file.table("Upright"), file.table("Spindle"))
    links = {"lateral": file.table("Lateral"), "trailing": file.table("Trailing Link")}
    for name, table in links.items():
        draft.point(f"{name}_inner", position(table, "Location Chassis"))
        draft.point(f"{name}_outer", position(table, "Location Upright"))
    spring(draft, file.table("Spring"), "trailing_link", "Location Link")
    damper(draft, file.table("Shock"), "trailing_link", "Location Link")
    p = draft.points
    beside = {"lateral": p["trailing_outer"], "trailing": p["spring_low"]}
    for name, table in links.items():
        inner, outer = p[f"{name}_inner"], p[f"{name}_outer"]
        normal = np.cross(outer - beside[name], inner - beside[name])  # y of the link's own axes; z is along it
        across = np.cross(normal, inner - outer)
        body(draft, f"{name}_link", table, [unit_vector(across), unit_vector(normal)])
        _cardan(
            draft,
            name,
            np.array(table.numbers("Universal Joint Axis Chassis")),
            np.array(table.numbers("Universal Joint Axis Link")),
        )
        ball(draft, f"{name}_ball", f"{name}_link", "upright", f"{name}_outer")
    arm(draft, "upper_arm", "upper_rear", "upper_front")
    ball(draft, "upper_ball", "upper_arm")
    chrono_tie_rod(file, draft)
    told_shaft(file, draft)
    both = [(f"{name}_inner", f"{name}_inner", f"{name}_outer") for name in links]
    return [("upper_rear", "upper_front", "upper_ball"), *both]


def three_link(file: Fields, draft: Draft) -> Arms:
    """ChThreeLinkIRS: a trailing arm on a ball, which carries wheel, spring and shock, and two links to the body."""
    table = file.table("Trailing Arm")
    draft.point("arm_mount", position(table, "Location Chassis"))
    forward = draft.points["arm_mount"] - position(table, "Location Spindle")
    with_spindle(draft, "arm", table, file.table("Spindle"), frame(forward, np.cross(UP, forward)))
    draft.add("joints", "arm_mount", type="spherical", parent="ground", child="arm", at="arm_mount")
    for name, key in (("upper", "Upper Link"), ("lower", "Lower Link")):
        link = file.table(key)
        inner, outer = position(link, "Location Chassis"), position(link, "Location Arm")
        draft.point(f"{name}_inner", inner)
        draft.point(f"{name}_outer", outer)
        body(
            draft, f"{name}_link", link, [[f"{name}_inner", f"{name}_outer"], unit_vector(np.cross(UP, outer - inner))]
        )
        own = np.array(link.numbers("Universal Joint Axis"))
        _cardan(draft, name, np.cross(np.cross(own, UP), own), own)
        ball(draft, f"{name}_ball", f"{name}_link", "arm", f"{name}_outer")
    spring(draft, file.table("Spring"), "arm", "Location Arm")
    damper(draft, file.table("Shock"), "arm", "Location Arm")
    told_shaft(file, draft)
    both = [(f"{name}_inner", f"{name}_inner", f"{name}_outer") for name in ("upper", "lower")]
    return [("arm_mount", "arm_mount", "wheel_centre"), *both]


def _cardan(draft: Draft, name: str, on_body: Array, on_link: Array) -> None:
    draft.add(
        "joints",
        f"{name}_mount",
        type="universal",
        parent="ground",
        child=f"{name}_link",
        at=f"{name}_inner",
        axis=unit_vector(on_body),
        axis2=unit_vector(on_link),
    )
