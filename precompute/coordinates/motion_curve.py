"""The whole motion of a mechanism with one freedom, where it comes back to itself: a closed curve of configurations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.coordinates.candidates import Candidate, weighted_rows
from precompute.coordinates.exploration import CLOSED, explore
from precompute.kinematics.coefficients import Closure
from precompute.model.mechanism import Measure


@dataclass(frozen=True, eq=False)
class MotionCurve:
    """Samples of a closed curve, in order; number 0 is the design.  Numbers may run on for several rounds."""

    closure: Closure  # without coordinates
    q: Array  # (n, nq)
    tangent: Array  # (n, nv) weighted, unit length, all pointing the same way round
    round: Array  # (nq,) what q grows by from one round to the next: whole turns of joints

    @property
    def n(self) -> int:
        """Number of samples of a round."""
        return len(self.q)

    def configuration(self, i: int) -> Array:
        """q (nq,) of sample i of any round."""
        return np.asarray(self.q[i % self.n] + (i // self.n) * self.round)

    def lap(self, measure: Measure) -> float:
        """What a measure grows by per round."""
        return float(self.values(measure, np.array([self.n]))[0] - self.values(measure, np.array([0]))[0])

    def values(self, measure: Measure, i: NDArray[np.integer[Any]]) -> Array:
        """A measure at samples i (k,) of any round."""
        q = np.array([self.configuration(int(k)) for k in i])
        return measure.value(self.closure.poses(q))

    def rates(self, found: tuple[Candidate, ...]) -> Array:
        """How fast candidates change along the curve, metres per metre of it.  -> (number, n)."""
        rows = weighted_rows(self.closure, self.closure.poses(self.q), found)
        return np.einsum("nck,nk->cn", rows, self.tangent)


def motion_curve(closure: Closure, q: Array) -> MotionCurve | None:
    """The closed curve through the configuration q (nq,); None where the motion ends or never comes back."""
    plain = Closure(closure.mechanism, closure.topology)
    ahead, back = explore(plain, q, 1)
    if ahead.end != CLOSED or back.end != CLOSED:
        return None
    turns = whole_turns(plain, ahead.q[-1] - back.q[-1])
    # the two ends may have passed each other by a step: leave out what lies behind the other
    x, other = places(plain, ahead.q), places(plain, back.q[-1:])[0]
    last = len(x) - 1
    while last > 1 and (other - x[last]) @ (x[last] - x[last - 1]) <= 0.0:
        last -= 1
    return MotionCurve(
        closure=plain,
        q=np.concatenate([ahead.q[: last + 1], back.q[:0:-1] + turns]),
        tangent=np.concatenate([ahead.N[: last + 1, :, 0], back.N[:0:-1, :, 0]]),
        round=turns,
    )


def whole_turns(closure: Closure, dq: Array) -> Array:
    """The whole turns [rad] in a difference of configurations (nq,); zero for slides and balls."""
    turning = np.zeros(len(dq), dtype=bool)
    for joint, s in zip(closure.mechanism.joints, closure.topology.q_slices, strict=True):
        kinds = [p.kind for p in joint.primitives for _ in range(p.width)]
        turning[s] = [kind == "rotation" for kind in kinds]
    return np.where(turning, 2.0 * np.pi * np.round(dq / (2.0 * np.pi)), 0.0)


def places(closure: Closure, q: Array) -> Array:
    """Positions and, times the reference length, rotations of all bodies.  (n, nq) -> (n, 12 nb)."""
    X = closure.poses(q).X[1:]
    return np.concatenate([part for x in X for part in (x.p, closure.length * x.R.reshape(len(q), 9))], axis=1)
