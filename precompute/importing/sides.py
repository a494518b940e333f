"""A left side and its mirror image, written out: for axles that are one body, which has no image."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from precompute.importing.draft import Draft

FLIP = np.array([1.0, -1.0, 1.0])

PRODUCTS_OF_Y = (3, 5)
"""Entries xy and yz of xx, yy, zz, xy, xz, yz."""


def both_sides(draft: Draft, middle: Collection[str]) -> None:
    """Let everything be there for both sides.

    Args:
        draft: has the left side, its wheel `left` and its axle; the free coordinates come later.
        middle: names of points, bodies, joints and so on that there are once.
    """
    points = {name for name in draft.points if name not in middle}
    bodies = {name for name in draft.sections["bodies"] if name not in middle}
    markers = set(draft.sections["markers"])
    for name in [name for name in draft.points if name in points]:
        place, comment = draft.points.pop(name), draft.comments.pop(("points", name), "")
        draft.point(f"{name}_left", place, comment)
        draft.point(f"{name}_right", place * FLIP, "")
    for section, objects in draft.sections.items():
        if section == "axles":
            continue
        for name in [name for name in objects if name not in middle]:
            entry, comment = objects.pop(name), draft.comments.pop((section, name), "")
            for side in ("left", "right"):
                own = side if section == "wheels" else f"{name}_{side}"
                draft.add(
                    section, own, comment if side == "left" else "", **_of_side(entry, points | bodies | markers, side)
                )
    for axle in draft.sections["axles"].values():
        axle["right"] = "right"


def _of_side(entry: dict[str, Any], names: Collection[str], side: str) -> dict[str, Any]:
    found = {key: _renamed(value, names, side) for key, value in entry.items()}
    if side == "right":
        if isinstance(entry.get("com"), list):
            found["com"] = [x * s for x, s in zip(entry["com"], FLIP.tolist(), strict=True)]
        if len(entry.get("inertia", ())) == 6:
            found["inertia"] = [-x if i in PRODUCTS_OF_Y else x for i, x in enumerate(entry["inertia"])]
    return found


def _renamed(value: Any, names: Collection[str], side: str) -> Any:
    if isinstance(value, list):
        return [_renamed(x, names, side) for x in value]
    if isinstance(value, str):
        return f"{value}_{side}" if value in names else value.replace("wheel.left.", f"wheel.{side}.")
    return value
