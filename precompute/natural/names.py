"""Coordinates by name: those of the file, stiff directions as the FMU calls them, and all measures by their words."""

from __future__ import annotations

from precompute.errors import PrecomputeError
from precompute.model.mechanism import (
    JointCoordinate,
    MarkerAngle,
    MarkerCoordinate,
    Measure,
    Mechanism,
    WheelTravel,
    nearest,
)


def stiff_names(mechanism: Mechanism) -> dict[str, JointCoordinate]:
    """The stiff directions: "arm_mount.x", or "link[2]" in a sequence."""
    found = {}
    for c in mechanism.stiff_coordinates:
        joint = mechanism.joint(c.joint)
        number = joint.stiff_directions[joint.stiff.index(c.index)]
        found[f"{c.joint}[{c.index + 1}]" if joint.kind == "sequence" else f"{c.joint}.{number}"] = c
    return found


def known_coordinates(mechanism: Mechanism) -> dict[str, Measure]:
    """All coordinates by name.  What the file names comes first, so that no other takes its name."""
    known: dict[str, Measure] = {c.name: c.of for c in mechanism.coordinates or ()}
    known |= {name: c for name, c in stiff_names(mechanism).items() if name not in known}
    for joint in mechanism.joints:
        for i, primitive in enumerate(joint.primitives):
            if primitive.rates == 1 and not primitive.stiff:
                measure = JointCoordinate(joint.name, i)
                for name in (f"joint.{joint.name}[{i + 1}]", f"{joint.name}_{i + 1}"):
                    known.setdefault(name, measure)
                if i == 0:
                    for name in (f"joint.{joint.name}", joint.name):
                        known.setdefault(name, measure)
    for kind, elements in (("spring", mechanism.springs), ("damper", mechanism.dampers)):
        for e in elements:
            for name in (f"{kind}.{e.name}.length", f"{e.name}_length"):
                known.setdefault(name, e.on)
    for device in mechanism.devices:
        for symbol, on in device.on:
            known.setdefault(f"element.{device.name}.{symbol}", on)
    for marker in mechanism.markers:
        for axis in ("x", "y", "z"):
            for name in (f"marker.{marker.name}.{axis}", f"{marker.name}_{axis}"):
                known.setdefault(name, MarkerCoordinate(marker.name, axis))
        for angle in ("roll", "pitch", "yaw"):
            for name in (f"marker.{marker.name}.{angle}", f"{marker.name}_{angle}"):
                known.setdefault(name, MarkerAngle(marker.name, angle))
    for wheel in mechanism.wheels:
        for name in (f"wheel.{wheel.name}.travel", f"{wheel.name}_travel"):
            known.setdefault(name, WheelTravel(wheel.name))
    return known


def coordinate(mechanism: Mechanism, known: dict[str, Measure], name: str) -> Measure:
    """The measure of that name.

    Raises:
        PrecomputeError: there is none; names those that are like it.
    """
    if name not in known:
        raise PrecomputeError(f"'{mechanism.name}' has no coordinate '{name}'; {nearest(name, list(known))}")
    return known[name]
