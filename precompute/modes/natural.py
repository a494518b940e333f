"""Natural modes of a linear system: frequency, damping, and what moves.

An eigenvalue s of A and its vector [z; s z; x] is a motion z exp(s t).  Of a pair s, s* one is kept.  With the spatial
velocities W_b of body b along z and its inertia M_b, the share of the body is that of its kinetic energy,

    z^H W_b^T M_b W_b z / z^H M z                                                           (1)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.kinematics.inertia import spatial_inertias
from precompute.modes.linearization import Linear


@dataclass(frozen=True, eq=False)
class Mode:
    """One of them."""

    eigenvalue: complex  # [1/s]
    shape: Array  # (nz,) complex along all coordinates, with 1 as its largest, angles times the reference length
    twists: Array  # (nb, 6) complex, of the bodies
    shares: dict[str, float]  # of kinetic energy, by body, the largest first

    @property
    def frequency(self) -> float:
        """Damped, as it is seen [Hz]; zero of what does not swing."""
        return abs(self.eigenvalue.imag) / (2.0 * np.pi)

    @property
    def natural_frequency(self) -> float:
        """|s| [Hz]: that without damping, where damping is small or proportional."""
        return abs(self.eigenvalue) / (2.0 * np.pi)

    @property
    def damping(self) -> float:
        """Ratio to the critical: 1 where nothing swings; negative where it grows; nan of what nothing holds."""
        size = abs(self.eigenvalue)
        return -self.eigenvalue.real / size if size else float("nan")

    @property
    def decay(self) -> float:
        """Time in which it falls to 1/e [s]; infinite, or negative where it grows."""
        return -1.0 / self.eigenvalue.real if self.eigenvalue.real else float("inf")


def natural_modes(linear: Linear) -> tuple[Mode, ...]:
    """All of them, slow ones first."""
    values, vectors = np.linalg.eig(linear.A)
    kept = sorted((k for k, s in enumerate(values) if s.imag >= 0.0), key=lambda k: (abs(values[k]), values[k].real))
    return tuple(mode(linear, complex(values[k]), vectors[:, k]) for k in kept)


def mode(linear: Linear, eigenvalue: complex, vector: Array) -> Mode:
    """One from its eigenvector."""
    at, parts, own = linear.at, linear.parts, linear.at.moving
    weight = np.asarray(at.closure.coordinate_weight)
    shape = np.zeros(len(at.names), dtype=complex)
    shape[own] = vector[: len(own)]
    sizes = np.abs(shape) * weight
    if sizes.any():
        shape = shape / (shape * weight)[int(np.argmax(sizes))]
    P = parts.motion.places
    twists = parts.motion.W[0, 1:] @ shape
    inertias = spatial_inertias(at.mechanism, at.closure.topology, P)[0]
    energies = np.einsum("bi,bij,bj->b", twists.conj(), inertias, twists).real
    total = float(energies.sum()) or 1.0
    shares = dict(zip(at.closure.topology.bodies[1:], (energies / total).tolist(), strict=True))
    return Mode(eigenvalue, shape, twists, dict(sorted(shares.items(), key=lambda pair: -pair[1])))
