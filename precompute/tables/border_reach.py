"""How far deflections may move the contact on a cam whose pieces a coordinate tells, by (1) of `cam_borders`."""

from __future__ import annotations

import numpy as np

from precompute.arrays import Array
from precompute.coordinates.independent import Coordinates
from precompute.kinematics.coefficients import factorize, velocity_coefficients
from precompute.kinematics.continuation import follow
from precompute.model.cams import Cam


def reach_at_borders(coordinates: Coordinates, samples: Array, tolerance: float) -> Array:
    """(ns,) deflections [m or rad], each alone, that put no follower farther off its cam; infinite where none does.

    Args:
        coordinates: with their stiff ones.
        samples: (n, nq) configurations from which borders are gone to.
        tolerance: of places, relative to the reference length.
    """
    full, nf = coordinates.full, len(coordinates.free)
    z, most = full.values(full.poses(samples)), np.full(len(coordinates.stiff), np.inf)
    for cam in full.mechanism.cams:
        if cam.sections is None:
            continue
        k = next(k for k, c in enumerate(coordinates.free) if cam.name in c.cams)
        nearest = np.argmin(np.abs(z[:, k] - cam.sections.begins[:, None]), axis=1)
        to = z[nearest].copy()
        to[:, k] = cam.sections.begins
        P = full.poses(follow(full, samples[nearest], z[nearest], to).q)
        contact, B = (
            cam.measure(full.mechanism, "contact"),
            velocity_coefficients(full, factorize(full, full.matrix(P))),
        )
        slope = np.abs((contact.row(P)[:, None] @ B)[:, 0, nf:])
        with np.errstate(divide="ignore"):
            angle = np.sqrt(2.0 * tolerance * full.length / np.abs(jumps(cam, contact.value(P))))
            most = np.minimum(most, (angle[:, None] / slope).min(axis=0))
    return most


def jumps(cam: Cam, angle: Array) -> Array:
    """By how much the second derivative of the track changes at the places of contact (n,) at its borders [m]."""
    assert cam.sections is not None
    before, after = (
        cam.follower.track.holding(side).jet(angle)[2] for side in (cam.sections.pieces[:-1], cam.sections.pieces[1:])
    )
    return np.asarray(after - before)
