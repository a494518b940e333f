"""The reduced inertia M(z, p) of `kinematics.inertia` and its derivatives along coordinates and design variables.

A body of mass m, centre of mass c and inertia I about it, in its own axes, has the spatial inertia

    K = [I - m c~ c~, m c~; -m c~, m],   M_b = F K F^T,   F = [R, r~ R; 0, R]                            (1)

with its pose R, r.  Along a variable it is carried with the body, as along a coordinate, and K changes.  Idle bodies of
revolution have no moment about the line x between their balls: I - (x.I x) x x^T there.
"""

from __future__ import annotations

import numpy as np

from precompute.arrays import Array
from precompute.design.derivatives import Dimensioned
from precompute.design.derived import Derivatives
from precompute.design.jets import Jet, dot, product, scaled, turned
from precompute.design.part_places import BodyPlaces
from precompute.geometry.spatial import Transform, skew
from precompute.kinematics.inertia import reduced_inertia, reduced_inertia_derivatives


def inertia(made: Dimensioned, found: Derivatives) -> tuple[Array, Array]:
    """M (n, 6 + nz, 6 + nz), chassis block first, and its derivatives (n, 6 + nz, 6 + nz, nd).

    Along the nd of w = (z, p) that second derivatives were asked for.
    """
    nz, motion, bodies = made.nz, found.motion, made.plain.mechanism.bodies
    X = motion.places.X[1 : 1 + len(bodies)]
    own = [spatial(body) for body in effective(made)]
    M_b = np.stack([placed(at, K.value) for at, K in zip(X, own, strict=True)], axis=-3)
    W, dW = motion.W[..., : 1 + len(bodies), :, :], motion.dW[..., : 1 + len(bodies), :, :, :]
    M = reduced_inertia(M_b, W[..., :nz])
    block = slice(0, 6 + nz)
    dM = reduced_inertia_derivatives(M_b, W, dW, motion.along)[..., block, block, :]
    for j, w in enumerate(list(motion.along)):  # type: ignore[arg-type]
        if w >= nz:
            change = np.stack([placed(at, K.first[w - nz]) for at, K in zip(X, own, strict=True)], axis=-3)
            dM[..., j] += reduced_inertia(change, W[..., :nz])
    return M, dM


def effective(made: Dimensioned) -> list[BodyPlaces]:
    """The bodies, without moment about ideal idle lines."""
    own = made.dimensions.places.bodies
    found = {body.name: own[body.name] for body in made.plain.mechanism.bodies}
    names = made.plain.topology.bodies
    for spin, (_, x) in zip(made.plain.topology.spins, made.spins, strict=True):
        for name in (names[number] for number in spin.group if spin.ideal):
            old = found[name]
            moment = dot(x, turned(old.inertia, x))
            across = product(scaled(x, moment), x, lambda a, b: a[..., :, None] * b[..., None, :])
            found[name] = BodyPlaces(old.mass, old.com, old.inertia - across)
    return list(found.values())


def spatial(body: BodyPlaces) -> Jet:
    """K of (1), (6, 6)."""
    mc = scaled(body.com, body.mass).linear(skew)
    about = body.inertia - product(mc, body.com.linear(skew), np.matmul)

    def assembled(I: Array, mc: Array, m: Array) -> Array:  # noqa: E741
        mass = m[..., None, None] * np.eye(3)
        return np.concatenate([np.concatenate([I, mc], -1), np.concatenate([-mc, mass], -1)], -2)

    parts = (about, mc, body.mass)
    return Jet(*(assembled(*(getattr(part, order) for part in parts)) for order in ("value", "first", "second")))


def placed(at: Transform, K: Array) -> Array:
    """F K F^T of (1).  (..., 6, 6)."""
    F = np.zeros((*at.p.shape[:-1], 6, 6))
    F[..., :3, :3] = F[..., 3:, 3:] = at.R
    F[..., :3, 3:] = skew(at.p) @ at.R
    return F @ K @ np.swapaxes(F, -1, -2)
