"""Spring, stops and dampers of suspensions.ini, in mm and N."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from precompute.importing.draft import Draft
from precompute.importing.fields import Fields

MM = 1000.0

BEYOND = 15.0
"""How far wheels may go into their stops [mm]."""

STEPS = 8
"""Pieces of a progressive spring's curve."""

REACH = 200.0
"""Compression up to which it is made [mm]."""

DEFAULT_STOP = 500.0
"""Where no rate is given, and of struts always [N/mm]."""

DEFAULT_THRESHOLD = 200.0
"""Of fast damping, where none is given [mm/s]."""


def spring(draft: Draft, kind: str, own: Fields) -> None:
    """The spring, of which ROD_LENGTH is the compression where the suspension is drawn.

        force = (k + p s) s,   s = compression; none while s < 0

    Args:
        draft: gets it.
        kind: "DWB", on the wheel's height, or "STRUT", along the strut.
        own: the section of the axle.
    """
    k, p = own.number("SPRING_RATE") / MM, own.number("PROGRESSIVE_SPRING_RATE", 0.0) / MM**2
    rod = MM * own.number("ROD_LENGTH", 0.0)
    droop = MM * own.number("BUMPSTOP_DN", 0.0) + BEYOND
    law: dict[str, Any]
    if p == 0.0 and rod > droop:
        law = {"stiffness": k}
    else:
        s = np.linspace(0.0, REACH, STEPS + 1)
        rows = np.vstack([[-REACH, 0.0], np.column_stack([s, (k + p * s) * s])])
        law = {"table": rows if kind == "STRUT" else -rows[::-1]}
        if p:
            draft.notes.assumed.append(f"the progressive spring as {STEPS} pieces up to {REACH:g} mm")
    if kind == "STRUT":
        top, low = draft.points["strut_top"], draft.points["strut_low"]
        length = float(np.linalg.norm(top - low))
        ends: dict[str, Any] = {"between": ["ground", "upright"], "at": ["strut_top", "strut_low"]}
        draft.add("springs", "coil", **ends, **law, free_length=length + rod)
    else:
        draft.add("springs", "wheel", "a wheel rate", on="wheel.left.travel", **law, free_length=-rod)


def dampers(draft: Draft, kind: str, own: Fields) -> None:
    """Slow and fast damping, bump and rebound."""
    rows = [[0.0, 0.0]]
    for word, sign in (("BUMP", 1.0), ("REBOUND", -1.0)):
        slow = own.number(f"DAMP_{word}") / MM
        fast = own.number(f"DAMP_FAST_{word}", 0.0) / MM or slow
        limit = MM * own.number(f"DAMP_FAST_{word}THRESHOLD", 0.0) or DEFAULT_THRESHOLD
        far = 2 * limit
        rows += [[sign * limit, sign * slow * limit], [sign * far, sign * (slow * limit + fast * (far - limit))]]
    if any(math.isnan(x) for row in rows for x in row):
        return  # a fault of the file, which is told
    if kind == "STRUT":
        rows = [[-v, -f] for v, f in rows]  # rebound lengthens it
        draft.notes.assumed.append("DAMP_BUMP is for a strut that becomes shorter")
        ends: dict[str, Any] = {"between": ["ground", "upright"], "at": ["strut_top", "strut_low"]}
    else:
        ends = {"on": "wheel.left.travel"}
    draft.add("dampers", "shock", **ends, table=sorted(rows))


def stops(draft: Draft, kind: str, own: Fields) -> tuple[float, float] | None:
    """Bump and rebound stop, on the wheel's height; the travel that they leave, None if one is missing.

    Args:
        draft: gets them.
        kind: of suspension.
        own: the section of the axle.
    """
    up, down = (MM * own.number(f"BUMPSTOP_{word}", 0.0) for word in ("UP", "DN"))
    rate, packer = own.number("BUMP_STOP_RATE", 0.0) / MM, MM * own.number("PACKER_RANGE", 0.0)
    rod = MM * own.number("ROD_LENGTH", 0.0)
    given = rate or DEFAULT_STOP
    rate = DEFAULT_STOP if kind == "STRUT" else given
    if up:
        draft.add("stops", "bump", wheels=["left"], above=up, stiffness=rate)
    if down:
        draft.add("stops", "rebound", wheels=["left"], below=-down, stiffness=rate)
    if packer and kind == "DWB":
        draft.add("stops", "packer", wheels=["left"], above=packer - rod, stiffness=given)
    elif packer:
        draft.notes.left_out.append("PACKER_RANGE of the strut")
    return (-down - BEYOND, up + BEYOND) if up and down else None
