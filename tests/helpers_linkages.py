"""Linkages of chapter 3 of Garcia de Jalon and Bayo, written down as rows in natural coordinates."""

import numpy as np

from precompute.arrays import Array
from precompute.natural.expressions import Coordinates, constant
from precompute.natural.quadratic import QuadraticSystem, quadratic_system
from precompute.natural.rows import angle, distance, quarter_turn


def four_bar(links: tuple[float, float, float], base: float, start: Array) -> tuple[QuadraticSystem, Array]:
    """Points 1 and 2 of a four-bar (examples 3.1, 3.2) with cosine and sine of its crank: columns 4 and 5."""
    coordinates = Coordinates()
    first, second = coordinates.vector("1", start[:2]), coordinates.vector("2", start[2:])
    cosine = coordinates.scalar("cos", start[0] / links[0])
    sine = coordinates.scalar("sin", start[1] / links[0])
    x_axis, b = constant([1.0, 0.0]), constant([base, 0.0])
    rows = [
        *distance("2", first, links[0]),
        *distance("3", second - first, links[1]),
        *distance("4", second - b, links[2]),
        *angle("crank", x_axis, quarter_turn(x_axis), first, cosine, sine, links[0]),
    ]
    return quadratic_system(rows, len(coordinates.names)), coordinates.start


def turning(phi: Array, rate: float = 1.0) -> list[Array]:
    """Cosine and sine (n, 2) of angles (n,) that turn at a constant rate, and three derivatives."""
    return [rate**k * np.stack([np.cos(phi + k * np.pi / 2), np.sin(phi + k * np.pi / 2)], axis=-1) for k in range(4)]
