"""What `kinetab assemble` says."""

from __future__ import annotations

from precompute.kinematics.branches import Assembly
from precompute.kinematics.continuation import MAX_CONDITION
from precompute.report.assemblies import Assemblies
from precompute.report.run_text import table

LONG = 10
"""Assemblies that are printed unless all are asked for."""


def text(result: Assemblies, everything: bool = False, only: int | None = None) -> str:
    """The assemblies, or only one of them by its number from 1, in plain words and in the units of the file."""
    listed = heading(result)
    if only is not None:
        return "\n".join([*listed, "", *lines_of(result, result.found[only - 1], only)])
    shown = result.found if everything or len(result.found) <= LONG else result.found[: LONG - 1]
    for number, each in enumerate(shown, 1):
        listed += ["", *lines_of(result, each, number)]
    if len(shown) < len(result.found):
        listed += ["", f"  ... and {len(result.found) - len(shown)} more, farther away; --all lists them"]
    return "\n".join(listed)


def heading(r: Assemblies) -> list[str]:
    """How many with which inputs, and what became of the drawing."""
    m = r.mechanism
    inputs = ", ".join(f"{c.name} = {c.of.shown(m, float(x))}" for c, x in zip(r.inputs, r.z, strict=True))
    if r.searched is None:
        lines = [f"{m.name}: assembled with {inputs}"]
    else:
        count = f"{len(r.found)} assembl{'y' if len(r.found) == 1 else 'ies'}"
        s = r.searched
        lines = [f"{m.name}: {count} with {inputs} ({s.closed} of {s.starts} starts closed the loops)"]
    lines += drawing_lines(r)
    if r.searched and r.searched.undetermined:
        lines.append(
            f"  {r.searched.undetermined} starts ended in positions where links can move though the inputs are held; "
            "these are not counted"
        )
    return lines


def drawing_lines(r: Assemblies) -> list[str]:
    """Whether the drawing is closed, and how the first assembly was found."""
    shown = r.mechanism.units.shown
    gap = shown(r.given_gap, digits=4)
    if r.design is None:
        return [f"  the drawing is open by {gap} and does not close as it is drawn; the first was found by {r.way}"]
    if r.design.way:
        told = [f"  the drawing was open by {gap} and was closed by {r.design.way}"]
    else:
        told = ["  the drawing is closed"]
    if not r.on_design:
        told.append(f"  the motion from the design does not lead there, the first was found by {r.way}")
    return told


def lines_of(r: Assemblies, each: Assembly, number: int) -> list[str]:
    """One assembly: what it is like, and where its markers are."""
    m = r.mechanism
    about = [f"condition number {each.condition:.3g}" if each.condition < MAX_CONDITION else "singular: a dead centre"]
    if number == 1 and r.on_design:
        about.insert(0, "the design's" if each.moved == 0.0 else "the one that the design leads to")
    if each.moved > 0.0:
        origin = "the drawing" if r.design is None else "design"
        about.append(f"joints moved by up to {m.units.shown(each.moved, digits=4)} from {origin}")
    if r.searched:
        about.append(f"found by {each.found} start{'s' * (each.found != 1)}")
    scale = m.units.scale("length")
    rows = [(name, *(f"{scale.back(float(x)) + 0.0:.6g}" for x in p), "") for name, p in r.places(each).items()]
    head = (f"{'marker' if m.markers else 'joint'} [{m.units.length}]", "x", "y", "z", "")
    return [f"{number}  {'; '.join(about)}", *(f"   {line}" for line in table(head, rows).splitlines())]
