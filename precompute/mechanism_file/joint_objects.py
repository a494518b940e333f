"""Checked entries of a mechanism file -> joints and rods, in SI units and radians.

Each function raises `Faults` with the place inside the entry, or without any if it depends on a faulty point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.mechanism_file.cams.objects import cam
from precompute.mechanism_file.geometry import Geometry, placed
from precompute.mechanism_file.schema import joint_tables as t
from precompute.mechanism_file.schema.checks import Faults, fault
from precompute.model.mechanism import (
    DIRECTIONS,
    JOINT_TYPES,
    Cam,
    Joint,
    JointType,
    Primitive,
    Rod,
    joint_primitives,
    stiff_primitives,
)

BESIDE = 1e-6
"""[m] A point nearer to an axis than this is on it."""


def joint(name: str, entry: Any, geometry: Geometry, loads: str | Sequence[str] = ()) -> Joint | Rod | Cam:
    """A joint, rod or cam; `loads` names those whose loads are asked for elsewhere in the file, or says all."""
    watched = loads == "all" or name in loads
    if isinstance(entry, t.CamEntry):
        return cam(name, entry.parent, entry.child, entry, geometry)
    at = joint_place(entry)
    with placed("at"):
        p_P, p_C = geometry.apart(at) if isinstance(entry, t.RodEntry) else map(geometry.position, at)
    if isinstance(entry, t.RodEntry):
        length = float(np.linalg.norm(p_C - p_P))
        if entry.length is not None:
            length = geometry.units.measure()(entry.length)
        return Rod(name, entry.parent, entry.child, p_P, p_C, length, entry.load or watched)
    if isinstance(entry, t.SequenceEntry):
        sequence = tuple(_primitive(each, number, geometry) for number, each in enumerate(entry.primitives))
        plain = Joint(name, "sequence", entry.parent, entry.child, p_P, p_C, sequence)
        return _with_loads(plain, entry, watched)
    kind = JOINT_TYPES[entry.type]
    free = _primitives(kind, entry, geometry)
    R, stiff = _stiffness(kind, entry, geometry, watched)
    plain = Joint(name, entry.type, entry.parent, entry.child, p_P, p_C, (*free, *stiff), entry.stiff_axes, R)
    if entry.type == t.HINGE:
        plain = replace(plain, reach=_reach(plain, entry, geometry))
    return _with_loads(plain, entry, watched)


def _reach(hinge: Joint, entry: Any, geometry: Geometry) -> float:
    """How far a hinge goes along its axis [m]: as told, or to the farther of the two points of its axis."""
    if entry.reach is not None:
        return float(geometry.units.measure()(entry.reach))
    if not isinstance(entry.axis, tuple) or not isinstance(entry.axis[0], str) or len(entry.axis) != 2:
        return 0.0
    ways = [geometry.position(point) - hinge.p_P for point in entry.axis]
    if any(float(np.linalg.norm(np.cross(way, hinge.axes[0]))) > BESIDE for way in ways):
        return 0.0  # its points give a direction, and it is somewhere else
    return max((float(way @ hinge.axes[0]) for way in ways), key=abs)


def _with_loads(joint: Joint, entry: Any, watched: bool) -> Joint:
    """The joint with the loads that are asked for."""
    plain = replace(joint, load_axes=entry.load_axes)
    if entry.load and not plain.loadable:
        raise fault(f"a {joint.kind} joint carries no load; leave this out", "load")
    asked = plain.loadable if watched or entry.load is True else entry.load or ()
    if faults := [
        (("load", i), f"is '{name}', which is free in a {joint.kind} joint and carries no load; {_carries(plain)}")
        for i, name in enumerate(asked)
        if name not in plain.loadable
    ]:
        raise Faults(*faults)
    return replace(plain, loads=tuple(name for name in DIRECTIONS if name in asked))


def watched_mount(joint: Joint, loads: str | Sequence[str]) -> Joint:
    """A joint that the reader makes for bushings, with its loads if they are asked for."""
    return replace(joint, loads=joint.loadable) if loads == "all" or joint.name in loads else joint


def _carries(joint: Joint) -> str:
    return f"it carries {', '.join(joint.loadable)}" if joint.loadable else "it carries nothing"


def _stiffness(kind: JointType, entry: Any, geometry: Geometry, watched: bool) -> tuple[Array, tuple[Primitive, ...]]:
    """The joint's own axes (3, 3), if they are used, and its stiff primitives."""
    if not (entry.stiff or entry.load or watched):
        return np.eye(3), ()
    if faults := [
        (("stiff", i), f"is '{name}', which is {kind.fate(name)} in a {kind.name} joint; {_locks(kind.locked)}")
        for i, name in enumerate(entry.stiff)
        if kind.fate(name) != "locked"
    ]:
        raise Faults(*faults)
    second = entry.axis2 if len(kind.axes) == 2 else entry.second
    R = np.eye(3) if entry.axis is None else geometry.axes(entry.axis, second)
    return R, stiff_primitives(entry.stiff, R)


def _locks(locked: Sequence[str]) -> str:
    return f"it locks {', '.join(locked)}" if locked else "it locks nothing"


def joint_place(entry: Any) -> Any:
    """The pair of points, or its default where there is one."""
    if entry.at is not None:
        return entry.at
    axis = getattr(entry, "axis", None)
    if isinstance(axis, tuple) and len(axis) == 2:
        return axis[0], axis[0]
    if JOINT_TYPES[entry.type].place == "origin":
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    raise fault('\'at\' is missing; write for example at = "A", or give the axis as two points, axis = ["A", "B"]')


def _primitives(kind: JointType, entry: Any, geometry: Geometry) -> tuple[Primitive, ...]:
    """The free ones."""
    axes = []
    for key in ("axis", "axis2"):
        if (axis := getattr(entry, key, None)) is not None:
            with placed(key):
                axes.append(geometry.direction(axis))
    with placed("axis" if kind.axes else "type"):
        return joint_primitives(kind.name, axes[: len(kind.axes)])  # any other is of the stiff directions


def _primitive(entry: t.PrimitiveEntry, at: int, geometry: Geometry) -> Primitive:
    with placed("primitives", at):
        if entry.rotation is not None:
            return Primitive("rotation", geometry.direction(entry.rotation), entry.stiff)
        if entry.translation is not None:
            return Primitive("translation", geometry.direction(entry.translation), entry.stiff)
        if not entry.ball:
            raise fault("has ball = false, which is no motion; write ball = true, or leave the motion out")
        return Primitive("ball", None, entry.stiff)
