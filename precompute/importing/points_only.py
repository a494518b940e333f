"""A corner of named points: what all formats have in common that know no bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from precompute.arrays import Array
from precompute.errors import MechanismError
from precompute.hints import closest
from precompute.importing.corner import RADIUS, static_load, tie_rod, travel, wheel, wheel_spring
from precompute.importing.draft import Draft
from precompute.importing.layouts import LAYOUTS, Layout, assumed_masses

SPRING_RATE = 30.0
"""Of a spring of which only the ends are known [N/mm]."""

DAMPING = 3.0
"""Of a damper of which only the ends are known [N s/mm]."""

ALIASES = {
    "double-wishbone": {
        "lower_front": "lca_front lca_inner_front lower_wishbone_inboard_front",
        "lower_rear": "lca_rear lca_inner_rear lower_wishbone_inboard_rear",
        "lower_ball": "lca_outer lower_wishbone_outboard",
        "upper_front": "uca_front uca_inner_front upper_wishbone_inboard_front",
        "upper_rear": "uca_rear uca_inner_rear upper_wishbone_inboard_rear",
        "upper_ball": "uca_outer upper_wishbone_outboard",
        "spring_low": "spring_lower strut_bottom",
        "spring_top": "spring_upper strut_top",
    },
    "macpherson": {
        "arm_front": "lca_front lca_inner_front lower_wishbone_inboard_front",
        "arm_rear": "lca_rear lca_inner_rear lower_wishbone_inboard_rear",
        "lower_ball": "lca_outer lower_wishbone_outboard",
        "strut_low": "strut_lower strut_bottom",
        "spring_low": "spring_lower",
        "spring_top": "spring_upper",
    },
    "five-link": {
        "toe_inner": "tierod_inner trackrod_inboard toe_link_inboard",
        "toe_outer": "tierod_outer trackrod_outboard toe_link_outboard",
    },
}
"""By layout and point of ours, what others call it, besides `ALWAYS`."""

ALWAYS = {
    "rack_end": "tierod_inner trackrod_inboard toe_link_inboard",
    "tie_outer": "tierod_outer trackrod_outboard toe_link_outboard",
    "wheel_centre": "wheel_center",
}

OPTIONAL = ("spring_low", "spring_top", "damper_low", "damper_top", "contact_patch")


@dataclass(frozen=True)
class Known:
    """What a format may know besides points, and what is asked for on the command line; None where nobody says it."""

    radius: float | None = None  # loaded, of the wheel [mm]
    load: float | None = None  # of the wheel at rest [N]
    rack: bool | None = None  # whether the tie rod ends on a rack
    toe: float = 0.0  # [deg], positive in
    camber: float = 0.0  # [deg], positive with the top outward
    end: str | None = None  # "front" or "rear"


def layout_of(name: str | None) -> Layout:
    """The layout that is asked for.

    Raises:
        MechanismError: none is, or there is no such one.
    """
    if name not in LAYOUTS:
        close = closest(name, LAYOUTS) if name else None
        told = f"there is no template '{name}'" if name else "it does not say what its points belong to"
        hint = f"did you mean '{close}'?" if close else f"name it by --template: {', '.join(LAYOUTS)}"
        raise MechanismError([f"{told}; {hint}"], "the file")
    return LAYOUTS[name]


def own_names(layout: Layout) -> dict[str, str]:
    """What points may be called, and what they are called here."""
    wanted = {*layout.points, *layout.tie, "wheel_centre", *OPTIONAL}
    names = {name: name for name in wanted}
    for table in (ALWAYS, ALIASES[layout.name]):
        for own, others in table.items():
            names |= {other: own for other in others.split() if own in wanted}
    return names


def take_points(draft: Draft, layout: Layout, points: Mapping[str, Array]) -> None:
    """The points that the layout knows, on the left side.

    Args:
        draft: gets them, and what is told of the others.
        layout: which points.
        points: by name as the file has it, (3,) [mm] in axes of ISO 8855.

    Raises:
        MechanismError: points are missing, all of them; or two are the same one.
    """
    names, faults = own_names(layout), []
    taken: dict[str, str] = {}
    for name in points:
        plain = name.strip().lower().replace(" ", "_").removeprefix("hpl_").removeprefix("hps_")
        if plain not in names:
            continue
        if names[plain] in taken:
            faults.append(f"'{name}' and '{taken[names[plain]]}' are both '{names[plain]}'; keep one of them")
        taken[names[plain]] = name
    rest = [name for name in points if name not in taken.values()]
    for own in (*layout.points, *layout.tie, "wheel_centre"):
        if own not in taken:
            close = closest(own, rest)
            also = ", ".join(sorted(other for other, name in names.items() if name == own and other != own))
            hint = f"; did you mean it by '{close}'?" if close else f" (it may also be called {also})" if also else ""
            faults.append(f"the point '{own}' of '{layout.name}' is missing{hint}")
    if faults:
        raise MechanismError(faults, "the file")
    side = -1.0 if points[taken["wheel_centre"]][1] < 0.0 else 1.0
    if side < 0.0:
        draft.notes.assumed.append("the points are those of a right wheel: mirrored, so that they are a left one's")
    for own, name in taken.items():
        draft.point(own, points[name] * np.array([1.0, side, 1.0]), "" if own == name else name)
    draft.notes.taken.append(f"{len(taken)} points as '{layout.name}'")
    if rest:
        draft.notes.left_out.append(f"points that '{layout.name}' does not have: {', '.join(rest)}")


def point_corner(draft: Draft, layout: Layout, known: Known) -> None:
    """All else about the points of a layout.

    Args:
        draft: has the points.
        layout: what they belong to.
        known: what is known besides.

    Raises:
        MechanismError: points between which a part reaches are the same.
    """
    p = draft.points
    pairs = [pair for _, points in layout.parts.values() for pair in pairwise(points)]
    if same := [f"'{a}' and '{b}' are the same point" for a, b in pairs if np.array_equal(p[a], p[b])]:
        raise MechanismError(same, "the file")
    radius = known.radius
    if radius is None and "contact_patch" in p:
        radius = float(np.linalg.norm(p["wheel_centre"] - p["contact_patch"]))
        draft.notes.taken.append(f"a loaded wheel radius of {radius:.1f} mm, from wheel_centre and contact_patch")
    assumed_masses(draft, layout, radius or RADIUS)
    layout.joints(draft)
    wheel(draft, radius, known.toe, known.camber, end=known.end)
    inner, outer = layout.tie
    steered = layout.steered if known.rack is None else known.rack
    tie_rod(draft, steered, known.end or "axle", inner, outer)
    travel(draft, layout.arms)
    springs(draft, layout, known.load)


def springs(draft: Draft, layout: Layout, load: float | None) -> None:
    """Spring and damper between their points, or at the wheel."""
    p = draft.points
    if not {"spring_low", "spring_top"} <= p.keys():
        for name in ("spring_low", "spring_top"):
            if p.pop(name, None) is not None:
                draft.notes.left_out.append(f"'{name}': the spring's other end is missing")
        wheel_spring(draft, load)
        return
    ends = ["spring_top", "spring_low"]
    draft.add("springs", "coil", between=list(layout.spring), at=ends, stiffness=SPRING_RATE, preload="static")
    draft.notes.assumed.append(f"a rate of {SPRING_RATE:g} N/mm of the spring, between {' and '.join(layout.spring)}")
    if {"damper_low", "damper_top"} <= p.keys():
        ends = ["damper_top", "damper_low"]
    draft.add("dampers", "shock", between=list(layout.damper), at=ends, damping=DAMPING)
    draft.notes.assumed.append(f"a damper of {DAMPING:g} N s/mm between {ends[0]} and {ends[1]}")
    static_load(draft, load)
