"""A mechanism elsewhere: turned about the vertical, moved, or mirrored to the other side of the car.

Mirroring in the plane y = 0 keeps every free coordinate: the mirrored mechanism in the same coordinates is the mirror
image of the other.  With the orthogonal matrix T of the placement (det T = -1 if it mirrors) points go to T p + offset,
directions of translations to T a, and axes of rotations, which are axial vectors, to det(T) T a.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.model.mechanism import (
    Body,
    Bushing,
    Coordinate,
    Distance,
    ForceTable,
    Joint,
    Marker,
    MarkerCoordinate,
    Measure,
    Mechanism,
    Port,
    Primitive,
)

MIRROR = np.diag([1.0, -1.0, 1.0])
ACROSS = np.diag([1.0, 1.0, -1.0])  # keeps the axes of joints and bushings right-handed: their z turns round


@dataclass(frozen=True, eq=False)
class Placement:
    """p -> T p + offset, T a turn about z, mirrored in y = 0 or not."""

    offset: Array  # (3,) [m]
    turn: float = 0.0  # [rad] about z, before mirroring
    mirrored: bool = False

    @property
    def T(self) -> Array:
        """(3, 3) orthogonal."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        R = np.round(np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), 15)  # quarter turns without rounding
        return MIRROR @ R if self.mirrored else R

    @property
    def sign(self) -> float:
        """det T."""
        return -1.0 if self.mirrored else 1.0

    def point(self, p: Array) -> Array:
        """Where a point comes to lie."""
        return self.T @ p + self.offset

    def axes(self, R: Array) -> Array:
        """Axes of a joint or bushing (3, 3), right-handed again."""
        return self.T @ R @ (ACROSS if self.mirrored else np.eye(3))


def placed(mechanism: Mechanism, at: Placement) -> Mechanism:
    """The mechanism at its place; gravity stays along z."""
    if np.abs(mechanism.gravity[:2]).max() > 0.0:
        raise PrecomputeError(f"mechanism '{mechanism.name}' has no vertical gravity; only such ones can be placed")
    return replace(
        mechanism,
        bodies=tuple(_body(b, at) for b in mechanism.bodies),
        joints=tuple(_joint(j, at) for j in mechanism.joints),
        rods=tuple(replace(r, p_P=at.point(r.p_P), p_C=at.point(r.p_C)) for r in mechanism.rods),
        springs=tuple(replace(s, on=_measure(s.on, at)) for s in mechanism.springs),
        dampers=tuple(replace(d, on=_measure(d.on, at)) for d in mechanism.dampers),
        forces=tuple(replace(f, on=_measure(f.on, at)) for f in mechanism.forces),
        bushings=tuple(_bushing(b, at) for b in mechanism.bushings),
        markers=tuple(_marker(m, at) for m in mechanism.markers),
        ports=tuple(_port(p, at) for p in mechanism.ports),
        measures=tuple(replace(read, of=_measure(read.of, at)) for read in mechanism.measures),
        coordinates=None if mechanism.coordinates is None else tuple(_coordinate(c, at) for c in mechanism.coordinates),
    )


def _body(body: Body, at: Placement) -> Body:
    return replace(body, com=at.point(body.com), inertia=at.T @ body.inertia @ at.T.T)


def _joint(joint: Joint, at: Placement) -> Joint:
    R = at.axes(joint.R)
    primitives = tuple(_primitive(p, joint, R, at) for p in joint.primitives)
    return replace(joint, p_P=at.point(joint.p_P), p_C=at.point(joint.p_C), R=R, primitives=primitives)


def _primitive(primitive: Primitive, joint: Joint, R: Array, at: Placement) -> Primitive:
    """Stiff directions of standard joints are counted along their joint's axes R, so these decide about their sign."""
    if primitive.axis is None:
        return primitive
    if primitive.stiff and joint.kind != "sequence":
        column = int(np.argmax(np.abs(joint.R.T @ primitive.axis)))
        return replace(primitive, axis=R[:, column])
    sign = at.sign if primitive.kind == "rotation" else 1.0
    return replace(primitive, axis=sign * at.T @ primitive.axis)


def _measure(on: Measure, at: Placement) -> Measure:
    """A distance has points of its own; what only names other parts is where these are."""
    if on.segment is not None:
        (body_a, p_a), (body_b, p_b) = on.segment
        return Distance(body_a, body_b, at.point(p_a), at.point(p_b))
    if any(kind == "body" for kind, _ in on.refers):
        raise PrecomputeError(f"the {on.name} cannot be placed")
    return on


def _bushing(bushing: Bushing, at: Placement) -> Bushing:
    """Deflections along the new axes are signs times those along the old ones."""
    along = np.diag(ACROSS) if at.mirrored else np.ones(3)
    signs = np.concatenate([along, at.sign * along])
    return replace(
        bushing,
        p=at.point(bushing.p),
        R=at.axes(bushing.R),
        stiffness=bushing.stiffness * np.outer(signs, signs),
        damping=bushing.damping * np.outer(signs, signs),
        preload=bushing.preload * signs,
        tables=tuple(_table(t, s) for t, s in zip(bushing.tables, signs, strict=True)),
    )


def _table(table: ForceTable | None, sign: float) -> ForceTable | None:
    return table if table is None or sign > 0.0 else ForceTable(-table.x[::-1], -table.force[::-1])


def _marker(marker: Marker, at: Placement) -> Marker:
    spin = None if marker.spin_axis is None else at.T @ marker.spin_axis
    return replace(marker, p=at.point(marker.p), R=at.T @ marker.R @ at.T.T, spin_axis=spin)


def _port(port: Port, at: Placement) -> Port:
    force, moment = at.T @ np.array(port.force), at.sign * at.T @ np.array(port.moment)
    return replace(port, force=tuple(force.tolist()), moment=tuple(moment.tolist()))


def _coordinate(coordinate: Coordinate, at: Placement) -> Coordinate:
    on, up = coordinate.of, 0.0
    for marker in (name for kind, name in on.refers if kind == "marker"):
        if on not in (MarkerCoordinate(marker, "z"), MarkerCoordinate(marker, "z", relative=True)):
            raise PrecomputeError(f"coordinate '{coordinate.name}' is the {on.name}; only z can be placed")
        up = 0.0 if on.relative else float(at.offset[2])
    lower, upper, start = (
        None if x is None else x + up for x in (coordinate.lower, coordinate.upper, coordinate.start)
    )
    return replace(coordinate, of=_measure(on, at), lower=lower, upper=upper, start=start)
