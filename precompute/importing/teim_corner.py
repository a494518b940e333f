"""A subsystem in TeimOrbit text as a corner: its points, and the bushings of its arms."""

from __future__ import annotations

from pathlib import Path

from precompute.arrays import Array
from precompute.importing.draft import Draft
from precompute.importing.layouts import Layout
from precompute.importing.points_only import Known, own_names, point_corner, take_points
from precompute.importing.teim import AXES, Block, Property, blocks, bushing_files, hardpoints, read_property

ORDER = (2, 0, 1, 5, 3, 4)
"""Of FX .. TZ: along our bushing's axis is their z, across it are x and y."""

OURS = ("x", "y", "z", "rx", "ry", "rz")


def teim(text: str, beside: Path, draft: Draft, layout: Layout, axes: Array | None, known: Known) -> None:
    """A left corner.

    Args:
        text: of the subsystem.
        beside: its folder, where property files are looked for.
        draft: gets it.
        layout: what its points belong to.
        axes: (3, 3) rows: forward, left and up in axes of the file; None takes those of Adams/Car.
        known: what is known besides.

    Raises:
        MechanismError: what it needs is missing or wrong, all of it.
    """
    found = blocks(text)
    points, right = hardpoints(found)
    R = AXES if axes is None else axes
    if axes is None:
        draft.notes.assumed.append("the file's x points rearward and its y to the right; --axes gives others")
    take_points(draft, layout, {name: R @ place for name, place in points.items()})
    if right:
        draft.notes.left_out.append(f"points of the right side: {', '.join(right)}")
    point_corner(draft, layout, known)
    bushings(found, beside, draft, layout)
    passed = {b.name for b in found} - {"MDI_HEADER", "SUBSYSTEM_HEADER", "UNITS", "HARDPOINT", "BUSHING_ASSEMBLY"}
    if passed:
        draft.notes.left_out.append(f"the blocks {', '.join(sorted(passed))}")


def bushings(found: list[Block], beside: Path, draft: Draft, layout: Layout) -> None:
    """Bushings at both points of an arm's hinge, in place of the hinge; the others are told.

    Args:
        found: the blocks of the subsystem.
        beside: its folder.
        draft: gets them.
        layout: has the arms.
    """
    names = own_names(layout)
    have: dict[str, Property] = {}
    for usage, file, path in bushing_files(found, beside):
        own = names.get(usage.strip().lower())
        hinge = own is not None and any(own in arm[:2] and arm[0] != arm[1] for arm in layout.arms)
        if own is None or not hinge:
            draft.notes.left_out.append(f"the bushing '{usage}': it is at no arm of '{layout.name}'")
        elif path is None:
            draft.notes.left_out.append(f"the bushing '{usage}': its file '{file}' is not beside the subsystem")
        else:
            have[own] = read_property(path)
            draft.notes.taken.append(f"the bushing '{usage}', from '{path.name}'")
    for rear, front, _ in layout.arms:
        arm = next((name for name, (_, points) in layout.parts.items() if {rear, front} <= set(points)), "")
        if rear not in have or front not in have:
            for own in {rear, front} & have.keys():
                draft.notes.left_out.append(
                    f"the bushing at '{own}': '{arm}' has none at its other end, so it is rigid"
                )
            continue
        del draft.sections["joints"][arm]
        for own in (front, rear):
            add_bushing(draft, own, arm, [rear, front], have[own])
        draft.notes.assumed.append(
            f"bushings of '{arm}' have z along its hinge, x across it and level, and y up: templates say it, not files"
        )


def add_bushing(draft: Draft, at: str, arm: str, axis: list[str], given: Property) -> None:
    """One bushing: a rate where its curve is a line through zero, a table where it is not.

    Args:
        draft: gets it.
        at: its point, and its name.
        arm: the body.
        axis: two points.
        given: what it is like.
    """
    rates, tables = [], {}
    for name, k in zip(OURS, ORDER, strict=True):
        curve = given.curves[k]
        rate = 0.0 if curve is None else line_through_zero(curve)
        rates.append(0.0 if rate is None else rate)
        if rate is None:
            tables[name] = curve
    draft.add(
        "bushings",
        at,
        parent="ground",
        child=arm,
        at=at,
        axis=axis,
        stiffness=rates,
        damping=[given.damping[k] for k in ORDER],
        tables=tables or None,
    )


def line_through_zero(curve: Array) -> float | None:
    """The slope of a curve that is a line through zero; None if it is none."""
    x, y = curve.T
    slope = float((y[-1] - y[0]) / (x[-1] - x[0]))
    return slope if bool((abs(y - slope * x) <= 1e-9 * abs(y).max()).all()) else None
