"""The mechanism drawn at its design position, as a picture for the FMU."""

from __future__ import annotations

import io

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from mpl_toolkits.mplot3d.axes3d import Axes3D

from precompute.arrays import Array
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.poses import poses
from precompute.kinematics.topology import spanning_tree
from precompute.measures.interfaces import Point
from precompute.model.mechanism import Mechanism
from precompute.scene.parts import Item, Kind, Scene, scene

MILLIMETRES = 1e3
FLAT = 0.02
"""A mechanism whose extent in one direction is less than this share of its largest is looked at from there."""

LINES: dict[Kind, tuple[str, dict[str, object]]] = {
    "rod": ("rod", {"color": "0.35", "linewidth": 2.0}),
    "cam": ("cam", {"color": "tab:brown", "linewidth": 1.8}),
    "coupling": ("coupling", {"color": "tab:brown", "linestyle": "--", "linewidth": 1.2}),
    "spring": ("spring", {"color": "0.2", "linewidth": 1.2}),
    "damper": ("damper", {"color": "0.5", "linestyle": "--", "linewidth": 1.5}),
    "element": ("element", {"color": "tab:purple", "linestyle": "-.", "linewidth": 1.5}),
    "force": ("constant force", {"color": "tab:red", "linestyle": ":", "linewidth": 1.8}),
    "wheel": ("wheel", {"color": "0.6", "linewidth": 1.0}),
}
"""How lines are drawn: name and style."""

SPOTS: dict[Kind, dict[str, object]] = {
    "constraint": {"s": 40, "marker": "s", "facecolors": "tab:brown"},
    "bushing": {"s": 70, "facecolors": "none", "linewidths": 1.5},
    "joint": {"s": 16, "facecolors": "black"},
    "ground": {"s": 45, "marker": "^", "facecolors": "none"},
}
"""How points are drawn."""

WHOLE: tuple[Kind, ...] = ("body", "cam", "coupling")
"""What a picture has room for: nothing else is beyond these, but for wheels."""

COILS = 8
VIEWS = {None: (22.0, -58.0), 0: (0.0, 0.0), 1: (0.0, -90.0), 2: (90.0, -90.0)}
"""Elevation and azimuth, by the direction in which the mechanism is flat."""


def draw(mechanism: Mechanism) -> bytes:
    """A PNG: each body between its points in a colour of its own; joints, bushings, what acts on it, wheels.

    Raises:
        PrecomputeError: the loops cannot be closed.
    """
    placed = Placed(mechanism)
    figure = Figure(figsize=(8.0, 6.0), layout="constrained")
    ax = figure.add_subplot(projection="3d", proj_type="ortho")
    assert isinstance(ax, Axes3D)
    bodies = placed.scene.of("body")
    colours = colormaps["tab10" if len(bodies) <= 10 else "tab20"]
    for i, item in enumerate(bodies):
        _draw_body(ax, placed.of(item), item, colours(i))
    for kind in LINES:
        _draw_lines(ax, placed, kind)
    for kind, style in SPOTS.items():
        if points := [point for item in placed.scene.of(kind) for point in placed.of(item)]:
            ax.scatter(*np.array(points).T, label=kind, edgecolors="black", depthshade=False, **style)
    _look_at(ax, placed)
    figure.legend(loc="outside right upper", fontsize=8, frameon=False)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110, bbox_inches="tight", metadata={"Software": None})
    return buffer.getvalue()


class Placed:
    """Where the parts of a mechanism are when its loops are closed [mm]."""

    def __init__(self, mechanism: Mechanism) -> None:
        topology = spanning_tree(mechanism)
        design = close_loops(mechanism, topology)
        self.mechanism = mechanism
        self.scene: Scene = scene(mechanism)
        self._X = dict(zip(topology.bodies, poses(mechanism, topology, design.q).X, strict=True))

    def at(self, point: Point) -> Array:
        """(3,) in G."""
        X = self._X[point[0]]
        return MILLIMETRES * (X.R @ point[1] + X.p)

    def of(self, item: Item) -> Array:
        """Points of an item (n, 3) in G."""
        return np.array([self.at(point) for point in zip(item.on, item.points, strict=True)])


def _line(ax: Axes3D, points: Array, **style: object) -> None:
    ax.plot(*points.T, **style)


def _draw_body(ax: Axes3D, points: Array, item: Item, colour: object) -> None:
    """A bar between two points, a translucent solid between more."""
    style = {"color": colour, "linewidth": 2.5, "solid_capstyle": "round"}
    if len(points) < 3:
        _line(ax, points, label=item.name, **style, marker="." if len(points) == 1 else None)
        return
    ax.add_collection3d(Poly3DCollection(points[np.array(item.faces)], facecolor=colour, alpha=0.18))
    middle = points.mean(axis=0)
    for i, point in enumerate(points):
        _line(ax, np.array([middle, point]), label=item.name if i == 0 else None, **style)


def _draw_lines(ax: Axes3D, placed: Placed, kind: Kind) -> None:
    """All of a kind, named once."""
    name, style = LINES[kind]
    for i, item in enumerate(placed.scene.of(kind)):
        points = placed.of(item)
        _line(ax, coil(*points) if kind == "spring" else points, label=None if i else name, **style)


def coil(a: Array, b: Array) -> Array:
    """A zigzag from a to b, (n, 3)."""
    along = b - a
    aside = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    aside *= 0.06 * np.linalg.norm(along) / np.linalg.norm(aside)
    share = np.linspace(0.0, 1.0, 2 * COILS + 3)
    swing = np.array([0.0, 0.0, *[(-1.0) ** i for i in range(2 * COILS - 1)], 0.0, 0.0])
    return np.asarray(a + share[:, None] * along + swing[:, None] * aside)


def _look_at(ax: Axes3D, placed: Placed) -> None:
    """Equal scales, and a view from where most is seen."""
    points = np.concatenate([placed.of(item) for kind in WHOLE for item in placed.scene.of(kind)])
    low, high = points.min(axis=0), points.max(axis=0)
    size = float((high - low).max()) or 1.0
    flat = _flat_direction(placed.mechanism, high - low)
    middle, half = (low + high) / 2.0, np.maximum(high - low, 0.3 * size) / 2.0 + 0.05 * size
    for i, name in enumerate("xyz"):
        getattr(ax, f"set_{name}lim")(middle[i] - half[i], middle[i] + half[i])
        getattr(ax, f"set_{name}label")(f"{name} [mm]", labelpad=8.0)
        getattr(ax, f"{name}axis").set_major_locator(MaxNLocator(max(2, round(6.0 * half[i] / half.max()))))
    ax.set_box_aspect(half, zoom=0.82)
    ax.view_init(*VIEWS[flat])
    if flat is not None:
        getattr(ax, f"set_{'xyz'[flat]}ticks")([])
        getattr(ax, f"set_{'xyz'[flat]}label")("")


def _flat_direction(mechanism: Mechanism, extent: Array) -> int | None:
    """From where a plane mechanism is seen; a straight one is flat in two directions, and turns about one of them."""
    flat = [i for i in range(3) if extent[i] < FLAT * extent.max()]
    moves = [p for joint in mechanism.joints for p in joint.primitives if p.kind == "rotation"]
    axes = [p.axis for p in moves if p.axis is not None]
    return max(flat, key=lambda i: sum(abs(axis[i]) for axis in axes), default=None)
