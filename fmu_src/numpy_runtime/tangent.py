"""Stiffness and damping of the force laws: how the forces change with position and rate.

    K = -sum_elements ds (df/ds) ds^T + sum_couplings k (ds_a ds_b^T + ds_b ds_a^T)                   (1)
    C = -sum_elements ds (df/dsdot) ds^T + sum_couplings c (ds_a ds_b^T + ds_b ds_a^T)                (2)

with ds (nz,) the gradient of a measure.  Left out is what comes from the curvature of the measures, and what moments
about axes add (`laws.cardan_slopes`); `quasistatic` adds both, since there it must be exact.

What is quadratic in the rates, c of `dynamics`, changes with them too:

    dc/dzd = d/dt J + B - B^T,   B_kj = sum_i d_j J_ki zd_i                                           (3)

and on a ground that moves with the twist V the forces of `ground` by

    dQ_frame/dzd = G - G^T,   G_jk = V^T d_j N_k                                                      (4)

Devices act through their measures s as well, with the slopes F of forces and R of rates of states (`devices`):

    K -= ds F_s ds^T,   C -= ds F_sdot ds^T                                                           (5)
    D = ds F_x,   E = R_s ds^T,   G = R_sdot ds^T,   A = R_x                                          (6)

E leaves out how the measures' gradients turn, as K does.  Only where devices read loads, which show at once what a step
has missed of a rate that something stiff holds near zero, as the slip of a roller, K has it, by a difference along each
axis:

    K -= ds F_sdot D,   D_j = (ds/dz)^T_j zd                                                          (7)

Steps that may be told anything take `near_motion`: (1) and (2) alone, and with the gradient that they have where they
are expanded about for measures that depend on deflections alone; all of it is symmetric.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..model.laws import element_slopes
from ..model.reduced_model import Array
from .dynamics import Mechanics, Runtime, response
from .reading import read

AHEAD = 1e-5
"""Of an axis: the difference of (7)."""


class LinearMotion(NamedTuple):
    """M zdd = -C zd - K z: the motion near a state, for the linear part of an implicit step."""

    M: Array  # (nz, nz)
    C: Array  # (nz, nz)
    K: Array  # (nz, nz)


class DeviceMotion(NamedTuple):
    """Near a state, M zdd = D x ... and xdot = E z + G zd + A x: states x of devices; (6), and the K and C of (5)."""

    rate: Array  # (nx,) of the states, there
    K: Array  # (nz, nz)
    C: Array  # (nz, nz)
    D: Array  # (nz, nx); rows of driven coordinates are zero
    E: Array  # (nx, nz)
    G: Array  # (nx, nz)
    A: Array  # (nx, nx)


def device_motion(
    runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float], inputs: Array
) -> DeviceMotion:
    """The devices near a state."""
    found, ds, ne = response(runtime, at, zd, parameters, inputs, slopes=True), at.ds, len(runtime.model.elements)
    along, rate, own = slice(0, ne), slice(ne, 2 * ne), slice(2 * ne, None)
    acting = ds.copy()
    acting[runtime.driven] = 0.0
    F, R = found.F, found.R
    K = -acting @ F[:, along] @ ds.T
    if runtime.pressing:
        K -= acting @ F[:, rate] @ _turning(runtime, at, zd)  # (7)
    return DeviceMotion(
        rate=found.rate,
        K=K,
        C=-acting @ F[:, rate] @ ds.T,
        D=acting @ F[:, own],
        E=R[:, along] @ ds.T,
        G=R[:, rate] @ ds.T,
        A=R[:, own],
    )


def _turning(runtime: Runtime, at: Mechanics, zd: Array) -> Array:
    """D of (7), (ne, nz): ahead, since gradients may turn otherwise behind a border."""
    found = np.zeros((at.s.size, runtime.nz))
    for k, axis in enumerate(runtime.chart.axes):
        step = math.copysign(AHEAD * (axis.upper - axis.lower), zd[k])
        there = at.z.copy()
        there[k] += step
        slopes = read(runtime.equations, there)[1]
        found[:, k] = zd @ (slopes[:, runtime.measures] - at.ds) / step
    return found


def law_tangents(runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float]) -> tuple[Array, Array]:
    """K and C of equations (1) and (2), (nz, nz) each."""
    return _tangents(runtime, at, zd, parameters, at.ds)


def _tangents(
    runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float], ds: Array
) -> tuple[Array, Array]:
    """The same with other gradients ds (nz, ne) of the measures."""
    model = runtime.model
    s, sdot = at.s.tolist(), (zd @ at.ds).tolist()
    slopes = [element_slopes(element, parameters, s[i], sdot[i]) for i, element in enumerate(model.elements)]
    along, rate = np.array(slopes).reshape(-1, 2).T
    K, C = -(ds * along) @ ds.T, -(ds * rate) @ ds.T
    for pair in model.couplings:
        cross = np.outer(ds[:, pair.a], ds[:, pair.b])
        cross = cross + cross.T
        K += parameters[pair.stiffness] * cross
        C += parameters[pair.damping] * cross
    return K, C


def linear_motion(
    runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float], inputs: Array
) -> LinearMotion:
    """The motion near a state, without devices; the equations of driven coordinates are those of their drives."""
    K, C = law_tangents(runtime, at, zd, parameters)
    B = zd @ at.dJ  # its transpose, [j, k] = sum_i d_j J_ik zd_i
    C = C + np.tensordot(zd, at.dJ, axes=1) + B.T - B  # (3)
    if at.ground is not None:
        G = inputs[runtime.slots.twist] @ at.ground.dN
        C += G.T - G  # (4)
    return _with_drives(runtime, LinearMotion(at.J.copy(), C, K))


def near_motion(runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float]) -> LinearMotion:
    """What comes near that and is symmetric."""
    fixed, gradient = runtime.fixed
    K, C = _tangents(runtime, at, zd, parameters, np.where(fixed, gradient, at.ds))
    return _with_drives(runtime, LinearMotion(at.J.copy(), C, K))


def _with_drives(runtime: Runtime, linear: LinearMotion) -> LinearMotion:
    """With the equations of driven coordinates as their own; the matrices are changed."""
    for drive in runtime.slots.drives:
        k, T = drive.axis, drive.filter_time
        for matrix in linear:
            matrix[k] = 0.0
        linear.M[k, k] = 1.0
        if T:
            linear.K[k, k], linear.C[k, k] = 1.0 / T**2, 2.0 / T
    return linear
