"""Inertia, damping, stiffness and what elements do, about a state of rest, by exact kinematics.

With the gradients s_e,i of what element e acts on, its force f_e(s, sdot, x) and the states x of elements,

    M zdd + C zd + K z - D x = G u,    xdot = R [S z; S zd; x] + R_u u                      (1)
    K_ij = -dQ_i/dz_j,  x held;    C = -S^T (df/dsdot) S;    D = S^T (df/dx);    S = s_e,i  (2)

M, S, the second derivatives in K and the slopes of elements are exact.  Slopes of dampers are central differences: a
damper that is softer one way has the mean of both where it rests.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fmu_src.numpy_runtime.devices import Memory, respond
from precompute.arrays import Array
from precompute.kinematics.inertia import reduced_inertia, spatial_inertias
from precompute.kinematics.motion import Motion
from precompute.modes.resting import Resting
from precompute.reduction.rest_devices import RestDevices
from precompute.reduction.rest_forces import RestForces, rest_forces
from precompute.rig.mechanics import Corner, Mechanics, WheelLoads, corner, load_forces

SLOW = 1e-5
"""[m/s, rad/s] of the differences of dampers: below all of their bends that are not at rest itself."""

INPUT_STEP = 1e-5
"""Of the differences along inputs of elements, over their size; the error is of its square."""


@dataclass(frozen=True, eq=False)
class Matrices:
    """(1) at a state of rest, along all coordinates."""

    motion: Motion  # one configuration
    B: Array  # (1, nv, nz) joint rates
    M: Array  # (nz, nz)
    C: Array  # (nz, nz)
    K: Array  # (nz, nz)
    D: Array  # (nz, nx)
    R: Array  # (nx, 2 nz + nx) along z, zd and x
    x: Array  # (nx,) states of elements at rest
    on_inputs: Array  # (nz, ni) slopes of Q along inputs of elements
    rate_on_inputs: Array  # (nx, ni)
    corners: tuple[Corner, ...]  # nw, where wheels stand


def matrices(at: Resting) -> Matrices:
    """All of (1)."""
    laws, devices = at.laws, at.laws.at_rest
    found = rest_forces(at.closure, replace(laws, at_rest=None), at.ports, at.q[None])
    S = found.ds[0, list(laws.acts_on)].reshape(len(laws.elements), len(at.names))
    K, C = found.K[0], -S.T @ damping(at, found) @ found.ds[0]
    up = np.asarray(at.mechanism.axes.up)[None]
    corners = tuple(corner(found.motion, w, up, "lowest") for w in at.mechanism.wheels) if at.pads else ()
    if corners:
        K = K + standing(at, Mechanics(**vars(found), corners=corners))
    nx = ni = 0
    D, R, x = np.zeros((len(K), nx)), np.zeros((nx, 2 * len(K) + nx)), np.zeros(nx)
    on_inputs, rate_on_inputs = np.zeros((len(K), ni)), np.zeros((nx, ni))
    if devices is not None:
        s, still = found.s[0, list(laws.acts_on)], np.zeros(len(laws.elements))
        memory = devices.memory(s)
        done = respond(devices.model, devices.parameters, devices.inputs, s, still, memory, slopes=True)
        by_s, by_rate, by_x = np.split(done.F, [len(s), 2 * len(s)], axis=1)
        K = K - S.T @ by_s @ S - np.einsum("e,eij->ij", done.force, found.dds[0, list(laws.acts_on)])
        C, D, x = C - S.T @ by_rate @ S, S.T @ by_x, memory.x
        R_s, R_rate, R_x = np.split(done.R, [len(s), 2 * len(s)], axis=1)
        R = np.hstack([R_s @ S, R_rate @ S, R_x])
        on_elements, rate_on_inputs = input_slopes(devices, s, memory)
        on_inputs = S.T @ on_elements
    P = found.motion.places
    M = reduced_inertia(spatial_inertias(at.mechanism, at.closure.topology, P), found.motion.W)[0, 6:, 6:]
    return Matrices(found.motion, found.B, M, C, K, D, R, x, on_inputs, rate_on_inputs, corners)


def damping(at: Resting, found: RestForces) -> Array:
    """(ne, nm) slopes of forces of laws along rates of what they act on, by central differences."""
    nm = found.s.shape[1]
    rates = SLOW * np.concatenate([np.eye(nm), -np.eye(nm)])
    forces = at.laws.moving(np.broadcast_to(found.s, rates.shape), rates)
    return np.asarray((forces[:nm] - forces[nm:]).T / (2.0 * SLOW))


def standing(at: Resting, found: Mechanics) -> Array:
    """(nz, nz) what forces of pads, and rates of tyres, add to K."""
    nothing = np.zeros((1, len(found.corners), 3))
    K = load_forces(found, WheelLoads(nothing, nothing, nothing), np.array(at.pads)[None])[1][0]
    for own, rate in zip(found.corners, at.rates, strict=True):
        K = K + rate * own.rise[0][:, None] * own.rise[0]
    return np.asarray(K)


def input_slopes(devices: RestDevices, s: Array, memory: Memory) -> tuple[Array, Array]:
    """Force (ne, ni) and rate (nx, ni) along inputs of elements, states held, by central differences."""
    inputs, still = devices.inputs, np.zeros(len(s))
    force, rate = np.zeros((len(s), len(inputs))), np.zeros((memory.x.size, len(inputs)))
    for k, value in enumerate(inputs.tolist()):
        step = INPUT_STEP * max(abs(value), 1.0)
        by = step * np.eye(len(inputs))[k]
        up, down = (respond(devices.model, devices.parameters, inputs + own, s, still, memory) for own in (by, -by))
        force[:, k], rate[:, k] = (up.force - down.force) / (2.0 * step), (up.rate - down.rate) / (2.0 * step)
    return force, rate
