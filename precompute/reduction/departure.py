"""Whether the motion leaves the tables at once: said before they are made.

From its start, under gravity, springs, dampers and the loads of the ports, the motion is followed exactly, without
tables, with low accuracy,

    J zddot = Q(z, zdot) + 1/2 sum_ij Q_ij zdot_i zdot_j                                    (1)

until it leaves its ranges or turns back.  Stiff directions are held, driven coordinates at rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import RK23

from fmu_src.model.laws import force_only
from fmu_src.model.reduced_model import Element
from precompute.arrays import Array
from precompute.coordinates.charts import Atlas
from precompute.coordinates.independent import Coordinates
from precompute.geometry.spatial import force_at
from precompute.kinematics.assembly import Configuration
from precompute.kinematics.coefficients import (
    Factor,
    Triangular,
    coefficient_derivatives,
    solver,
    velocity_coefficients,
)
from precompute.kinematics.continuation import follow
from precompute.kinematics.inertia import quadratic_coefficients_newton_euler, reduced_inertia, spatial_inertias
from precompute.kinematics.poses import Poses
from precompute.model.mechanism import Mechanism
from precompute.reduction.elements import ParameterList, force_elements

STEPS = 60
"""Of the integrator: a motion that is still inside after them does not leave at once."""

ACCURACY = 0.02
"""Of a step, as a share of the ranges."""


AT_REST = 1e-3
"""What accelerates by less than moves it this share of its range by the end of the experiment does not leave it."""


class LostError(Exception):
    """The motion cannot be followed further."""


@dataclass(eq=False)
class Motion:
    """The exact motion without tables, one configuration at a time."""

    coordinates: Coordinates
    mechanism: Mechanism  # with nothing left open but preloads that statics finds
    design: Array  # (nq,) where preloads count from
    q: Array  # (nq,) the last configuration; at first the middle of the motion
    z: Array  # (nz,) its coordinates

    def __post_init__(self) -> None:
        parameters = ParameterList()
        P = self.coordinates.closure.poses(self.design)
        at_design = [float(e.on.value(P)) for e in self.mechanism.elements]
        self.elements: list[Element] = force_elements(self.mechanism, at_design, parameters)[0]
        self.parameters = [p.value for p in parameters.items]
        self.driven = [k for k, c in enumerate(self.coordinates.free) if c.driven]
        self.held = np.zeros(len(self.elements))  # forces that hold the design, of springs with static preload

    def hold_design(self, static: list[int]) -> None:
        """Forces of springs with static preload, by number, that balance the others where the motion is now."""
        P, B, _ = self.at(self.z)
        slopes = self.slopes(P, B)
        rest = self.force(P, B, np.zeros(len(self.z)))
        self.held[static] = np.linalg.lstsq(slopes[static].T, -rest, rcond=None)[0]

    def at(self, z: Array) -> tuple[Poses, Array, Factor | Triangular]:
        """Poses, B and what solves for it at z (nz,), followed from where the motion was."""
        closure = self.coordinates.closure
        there = follow(closure, self.q[None], self.z[None], z[None])
        if not there.reached[0]:
            raise LostError
        self.q, self.z = there.q[0], z.copy()
        P = closure.poses(self.q)
        factor = solver(closure, closure.matrix(P))
        return P, velocity_coefficients(closure, factor), factor

    def slopes(self, P: Poses, B: Array) -> Array:
        """ds/dz of all elements (ne, nz)."""
        rows = [on.row(P) @ B for on in self.mechanism.acting]
        return np.array(rows).reshape(len(rows), B.shape[-1])

    def force(self, P: Poses, B: Array, zd: Array) -> Array:
        """Q of (1), (nz,)."""
        m, slopes = self.mechanism, self.slopes(P, B)
        s = [float(on.value(P)) for on in m.acting]
        laws = zip(self.elements, s, (slopes @ zd).tolist(), strict=True)
        force: Array = (self.held + [force_only(e, self.parameters, x, rate) for e, x, rate in laws]) @ slopes
        for body in m.bodies:
            weight = force_at(body.mass * m.gravity, P.pose(body.name).point(body.com))
            force = force + P.row(body.name, weight) @ B
        for port in m.ports:
            marker = m.marker(port.marker)
            wrench = force_at(np.array(port.force), P.pose(marker.body).point(marker.p))
            wrench = wrench + np.concatenate([port.moment, np.zeros(3)])
            force = force + P.row(marker.body, wrench) @ B
        return np.asarray(force)

    def rate(self, _: float, y: Array) -> Array:
        """d/dt of [z; zd] by (1)."""
        n = len(self.z)
        closure, (P, B, factor), zd = self.coordinates.closure, self.at(y[:n]), y[n:]
        _dB, W, dW = coefficient_derivatives(closure, P, factor, B)
        M = spatial_inertias(closure.mechanism, closure.topology, P)
        J = reduced_inertia(M, W)[6:, 6:]
        quadratic = 0.5 * np.einsum("kij,i,j->k", quadratic_coefficients_newton_euler(M, W, dW), zd, zd)
        right = self.force(P, B, zd) + quadratic
        free = [k for k in range(n) if k not in self.driven]
        zdd = np.zeros(n)
        zdd[free] = np.linalg.solve(J[np.ix_(free, free)], right[free])
        return np.concatenate([zd, zdd])


def departure(mechanism: Mechanism, resolved: Mechanism, atlas: Atlas, design: Configuration) -> str | None:
    """A note if the motion leaves its ranges on its first way; None if it does not, or is not known to."""
    piece = atlas.pieces[0]
    coordinates = piece.coordinates
    if len(atlas.pieces) > 1 or mechanism.experiment.static or mechanism.devices:  # whose states would be followed too
        return None
    motion = Motion(coordinates, resolved, design.q, piece.centre.q, coordinates.design.copy())
    try:
        if static := [i for i, s in enumerate(mechanism.springs) if s.static_preload]:
            motion.hold_design(static)
        left = first_way(motion, mechanism.experiment.stop_time)
    except (LostError, np.linalg.LinAlgError):
        return None
    if left is None:
        return None
    k, end, time = left
    c = coordinates.free[k]
    begins = f"starts with {'a rate' if c.start_rate else 'forces that are not balanced'}"
    return (
        f"the motion will leave the table at once: it {begins}, and about {time:.2g} s later '{c.name}' is at "
        f'{coordinates.shown(k, end)}, the end of its range. Balance the start (`preload = "static"`, '
        "`experiment.static = true`, loads of the ports), or widen the range."
    )


def first_way(motion: Motion, stop: float) -> tuple[int, float, float] | None:
    """The coordinate that leaves its range first, at which end, and when; None if the motion turns back before."""
    free = motion.coordinates.free
    n = len(free)
    lower, upper = (np.array([getattr(c, end) for c in free], dtype=float) for end in ("lower", "upper"))
    ends = [(c.periodic or c.outside == "linear" or bool(c.driven)) for c in free]
    lower[ends], upper[ends] = -np.inf, np.inf
    span = np.array([c.upper - c.lower for c in free])  # type: ignore[operator]
    start = np.array([c.start for c in free], dtype=float)
    motion.at(start)
    y = np.concatenate([start, [0.0 if c.driven else c.start_rate for c in free]])
    if not y[n:].any() and (np.abs(motion.rate(0.0, y)[n:]) * stop**2 < AT_REST * span).all():
        return None
    scale = ACCURACY * np.concatenate([span, span / stop])
    solver = RK23(motion.rate, 0.0, y, stop, rtol=ACCURACY, atol=scale, max_step=0.1 * stop)
    for _ in range(STEPS):
        before = solver.y[:n].copy()
        solver.step()
        z, zd = solver.y[:n], solver.y[n:]
        outside = np.flatnonzero((z <= lower) | (z >= upper))
        if outside.size:
            k = int(outside[0])
            end = float(lower[k] if z[k] <= lower[k] else upper[k])
            share = (end - before[k]) / (z[k] - before[k])
            return k, end, float(solver.t_old + share * (solver.t - solver.t_old))
        back = float((zd / span) @ ((z - start) / span)) < 0.0
        if back or solver.status != "running":
            return None
    return None
