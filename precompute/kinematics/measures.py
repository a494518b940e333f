"""Scalar functions of the configuration, with first and second derivatives: lengths, coordinates, bushing deflections.

For each measure s: its value, its gradient with respect to the joint rates (`row`, so that sdot = row @ qdot), and its
second derivatives along the independent coordinates (`second`).
"""

from __future__ import annotations

import numpy as np

from precompute.arrays import Array
from precompute.geometry.spatial import point_acceleration, point_velocity
from precompute.kinematics import deflections
from precompute.kinematics.poses import Poses
from precompute.kinematics.topology import Topology
from precompute.model.mechanism import (
    AnyMeasure,
    BushingDeflection,
    Distance,
    JointCoordinate,
    Marker,
    MarkerCoordinate,
    Mechanism,
)

AXES = {"x": 0, "y": 1, "z": 2}


def is_angle(mechanism: Mechanism, measure: AnyMeasure) -> bool:
    """Whether the measure is in rad; in m otherwise."""
    if isinstance(measure, BushingDeflection):
        return measure.index >= 3
    if not isinstance(measure, JointCoordinate):
        return False
    return mechanism.joint(measure.joint).primitives[measure.index].kind == "rotation"


def display(value: float, angle: bool) -> str:
    """A value as an engineer reads it: in degrees or millimetres."""
    return f"{np.degrees(value):.6g} deg" if angle else f"{1e3 * value:.6g} mm"


def shown(mechanism: Mechanism, measure: AnyMeasure, value: float) -> str:
    """A value of the measure in degrees or millimetres."""
    return display(value, is_angle(mechanism, measure))


def joint_coordinate_indices(mechanism: Mechanism, topology: Topology, c: JointCoordinate) -> tuple[int, int]:
    """(configuration index, rate index) of a scalar joint coordinate."""
    j = next(i for i, joint in enumerate(mechanism.joints) if joint.name == c.joint)
    before = mechanism.joints[j].primitives[: c.index]
    iq = topology.q_slices[j].start + sum(4 if p.kind == "ball" else 1 for p in before)
    iv = topology.v_slices[j].start + sum(3 if p.kind == "ball" else 1 for p in before)
    return iq, iv


def value(mechanism: Mechanism, topology: Topology, P: Poses, q: Array, measure: AnyMeasure) -> Array:
    """Value of the measure.  -> (...)."""
    match measure:
        case JointCoordinate():
            return q[..., joint_coordinate_indices(mechanism, topology, measure)[0]]
        case Distance():
            a, b, p_a, p_b = ends(topology, P, measure)
            return np.linalg.norm(p_a - p_b, axis=-1)
        case MarkerCoordinate():
            _, p = marker_point(topology, P, mechanism.marker(measure.marker))
            return p[..., AXES[measure.axis]]
        case BushingDeflection():
            return deflections.value(topology, P, mechanism.bushing(measure.bushing), measure.index)


def row(mechanism: Mechanism, topology: Topology, P: Poses, measure: AnyMeasure) -> Array:
    """Gradient with respect to the joint rates.  -> (..., nv)."""
    match measure:
        case JointCoordinate():
            out = np.zeros((*P.S.shape[:-2], topology.nv))
            out[..., joint_coordinate_indices(mechanism, topology, measure)[1]] = 1.0
            return out
        case Distance():
            a, b, p_a, p_b = ends(topology, P, measure)
            return distance_row(topology, P, a, b, p_a, p_b)
        case MarkerCoordinate():
            body, p = marker_point(topology, P, mechanism.marker(measure.marker))
            u = np.broadcast_to(np.eye(3)[AXES[measure.axis]], p.shape)
            return point_row(topology, P, body, p, u)
        case BushingDeflection():
            return deflections.row(topology, P, mechanism.bushing(measure.bushing), measure.index)


def second(mechanism: Mechanism, topology: Topology, P: Poses, W: Array, dW: Array, measure: AnyMeasure) -> Array:
    """Second derivatives along z, given velocities W and their derivatives dW.  -> (..., nz, nz).

    With the bias in place of dW it is the part that does not contain dB.
    """
    nz = W.shape[-1]
    match measure:
        case JointCoordinate():
            return np.zeros((*W.shape[:-3], nz, nz))
        case Distance():
            a, b, p_a, p_b = ends(topology, P, measure)
            return distance_second(W, dW, a, b, p_a, p_b)
        case MarkerCoordinate():
            body, p = marker_point(topology, P, mechanism.marker(measure.marker))
            acceleration = point_acceleration(W[..., body, :, :], dW[..., body, :, :, :], p)
            return acceleration[..., AXES[measure.axis], :, :]
        case BushingDeflection():
            return deflections.second(topology, P, W, dW, mechanism.bushing(measure.bushing), measure.index)


# -- points and distances; rods use them too --------------------------------------------------------------------------


def ends(topology: Topology, P: Poses, measure: Distance) -> tuple[int, int, Array, Array]:
    """Bodies and current end points of a distance."""
    a, b = topology.bodies.index(measure.body_a), topology.bodies.index(measure.body_b)
    return a, b, P.X[a].point(measure.p_a), P.X[b].point(measure.p_b)


def marker_point(topology: Topology, P: Poses, marker: Marker) -> tuple[int, Array]:
    """Body and current position of a marker."""
    body = topology.bodies.index(marker.body)
    return body, P.X[body].point(marker.p)


def point_row(topology: Topology, P: Poses, body: int, p: Array, u: Array) -> Array:
    """Velocity along u of the point at p, as a row over the joint rates.  p, u (..., 3) -> (..., nv)."""
    wrench = np.concatenate([np.cross(p, u), u], axis=-1)
    return topology.reach[body] * (wrench[..., None, :] @ P.S)[..., 0, :]


def nonzero(length: Array) -> Array:
    """Lengths without zeros, so that they divide; where ends meet, the sweep refuses the range."""
    return np.maximum(length, np.finfo(float).tiny ** 0.5)


def distance_row(topology: Topology, P: Poses, a: int, b: int, p_a: Array, p_b: Array) -> Array:
    """Rate of |p_a - p_b| as a row over the joint rates."""
    d = p_a - p_b
    u = d / nonzero(np.linalg.norm(d, axis=-1, keepdims=True))
    return point_row(topology, P, a, p_a, u) - point_row(topology, P, b, p_b, u)


def distance_second(W: Array, dW: Array, a: int, b: int, p_a: Array, p_b: Array) -> Array:
    """Second derivatives of L = |d|:  u . d_ij + (d_i . d_j - (u . d_i)(u . d_j)) / L.   -> (..., nz, nz)."""
    d = p_a - p_b
    length = nonzero(np.linalg.norm(d, axis=-1))
    u = d / length[..., None]
    d_i = point_velocity(W[..., a, :, :], p_a) - point_velocity(W[..., b, :, :], p_b)
    d_ij = point_acceleration(W[..., a, :, :], dW[..., a, :, :, :], p_a)
    d_ij = d_ij - point_acceleration(W[..., b, :, :], dW[..., b, :, :, :], p_b)
    along = np.einsum("...c,...ci->...i", u, d_i)
    across = np.einsum("...ci,...cj->...ij", d_i, d_i) - along[..., :, None] * along[..., None, :]
    return np.einsum("...c,...cij->...ij", u, d_ij) + across / length[..., None, None]
