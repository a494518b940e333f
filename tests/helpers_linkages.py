"""Linkages of chapter 3 of Garcia de Jalon and Bayo, written down as rows in natural coordinates.

Each function returns the system and coordinates that satisfy it.
"""

from itertools import pairwise

import numpy as np

from precompute.arrays import Array
from precompute.natural.expressions import Coordinates, Vector, combination, constant
from precompute.natural.quadratic import QuadraticSystem, quadratic_system
from precompute.natural.rows import Row, along, angle, distance, equal, held_dot, parallel, quarter_turn

Linkage = tuple[QuadraticSystem, Array]

X_AXIS = constant([1.0, 0.0])


def four_bar(links: tuple[float, float, float], base: float, start: Array) -> Linkage:
    """Points 1 and 2 of a four-bar (examples 3.1, 3.2), cosine and sine of its crank: columns 4 and 5."""
    c = Coordinates()
    first, second = c.vector("1", start[:2]), c.vector("2", start[2:])
    cosine, sine = c.scalar("cos", start[0] / links[0]), c.scalar("sin", start[1] / links[0])
    rows = [
        *distance("2", first, links[0]),
        *distance("3", second - first, links[1]),
        *distance("4", second - constant([base, 0.0]), links[2]),
        *angle("crank", X_AXIS, quarter_turn(X_AXIS), first, cosine, sine, links[0]),
    ]
    return quadratic_system(rows, len(c.names)), c.start


def four_bar_on_a_cylinder(links: tuple[float, float, float], base: float, start: Array) -> Linkage:
    """The same pushed by a hydraulic cylinder from B to point 1 (example 3.12), whose length is column 4."""
    c = Coordinates()
    first, second = c.vector("1", start[:2]), c.vector("2", start[2:])
    b = constant([base, 0.0])
    length = c.scalar("length", float(np.linalg.norm(start[:2] - [base, 0.0])))
    rows = [
        *distance("2", first, links[0]),
        *distance("3", second - first, links[1]),
        *distance("4", second - b, links[2]),
        *distance("cylinder", first - b, length),
    ]
    return quadratic_system(rows, len(c.names)), c.start


def slider_crank(crank: float, rod: float) -> Linkage:
    """Example 3.8 at psi = 0: points 1 and 2, cosine and sine of the crank; rows (i) to (v)."""
    c = Coordinates()
    first, second = c.vector("1", [crank, 0.0]), c.vector("2", [crank + rod, 0.0])
    cosine, sine = c.scalar("cos", 1.0), c.scalar("sin", 0.0)
    rows = [
        *distance("2", first, crank),
        *distance("3", second - first, rod),
        *along("slider", second, quarter_turn(X_AXIS), 0.0),
        *angle("crank", X_AXIS, quarter_turn(X_AXIS), first, cosine, sine, crank),
    ]
    return quadratic_system(rows, len(c.names)), c.start


def rscr() -> Linkage:
    """Example 3.3, of our own measures: points 1, 2, 3 and the axis u1, then the cosine of the crank, column 12.

    The crank turns about z at the origin, its angle psi counts from the x axis; a rod with a ball at 1 carries the
    axis u1 of a cylindrical joint at 2; on it slides 3, of a body that turns about uB at B.
    """
    psi = np.radians(50.0)
    u1 = np.array([0.36, -0.48, 0.8])
    p3 = np.array([2.4, 1.1, 1.5])
    c = Coordinates()
    one = c.vector("1", [np.cos(psi), np.sin(psi), 0.2])
    two, three, axis = c.vector("2", p3 - 0.7 * u1), c.vector("3", p3), c.vector("u1", u1)
    cosine = c.scalar("cos", np.cos(psi))
    zero, ground = constant([1.0, 0.0, 0.0]), constant([0.0, 0.0, 1.0])
    b, b_axis = constant([3.0, 0.4, 0.9]), constant([0.6, 0.64, 0.48])

    rows = [
        *held_dot("psi", one, zero, cosine),
        *as_drawn("2", c, (one, one), (one, ground)),
        *as_drawn("3", c, (two - one, two - one), (two - one, axis), (axis, axis)),
        *as_drawn("4", c, (three - b, three - b), (three - b, axis), (three - b, b_axis), (b_axis, axis)),
        *parallel("cylindrical", three - two, axis),
    ]
    return quadratic_system(rows, len(c.names)), c.start


def spherical_four_bar(arcs: Array, radii: Array, x: Array) -> Linkage:
    """Example 3.9: points 1, 2 on their axes u1, u2, which meet those of A and B in the origin; 17 rows.

    Args:
        arcs: (4,) angles of links 2, 3, 4 and of the ground; A on the z axis, B in the xz plane.
        radii: (4,) of A, 1, 2, B.
        x: (12,) coordinates.
    """
    c = Coordinates()
    one, two, u1, u2 = (c.vector(name, v) for name, v in zip(["1", "2", "u1", "u2"], x.reshape(4, 3), strict=True))
    ua, ub = constant([0.0, 0.0, 1.0]), constant([np.sin(arcs[3]), 0.0, np.cos(arcs[3])])
    a, b = ua * radii[0], ub * radii[3]
    links = [("2", one - a, ua, u1), ("3", two - one, u1, u2), ("4", two - b, ub, u2)]
    rows = [*distance("u1", u1, 1.0), *distance("u2", u2, 1.0)]
    rows += [row for name, d, _, _ in links for row in as_drawn(name, c, (d, d))]
    rows += [row for name, d, u, _ in links for row in as_drawn(name, c, (d, u))]
    for name, d, u, other in links:
        carrying = np.stack([u.at(c.start), d.at(c.start)], axis=1)
        factors = np.linalg.lstsq(carrying, other.at(c.start), rcond=None)[0]
        rows += equal(name, other, combination(factors, [u, d]))
    return quadratic_system(rows, len(c.names)), c.start


def six_r_robot() -> Linkage:
    """Example 3.7: 21 coordinates, points 1 to 4 and vectors u1 to u3, and 15 rows; of our own measures, in metres.

    Column on a vertical axis at the origin; shoulder at 1 and elbow at 2 about the same horizontal u1; forearm from 2
    to the wrist 3, which rolls about the forearm, bends about u2 and turns about u3; tool tip 4.
    """
    upper, fore, tool = (np.radians(a) for a in (60.0, -20.0, -65.0))
    in_plane = lambda a: np.array([np.cos(a), 0.0, np.sin(a)])  # noqa: E731
    shoulder = np.array([0.15, 0.0, 0.45])
    elbow = shoulder + 0.5 * in_plane(upper)
    wrist = elbow + 0.45 * in_plane(fore)
    tip = wrist + 0.12 * in_plane(tool) + 0.05 * in_plane(tool + np.pi / 2)
    c = Coordinates()
    points = [c.vector(str(k + 1), p) for k, p in enumerate([shoulder, elbow, wrist, tip])]
    u1, u2, u3 = (c.vector(f"u{k + 1}", u) for k, u in enumerate([[0, 1, 0], [0, 1, 0], in_plane(tool)]))
    vertical = constant([0.0, 0.0, 1.0])
    column, (arm, forearm, hand) = points[0], [b - a for a, b in pairwise(points)]
    rows = [
        *as_drawn("column", c, (column, column), (column, vertical), (u1, u1), (u1, vertical), (u1, column)),
        *as_drawn("upper arm", c, (arm, arm), (arm, u1)),
        *as_drawn("forearm", c, (forearm, forearm), (forearm, u1)),
        *as_drawn("roll", c, (u2, u2), (u2, forearm)),
        *as_drawn("bend", c, (u3, u3), (u3, u2)),
        *as_drawn("tool", c, (hand, hand), (hand, u3)),
    ]
    return quadratic_system(rows, len(c.names)), c.start


def as_drawn(label: str, c: Coordinates, *pairs: tuple[Vector, Vector]) -> list[Row]:
    """Scalar products that keep the values that they have at the start."""
    return [row for a, b in pairs for row in held_dot(label, a, b, float(a.dot(b).at(c.start)))]


def turning(phi: Array, rate: float = 1.0) -> list[Array]:
    """Cosine and sine (n, 2) of angles (n,) that turn at a constant rate, and three derivatives."""
    return [rate**k * np.stack([np.cos(phi + k * np.pi / 2), np.sin(phi + k * np.pi / 2)], axis=-1) for k in range(4)]
