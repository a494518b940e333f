"""The mechanism drawn at its design position, as a picture for the FMU."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from mpl_toolkits.mplot3d.axes3d import Axes3D
from scipy.spatial import ConvexHull

from precompute.arrays import Array
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.poses import poses
from precompute.kinematics.topology import spanning_tree
from precompute.measures.interfaces import Point
from precompute.model.mechanism import GROUND, ConstantForce, Damper, Device, Measure, Mechanism, Spring

MILLIMETRES = 1e3
FLAT = 0.02
"""A mechanism whose extent in one direction is less than this share of its largest is looked at from there."""

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
    colours = colormaps["tab10" if len(mechanism.bodies) <= 10 else "tab20"]
    for i, body in enumerate(mechanism.bodies):
        _draw_body(ax, placed.points(body.name), colours(i), body.name)
    for rod in mechanism.rods:
        _line(ax, placed.ends((rod.parent, rod.p_P), (rod.child, rod.p_C)), color="0.35", linewidth=2.0)
    _draw_forces(ax, placed)
    _draw_joints(ax, placed)
    _draw_wheels(ax, placed)
    _look_at(ax, placed)
    figure.legend(loc="outside right upper", fontsize=8, frameon=False)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110, bbox_inches="tight", metadata={"Software": None})
    return buffer.getvalue()


class Placed:
    """Where the points of a mechanism are when its loops are closed [mm]."""

    def __init__(self, mechanism: Mechanism) -> None:
        topology = spanning_tree(mechanism)
        design = close_loops(mechanism, topology)
        self.mechanism = mechanism
        self._X = dict(zip(topology.bodies, poses(mechanism, topology, design.q).X, strict=True))

    def at(self, point: Point) -> Array:
        """(3,) in G."""
        X = self._X[point[0]]
        return MILLIMETRES * (X.R @ point[1] + X.p)

    def ends(self, a: Point, b: Point) -> Array:
        """(2, 3) in G."""
        return np.array([self.at(a), self.at(b)])

    def points(self, body: str) -> Array:
        """Where something is attached to a body, each place once, (n, 3)."""
        return _distinct([self.at(point) for point in seen(self.mechanism) if point[0] == body])


def attachments(mechanism: Mechanism) -> Iterable[Point]:
    """Every point of a body at which something is attached, or that is a marker."""
    for c in mechanism.connections:
        yield from ((c.parent, c.p_P), (c.child, c.p_C))
    for b in mechanism.bushings:
        yield from ((b.parent, b.p), (b.child, b.p))
    for on in (on for _, on in acting(mechanism)):
        yield from on.segment or ()
    for marker in mechanism.markers:
        yield marker.body, marker.p


def acting(mechanism: Mechanism) -> Iterable[tuple[type, Measure]]:
    """What springs, dampers, forces and elements are connected to, and their kind."""
    yield from ((type(element), element.on) for element in mechanism.elements)
    yield from ((Device, on) for device in mechanism.devices for _, on in device.on)


def seen(mechanism: Mechanism) -> list[Point]:
    """The points between which bodies are drawn; the mass centre too of one that is attached at a single place."""
    points = list(attachments(mechanism))
    for body in mechanism.bodies:
        if len(_distinct([MILLIMETRES * p for name, p in points if name == body.name])) < 2:
            points.append((body.name, body.com))
    if mechanism.contact is not None:
        points += [(body, point) for body, rim in rims(mechanism) for point in rim[:-1:6]]
    return points


def _distinct(points: list[Array]) -> Array:
    return np.unique(np.round(points, 3), axis=0) if points else np.zeros((0, 3))


def _line(ax: Axes3D, points: Array, **style: object) -> None:
    ax.plot(*points.T, **style)


def _draw_body(ax: Axes3D, points: Array, colour: object, name: str) -> None:
    """A bar between two points, a translucent solid between more."""
    if len(points) == 0:
        return
    style = {"color": colour, "linewidth": 2.5, "solid_capstyle": "round"}
    if len(points) < 3:
        _line(ax, points, label=name, **style, marker="." if len(points) == 1 else None)
        return
    faces = [[0, 1, 2]] if len(points) == 3 else ConvexHull(points, qhull_options="QJ").simplices
    ax.add_collection3d(Poly3DCollection(points[np.array(faces)], facecolor=colour, alpha=0.18))
    middle = points.mean(axis=0)
    for i, point in enumerate(points):
        _line(ax, np.array([middle, point]), label=name if i == 0 else None, **style)


def _draw_forces(ax: Axes3D, placed: Placed) -> None:
    said: set[str] = set()
    for part, on in acting(placed.mechanism):
        if on.segment is None:
            continue
        ends = placed.ends(*on.segment)
        kind, points, style = FORCES[part]
        _line(ax, points(*ends), label=None if kind in said else kind, **style)
        said.add(kind)


def straight(a: Array, b: Array) -> Array:
    """From a to b, (2, 3)."""
    return np.array([a, b])


def coil(a: Array, b: Array) -> Array:
    """A zigzag from a to b, (n, 3)."""
    along = b - a
    aside = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    aside *= 0.06 * np.linalg.norm(along) / np.linalg.norm(aside)
    share = np.linspace(0.0, 1.0, 2 * COILS + 3)
    swing = np.array([0.0, 0.0, *[(-1.0) ** i for i in range(2 * COILS - 1)], 0.0, 0.0])
    return np.asarray(a + share[:, None] * along + swing[:, None] * aside)


FORCES: dict[type, tuple[str, Callable[[Array, Array], Array], dict[str, object]]] = {
    Spring: ("spring", coil, {"color": "0.2", "linewidth": 1.2}),
    Damper: ("damper", straight, {"color": "0.5", "linestyle": "--", "linewidth": 1.5}),
    Device: ("element", straight, {"color": "tab:purple", "linestyle": "-.", "linewidth": 1.5}),
    ConstantForce: ("constant force", straight, {"color": "tab:red", "linestyle": ":", "linewidth": 1.8}),
}
"""How elements between two points are drawn: name, line from end to end, style."""


def _draw_joints(ax: Axes3D, placed: Placed) -> None:
    m = placed.mechanism
    ground = [p for body, p in attachments(m) if body == GROUND]
    groups: tuple[tuple[str, list[Array], dict[str, object]], ...] = (
        (
            "bushing",
            [placed.at((b.child, b.p)) for b in m.bushings],
            {"s": 70, "facecolors": "none", "linewidths": 1.5},
        ),
        ("joint", [placed.at((j.child, j.p_C)) for j in m.joints], {"s": 16, "facecolors": "black"}),
        ("ground", [MILLIMETRES * p for p in ground], {"s": 45, "marker": "^", "facecolors": "none"}),
    )
    for label, points, style in groups:
        if points:
            ax.scatter(*np.array(points).T, label=label, edgecolors="black", depthshade=False, **style)


def rims(m: Mechanism) -> Iterable[tuple[str, Array]]:
    """Bodies with circles (n, 3) on them: wheels, and the disc on the floor.

    A wheel is as large as the farthest marker of the same body, which is where it touches.
    """
    for marker in m.markers:
        if marker.spin_axis is not None:
            arms = [o.p - marker.p for o in m.markers if o.body == marker.body]
            radius = max(float(np.linalg.norm(np.cross(arm, marker.spin_axis))) for arm in arms)
            yield marker.body, circle(marker.p, marker.spin_axis, radius)
    if m.contact is not None:
        yield m.contact.body, circle(m.contact.centre, m.contact.axis, m.contact.radius)


def circle(centre: Array, axis: Array, radius: float) -> Array:
    """(n, 3) about a unit vector."""
    up = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    up = up / np.linalg.norm(up)
    turn = np.linspace(0.0, 2.0 * np.pi, 73)[:, None]
    return np.asarray(centre + radius * (np.cos(turn) * up + np.sin(turn) * np.cross(axis, up)))


def _draw_wheels(ax: Axes3D, placed: Placed) -> None:
    for body, rim in rims(placed.mechanism):
        _line(ax, np.array([placed.at((body, point)) for point in rim]), color="0.6", linewidth=1.0)


def _look_at(ax: Axes3D, placed: Placed) -> None:
    """Equal scales, and a view from where most is seen."""
    points = np.array([placed.at(point) for point in seen(placed.mechanism)])
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
