"""Cam joints in natural coordinates: the place of the follower on the cam as columns of its own.

With p - o from the cam's centre to the roller's, x and y along directions of the cam, rho and phi columns, phi over
turns,

    (p - o) . x - rho c = 0,   (p - o) . y - rho s = 0,   c - cos phi = 0,   s - sin phi = 0               (1)
    rho - r(phi) = 0                                                                                    (2)

Of a face with the normal m, the same of m in the place of p - o with rho = 1, and in the place of (2)

    (p - o) . m - h(phi) = 0                                                                            (3)

A roller that rolls turns by alpha against the cam, t(phi) the length of the way of its centre:

    t(phi) - R alpha - what that is where it is drawn = 0                                               (4)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.measures.cam_measure import CamMeasure
from precompute.model.cams import Cam
from precompute.model.mechanism import Measure, Mechanism
from precompute.natural.cams.kinds import way_jet
from precompute.natural.drawing import Drawing, Drawn, Feature
from precompute.natural.drivers import Sketch
from precompute.natural.expressions import Polynomial, total
from precompute.natural.held import CIRCLE, Seen, seen_term
from precompute.natural.joints import Links
from precompute.natural.measure_kinds import sketched
from precompute.natural.rows import Bent, Row


@dataclass(frozen=True, eq=False)
class Placed:
    """Columns of a cam: cosine, sine, angle, and of a roller the distance before them."""

    of: Measure
    columns: tuple[int, ...]
    cam: Cam

    def values(self, value: Array, length: float) -> Array:
        """(n, 3 or 4) of the columns at angles (n,)."""
        turned = [np.cos(value), np.sin(value), value]
        rho = [self.cam.follower.track.jet(value)[0] / length] if len(self.columns) == 4 else []
        return np.stack([*rho, *turned], axis=-1)


@dataclass(frozen=True, eq=False)
class CamSketch:
    """A cam whose features are drawn."""

    cam: Cam
    contact: CamMeasure
    features: tuple[Feature, ...]  # p, o, x, y and m, if it has a face
    turns: tuple[tuple[float, Sketch], ...]  # of a roller that rolls

    @property
    def more(self) -> bool:
        """It has columns of its own."""
        return True

    def made(self, drawn: Drawn, length: float) -> tuple[Placed | Seen, ...]:
        """Add its columns and rows."""
        label = f"cam '{self.cam.name}'"
        p, o, x, y, *face = (drawn.at(feature) for feature in self.features)
        seen = face[0] if face else p - o
        scalar, first = drawn.coordinates.scalar, self.contact.first
        start = len(drawn.coordinates.names)
        drawn_at = float(np.hypot(*((self.cam.p - self.cam.centre) @ np.array([self.cam.zero, self.cam.across]).T)))
        rho = [] if face else [scalar(label, drawn_at / length)]
        c, s, _ = (scalar(label, value) for value in (np.cos(first), np.sin(first), first))
        angle = start + len(rho) + 2
        rows = [Row(label, column, (Bent(angle, f),)) for column, f in zip((c, s), CIRCLE, strict=True)]
        size: Polynomial | float = rho[0] if rho else 1.0
        rows += [Row(label, seen.dot(x) - c * size), Row(label, seen.dot(y) - s * size)]
        distance = rho[0] if rho else (p - o).dot(face[0])
        rows.append(Row(label, distance, (Bent(angle, minus(self.cam, length)),)))
        drawn.add(tuple(rows))
        own = Placed(self.contact, tuple(range(start, angle + 1)), self.cam)
        return own, *self._rolling(label, drawn, angle, length)

    def _rolling(self, label: str, drawn: Drawn, angle: int, length: float) -> tuple[Seen, ...]:
        """By (4)."""
        if not self.turns:
            return ()
        radius, terms = self.cam.follower.radius / length, []
        parts: list[Polynomial] = []
        for factor, sketch in self.turns:
            terms.append(seen_term(label, sketch, drawn))
            parts.append(terms[-1].value * (-radius * factor))
        way = way_of(self.cam, length)
        here = float(way(np.array(self.contact.first), 0))
        drawn.add((Row(label, total(parts) - here, (Bent(angle, way),)),))
        return tuple(terms)


def minus(cam: Cam, length: float) -> Callable[[Array, int], Array]:
    """-r of a cam's track, in units of length, and its derivatives."""
    return lambda x, order: -cam.follower.track.jet(x)[order] / length


def way_of(cam: Cam, length: float) -> Callable[[Array, int], Array]:
    """The length of a cam's track, in units of length, and its derivatives."""

    def way(x: Array, order: int) -> Array:
        return way_jet(cam, x)[order] / length

    return way


def sketch_cam(drawing: Drawing, mechanism: Mechanism, links: Links, cam: Cam) -> CamSketch:
    """Draw its features."""
    own = drawing.own
    features = [
        own(cam.child, cam.name, cam.p, True),
        own(cam.parent, cam.name, cam.centre, True),
        own(cam.parent, cam.name, cam.zero, False),
        own(cam.parent, cam.name, cam.across, False),
        *([] if cam.normal is None else [own(cam.child, cam.name, cam.normal, False)]),
    ]
    turns = () if cam.rolls is None else cam.rolled(mechanism).terms
    named = [(f"{cam.name}[{i + 1}]", *term) for i, term in enumerate(turns)]
    return CamSketch(
        cam,
        cam.measure(mechanism, "contact"),
        tuple(features),
        tuple((factor, sketched(drawing, mechanism, links, name, of)) for name, factor, of in named),
    )
