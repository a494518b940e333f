"""How the motion of a closed mechanism depends on its coordinates z and on design variables p: exact, to second order.

The dimensions u(p) of `dimensions` are coordinates behind z, and so are what rods, couplings and constraints hold,
l(p), and the idle spins, all given: c = (z, l(p), 0, u(p)).  What the closure gives along all of them becomes, with
C_i = dc/dw_i of w = (z, p),

    A B_all = [0; 1],   B_i = B_all C_i                                                                 (1)
    dB_ij = -A^+ bias(B_i, B_j) + B_all C_ij                                                            (2)

with the same A^+ and bias as dB.  Where a measure counts from a place of the design that moves, c has that too.  The
idle spin of a body with the quaternion (e0, e) is held about the line x(p) between its balls,

    2 e . x = 0:   C_i = -2 e . x_i,   C_ij = -2 (e . x_ij + e_i . x_j + e_j . x_i)                     (3)

and what holds a measure s where it is drawn, all joints at zero, has

    l = s(u(p)):   l_k = s_u u_k,   l_kl = s_uu u_k u_l + s_u u_kl                                      (4)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.design.derived import Derivatives
from precompute.design.dimensions import Dimensions, dimensioned
from precompute.design.jets import Jet, unit
from precompute.design.moved import Design
from precompute.design.places import places
from precompute.geometry.spatial import cross
from precompute.kinematics.coefficients import (
    Closure,
    coefficient_derivatives,
    solver,
    velocity_coefficients,
)
from precompute.kinematics.motion import Motion
from precompute.kinematics.poses import Poses, axis_derivatives, design_configuration, velocities, velocity_bias
from precompute.kinematics.topology import spanning_tree
from precompute.measures.body_spin import BodySpin
from precompute.measures.measure import Measure


class GivenClosure(Closure):
    """A closure whose joint coordinates are all given: none of them is found by factoring."""

    @cached_property
    def given(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows that give a rate each, and those rates."""
        rows, _, rates = self.rows.scalars.T
        return 6 * len(self.topology.chords) + rows, rates


@dataclass(frozen=True, eq=False)
class Dimensioned:
    """A closure with the dimensions that some variables change; made once, for any number of configurations."""

    plain: Closure
    dimensions: Dimensions
    closure: Closure  # coordinates z, then what is held, spins and dimensions

    @classmethod
    def of(cls, closure: Closure, design: Design, names: Sequence[str]) -> Dimensioned:
        """Of a closure of the design's mechanism.

        Raises:
            MechanismError: a variable is unknown.
        """
        mechanism, plain = closure.mechanism, closure.topology
        made = dimensioned(mechanism, places(design, names))
        topology = spanning_tree(made.mechanism)
        own = {rate: key for key, (_, rate) in plain.scalars.items()}
        locked = tuple(topology.scalars[own[rate]][1] for rate in plain.locked)
        topology = replace(topology, spins=(), locked=locked)
        coordinates = (
            *(made.measure(c) for c in closure.coordinates),
            *(row.measure for row in made.held()),
            *(BodySpin(plain.bodies[s.body], s.axis) for s in plain.spins),
            *(motion for motion, _ in made.motions),
        )
        return cls(closure, made, GivenClosure(made.mechanism, topology, coordinates, (), closure.about))

    @property
    def nz(self) -> int:
        """Coordinates."""
        return len(self.plain.coordinates)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the variables."""
        return self.dimensions.places.names

    def configuration(self, q: Array) -> Array:
        """Configurations (n, nq) of the mechanism as those with dimensions, which are zero."""
        topology = self.closure.topology
        out = np.zeros((*q.shape[:-1], topology.nq))
        for here, there in zip(self.plain.topology.q_slices, topology.q_slices, strict=False):
            out[..., there.start : there.start + here.stop - here.start] = q[..., here]
        return out

    @cached_property
    def spins(self) -> tuple[tuple[str, Jet], ...]:
        """Bodies that would spin, and the lines (3,) about which."""
        return tuple(self._spins())

    def _spins(self) -> Iterator[tuple[str, Jet]]:
        joints = self.plain.mechanism.joints
        for spin in self.plain.topology.spins:
            group = {self.plain.topology.bodies[i] for i in spin.group}
            at = [self.dimensions.places.joints[joints[i].name] for i in spin.balls]
            a, b = (p.p_P if joints[i].parent in group else p.p_C for p, i in zip(at, spin.balls, strict=True))
            yield self.plain.topology.bodies[spin.body], unit(b - a)

    def at(self, q: Array, along: Sequence[int] = ()) -> Derivatives:
        """Derivatives at closed configurations.

        Args:
            q: (n, nq) of the mechanism.
            along: numbers of the w = (z, p) along which first derivatives are differentiated once more.
        """
        closure = self.closure
        P = closure.poses(self.configuration(q))
        A = closure.matrix(P)
        factor = solver(closure, A)
        every = velocity_coefficients(closure, factor)
        given = self.given(P)
        B = np.concatenate([every[..., : self.nz], every @ given], axis=-1)
        gap = self._gap(A, B[..., self.nz :], given)
        if not len(along):
            W = velocities(P.topology.reach, P.S, B)
            without = Motion(P, B, W, np.zeros((*W.shape, 0)), np.zeros((*B.shape, 0)), [])
            return Derivatives(self.dimensions, B, without, gap)
        dB, W, dW = coefficient_derivatives(closure, P, factor, B, list(along))
        more = every @ self.given_second(P, W, along).reshape(*every.shape[:-2], every.shape[-1], -1)
        dW = dW + velocities(P.topology.reach, P.S, more).reshape(dW.shape)
        return Derivatives(self.dimensions, B, Motion(P, B, W, dW, dB + more.reshape(dB.shape), list(along)), gap)

    def _gap(self, A: Array, B: Array, given: Array) -> Array:
        """(n, np) what is missing in (1), in metres per unit of the variable."""
        asked = np.zeros((*B.shape[:-2], A.shape[-2], B.shape[-1]))
        asked[..., A.shape[-2] - given.shape[-2] :, :] = self.closure.coordinate_weight[:, None] * given
        return np.abs(A @ B - asked).max(axis=-2)

    def given(self, P: Poses) -> Array:
        """(n, nc, np) C_i of (1) along the variables."""
        rows = np.stack([jet.first for jet in self._given_jets], axis=0)
        out = np.broadcast_to(rows, (*P.q.shape[:-1], *rows.shape)).copy()
        for row, (body, x) in zip(self._spin_rows, self.spins, strict=True):
            out[..., row, :] = -2.0 * P.quaternion(body)[..., 1:] @ x.first.T
        return out

    def given_second(self, P: Poses, W: Array, along: Sequence[int]) -> Array:
        """(n, nc, nz + np, nd) C_ij of (2)."""
        n, numbers = self.nz, np.array(along, dtype=int)
        rows = np.stack([jet.second for jet in self._given_jets], axis=0)
        padded = np.pad(rows, ((0, 0), (n, 0), (n, 0)))[..., numbers]
        out = np.broadcast_to(padded, (*P.q.shape[:-1], *padded.shape)).copy()
        for row, (body, x) in zip(self._spin_rows, self.spins, strict=True):
            out[..., row, :, :] = self._spin_second(P.quaternion(body), W[..., P.number(body), :3, :], x)[..., numbers]
        return out

    def _spin_second(self, e: Array, w: Array, x: Jet) -> Array:
        """(n, nw, nw) by (3), of a body with quaternion e (n, 4) that turns by w (n, 3, nw)."""
        e_i = 0.5 * (e[..., :1, None] * w + cross(w, e[..., 1:, None], axis=-2))
        x_i = np.pad(x.first.T, ((0, 0), (self.nz, 0)))
        x_ij = np.pad(np.einsum("...c,klc->...kl", e[..., 1:], x.second), ((0, 0), (self.nz, 0), (self.nz, 0)))
        mixed = np.swapaxes(e_i, -1, -2) @ x_i
        return -2.0 * (x_ij + mixed + np.swapaxes(mixed, -1, -2))

    @cached_property
    def _given_jets(self) -> tuple[Jet, ...]:
        """What the coordinates of the closure are given, as far as it depends on the variables alone."""
        own, made = self.dimensions.places, self.dimensions
        nothing = Jet.constant(np.zeros(()), own.n)
        return (
            *(made.datum(c) for c in self.plain.coordinates),
            *self._held_jets,
            *(nothing for _ in self.plain.topology.spins),
            *(jet for _, jet in made.motions),
        )

    @property
    def _held_jets(self) -> Iterator[Jet]:
        """The values that rods, couplings and constraints hold: those of rods, zero, or what is drawn."""
        places = self.dimensions.places
        yield from (places.rods[rod.name].length for rod in self.plain.mechanism.rods)
        for row in list(self.dimensions.held())[len(self.plain.mechanism.rods) :]:
            yield self._drawn(row.measure) if row.value is None else Jet.constant(np.array(row.value), places.n)

    def _drawn(self, measure: Measure) -> Jet:
        """What a measure is where the mechanism is drawn: of the dimensions u(p), by (4)."""
        closure, u = self.closure, [jet for _, jet in self.dimensions.motions]
        P = closure.poses(design_configuration(closure.mechanism, closure.topology))
        rates = [closure.topology.scalars[on.joint, on.index][1] for on, _ in self.dimensions.motions]
        B = np.zeros((closure.topology.nv, len(u)))
        B[rates, range(len(u))] = 1.0
        W, dW = (
            velocities(P.topology.reach, P.S, B),
            velocity_bias(P.topology.reach, axis_derivatives(P.topology, P.S, B), B),
        )
        slope, bend = measure.row(P) @ B, measure.second(Motion(P, B, W, dW, np.zeros((*B.shape, len(u)))))
        n = self.dimensions.places.n
        first = np.array([jet.first for jet in u]).reshape(len(u), n)
        second = np.array([jet.second for jet in u]).reshape(len(u), n, n)
        curved = np.einsum("u,ukl->kl", slope, second) + first.T @ bend @ first
        return Jet(measure.value(P), slope @ first, curved)

    @property
    def _spin_rows(self) -> range:
        """Numbers of the idle spins among the coordinates of the closure."""
        first = self.nz + len(self.plain.mechanism.held)
        return range(first, first + len(self.plain.topology.spins))
