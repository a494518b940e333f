"""A mechanism elsewhere: turned about the vertical, moved, or mirrored to the other side of the car.

Mirroring in the plane y = 0 keeps every free coordinate: the mirrored mechanism in the same coordinates is the mirror
image of the other; see `precompute.model.images`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.geometry import placement
from precompute.model.images import PartImages
from precompute.model.mechanism import Axes, Mechanism

MIRROR = np.diag([1.0, -1.0, 1.0])


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


def images(mechanism: Mechanism, at: Placement) -> PartImages:
    """What makes the parts of the mechanism at its place."""
    joints = {joint.name: joint for joint in mechanism.joints}
    devices = {device.name: device for device in mechanism.devices}
    forward, up = at.T @ mechanism.axes.forward, at.T @ mechanism.axes.up
    there = Axes(forward, np.cross(up, forward), up)
    return PartImages(placement.Placement(at.T, at.offset), joints, mechanism.axes, there, devices=devices)


def placed(mechanism: Mechanism, at: Placement) -> Mechanism:
    """The mechanism at its place, with its names; gravity stays along z."""
    if np.abs(mechanism.gravity[:2]).max() > 0.0:
        raise PrecomputeError(f"mechanism '{mechanism.name}' has no vertical gravity; only such ones can be placed")
    there = images(mechanism, at)
    image_of: dict[str, Callable[[str, Any], Any]] = {
        "bodies": there.body,
        "joints": there.joint,
        "rods": there.rod,
        "springs": there.spring,
        "dampers": there.damper,
        "forces": there.force,
        "bushings": there.bushing,
        "devices": there.device,
        "markers": there.marker,
        "ports": there.port,
        "measures": there.read_measure,
        "wheels": there.wheel,
    }
    parts: dict[str, Any] = {
        section: tuple(image(part.name, part) for part in getattr(mechanism, section))
        for section, image in image_of.items()
    }
    free = mechanism.coordinates
    coordinates = None if free is None else tuple(there.coordinate(c.name, c) for c in free)
    steering = [a.steering and a.steering.image(there).of for a in mechanism.axles]
    axles = tuple(
        replace(a, left=a.right, right=a.left, steering=s) if at.mirrored else replace(a, steering=s)
        for a, s in zip(mechanism.axles, steering, strict=True)
    )
    return replace(mechanism, **parts, coordinates=coordinates, axes=there.there, axles=axles)
