"""Checked entries of cam joints -> cams, in SI units and radians."""

from __future__ import annotations

import numpy as np

from precompute.arrays import Array
from precompute.cams.follower import Follower, Profile
from precompute.cams.polar_table import PolarTable
from precompute.cams.profile import Side, arc_by_radius
from precompute.mechanism_file.geometry import Geometry, placed
from precompute.mechanism_file.schema.cam_tables import CamFields, SideEntry
from precompute.mechanism_file.schema.checks import fault
from precompute.model.cams import Cam
from precompute.model.joints import plane_axes


def cam(name: str, parent: str, child: str, entry: CamFields, geometry: Geometry) -> Cam:
    """A cam joint; an outline that its follower cannot follow is refused with numbers."""
    with placed("centre"):
        centre = geometry.position(entry.centre)
    with placed("at"):
        p = geometry.position(entry.at)
    with placed("axis"):
        axis = geometry.direction(entry.axis)
    with placed("zero"):
        zero = plane_axes(axis)[0] if entry.zero is None else geometry.direction(entry.zero)
    with placed("normal"):
        normal = None if entry.normal is None else geometry.direction(entry.normal)
    key = "profile" if entry.table is None else "table"
    with placed(key):
        profile = _profile(entry, geometry)
    radius = 0.0 if entry.radius is None else geometry.units.measure()(entry.radius)
    follower = Follower(profile, entry.follower, radius)
    try:
        track = follower.tracked(lambda value, quantity: geometry.units.shown(value, quantity))
    except ValueError as error:
        raise fault(str(error).removeprefix("table "), key) from None
    made = Cam(name, parent, child, centre, axis, zero, p, follower, normal, entry.rolls, entry.slips)
    _check_reach(made, float(track.jet(track.begins)[0].max()), geometry)
    return made


def _check_reach(cam: Cam, size: float, geometry: Geometry) -> None:
    """The centre of the roller must be somewhere near the cam, so that a drawing in wrong units is told at once."""
    away = cam.p - cam.centre
    away = away - (away @ cam.axis) * cam.axis
    distance = float(np.linalg.norm(away))
    if cam.normal is None and distance < 1e-9 * size:
        raise fault("is on the cam's axis; give the place of the follower, on the side where it touches", "at")


def _profile(entry: CamFields, geometry: Geometry) -> Profile:
    scale, angle = geometry.units.measure(), geometry.units.measure(True)
    if entry.table is not None:
        return PolarTable(np.array([angle(a) for a, _ in entry.table]), np.array([scale(r) for _, r in entry.table]))
    assert entry.profile is not None, "one of them is there"
    ends = [np.array([scale(x) for x in side.to]) for side in entry.profile]
    starts = [ends[-1], *ends[:-1]]
    sides = []
    for number, (side, start, end) in enumerate(zip(entry.profile, starts, ends, strict=True)):
        with placed(number):
            sides.append(_side(side, start, end, geometry))
    return tuple(sides)


def _side(side: SideEntry, start: Array, end: Array, geometry: Geometry) -> Side:
    scale = geometry.units.measure()
    if side.centre is not None:
        return Side(start, end, np.array([scale(x) for x in side.centre]), side.hollow)
    if side.radius is None:
        return Side(start, end)
    try:
        return arc_by_radius(start, end, scale(side.radius), side.hollow)
    except ValueError as error:
        raise fault(str(error), "radius") from None
