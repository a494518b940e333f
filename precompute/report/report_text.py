"""The report of `kinetab check` in plain words."""

from __future__ import annotations

from collections.abc import Sequence

from precompute.coordinates.ranking import PREFERENCE, table
from precompute.report.coordinate_report import CoordinateReport
from precompute.report.inspection import Report
from precompute.tables.table_size import EXPECTED_NODES
from precompute.variants.telling import design_lines

LONG = 10
"""Lines of a list, and names in a row, that are printed unless everything is asked for."""

SHOWN = 6
"""Sets of coordinates in the ranking that is printed."""


def text(report: Report, everything: bool = False) -> str:
    """The report in plain words; long lists are cut off unless everything is asked for."""
    r, cut = report, (lambda lines: lines) if everything else shortened
    first, *rest = heading(r, everything)
    axles = [line for axle in r.axles for line in ["", *axle.lines()]]
    lines = [
        first,
        *axles,
        *([""] if axles else []),
        *rest,
        "",
        "Tree (base -joint-> body, freedoms of all joints up to it; * ends a branch, the largest has "
        f"{max(arc.freedoms for arc in r.tree)})",
        *cut(tree_lines(r)),
    ]
    if r.loops:
        lines += ["", "Loops in solving order (cut at the first joint)", *cut(loop_lines(r))]
        lines += [
            "",
            "Blocks of their equations (coordinates -> joints solved for, from what is above)",
            *cut(step_lines(r)),
        ]
    lines += ["", *cut([f"Note: {note}" for note in r.notes])] if r.notes else []
    lines += ["", f"Independent coordinates, {r.reason}; condition number at design {r.condition:.3g}"]
    lines += [line for c in r.coordinates for line in coordinate_lines(c, c.name in r.driven)]
    lines += paste_lines(r.paste)
    if r.stiff:
        count = sum(len(s.directions) for s in r.stiff)
        lines += ["", f"Stiff directions, {count} in all (joint: direction and equivalent stiffness at design)"]
        lines += cut([f"  {s.text(r.units)}" for s in r.stiff])
    if r.expansion:
        lines += ["", "Static deflection, where the motion starts", *r.expansion.text(r.units)]
    if r.elements:
        lines += ["", "Elements (what they are connected to, with its value at design; states and inputs at the start)"]
        lines += cut([f"  {element.text(r.units)}" for element in r.elements])
    loads = r.loads.lines(cut)
    lines += ["", *loads] if loads else []
    if r.charts:
        lines += ["", "Charts, in the order of the motion: it is closed and passes dead centres of the coordinate"]
        lines += [f"  {i + 1}  {chart}" for i, chart in enumerate(r.charts)]
    lines += ["", "Tables (coordinates -> bodies that depend on just them)", *table_lines(r, everything)]
    lines += [f"  with {EXPECTED_NODES} nodes per axis, say: {r.size.text()}"]
    if r.designs:
        lines += ["", "Design parameters of the FMU (parameter: variable, as it is)"]
        lines += design_lines(r.designs, r.size.stored)
    if r.ranking:
        lines += [
            "",
            f"Ranking over the motion from design (* used; up to {PREFERENCE:g} times the best score is accepted of",
            "what engineers prefer: what springs and dampers act on, then wheel travel, then joints on the ground)",
            *table(r.ranking, SHOWN, r.chosen),
        ]
    return "\n".join(lines)


def shortened(lines: list[str]) -> list[str]:
    """The first of many lines, and how many are left out."""
    if len(lines) <= LONG:
        return lines
    return [*lines[: LONG - 1], f"  ... and {len(lines) - LONG + 1} more; --all lists them"]


def listed(names: Sequence[str], everything: bool) -> str:
    """Names in a row, not too many."""
    if everything or len(names) <= LONG:
        return ", ".join(names)
    return f"{', '.join(names[: LONG - 1])} and {len(names) - LONG + 1} more"


def heading(r: Report, everything: bool = False) -> list[str]:
    """Bodies, freedoms, lengths."""
    redundant, locked = r.equations - r.rank, sum(len(s.directions) for s in r.stiff)
    held = " as they are at rest" if r.expansion and r.expansion.settings.about == "static" else " at zero"
    gravity = "off" if not any(r.gravity) else f"({', '.join(f'{g:g}' for g in r.gravity)}) m/s2"
    lines = [
        f"{r.name}: {len(r.bodies)} bod{'y' if len(r.bodies) == 1 else 'ies'} ({listed(r.bodies, everything)}), "
        f"{r.units.shown(r.mass, 'mass', 4)}, gravity {gravity}",
        f"Degrees of freedom: {r.dof} = {r.joint_freedoms} joint freedoms - rank {r.rank} of {r.equations} loop "
        "equations"
        + (f" ({locked} hold stiff directions{held})" if locked else "")
        + (f" ({redundant} repeat others: planar or spherical loops, no harm)" if redundant else ""),
        f"Reference length (makes angles and lengths comparable): {r.units.shown(r.reference_length, digits=4)}",
    ]
    if r.chassis == "moving":
        lines.append("The ground is a moving chassis: its twist, the rate of it and gravity are inputs")
    if r.given_gap > 1e-9 * r.reference_length:
        gap = r.units.shown(r.given_gap, digits=4)
        lines.append(f"The design as given was open by {gap}; it was assembled: {r.closed_by}")
    return lines


def tree_lines(r: Report) -> list[str]:
    """A line per joint of the tree, freedoms in a column."""
    width = max(len(arc.path) for arc in r.tree)
    return [f"  {arc.path:<{width}}  {arc.cumulative}{' *' * arc.ends}" for arc in r.tree]


def loop_lines(r: Report) -> list[str]:
    """A line per loop."""
    return [
        f"  {', '.join(lp.joints)}: {lp.equations} equation{'s' * (lp.equations != 1)}"
        + (f", {lp.redundant} redundant" if lp.redundant else "")
        + f"; moved by {', '.join(lp.coordinates) or 'nothing'}"
        for lp in r.loops
    ]


def step_lines(r: Report) -> list[str]:
    """The block-triangular order, a line per block that is solved."""
    steps = [s for s in r.steps if s.loops]
    width = max(len(" x ".join(s.coordinates)) for s in steps)
    return [
        f"  {' x '.join(s.coordinates) or '-':<{width}} -> {', '.join(s.joints)}"
        f" ({s.equations} equation{'s' * (s.equations != 1)} of {', '.join(s.loops)})"
        for s in steps
    ]


def coordinate_lines(c: CoordinateReport, driven: bool = False) -> list[str]:
    """Range, limits and condition number of one coordinate."""
    f = c.feasible
    reach = "a full turn" if f.full_turn else f"{c.shown(f.lower)} to {c.shown(f.upper)}"
    return [
        f"  {c.name} ({c.of}): {c.shown(c.lower)} to {c.shown(c.upper)}"
        + ", periodic" * c.periodic
        + ", driven" * driven,
        *([f"    {c.hint}"] if c.hint else []),
        *(f"    passes the branch point at {c.shown(at)} along its tangent" for at in c.crossings),
        f"    feasible with the others at design: {reach}",
        *end_lines(c),
        f"    condition number along it: at most {c.worst_condition:.3g}, at {c.shown(c.worst_at)}",
    ]


def end_lines(c: CoordinateReport) -> list[str]:
    """Why each end of a range that was chosen is where it is; of one in the file, what lies beyond."""
    if c.chosen is not None and not c.periodic:
        turns = "; it could turn for ever (`periodic`), but moves a suspension" if c.feasible.full_turn else ""
        return [
            f"    chosen about the design, as the file gives no range{turns}",
            f"    below it ends at {c.shown(c.lower)}: {c.chosen.lower_reason}",
            f"    above it ends at {c.shown(c.upper)}: {c.chosen.upper_reason}",
        ]
    return [
        f"    {side} that, {c.shown(abs(margin))} {'beyond' if margin >= 0.0 else 'inside'} the range: {cause}"
        for side, margin, cause in zip(("below", "above"), c.margins, c.causes, strict=True)
        if margin is not None
    ]


def paste_lines(block: str) -> list[str]:
    """Ranges that were chosen, as text for the file; without `of` it is for tables that are there."""
    if not block:
        return []
    lines = [f"  {line}" for line in block.splitlines()]
    where = "the file" if "\nof = " in block else "the tables that the file has"
    return ["", f"To keep or change what was chosen, put this into {where}", *lines]


def table_lines(r: Report, everything: bool = False) -> list[str]:
    """Coordinates, and the bodies that are tabulated over them."""
    width = max(len(" x ".join(names)) for names, _ in r.blocks)
    return [f"  {' x '.join(names) or '-':<{width}} -> {listed(bodies, everything)}" for names, bodies in r.blocks]
