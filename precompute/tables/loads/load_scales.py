"""What is natural for the fields of loads and accelerations: what bodies of the mechanism's size would have."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np

from precompute.arrays import Array
from precompute.kinematics.coefficients import Closure
from precompute.tables.loads.load_fields import AccelerationFields, LoadFields


def set_load_scales(scale: Array, closure: Closure, loads: tuple[LoadFields, ...], J_max: Array) -> None:
    """Of loads, into the scales of all fields; from the largest inertia (nz,) of each coordinate.

    A natural opening is the reference length, or one radian.
    """
    m, length = closure.mechanism, closure.length
    mass = sum(b.mass for b in m.bodies)
    root = np.sqrt(J_max)
    i, j = np.array(list(combinations_with_replacement(range(len(root)), 2)), dtype=np.intp).T
    for load in loads:
        per = 1.0 if load.opening.turns else 1.0 / length
        for group in load.groups:
            sizes = (
                (group.J, np.sqrt(mass) * length * root),
                (group.C, root[i] * root[j]),
                (group.S, np.full(3, mass * length)),
                (group.h, np.full(3, mass * length**2)),
                (group.D, np.tile(np.sqrt(mass) * length * root, 3)),
                (group.I, np.full(6, mass * length**2)),
            )
            for numbers, size in sizes:
                for number, natural in zip(numbers, size, strict=False):
                    if number >= 0:
                        scale[number] = per * natural
        for measure, field in load.measures:
            scale[field] = per * (1.0 if measure.is_angle(m) else length)
        for _, numbers in load.frames:
            scale[list(numbers)] = per * np.repeat([length, 1.0], 3)


def set_acceleration_scales(scale: Array, closure: Closure, accelerations: tuple[AccelerationFields, ...]) -> None:
    """Of accelerations."""
    rate = closure.coordinate_weight / closure.length  # 1, or 1/length
    i, j = np.array(list(combinations_with_replacement(range(len(rate)), 2)), dtype=np.intp).T
    for own in accelerations:
        for c, (J, C) in enumerate(zip(own.J, own.C, strict=True)):
            size = closure.length if c < 3 else 1.0
            scale[list(J)], scale[list(C)] = size * rate, size * rate[i] * rate[j]
