"""Cams as the mechanism file has them, in SI units and radians."""

from __future__ import annotations

from typing import Any

from precompute.cams.polar_table import PolarTable
from precompute.cams.profile import Side
from precompute.mechanism_file.schema.measure_words import numbers
from precompute.model.cams import Cam


def cam_table(cam: Cam) -> dict[str, Any]:
    """The entry of a cam joint."""
    profile = cam.follower.profile
    if isinstance(profile, PolarTable):
        rows = [[float(a), float(r)] for a, r in zip(profile.angles, profile.radii, strict=True)]
        outline: dict[str, Any] = {"table": rows}
    else:
        outline = {"profile": [_side(side) for side in profile]}
    return {
        "type": "cam",
        "parent": cam.parent,
        "child": cam.child,
        "centre": numbers(cam.centre),
        "axis": numbers(cam.axis),
        "zero": numbers(cam.zero),
        **outline,
        "follower": cam.follower.kind,
        "at": numbers(cam.p),
        **({"radius": float(cam.follower.radius)} if cam.follower.kind == "roller" else {}),
        **({} if cam.normal is None else {"normal": numbers(cam.normal)}),
        **({} if cam.rolls is None else {"rolls": cam.rolls}),
        **({} if cam.slips is None else {"slips": cam.slips}),
    }


def _side(side: Side) -> dict[str, Any]:
    arc = {} if side.centre is None else {"centre": numbers(side.centre)}
    return {"to": numbers(side.end), **arc, **({"hollow": True} if side.hollow else {})}
