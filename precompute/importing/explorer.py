"""Geometry files of suspension-explorer, as YAML.

Read: the README and tests/data of https://github.com/suspension-explorer/suspension-explorer-core, for points, axes
(ISO 8855, mm) and keys; how it derives the wheel's centre and nominal radius (core/points/derived, core/schema).  It
has points and no masses.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.errors import MechanismError
from precompute.hints import nearest
from precompute.importing.draft import Draft
from precompute.importing.fields import Fields
from precompute.importing.layouts import LAYOUTS
from precompute.importing.points_only import Known, point_corner, take_points

TYPES = {"double_wishbone": "double-wishbone", "macpherson": "macpherson", "multi_link": "five-link"}

LINKS = {
    "lower_rear_link": "lower",
    "lower_front_link": "trailing",
    "upper_rear_link": "upper",
    "upper_front_link": "leading",
}
"""Of multi_link, what they are called here."""

MOUNTS = {"lower_wishbone": "lower_arm", "upright": "upright"}

INCH = 25.4


def explorer(content: Any, draft: Draft, known: Known) -> None:
    """A left corner.

    Args:
        content: the parsed YAML.
        draft: gets it.
        known: what the command line says.

    Raises:
        MechanismError: keys are missing or of another kind, or its type or units are not known.
    """
    if not isinstance(content, dict):
        raise MechanismError(["it is no table of names and values"], "the file")
    file = Fields(content)
    file.known("name", "version", "side", "scope")
    kind, units = file.text("type"), file.text("units", "millimeters")
    file.check("the file")
    if kind not in TYPES:
        raise MechanismError([f"its type '{kind}' is not read; {nearest(kind, TYPES)}"], "the file")
    if units != "millimeters":
        raise MechanismError([f"its units are '{units}'; the format has 'millimeters'"], "the file")
    axle = file.text("scope", "corner") == "axle"
    own = file.table("axle_config" if axle else "config")
    points = _points(file, axle, draft)
    wheel, tire = own.table("wheel"), own.table("wheel").table("tire")
    offset, width = wheel.number("offset"), tire.number("section_width")
    radius = INCH * tire.number("rim_diameter") / 2 + tire.number("aspect_ratio") * width
    steering = own.table("steering").text("type")
    file.check("the file")
    if missing := [name for name in ("axle_inboard", "axle_outboard") if name not in points]:
        raise MechanismError([f"hardpoints: '{name}' is missing" for name in missing], "the file")
    inner, outer = points.pop("axle_inboard"), points.pop("axle_outboard")
    if not np.linalg.norm(outer - inner) > 0.0:
        raise MechanismError(["hardpoints: 'axle_inboard' and 'axle_outboard' are the same point"], "the file")
    spin = (outer - inner) / np.linalg.norm(outer - inner)
    points["wheel_centre"] = outer - offset * spin
    layout = LAYOUTS[TYPES[kind]]
    side = own if axle else file
    if "actuation" in side and layout.name == "double-wishbone":
        layout = replace(layout, spring=_mount(side, draft), damper=_mount(side, draft))
    take_points(draft, layout, points)
    draft.notes.taken.append(f"wheel centre, toe and camber, from the axle's two points and an offset of {offset:g} mm")
    if known.radius is None:
        draft.notes.taken.append(f"a wheel radius of {radius:.1f} mm, the nominal one of its tyre")
    outward = abs(spin[1])
    given = replace(
        known,
        radius=known.radius or radius,
        rack=known.rack if known.rack is not None else steering == "rack",
        toe=math.degrees(math.atan2(spin[0], outward)),
        camber=-math.degrees(math.asin(spin[2])),
        end=known.end or (own.text("axle_position") if axle and "axle_position" in own else None),
    )
    point_corner(draft, layout, given)
    draft.notes.left_out.extend(file.unread())


def _mount(side: Fields, draft: Draft) -> tuple[str, str]:
    actuation = side.table("actuation")
    if actuation.text("type") != "direct":
        draft.notes.left_out.append(f"actuation of the type '{actuation.text('type')}': pushrod and rocker")
    mount = actuation.text("mount", "lower_wishbone")
    return "ground", MOUNTS.get(mount, "upright")


def _points(file: Fields, axle: bool, draft: Draft) -> dict[str, Array]:
    """By name (3,) [mm], those of links by our names."""
    table = file.table("hardpoints")
    if axle:
        table.known("right", "center")
        if "right" in table:
            draft.notes.left_out.append("hardpoints of the right side: the left ones stand for both")
        if "center" in table:
            draft.notes.left_out.append("hardpoints of the middle")
        table = table.table("left")
    found = {}
    for name in table.content:
        place = table.table(name)
        link, _, end = name.rpartition("_")
        ours = f"{LINKS[link]}_{'inner' if end == 'inboard' else 'outer'}" if link in LINKS else name
        found[ours] = np.array([place.number(axis) for axis in "xyz"])
    return found
