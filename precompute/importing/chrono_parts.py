"""Bodies, springs and dampers of Chrono's suspensions, in mm, kg and N."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.importing.corner import STOP_RATE, wheel_damper
from precompute.importing.draft import Draft
from precompute.importing.fields import Fields

MM = 1000.0
"""In a metre."""

INERTIA = 1e6
"""kg mm2 in a kg m2."""

LOOKS = ("Radius", "Width")
"""For drawing alone."""


def position(table: Fields, key: str) -> Array:
    """(3,) a place in the file [mm]."""
    return MM * np.array(table.numbers(key))


def inertia_of(table: Fields) -> Array:
    """(6,) xx, yy, zz, xy, xz, yz, entries of the tensor [kg mm2]; products have the tensor's signs there too."""
    if "Moments of Inertia" not in table:
        return INERTIA * np.array([*table.numbers("Inertia"), 0.0, 0.0, 0.0])
    products = table.numbers("Products of Inertia") if "Products of Inertia" in table else [0.0] * 3
    return INERTIA * np.array([*table.numbers("Moments of Inertia"), *products])


def body(draft: Draft, name: str, table: Fields, axes: Sequence[Any] | None, comment: str = "") -> None:
    """A body with mass, centre of mass and inertia; `axes` are those of the inertia, None where they are global."""
    table.known(*LOOKS)
    values = inertia_of(table)
    shown = values if values[3:].any() else values[:3]
    draft.add(
        "bodies", name, comment, mass=table.number("Mass"), com=position(table, "COM"), inertia=shown, inertia_axes=axes
    )


def with_spindle(
    draft: Draft,
    name: str,
    table: Fields,
    spindle: Fields,
    R: Array | None = None,
    others: Sequence[tuple[float, Array]] = (),
) -> None:
    """A body and the spindle in it as one: the wheel does not spin here.

    Args:
        draft: gets it.
        name: of the body here.
        table: the body there.
        spindle: the spindle.
        R: (3, 3) axes of the body's inertia as columns; None where they are global.
        others: masses that go with it, and their places (3,).
    """
    parts = [(part.number("Mass"), position(part, "COM"), matrix(inertia_of(part))) for part in (table, spindle)]
    if R is not None:
        mass, com, own = parts[0]
        parts[0] = (mass, com, R @ own @ R.T)
    composite(draft, name, "with the spindle", [*parts, *((m, at, np.zeros((3, 3))) for m, at in others)])
    for part in (table, spindle):
        part.known(*LOOKS)
    draft.notes.taken.append(f"'Spindle' as a part of '{name}'")
    draft.notes.assumed.append("wheels do not spin: that is for the tyre")


def composite(draft: Draft, name: str, comment: str, parts: Sequence[tuple[float, Array, Array]]) -> None:
    """Several bodies as one.

        m = sum m_i,   c = sum m_i c_i / m,   I = sum I_i + m_i (|d_i|² 1 - d_i d_iᵀ),   d_i = c_i - c

    Args:
        draft: gets it.
        name: of the body here.
        comment: beside it.
        parts: mass, centre of mass (3,) and tensor (3, 3) of each, in global axes.
    """
    masses, places = np.array([m for m, _, _ in parts]), np.array([c for _, c, _ in parts])
    total = masses.sum()
    centre = masses @ places / total if total > 0.0 else places[0]
    combined = np.zeros((3, 3))
    for m, c, tensor in parts:
        d = c - centre
        combined += tensor + m * (d @ d * np.eye(3) - np.outer(d, d))
    entries = [combined[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    draft.add("bodies", name, comment, mass=total, com=centre, inertia=entries)


def matrix(values: Array) -> Array:
    """(3, 3) of xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = values
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def spring(draft: Draft, table: Fields, on: str, end: str) -> None:
    """The spring between the vehicle's body and another one.

        force = preload - k (length - free length),  or  preload - curve(length - free length)

    Args:
        draft: gets it.
        table: of the file.
        on: the other body.
        end: the key of the end there.
    """
    _ends(draft, table, "spring", end)
    free, preload = MM * table.number("Free Length"), table.number("Preload", 0.0)
    curve = next((key for key in ("Spring Curve Data", "Curve Data") if key in table), None)
    law: dict[str, Any]
    if curve:
        rows = [[-MM * x, preload - y] for x, y in reversed(table.rows(curve))]
        law = {"table": rows, "free_length": free}
    else:
        k = table.number("Spring Coefficient") / MM
        law = {"stiffness": k, "free_length": free + (preload / k if k else 0.0)}
    stops: dict[str, Any] = {}
    for key, stop in (("Minimum Length", "bump_stop"), ("Maximum Length", "rebound_stop")):
        if "Minimum Length" in table and "Maximum Length" in table:
            stops[stop] = {"length": MM * table.number(key), "stiffness": STOP_RATE}
    if stops:
        draft.notes.assumed.append(
            f"stops of {STOP_RATE:g} N/mm at the spring's minimum and maximum length: their curve is not in the file"
        )
    draft.add("springs", "coil", between=["ground", on], at=["spring_top", "spring_low"], **law, **stops)


def damper(draft: Draft, table: Fields, on: str, end: str) -> None:
    """The damper between the vehicle's body and another one; the force resists the rate."""
    _ends(draft, table, "damper", end)
    curve = next((key for key in ("Damping Curve Data", "Curve Data") if key in table), None)
    if "Map Data" in table:
        table.known("Map Data", "Deformation", "Minimum Length", "Maximum Length", "Preload")
        draft.notes.left_out.append("'Shock': 'Map Data', forces over length and rate together")
        wheel_damper(draft)
        return
    if curve:
        law: dict[str, Any] = {"table": [[MM * v, force] for v, force in table.rows(curve)]}
    else:
        law = {"damping": table.number("Damping Coefficient") / MM}
    draft.add("dampers", "shock", between=["ground", on], at=["damper_top", "damper_low"], **law)


def _ends(draft: Draft, table: Fields, name: str, end: str) -> None:
    draft.point(f"{name}_top", position(table, "Location Chassis"))
    draft.point(f"{name}_low", position(table, end))


def frame(x: Array, y: Array) -> Array:
    """(3, 3) unit axes as columns: x, y made perpendicular to it, and the third."""
    z = np.cross(x, y)
    y = np.cross(z, x)
    return np.column_stack([a / (np.linalg.norm(a) or 1.0) for a in (x, y, z)])


def unit_vector(vector: Array) -> Array:
    """(3,) of length one, with as many digits as a file needs; one without a direction stays zero, which is told."""
    return np.asarray(np.round(vector / (np.linalg.norm(vector) or 1.0), 9), dtype=np.float64)


def told_shaft(file: Fields, draft: Draft) -> None:
    """The axle's shaft has no place here."""
    file.table("Axle").number("Inertia")
    draft.notes.left_out.append("'Axle': inertia of the shaft that turns the wheel")


def told_bushings(table: Fields, draft: Draft, name: str) -> None:
    """Rubber of a joint."""
    if "Bushing Data" in table:
        table.known("Bushing Data")
        draft.notes.left_out.append(f"'Bushing Data' of '{name}': the joint is rigid; [bushings] can be added by hand")
