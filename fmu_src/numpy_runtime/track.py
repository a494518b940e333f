"""A disc on the floor: the mechanics of a mechanism in the frame that its disc carries along.

The tables are in axes of the track (`model.tracks`): forward f, left l, normal n, fixed in it, with the origin P where
disc and floor touch.  P moves with the velocity v = v_f f + v_l l, and the track turns with the heading rate w about n.
The quasi-velocities are

    u = (zd of all coordinates but x, y; v_f, v_l in the places of x, y),   v_f = a . u,   v_l = b . u          (1)

    sliding: a, b pick these two;   rolling: a = R at the spin, b = 0, and the places of x, y are empty: u is zero there

J is the inertia for u, a function of lean and shape alone.  With the first moment s of all masses about P and mass m,
the momentum along the floor and the equations of motion, after Boltzmann and Hamel, are

    p_f = m v_f - w s_l + ds_f/dt,   p_l = m v_l + w s_f + ds_l/dt                                              (2)
    J du/dt + (d_j J_ki - 1/2 d_k J_ij) u_i u_j = Q + a w p_l - b w p_f - e (v_f p_l - v_l p_f)                  (3)

with e picking w.  The last terms have no power whatever the tables are: u . (a w p_l - b w p_f - e ...) = 0, so energy
is kept as well as without them.  In Kane's form they are -u^T C_k u with sum_k u_k u^T C_k u = 0.  Lagrange's equations
of the reduced J, without them, are wrong.  In the directions of (1) a gravity g has the force

    Q_k = g . ds/dz_k + m (a_k g_f + b_k g_l) + e_k (s_f g_l - s_l g_f)                                          (4)

with g in axes of the track.  Places and velocities on the floor follow by

    Pd = v_f f' + v_l l',   f' = f cos h + l sin h,   l' = l cos h - f sin h                                     (5)

with the heading h since design; that of a disc that rolls is no state of its own.  What the floor exerts on the disc
is what `ground` calls the wrench on a chassis, the other way round, for the twist V = [w n; v - w n x P0].      (6)

References: Hamel, Theoretische Mechanik, on quasi-coordinates; Kane and Levinson, Dynamics: Theory and Applications.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..model.reduced_model import Array, ReducedModel
from ..model.tracks import TrackInfo
from .ground import Ground, chassis_wrench, cross


@dataclass(frozen=True, eq=False)
class Track:
    """The disc of a model made ready; nz coordinates, the last three heading, x, y."""

    info: TrackInfo
    nz: int
    mass: float  # [kg] of all bodies

    @property
    def heading(self) -> int:
        """Number of the coordinate."""
        return self.nz - 3

    @cached_property
    def axes(self) -> Array:
        """(3, 3) rows f, l, n at design, in ground axes."""
        n, f = np.array(self.info.normal), np.array(self.info.forward)
        return np.array([f, cross(n, f), n])

    @cached_property
    def point(self) -> Array:
        """(3,) P at design, in ground axes."""
        return np.array(self.info.point)

    @cached_property
    def floor(self) -> Array:
        """(2, 3) along which x and y are counted."""
        return np.array(self.info.floor)

    @cached_property
    def along(self) -> Array:
        """(2, nz) a and b of (1)."""
        found = np.zeros((2, self.nz))
        if self.info.rolling:
            found[0, self.info.spin] = self.info.radius
        else:
            found[:, -2:] = np.eye(2)
        return found

    # -- places and velocities ----------------------------------------------------------------------------------------

    def turned(self, z: Array) -> Array:
        """(3, 3) rows f', l', n of (5) at z (nz,), in ground axes."""
        (ahead, left, n), (c, s) = self.axes, (math.cos(z[self.heading]), math.sin(z[self.heading]))
        return np.array([c * ahead + s * left, c * left - s * ahead, n])

    def pose(self, z: Array) -> tuple[Array, Array]:
        """Rotation (3, 3) of the tables' axes to those of the ground, and where the tables' origin is (3,)."""
        R = self.turned(z).T @ self.axes
        return R, self.place(z) - R @ self.point

    def place(self, z: Array) -> Array:
        """(3,) P in ground axes."""
        n = self.axes[2]
        return np.asarray(z[-2:] @ self.floor + (n @ self.point) * n)

    def rates(self, z: Array, zd: Array) -> Array:
        """(nz,) u of (1)."""
        u = zd.copy()
        u[-2:] = 0.0 if self.info.rolling else self.turned(z)[:2] @ (zd[-2:] @ self.floor)
        return u

    def kept(self, z: Array, zd: Array) -> Array:
        """Zd (nz,) with the rates of x and y of a disc that rolls, (5)."""
        if not self.info.rolling:
            return zd
        moved = zd.copy()
        moved[-2:] = self.floor @ (self.along @ zd @ self.turned(z)[:2])
        return moved

    def accelerations(self, z: Array, u: Array, ud: Array) -> Array:
        """Zdd (nz,) from du/dt (nz,): the rate of (5)."""
        (v_f, v_l), w, zdd = (self.along @ u).tolist(), float(u[self.heading]), ud.copy()
        bent = self.along @ ud + w * np.array([-v_l, v_f])
        zdd[-2:] = self.floor @ (bent @ self.turned(z)[:2])
        return zdd

    def quasi_accelerations(self, z: Array, u: Array, zdd: Array) -> Array:
        """du/dt (nz,) from zdd (nz,): the inverse of `accelerations`."""
        ud, w = zdd.copy(), float(u[self.heading])
        ud[-2:] = 0.0
        if not self.info.rolling:
            v_f, v_l = (self.along @ u).tolist()
            ud[-2:] = self.turned(z)[:2] @ (zdd[-2:] @ self.floor) - w * np.array([-v_l, v_f])
        return ud

    # -- forces -------------------------------------------------------------------------------------------------------

    def gravity(self, z: Array, gravity: Array) -> Array:
        """(3,) in the tables' axes."""
        return np.asarray(self.axes.T @ (self.turned(z) @ gravity))

    def force(self, z: Array, u: Array, S: Array, dS: Array, gravity: Array) -> Array:
        """(nz,) what (3) and (4) have on their right besides Q with g as at design.

        Args:
            z: (nz,) where this is.
            u: (nz,) of (1).
            S: (3,) first moment about the tables' origin.
            dS: (nz, 3) its slopes.
            gravity: (3,) in ground axes.
        """
        ahead, left, _ = self.axes
        (a, b), s = self.along, S - self.mass * self.point
        v_f, v_l, w = float(a @ u), float(b @ u), float(u[self.heading])
        s_f, s_l, rate = float(s @ ahead), float(s @ left), u @ dS
        p_f = self.mass * v_f - w * s_l + float(rate @ ahead)  # (2)
        p_l = self.mass * v_l + w * s_f + float(rate @ left)
        g = self.gravity(z, gravity)
        g_f, g_l = float(g @ ahead), float(g @ left)
        force: Array = dS @ (g - gravity)
        force += a * (w * p_l + self.mass * g_f) - b * (w * p_f - self.mass * g_l)
        force[self.heading] += s_f * g_l - s_l * g_f - (v_f * p_l - v_l * p_f)
        return force

    def potential(self, z: Array, S: Array, gravity: Array) -> float:
        """Of gravity, counted from a plane through the ground's origin [J]."""
        R, p = self.pose(z)
        return float(-(gravity @ (R @ S + self.mass * p)))

    def twist(self, u: Array) -> Array:
        """(6,) V of (6) in the tables' axes, or its rate from du/dt."""
        ahead, left, n = self.axes
        v_f, v_l = (self.along @ u).tolist()
        turning = float(u[self.heading]) * n
        return np.concatenate((turning, v_f * ahead + v_l * left - cross(turning, self.point)))

    def contact_wrench(self, z: Array, ground: Ground, u: Array, ud: Array, gravity: Array) -> tuple[Array, Array]:
        """Force (3,) of the floor on the disc and its moment (3,) about P, in ground axes."""
        g = self.gravity(z, gravity)
        external = np.concatenate((cross(ground.S, g), self.mass * g))
        wrench = chassis_wrench(ground, self.twist(u), self.twist(ud), u, u, ud, external)
        R, force = self.pose(z)[0], -wrench[3:]
        return R @ force, R @ (-wrench[:3] - cross(self.point, force))


def track_of(model: ReducedModel, nz: int) -> Track | None:
    """The disc of a model, if it has one."""
    return None if model.track is None else Track(model.track, nz, model.mass)
