"""How force laws and masses change with design variables, by differences of mechanisms that are changed.

Laws are evaluated where the measures stay as they are: what changes are rates, gaps, free lengths and preloads, also
those that follow from where the design position is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from precompute.arrays import Array
from precompute.design import Design, Variable
from precompute.errors import PrecomputeError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.topology import spanning_tree
from precompute.reduction.rest_laws import Laws
from precompute.rig.preloads import with_preloads
from precompute.rig.stand import Stand
from precompute.sensitivity.variables import difference_step

SHARES = (1.0, -1.0, 2.0, -2.0)
FOURTH, SECOND = np.array([8.0, -8.0, -1.0, 1.0]) / 12.0, np.array([0.5, -0.5, 0.0, 0.0])
"""Weights of values at these shares of a step in a derivative, of order four and two."""

IDLE = {"inertia", "damping"}
"""Keys of numbers that have to do with nothing at rest."""


@dataclass(frozen=True, eq=False)
class LawChanges:
    """Changed laws and masses of np variables."""

    laws: tuple[tuple[Laws, ...], ...]  # np, at `SHARES` of a step; none where they are not to be had
    steps: Array  # (np,)
    masses: Array  # (nb, np) their derivatives

    def forces(self, s: Array) -> tuple[Array, Array]:
        """(m, nm, np) change of the forces at measures s (m, nm), and its relative error (np,)."""
        out, error = np.full((*s.shape, len(self.laws)), np.nan), np.full(len(self.laws), np.nan)
        for k, own in enumerate(self.laws):
            if own:
                values = np.stack([laws.force(s) for laws in own], axis=-1) / self.steps[k]
                out[..., k] = values @ FOURTH
                size = np.abs(out[..., k]).max(initial=1e-300)
                error[k] = np.abs(values @ (FOURTH - SECOND)).max(initial=0.0) / size
        return out, error


def law_changes(on: Stand, design: Design, variables: Sequence[Variable]) -> LawChanges:
    """Of some variables."""
    steps = np.array([difference_step(v, design.units) for v in variables])
    laws, masses = [], np.zeros((len(on.mechanism.bodies), len(variables)))
    for k, (variable, h) in enumerate(zip(variables, steps, strict=True)):
        if IDLE & {*variable.path}:
            laws.append((on.rig.laws,) * len(SHARES))
            continue
        found = [changed_laws(on, design, variable.name, share * h) for share in SHARES]
        whole = [laws for laws in found if laws is not None]
        laws.append(tuple(own for own, _ in whole) if len(whole) == len(found) else ())
        if len(whole) == len(found):
            masses[:, k] = np.stack([mass for _, mass in whole], axis=-1) @ FOURTH / h
    return LawChanges(tuple(laws), steps, masses)


def changed_laws(on: Stand, design: Design, name: str, change: float) -> tuple[Laws, Array] | None:
    """The laws and masses (nb,) of the mechanism with a variable changed.

    None if that is faulty, does not close, or measures apart what is one measure now: a bushing that leaves its joint.
    """
    bench = on.rig.bench
    try:
        mechanism = design.moved({name: change})
        topology = spanning_tree(mechanism)
        q = close_loops(mechanism, topology).q
        topology = topology.unlocked() if bench.elastic else topology
        closure = Closure(mechanism, topology, bench.closure.coordinates)
        z = closure.values(closure.poses(q))
        _, laws = with_preloads(replace(bench, closure=closure, q=q, z=z, wheels=mechanism.wheels))
    except PrecomputeError:
        return None
    if len(laws.measures) != len(on.rig.laws.measures):
        return None
    return laws, np.array([body.mass for body in mechanism.bodies])
