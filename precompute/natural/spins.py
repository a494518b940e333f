"""Idle spins of links between two balls.

Where nothing but points on its line is known of such a link it is carried by one vector, r = 1, and has no spin.  Where
more is known of it, or several bodies spin together, the row

    y' . z - z' . y = 0                                                                              (1)

holds its first body to the least rotation from design, with y and z across its line at design and y', z' the same
carried along.  Which spins are idle is a choice of the mechanism's description (`model.spins`).
"""

from __future__ import annotations

from precompute.model.mechanism import GROUND, Mechanism, plane_axes
from precompute.model.spins import Spin, idle_spins
from precompute.natural.drawing import Drawing, Drawn, shape
from precompute.natural.expressions import constant
from precompute.natural.joints import RowMaker
from precompute.natural.rows import Row


def draw_spins(drawing: Drawing, mechanism: Mechanism) -> list[RowMaker]:
    """Links between two balls: carried by one vector, or held by (1)."""
    names = (GROUND, *(b.name for b in mechanism.bodies))
    spins, _ = idle_spins(mechanism, {name: i for i, name in enumerate(names)})
    makers: list[RowMaker] = []
    for spin in spins:
        frame = drawing.frame(names[spin.body])
        if len(spin.group) == 1 and len(shape(frame).base) == 1:
            frame.turns = False
        else:
            makers.append(spin_row(drawing, frame.name, spin))
    return makers


def spin_row(drawing: Drawing, body: str, spin: Spin) -> RowMaker:
    """(1)."""
    y, z = plane_axes(spin.axis)
    moved_y, moved_z = (drawing.own(body, f"{body} across", vector, False) for vector in (y, z))

    def rows(drawn: Drawn) -> tuple[Row, ...]:
        twist = drawn.at(moved_y).dot(constant(z)) - drawn.at(moved_z).dot(constant(y))
        return (Row(f"spin of '{body}'", twist),)

    return rows
