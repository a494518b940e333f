"""What a mechanism holds besides its joints and rods, in natural coordinates: couplings, constraints, idle spins.

A constraint is a product of points and vectors.  The terms of a coupling are columns: a length, or an angle theta that
counts its laps, with the cosine and the sine by which it is read off vectors,

    c - cos theta = 0,   s - sin theta = 0                                                              (1)
    sum_k f_k g_k(v_k) - what that is where it is drawn = 0,   g curves, or v itself                    (2)

which are rows that are quadratic but for one function of one column each.

Where nothing but points on its line is known of a link between two balls it is carried by one vector, r = 1, and has no
spin.  Where more is known of it, or several bodies spin together, the row

    y' . z - z' . y = 0                                                                              (3)

holds its first body to the least rotation from design, with y and z across its line at design and y', z' the same
carried along.  Which spins are idle is a choice of the mechanism's description (`model.spins`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import make_interp_spline

from precompute.arrays import Array
from precompute.measures.measure import Part
from precompute.model.mechanism import GROUND, Constraint, Coupling, Measure, Mechanism, plane_axes
from precompute.model.spins import Spin, idle_spins
from precompute.natural.drawing import Drawing, Drawn, shape
from precompute.natural.drivers import Sketch
from precompute.natural.expressions import Polynomial, Vector, constant, total
from precompute.natural.joints import Links, RowMaker
from precompute.natural.measure_kinds import sketched
from precompute.natural.rows import Bent, Row, held_dot, parallel


@dataclass(frozen=True, eq=False)
class Seen:
    """Columns that a term of a coupling has besides those of frames: a length; or cosine, sine and the angle itself."""

    of: Measure
    columns: tuple[int, ...]
    value: Polynomial  # the length or the angle

    @property
    def turns(self) -> bool:
        """Whether it is an angle."""
        return len(self.columns) > 1

    def values(self, value: Array, length: float) -> Array:
        """(n, 1 or 3) of the columns where the measure is (n,) [m or rad]."""
        return np.stack([value / length] if len(self.columns) == 1 else [np.cos(value), np.sin(value), value], axis=-1)


@dataclass(frozen=True, eq=False)
class CouplingSketch:
    """A coupling whose features are drawn."""

    coupling: Coupling
    terms: tuple[tuple[Part, Sketch], ...]

    def made(self, mechanism: Mechanism, drawn: Drawn, length: float) -> tuple[Seen, ...]:
        """Add its columns and rows."""
        label, found = f"coupling '{self.coupling.name}'", list[Seen]()
        unit = 1.0 if self.coupling.of.is_angle(mechanism) else length  # of (2)
        parts: list[Polynomial] = []
        bent: list[Bent] = []
        start = 0.0
        for part, sketch in self.terms:
            found.append(seen := seen_term(label, sketch, drawn))
            scale, here = (1.0, 0.0) if seen.turns else (length, sketch.start[0])
            if part.curve is None:
                parts.append(seen.value * (part.factor * scale / unit))
                start += part.factor * scale / unit * here
            else:
                bent.append(Bent(seen.columns[-1], spline(part.curve.x / scale, part.curve.y * (part.factor / unit))))
                start += float(bent[-1].function(np.array(here), 0))
        drawn.add((Row(label, total(parts) - start, tuple(bent)),))
        return tuple(found)


def seen_term(label: str, sketch: Sketch, drawn: Drawn) -> Seen:
    """A term, with the columns and rows that it needs: (1) of an angle."""
    first = len(drawn.coordinates.names)
    columns = [drawn.coordinates.scalar(sketch.name, value) for value in sketch.start]
    turns = len(columns) == 2
    value = drawn.coordinates.scalar(sketch.name, 0.0) if turns else columns[0]
    drawn.add(sketch.rows(drawn, *columns))
    number = first + 2 * turns
    if turns:
        drawn.add(tuple(Row(label, c, (Bent(number, f),)) for c, f in zip(columns, CIRCLE, strict=True)))
    return Seen(sketch.of, tuple(range(first, number + 1)), value)


def minus_cosine(x: Array, order: int) -> Array:
    """-cos x, and its derivatives."""
    return np.asarray((-np.cos(x), np.sin(x), np.cos(x), -np.sin(x))[order])


def minus_sine(x: Array, order: int) -> Array:
    """-sin x, and its derivatives."""
    return np.asarray((-np.sin(x), -np.cos(x), np.sin(x), np.cos(x))[order])


CIRCLE = minus_cosine, minus_sine


def spline(x: Array, y: Array) -> Callable[[Array, int], Array]:
    """That of degree 5 through points, or the polynomial through fewer than six; straight on beyond them."""
    through = make_interp_spline(x, y, k=min(5, len(x) - 1))

    def function(at: Array, order: int) -> Array:
        inside = np.clip(at, x[0], x[-1])
        value = np.asarray(through(inside, nu=order))
        if order == 0:
            return value + through(inside, nu=1) * (at - inside)
        return value if order == 1 else np.where(inside == at, value, 0.0)

    return function


def sketch_coupling(drawing: Drawing, mechanism: Mechanism, links: Links, coupling: Coupling) -> CouplingSketch:
    """Draw the features of its terms."""
    named = [(f"coupling.{coupling.name}[{i + 1}]", part) for i, part in enumerate(coupling.of.parts)]
    return CouplingSketch(
        coupling,
        tuple((part, sketched(drawing, mechanism, links, name, part.of)) for name, part in named),
    )


def draw_constraint(drawing: Drawing, held: Constraint) -> RowMaker:
    """The rows of a constraint, made when all features are drawn."""
    label = f"constraint '{held.name}'"
    a = drawing.own(held.parent, held.name, held.axis, False)
    if held.type.has_point:
        p = drawing.own(held.child, held.name, held.p_C, True)
        foot = drawing.own(held.parent, held.name, held.p_P, True)
        makers: Mapping[str, Callable[[Vector, Vector], tuple[Row, ...]]] = {
            "point_on_plane": lambda gap, axis: held_dot(label, gap, axis, 0.0),
            "point_on_line": lambda gap, axis: parallel(label, gap, axis),
        }
        return lambda drawn: makers[held.kind](drawn.at(p) - drawn.at(foot), drawn.at(a))
    b = drawing.own(held.child, held.name, held.axis2, False)
    if held.kind == "parallel":
        across = [drawing.own(held.parent, held.name, axis, False) for axis in plane_axes(held.axis)]
        return lambda drawn: [row for u in across for row in held_dot(label, drawn.at(u), drawn.at(b), 0.0)]
    cosine = float(held.axis @ held.axis2) if held.kind == "equal_angle" else 0.0
    return lambda drawn: held_dot(label, drawn.at(a), drawn.at(b), cosine)


def draw_spins(drawing: Drawing, mechanism: Mechanism) -> list[RowMaker]:
    """Links between two balls: carried by one vector, or held by (3)."""
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
    """(3)."""
    y, z = plane_axes(spin.axis)
    moved_y, moved_z = (drawing.own(body, f"{body} across", vector, False) for vector in (y, z))

    def rows(drawn: Drawn) -> tuple[Row, ...]:
        twist = drawn.at(moved_y).dot(constant(z)) - drawn.at(moved_z).dot(constant(y))
        return (Row(f"spin of '{body}'", twist),)

    return rows
