"""The loops of a mechanism at design as constraints on design variables and on how its joints stand.

A joint whose place changes on one body alone takes along what hangs on it in the tree.  Joints may move from their
design, all of them or those that are cut alone; these follow and never count.

    x = [p; v],   Phi = gaps of the loops [m],   q = exp(v) q_0,   dPhi/dv = phi_q L^-1(v)  (1)

The turn of a ball is a rotation vector, so that quaternions stay normalised; L is that of `rotation_vectors`.  A loop
is open by theta and d: with w_t through the cut joint and w_c through the tree to its child,

    dtheta = L(theta) (w_t - exp(theta) w_c),   dd = dd|_(closed) + w_t x d                 (2)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.design.moved import Design
from precompute.design.variables import Variable
from precompute.errors import PrecomputeError
from precompute.geometry.rotation_vectors import inverse_left_jacobian
from precompute.geometry.spatial import cross, quaternion_exp, quaternion_rotation
from precompute.kinematics import loops
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.poses import ball_slices, design_configuration
from precompute.kinematics.topology import spanning_tree
from precompute.model.mechanism import Mechanism
from precompute.units import SCALES

OPEN = 1e-9
"""Gaps that count as closed, over the reference length."""

STEP, ROUGH = 1e-3, 1e-4
"""Of differences along a variable, as its weight has it, over the reference length: of order four, and of order two."""

RANK = 1e-5
"""Directions of constraints that are weaker, over the strongest, are those of errors of the differences."""


@dataclass(frozen=True, eq=False)
class Loops:
    """The loops of a design."""

    design: Design
    variables: tuple[Variable, ...]  # np
    joints: bool  # whether joints of the tree may move too

    @cached_property
    def closure(self) -> Closure:
        """Of the mechanism as it is."""
        m = self.design.mechanism
        return Closure(m, spanning_tree(m))

    @cached_property
    def rates(self) -> NDArray[np.intp]:
        """Numbers of the rates that may move."""
        t = self.closure.topology
        if self.joints:
            return np.arange(t.nv)
        return np.array([k for c in t.chords for k in range(t.nv)[t.v_slices[c]]], dtype=np.intp)

    @cached_property
    def weights(self) -> Array:
        """(n,) of the unknowns: lengths count by themselves, angles by the reference length, cut joints not at all."""
        length, t = self.closure.length, self.closure.topology
        joints = 1.0 / self.closure.rate_weight
        for c in t.chords:
            joints[t.v_slices[c]] = 0.0
        return np.concatenate([[weight(v, length) for v in self.variables], joints[self.rates]])

    def split(self, x: Array) -> tuple[dict[str, float], Array]:
        """Changes of variables [SI], and motions of all joints (nv,)."""
        v = np.zeros(self.closure.topology.nv)
        v[self.rates] = x[len(self.variables) :]
        return {each.name: float(p) for each, p in zip(self.variables, x, strict=False)}, v

    @cached_property
    def start(self) -> Array:
        """(nq,) q_0: the design position, as it is drawn."""
        return design_configuration(self.closure.mechanism, self.closure.topology)

    @cached_property
    def open(self) -> float:
        """Gaps below this count as closed [m]."""
        return OPEN * self.closure.length

    def configuration(self, v: Array) -> Array:
        """Q (nq,) of (1)."""
        return self.closure.move(self.start, v)

    def gaps(self, mechanism: Mechanism, v: Array) -> Array:
        """(nc,) of the loops of the mechanism with other numbers [m]."""
        there = Closure(mechanism, self.closure.topology)
        return loops.residual(there.poses(self.configuration(v)), there.held, self.closure.length)

    def columns(self, mechanism: Mechanism, v: Array) -> Array:
        """(nc, k) their derivatives along the motions that joints may make, of open loops too (2)."""
        there, length = Closure(mechanism, self.closure.topology), self.closure.length
        P = there.poses(self.configuration(v))
        out, gaps = loops.jacobian(P, there.held, length), loops.residual(P, there.held, length)
        for i, chord in enumerate(there.topology.chords):
            child = there.topology.reach[P.number(mechanism.joints[chord].child)]
            through, back = ((signs * P.S)[:3] for signs in (there.topology.loop_reach[i] + child, child))
            theta, d = gaps[6 * i : 6 * i + 3] / length, gaps[6 * i + 3 : 6 * i + 6]
            R = quaternion_rotation(quaternion_exp(theta))
            out[6 * i : 6 * i + 3] = length * inverse_left_jacobian(theta) @ (through - R @ back)
            out[6 * i + 3 : 6 * i + 6] += cross(through, d[:, None], axis=-2)
        for rates, _ in ball_slices(mechanism, there.topology):
            out[:, rates] = out[:, rates] @ np.linalg.inv(inverse_left_jacobian(v[rates]))
        return np.asarray(out[:, self.rates])


def difference(
    of: Callable[[Mapping[str, float]], Array],
    variable: Variable,
    changes: Mapping[str, float],
    length: float,
    rough: bool = False,
) -> Array:
    """How a function of changes of variables changes along one of them, by differences of order four, or rough ones.

    Gaps are quadratic in places, so that of these nothing but rounding is left; rough ones err by some 1e-7 of metrics.
    """
    h = (ROUGH if rough else STEP) * length / weight(variable, length)

    def change(step: float) -> Array:
        here = changes.get(variable.name, 0.0)
        ahead, behind = ({**changes, variable.name: here + s} for s in (step, -step))
        return of(ahead) - of(behind)

    return change(h) / (2.0 * h) if rough else (8.0 * change(h) - change(2.0 * h)) / (12.0 * h)


def weight(variable: Variable, length: float) -> float:
    """What one unit of SI of a variable counts [m]: a length by itself, an angle by the reference length.

    Any other counts by its share of its value, times the reference length.

    Raises:
        PrecomputeError: its value is zero, of which there are no shares.
    """
    if variable.unit in SCALES["length"]:
        return 1.0
    if variable.unit in SCALES["angle"]:
        return length
    if variable.value == 0.0:
        raise PrecomputeError(
            f"'{variable.name}' is 0 {variable.unit}; what is no length and no angle is weighed by its share of its "
            "value, and of zero there is none. Let something else absorb the change"
        )
    return length / abs(variable.value)
