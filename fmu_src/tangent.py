"""Stiffness and damping of the force laws: how the forces change with position and rate.

    K = -sum_elements ds (df/ds) ds^T + sum_couplings k (ds_a ds_b^T + ds_b ds_a^T)                   (1)
    C = -sum_elements ds (df/dsdot) ds^T + sum_couplings c (ds_a ds_b^T + ds_b ds_a^T)                (2)

with ds (nz,) the gradient of a measure.  Left out is what comes from the curvature of the measures; `quasistatic` adds
it where it must be exact.

What is quadratic in the rates, c of `dynamics`, changes with them too:

    dc/dzd = d/dt J + B - B^T,   B_kj = sum_i d_j J_ki zd_i                                           (3)

What a moving ground adds to that is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .dynamics import Mechanics, Runtime
from .laws import element_slopes
from .reduced_model import Array


class LinearMotion(NamedTuple):
    """M zdd = -C zd - K z: the motion near a state, for the linear part of an implicit step."""

    M: Array  # (nz, nz)
    C: Array  # (nz, nz)
    K: Array  # (nz, nz)


def law_tangents(runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float]) -> tuple[Array, Array]:
    """K and C of equations (1) and (2), (nz, nz) each."""
    model, ds = runtime.model, at.ds
    s, sdot = at.s.tolist(), (zd @ ds).tolist()
    slopes = [element_slopes(element, parameters, s[i], sdot[i]) for i, element in enumerate(model.elements)]
    along, rate = np.array(slopes).reshape(-1, 2).T
    K, C = -(ds * along) @ ds.T, -(ds * rate) @ ds.T
    for pair in model.couplings:
        cross = np.outer(ds[:, pair.a], ds[:, pair.b])
        cross = cross + cross.T
        K += parameters[pair.stiffness] * cross
        C += parameters[pair.damping] * cross
    return K, C


def linear_motion(runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float]) -> LinearMotion:
    """The motion near a state; the equations of driven coordinates are those of their drives."""
    K, C = law_tangents(runtime, at, zd, parameters)
    B = zd @ at.dJ  # its transpose, [j, k] = sum_i d_j J_ik zd_i
    M, C = at.J.copy(), C + np.tensordot(zd, at.dJ, axes=1) + B.T - B  # (3)
    for drive in runtime.slots.drives:
        k, T = drive.axis, drive.filter_time
        M[k] = K[k] = C[k] = 0.0
        M[k, k] = 1.0
        if T:
            K[k, k], C[k, k] = 1.0 / T**2, 2.0 / T
    return LinearMotion(M, C, K)
