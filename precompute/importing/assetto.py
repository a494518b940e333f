"""suspensions.ini of Assetto Corsa: double wishbones and struts.

The game's maker has published no specification.  Read: commented samples in public tools of the community, and two
public re-implementations of the game's loader, which agree on keys, axes and units.  Points are relative to the wheel's
centre, in m: x inboard (of the left wheel too), y up, z forward; RIM_OFFSET is taken off x from VERSION 2 on.  Spring,
stops and dampers of DWB act on the height of the wheel; spring and damper of STRUT along the strut.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.errors import MechanismError
from precompute.hints import nearest
from precompute.importing.assetto_forces import dampers, spring, stops
from precompute.importing.corner import RADIUS, balanced, tie_rod, travel, wheel
from precompute.importing.draft import Draft
from precompute.importing.fields import Fields
from precompute.importing.layouts import LAYOUTS
from precompute.importing.points_only import Known

POINTS = {
    "DWB": {
        "lower_front": "WBCAR_BOTTOM_FRONT",
        "lower_rear": "WBCAR_BOTTOM_REAR",
        "lower_ball": "WBTYRE_BOTTOM",
        "upper_front": "WBCAR_TOP_FRONT",
        "upper_rear": "WBCAR_TOP_REAR",
        "upper_ball": "WBTYRE_TOP",
        "rack_end": "WBCAR_STEER",
        "tie_outer": "WBTYRE_STEER",
    },
    "STRUT": {
        "arm_front": "WBCAR_BOTTOM_FRONT",
        "arm_rear": "WBCAR_BOTTOM_REAR",
        "lower_ball": "WBTYRE_BOTTOM",
        "strut_low": "STRUT_TYRE",
        "strut_top": "STRUT_CAR",
        "rack_end": "WBCAR_STEER",
        "tie_outer": "WBTYRE_STEER",
    },
}
"""By type, our points and their keys."""

TYPES = {"DWB": "double-wishbone", "STRUT": "macpherson"}

OTHERS = {"AXLE": "a live axle", "ML": "multilink", "COSMIC": "of an extension"}

BOX = (0.6, 0.2, 0.6)
"""Lengths of the box along x, y, z of which hubs have the inertia [m]."""

STRUT_SHARE = 0.2
"""Of the hub's mass, that of a strut."""

MM = 1000.0


def parsed(text: str) -> dict[str, dict[str, Any]]:
    """Sections of an .ini file; numbers and lists of them as such."""
    found: dict[str, dict[str, Any]] = {}
    own: dict[str, Any] = {}
    for line in text.splitlines():
        line = line.partition(";")[0].strip()
        if line.startswith("["):
            own = found.setdefault(line.strip("[] ").upper(), {})
        elif "=" in line:
            key, _, value = line.partition("=")
            own.setdefault(key.strip().upper(), _value(value.strip()))  # the game takes the first, too
    return found


def _value(text: str) -> Any:
    words = text.split(",")
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        return text
    return numbers[0] if len(numbers) == 1 else numbers


def assetto(text: str, draft: Draft, known: Known) -> None:
    """A left corner.

    Args:
        text: the file.
        draft: gets it.
        known: which end, and what else the command line says.

    Raises:
        MechanismError: keys are missing or no numbers, all of them; or the type is none of these.
    """
    end = known.end or "front"
    file = Fields(parsed(text))
    own, basic = file.table(end.upper()), file.table("BASIC")
    kind = own.text("TYPE")
    file.check("the file")
    if kind not in TYPES:
        told = OTHERS.get(kind)
        hint = f"{told}; {', '.join(TYPES)} are" if told else nearest(kind, TYPES)
        raise MechanismError([f"[{end.upper()}] TYPE = {kind} is not read: {hint}"], "the file")
    version = file.table("HEADER").number("VERSION", 1.0) if "HEADER" in file else 1.0
    radius = known.radius or RADIUS
    offset = own.number("RIM_OFFSET", 0.0) if version >= 2 else 0.0
    centre = np.array([0.0, MM * own.number("TRACK") / 2, radius])
    draft.point("wheel_centre", centre)
    for name, key in POINTS[kind].items():
        draft.point(name, centre + _place(own.numbers(key), offset), key)
    _bodies(draft, kind, own)
    LAYOUTS[TYPES[kind]].joints(draft)
    wheel(draft, known.radius, camber=own.number("STATIC_CAMBER", 0.0), end=end)
    steered = end == "front" if known.rack is None else known.rack
    tie_rod(draft, steered, end)
    spring(draft, kind, own)
    dampers(draft, kind, own)
    travel(draft, LAYOUTS[TYPES[kind]].arms, stops(draft, kind, own))
    base, share = MM * basic.number("WHEELBASE"), basic.number("CG_LOCATION")
    draft.add("vehicle", "", wheelbase=base, cg_position=(1.0 - share) * base)
    file.check("the file")
    _told(file, own, draft, end)
    balanced(draft)


def _place(relative: list[float], offset: float) -> Array:
    """(3,) a place relative to the wheel's centre, in ISO 8855 axes [mm]."""
    x, y, z = relative
    return MM * np.array([z, -(x - offset), y])


def _bodies(draft: Draft, kind: str, own: Fields) -> None:
    """Hubs are boxes; arms have no mass."""
    mass = own.number("HUB_MASS")
    hub = mass * (1.0 - STRUT_SHARE) if kind == "STRUT" else mass
    x, y, z = (MM * length for length in BOX)
    box = np.array([y * y + z * z, x * x + z * z, x * x + y * y]) / 12
    draft.add("bodies", "upright", "HUB_MASS", mass=hub, com="wheel_centre", inertia=hub * box)
    draft.add("bodies", "lower_arm", "rods without mass there", mass=0, com="lower_ball")
    if kind == "DWB":
        draft.add("bodies", "upper_arm", "rods without mass there", mass=0, com="upper_ball")
    else:
        draft.add("bodies", "strut_rod", "a fifth of HUB_MASS", mass=mass * STRUT_SHARE, com="strut_top")
    draft.notes.taken.append(f"[{'double wishbones' if kind == 'DWB' else 'strut'}] with HUB_MASS = {mass:g} kg")
    draft.notes.assumed.append("the hub's inertia is that of a box of 0.2 x 0.6 x 0.6 m, as the game has it")


def _told(file: Fields, own: Fields, draft: Draft, end: str) -> None:
    if own.number("TOE_OUT", 0.0):
        draft.notes.left_out.append("TOE_OUT: static toe as a length of the tie rod; it is zero here")
    own.known("BASEY")
    rest = sorted(own.unread())
    if rest:
        draft.notes.left_out.append(", ".join(rest))
    other = "REAR" if end == "front" else "FRONT"
    passed = sorted(set(file.content) - {"HEADER", "BASIC", end.upper()})
    if other in passed:
        draft.notes.left_out.append(f"[{other}]: --end {other.lower()} takes it")
    if more := [f"[{name}]" for name in passed if name != other]:
        draft.notes.left_out.append(", ".join(more))
