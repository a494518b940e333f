"""Corners by the points of which they are made, for formats that have points and hardly more.

The names of layouts and points are those of the templates of `kinetab new`.  Masses are assumed: an arm is round rods
between its points, a wheel with its carrier a disc.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.importing.draft import Draft

UPRIGHT_MASS = 40.0
"""With hub, brake and wheel [kg]."""

ROD = 12.0
"""Radius of the rods that arms are made of [mm]."""

DISC = (0.2, 0.35, 0.2)
"""Radii of gyration of carrier and wheel about x, y and z, squared, over the wheel's radius squared."""


def arm(draft: Draft, name: str, rear: str, front: str) -> None:
    """An arm's hinge on the body."""
    draft.add("joints", name, type="revolute", parent="ground", child=name, axis=[rear, front])


def ball(draft: Draft, name: str, parent: str, child: str = "upright", at: str | None = None) -> None:
    """A ball joint."""
    draft.add("joints", name, type="spherical", parent=parent, child=child, at=at or name)


def double_wishbone_joints(draft: Draft) -> None:
    """Two arms."""
    for name in ("lower", "upper"):
        arm(draft, f"{name}_arm", f"{name}_rear", f"{name}_front")
        ball(draft, f"{name}_ball", f"{name}_arm")


def macpherson_joints(draft: Draft) -> None:
    """An arm and a strut."""
    arm(draft, "lower_arm", "arm_rear", "arm_front")
    ball(draft, "lower_ball", "lower_arm")
    draft.add(
        "joints", "strut", type="cylindrical", parent="strut_rod", child="upright", axis=["strut_low", "strut_top"]
    )
    draft.add(
        "joints",
        "top_mount",
        "keeps the rod from spinning",
        type="universal",
        parent="ground",
        child="strut_rod",
        at="strut_top",
        axis="x",
        axis2="y",
    )


def five_link_joints(draft: Draft) -> None:
    """Four rods; the fifth is the tie rod or the toe link."""
    draft.add("joints", "upright", type="free", parent="ground", child="upright", at="wheel_centre")
    for name in LINKS:
        draft.add(
            "joints",
            f"{name}_link",
            type="rod",
            parent="ground",
            child="upright",
            at=[f"{name}_inner", f"{name}_outer"],
        )


LINKS = ("lower", "trailing", "upper", "leading")


@dataclass(frozen=True)
class Layout:
    """A kind of corner."""

    name: str
    points: tuple[str, ...]  # that it needs, besides those of the tie rod and the wheel's centre
    parts: Mapping[str, tuple[float, tuple[str, ...]]]  # bodies besides the upright: mass [kg], points
    joints: Callable[[Draft], None]
    arms: tuple[tuple[str, str, str], ...]  # see corner.travel
    tie: tuple[str, str]  # its inner and outer points
    steered: bool  # unless it is said otherwise
    spring: tuple[str, str]  # what the spring is between
    damper: tuple[str, str]  # and the damper


LAYOUTS = {
    layout.name: layout
    for layout in (
        Layout(
            "double-wishbone",
            ("lower_front", "lower_rear", "lower_ball", "upper_front", "upper_rear", "upper_ball"),
            {
                "lower_arm": (6.0, ("lower_front", "lower_ball", "lower_rear")),
                "upper_arm": (3.0, ("upper_front", "upper_ball", "upper_rear")),
            },
            double_wishbone_joints,
            (("lower_rear", "lower_front", "lower_ball"), ("upper_rear", "upper_front", "upper_ball")),
            ("rack_end", "tie_outer"),
            True,
            ("ground", "lower_arm"),
            ("ground", "lower_arm"),
        ),
        Layout(
            "macpherson",
            ("arm_front", "arm_rear", "lower_ball", "strut_low", "strut_top"),
            {
                "lower_arm": (5.0, ("arm_front", "lower_ball", "arm_rear")),
                "strut_rod": (3.0, ("strut_low", "strut_top")),
            },
            macpherson_joints,
            (("arm_rear", "arm_front", "lower_ball"),),
            ("rack_end", "tie_outer"),
            True,
            ("strut_rod", "upright"),
            ("strut_rod", "upright"),
        ),
        Layout(
            "five-link",
            tuple(f"{name}_{end}" for name in LINKS for end in ("inner", "outer")),
            {},
            five_link_joints,
            tuple((f"{name}_inner", f"{name}_inner", f"{name}_outer") for name in LINKS),
            ("toe_inner", "toe_outer"),
            False,
            ("ground", "upright"),
            ("ground", "upright"),
        ),
    )
}


def assumed_masses(draft: Draft, layout: Layout, radius: float, upright: float | None = None) -> None:
    """Bodies of a layout whose masses nobody knows; the upright's may be given [kg]."""
    for name, (mass, points) in layout.parts.items():
        places = np.array([draft.points[point] for point in points])
        com, inertia = rods(places, mass)
        draft.add("bodies", name, mass=mass, com=com, inertia=inertia)
    mass = UPRIGHT_MASS if upright is None else upright
    disc = [mass * share * radius**2 for share in DISC]
    draft.add("bodies", "upright", "with hub, brake and wheel", mass=mass, com="wheel_centre", inertia=disc)
    which = ", ".join(layout.parts) if upright is not None else "all bodies"
    if which:
        draft.notes.assumed.append(f"mass and inertia of {which}: plausible ones of a passenger car")


def rods(places: Array, mass: float) -> tuple[Array, Array]:
    """Round rods of radius r along a path.

        c = sum m_i (a_i + b_i)/2 / m,   m_i = m |e_i| / sum |e|
        I = sum m_i ((e·e) 1 - e eᵀ)/12 + m_i r²/4 (1 + e eᵀ/(e·e)) + m_i ((d·d) 1 - d dᵀ)

    with e_i = b_i - a_i and d_i from c to the middle of the rod.

    Args:
        places: (n, 3) corners of the path [mm].
        mass: of all [kg].

    Returns:
        Centre of mass (3,) [mm], and inertia (6,) about it: xx, yy, zz, xy, xz, yz [kg mm2].
    """
    edges = np.diff(places, axis=0)
    lengths = np.linalg.norm(edges, axis=1)
    masses = mass * lengths / lengths.sum()
    middles = (places[1:] + places[:-1]) / 2
    com = masses @ middles / mass
    inertia = np.zeros((3, 3))
    for m, e, d in zip(masses, edges, middles - com, strict=True):
        for vector, share in ((e, m / 12), (d, m)):
            inertia += share * (vector @ vector * np.eye(3) - np.outer(vector, vector))
        inertia += m * ROD**2 / 4 * (np.eye(3) + np.outer(e, e) / (e @ e))
    return com, np.array([inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))])
