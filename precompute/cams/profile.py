"""The outline of a cam: sides, straight or along arcs, one after the other counterclockwise round the cam's centre.

All points are in the cam's own plane, from its centre [m]; outward normals point away from the material.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from precompute.arrays import Array, frozen_array
from precompute.cams.track import TURN

SMOOTH = 1e-5
"""Sides that meet at a smaller angle than this are tangent [rad]."""

FITS = 1e-6
"""How far the two ends of an arc may be from the same distance of its centre, relative to its radius."""


@final
@dataclass(frozen=True, eq=False)
class Side:
    """A straight side, or an arc: one that turns left bulges, one that turns right is hollow."""

    start: Array  # (2,)
    end: Array  # (2,)
    centre: Array | None = None  # (2,) of an arc
    hollow: bool = False

    def __post_init__(self) -> None:
        for what in ("start", "end", "centre"):
            if getattr(self, what) is not None:
                object.__setattr__(self, what, frozen_array(getattr(self, what), (2,), what))

    @cached_property
    def radius(self) -> float:
        """Of an arc: the mean of its ends' distances from the centre; infinite if straight."""
        if self.centre is None:
            return float("inf")
        return 0.5 * (_length(self.start - self.centre) + _length(self.end - self.centre))

    @property
    def misfit(self) -> float:
        """How much farther one end is from the centre than the other, over the radius."""
        if self.centre is None or self.radius == 0.0:
            return 0.0
        return abs(_length(self.start - self.centre) - _length(self.end - self.centre)) / self.radius

    @cached_property
    def first_normal(self) -> float:
        """Angle of the outward normal where it starts [rad]."""
        if self.centre is None:
            along = self.end - self.start
            return _angle(np.array([along[1], -along[0]]))
        return _angle(self.centre - self.start if self.hollow else self.start - self.centre)

    @cached_property
    def turned(self) -> float:
        """By how much the normal turns from start to end: to the left, counted positive [rad]."""
        if self.centre is None:
            return 0.0
        swept = _angle(self.end - self.centre) - _angle(self.start - self.centre)
        if self.hollow:
            return -((-swept) % TURN) or -TURN
        return swept % TURN or TURN

    @property
    def last_normal(self) -> float:
        """Angle of the outward normal where it ends, counted on from the first [rad]."""
        return self.first_normal + self.turned


def corner(before: Side, after: Side) -> float:
    """By how much the normal turns between two sides [rad]; less than zero if they meet in a hollow."""
    return (after.first_normal - before.last_normal + np.pi) % TURN - np.pi


def arc_by_radius(start: Array, end: Array, radius: float, hollow: bool) -> Side:
    """The shorter arc of a radius between two points.

    Raises:
        ValueError: the points are farther apart than the arc is wide, or the same.
    """
    chord = end - start
    half = 0.5 * _length(chord)
    if half == 0.0:
        raise ValueError("begins and ends at the same point; a full circle needs its centre")
    if radius < half:
        raise ValueError(f"is too small: its ends are {2.0 * half / radius:.6g} radii apart, more than two")
    left = np.array([-chord[1], chord[0]]) / (2.0 * half)
    depth = np.sqrt(max(radius**2 - half**2, 0.0))
    return Side(start, end, 0.5 * (start + end) + (-left if hollow else left) * depth, hollow)


def _length(v: Array) -> float:
    return float(np.hypot(v[0], v[1]))


def _angle(v: Array) -> float:
    return float(np.arctan2(v[1], v[0]))
