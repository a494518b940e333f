"""What acts along a motion, at exact configurations: forces of elements, ports and wheels, and what inertia takes.

By Newton and Euler, in the axes of the ground, which may move with the twist [w0; v0]: with r the centre of mass of a
body, v_i and w_i its velocity and that of the body along z_i, and v, a, w, wd those relative to the ground,

    a_abs = a + v0d + w0 x v0 + w0d x r + w0 x (w0 x r) + 2 w0 x v                          (1)
    w_abs = w0 + w,   wd_abs = w0d + wd + w0 x w                                            (2)
    T_i = sum_b m (a_abs - g) . v_i + (I wd_abs + w_abs x I w_abs) . w_i                    (3)

and what drives must supply along z_i, or rubber where z_i is stiff, is

    D_i = T_i - sum_e f_e ds_e/dz_i - sum_markers (F . v_i + M . w_i)                       (4)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fmu_src.model.rows import MarkerRows
from fmu_src.numpy_runtime.wheels import WheelInputs, carrier_moment, disc
from precompute.arrays import Array
from precompute.coordinates.load_dependence import loaded_frames
from precompute.geometry.spatial import cross, point_acceleration, point_velocity
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.inertia import effective_inertias
from precompute.kinematics.motion import Motion
from precompute.kinematics.poses import Poses
from precompute.loading.motion import LoadMotion
from precompute.model.mechanism import Mechanism
from precompute.reduction.exact_loads import Acting
from precompute.reduction.reduced import wheel_info
from precompute.reduction.rest_forces import RestForces, rest_forces
from precompute.reduction.rest_laws import Laws

ALONE = MarkerRows(r=-1, R=0, A=-1)
"""Where the rotation of a marker lies if it is all that there is."""


@dataclass(frozen=True, eq=False)
class Along:
    """n instants of a motion at closed configurations, and what is needed there."""

    acting: Acting
    rest: RestForces
    needed: Array  # (n, nz) D of (4) [N, N m]

    def pushed(self, forces: Array, laws: Laws) -> Along:
        """The same with more forces (n, elements), those of devices."""
        needed = self.needed - np.einsum("nk,nki->ni", forces, self.rest.ds[:, list(laws.acts_on)])
        return replace(self, acting=replace(self.acting, forces=self.acting.forces + forces), needed=needed)


def along(closure: Closure, laws: Laws, q: Array, acting: Acting, motion: LoadMotion) -> Along:
    """Forces at closed configurations q (n, nq).

    Args:
        closure: with all nz coordinates.
        laws: of all elements but devices, whose forces come on top.
        q: configurations.
        acting: rates, accelerations and motion of the ground; forces and wrenches are filled in.
        motion: the same n instants of it.
    """
    mechanism, rest = closure.mechanism, rest_forces(closure, laws, (), q)
    P = rest.motion.places
    forces = laws.moving(rest.s, np.einsum("nki,ni->nk", rest.ds, acting.rates))
    acting = replace(acting, forces=forces, wrenches=wrenches(mechanism, P, motion))
    needed = inertia_forces(closure, rest.motion, acting)  # (4)
    needed -= np.einsum("nk,nki->ni", forces, rest.ds[:, list(laws.acts_on)])
    for k, number in enumerate(loaded_frames(mechanism)):
        marker = mechanism.frames[number]
        V, p = rest.motion.velocity(marker.body), P.pose(marker.body).point(marker.p)
        needed -= np.einsum("nc,nci->ni", acting.wrenches[:, k, 0], point_velocity(V, p))
        needed -= np.einsum("nc,nci->ni", acting.wrenches[:, k, 1], V[:, :3])
    return Along(acting, rest, needed)


def inertia_forces(closure: Closure, motion: Motion, acting: Acting) -> Array:
    """T (n, nz) of (3): what the motion of all bodies takes, against gravity."""
    mechanism, P, zd, zdd = closure.mechanism, motion.places, acting.rates, acting.accelerations
    found = np.zeros(zd.shape)
    for body, inertia in zip(mechanism.bodies, effective_inertias(mechanism, closure.topology), strict=True):
        X, V, dV = P.pose(body.name), motion.velocity(body.name), motion.acceleration(body.name)
        r = X.point(body.com)
        v_i = point_velocity(V, r)
        v, w = (np.einsum("nci,ni->nc", x, zd) for x in (v_i, V[:, :3]))
        a, wd = (
            np.einsum("nci,ni->nc", x, zdd) + np.einsum("ncij,ni,nj->nc", dx, zd, zd)
            for x, dx in ((v_i, point_acceleration(V, dV, r)), (V[:, :3], dV[:, :3]))
        )
        if acting.twist is not None and acting.twist_rate is not None:
            w0, v0, w0d, v0d = (
                x[:, part] for x in (acting.twist, acting.twist_rate) for part in (slice(3), slice(3, 6))
            )
            a = a + v0d + cross(w0, v0) + cross(w0d, r) + cross(w0, cross(w0, r)) + 2.0 * cross(w0, v)  # (1)
            w, wd = w0 + w, w0d + wd + cross(w0, w)  # (2)
        I = X.R @ inertia @ np.swapaxes(X.R, -1, -2)  # noqa: E741
        moment = (I @ wd[..., None])[..., 0] + cross(w, (I @ w[..., None])[..., 0])
        found += np.einsum("nc,nci->ni", body.mass * (a - acting.gravity), v_i)  # (3)
        found += np.einsum("nc,nci->ni", moment, V[:, :3])
    return found


def wrenches(mechanism: Mechanism, P: Poses, motion: LoadMotion) -> Array:
    """Force and moment (n, markers, 2, 3) where forces act, of ports and wheels, as `loaded_frames` lists them."""
    frames, names = loaded_frames(mechanism), [marker.name for marker in mechanism.frames]
    found = np.zeros((len(motion.time), len(frames), 2, 3))
    for port in mechanism.ports:
        own = motion.vectors(f"port.{port.name}.F", f"port.{port.name}.M")
        found[:, frames.index(names.index(port.marker))] += own.reshape(-1, 2, 3)
    for wheel in mechanism.wheels:
        info, at = wheel_info(mechanism, wheel), f"wheel.{wheel.name}"
        k, marker = frames.index(info.marker), mechanism.frames[info.marker]
        R = (P.pose(marker.body).R @ marker.R).reshape(-1, 9)
        F, M, n = (motion.vectors(f"{at}.{symbol}") for symbol in ("F", "M", "road.n"))
        torque = motion.inputs[f"{at}.torque"]
        for i in np.flatnonzero(F.any(axis=1) | M.any(axis=1) | (torque != 0.0)):
            given = WheelInputs(F[i], M[i], float(torque[i]), 0.0, n[i], 0.0)
            found[i, k, 0] += F[i]
            found[i, k, 1] += carrier_moment(disc(info, ALONE, R[i], n[i]), given)
    return found
