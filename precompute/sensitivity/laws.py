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
from precompute.model.mechanism import Mechanism
from precompute.reduction.rest_laws import Laws
from precompute.rig.preloads import with_preloads
from precompute.rig.stand import Stand
from precompute.sensitivity.variables import difference_step

SHARES = (1.0, -1.0, 2.0, -2.0)
FOURTH, SECOND = np.array([8.0, -8.0, -1.0, 1.0]) / 12.0, np.array([0.5, -0.5, 0.0, 0.0])
"""Weights of values at these shares of a step in a derivative, of order four and two."""

IDLE = {"inertia", "damping"}
"""Keys of numbers that have to do with nothing at rest."""

SAME = 1e-11
"""Numbers of laws that differ by less, over themselves, are the same."""


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
    """Of some variables; where laws and masses are the same after one step, no more are taken."""
    steps = np.array([difference_step(v, design.units) for v in variables])
    own, masses = (on.rig.laws, masses_of(on.mechanism)), np.zeros((len(on.mechanism.bodies), len(variables)))
    laws: list[tuple[Laws, ...]] = []
    for k, (variable, h) in enumerate(zip(variables, steps, strict=True)):
        found = [own] if IDLE & {*variable.path} else [changed_laws(on, design, variable.name, h)]
        if found[0] is not None and alike(own, found[0]):
            laws.append((on.rig.laws,) * len(SHARES))
            continue
        found += [changed_laws(on, design, variable.name, share * h) for share in SHARES[1:]]
        whole = [each for each in found if each is not None]
        laws.append(tuple(each for each, _ in whole) if len(whole) == len(found) else ())
        if len(whole) == len(found):
            masses[:, k] = np.stack([mass for _, mass in whole], axis=-1) @ FOURTH / h
    return LawChanges(tuple(laws), steps, masses)


def changed_laws(on: Stand, design: Design, name: str, change: float) -> tuple[Laws, Array] | None:
    """The laws and masses (nb,) of the mechanism with a variable changed; None if that is faulty or does not close."""
    bench = on.rig.bench
    try:
        mechanism = design.moved({name: change})
        topology = spanning_tree(mechanism)
        q = close_loops(mechanism, topology).q
        topology = topology.unlocked() if bench.elastic else topology
        closure = Closure(mechanism, topology, bench.closure.coordinates)
        z = closure.values(closure.poses(q))
        _, laws = with_preloads(replace(bench, closure=closure, q=q, z=z, wheels=mechanism.wheels), apart=True)
    except PrecomputeError:
        return None
    return laws, masses_of(mechanism)


def alike(a: tuple[Laws, Array], b: tuple[Laws, Array]) -> bool:
    """Whether laws and masses are the same but for rounding."""
    (one, mass), (other, its) = a, b
    if one.elements != other.elements or not np.array_equal(mass, its):
        return False
    pairs = ((one.parameters, other.parameters), (one.constant, other.constant), (one.stiffness, other.stiffness))
    return all(np.allclose(x, y, rtol=SAME, atol=0.0) for x, y in pairs)


def masses_of(mechanism: Mechanism) -> Array:
    """(nb,) of the bodies [kg]."""
    return np.array([body.mass for body in mechanism.bodies])
