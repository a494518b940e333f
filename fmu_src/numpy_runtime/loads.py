"""Loads in joints and rods, and accelerations of markers: rows that are read on request, times what all have in common.

By virtual work along the direction k that a joint locks, the parent exerts on the child

    R_k = J_k zdd + sum_ij C_kij zd_i zd_j + S_k . (vd + w x v - g) - s_k f - r_k [F; M]
          + h_k . wd + sum_j D_kj . w zd_j - 1/2 w . I_k w                                            (1)

with rows J_k to I_k of the tables (see `rows.LoadPlaces`), forces f on the measures, loads F and M where forces act on
markers, and the motion of the ground as in `ground`.  So R_k is the product of its rows with one vector, the same for
all loads.  The acceleration of a marker is the first two terms of it.
"""

from __future__ import annotations

import numpy as np

from ..model.reduced_model import Array
from ..model.rows import LoadPlaces
from .ground import SYMMETRIC, cross


def load_weights(
    places: LoadPlaces,
    rates: Array,
    accelerations: Array,
    gravity: Array,
    forces: Array,
    wrenches: Array,
    twist: Array | None = None,
    twist_rate: Array | None = None,
) -> Array:
    """What the rows of a load are multiplied by.

    Args:
        places: of the rows.
        rates: (nz,) of the coordinates that have inertia.
        accelerations: (nz,) of the same.
        gravity: (3,) [m/s2].
        forces: (measures,) on each measure.
        wrenches: (markers, 2, 3) force and moment on each marker where forces act.
        twist: (6,) of the ground, if it moves.
        twist_rate: (6,) derivatives of its components.
    """
    out = np.zeros(places.count)
    i, j = np.triu_indices(rates.size)
    out[places.J] = accelerations
    out[places.C] = np.where(i == j, 1.0, 2.0) * rates[i] * rates[j]
    out[places.S] = -gravity
    out[places.s] = -forces
    out[places.r] = -wrenches.ravel()
    if twist is not None and twist_rate is not None:
        w, v = twist[:3], twist[3:]
        out[places.S] += twist_rate[3:] + cross(w, v)
        out[places.h] = twist_rate[:3]
        out[places.D] = np.outer(w, rates).ravel()
        for a in range(3):
            for b in range(a, 3):
                out[places.I.start + SYMMETRIC[a, b]] = -(0.5 if a == b else 1.0) * w[a] * w[b]
    return out
