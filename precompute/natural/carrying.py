"""How a frame is turned, from the vectors that carry it.

r = 3   R = E(t) E^-1
r = 2   the same with e_1 x e_2 as the third vector
r = 1   the least rotation that leads the vector from design to where it is: what is left of a link between two balls
"""

from __future__ import annotations

import numpy as np

from precompute.arrays import Array
from precompute.natural import jets
from precompute.natural.jets import Jet


def rotation(E: Array, now: Jet) -> Jet:
    """R (n, 3, 3) of a frame whose carrying vectors were E (3, r) at design and are `now` (n, 3, r)."""
    if E.shape[1] == 3:
        inverse = np.linalg.inv(E)
        return jets.linear(now, lambda e: e @ inverse)
    if E.shape[1] == 2:
        a, b = (jets.linear(now, lambda e, i=i: e[:, :, i]) for i in range(2))  # type: ignore[misc]
        third = jets.cross(a, b)
        inverse = np.linalg.inv(np.column_stack([E, np.cross(E[:, 0], E[:, 1])]))
        return tuple(np.concatenate([e, t[:, :, None]], axis=2) @ inverse for e, t in zip(now, third, strict=True))
    size = float(np.linalg.norm(E))
    return least_rotation(E[:, 0] / size, jets.linear(now, lambda e: e[:, :, 0] / size))


def least_rotation(x: Array, now: Jet) -> Jet:
    """The least rotation that leads the unit vector x (3,) to `now` (n, 3): R = 1 + [a] + [a]^2/(1 + c).

    a = x x now, c = x . now; not defined where the vector points back.
    """
    skew = jets.linear(now, lambda d: skew_matrix(np.cross(x, d)))
    below = jets.linear(now, lambda d: d @ x)
    below = (1.0 + below[0], *below[1:])
    ones = (np.ones_like(below[0]), *(np.zeros_like(b) for b in below[1:]))
    share = jets.linear(jets.quotient(ones, below), lambda s: s[:, None, None])
    R = jets.plus(skew, jets.product(share, jets.matrix(skew, skew)))
    return (np.eye(3) + R[0], *R[1:])


def skew_matrix(a: Array) -> Array:
    """Of the cross product with a.  (n, 3) -> (n, 3, 3)."""
    out = np.zeros((*a.shape, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        out[..., i, j], out[..., j, i] = -a[..., k], a[..., k]
    return out
