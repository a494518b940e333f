"""A chart without what acts in its mechanism: all that its tables depend on, and nothing else.

Rates, preloads, loads, gravity, formulas of elements, start values and what a file says of the vehicle are numbers of
the model that stands on the tables; no table has them in it.  They are not hidden from a comparison of two charts, they
are not there: the tables are made of what `unforced` leaves.  What does stay of a force is where it acts, and along and
about which directions, since that decides which bodies may spin.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from precompute.coordinates.charts import Piece
from precompute.coordinates.independent import Coordinates
from precompute.coordinates.subsystem import devices_inside
from precompute.kinematics.assembly import Configuration
from precompute.model.contacts import TrackStart
from precompute.model.forces import Bushing, ConstantForce, Damper, Spring
from precompute.model.joint_types import DIRECTIONS
from precompute.model.mechanism import Coordinate, Experiment, Mechanism
from precompute.model.parts import Port
from precompute.tables.layout import Layout


class Unforced(NamedTuple):
    """What a chart is tabulated from."""

    coordinates: Coordinates
    design: Configuration
    layout: Layout


def unforced(piece: Piece, layout: Layout) -> Unforced:
    """A piece of the motion and its layout, of the mechanism without what acts in it."""
    walked = {
        axes: replace(w, system=replace(w.system, coordinates=without_forces(w.system.coordinates)))
        for axes, w in layout.walked.items()
    }
    return Unforced(without_forces(piece.coordinates), piece.centre, replace(layout, walked=walked))


def without_forces(coordinates: Coordinates) -> Coordinates:
    """The same coordinates of such a mechanism, without start values and without what is told about them."""
    closure = replace(coordinates.closure, mechanism=inert(coordinates.closure.mechanism))
    free = tuple(started_nowhere(c) for c in coordinates.free)
    unknown = (None,) * len(free)
    return replace(coordinates, closure=closure, free=free, reason="", feasible=unknown, chosen=unknown, selection=None)


def started_nowhere(c: Coordinate) -> Coordinate:
    """A coordinate without its start values; how it is driven counts, how slowly its filter follows does not."""
    return replace(c, start=None, start_rate=0.0, filter_time=None if c.filter_time is None else 1.0)


def inert(m: Mechanism) -> Mechanism:
    """The mechanism with forces of no account where it has forces; its parts, places and masses are the same."""
    return replace(
        m,
        springs=tuple(Spring(s.name, s.on, stiffness=1.0, preload=0.0) for s in m.springs),
        dampers=tuple(Damper(d.name, d.on, damping=1.0) for d in m.dampers),
        forces=tuple(ConstantForce(f.name, f.on, value=1.0) for f in m.forces),
        bushings=tuple(even_bushing(b) for b in m.bushings),
        devices=tuple(devices_inside(m, {b.name: () for b in m.bodies})),
        ports=tuple(Port(p.name, p.marker) for p in m.ports),
        wheels=tuple(replace(w, unloaded_radius=None, tyre_rate=None) for w in m.wheels),
        contact=m.contact and replace(m.contact, start=TrackStart()),
        coordinates=None if m.coordinates is None else tuple(started_nowhere(c) for c in m.coordinates),
        gravity=np.zeros(3),
        experiment=Experiment(),
        description="",
        axles=(),
        vehicle=None,
        designs=(),
        source=None,
    )


def even_bushing(b: Bushing) -> Bushing:
    """The bushing with a stiffness of one wherever it acts."""
    acts = [float(b.acts_along(direction)) for direction in DIRECTIONS]
    return Bushing(b.name, b.parent, b.child, b.p, b.R, stiffness=np.diag(acts), law=b.law)
