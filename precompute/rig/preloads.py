"""Preloads that hold the design position at rest, where the file leaves them to statics.

The mechanism stands at design, what is free is held there, stiff directions give way; the loads of all ports act, as
they do where the FMU starts.  Each spring with an open preload takes over the coordinate that it works on most: the
force that is left on it must vanish.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from precompute.errors import PrecomputeError
from precompute.kinematics.correcting import correct
from precompute.rig.bench import Bench
from precompute.rig.laws import Laws, laws_of
from precompute.rig.mechanics import mechanics

ITERATIONS = 30

SMALL = 1e-10
"""The last step of a solution, over the reference length or over the largest preload."""


def with_preloads(own: Bench, elastic: bool) -> tuple[Bench, Laws]:
    """The bench with all preloads known, and its laws.

    Raises:
        PrecomputeError: no preload can hold the design position.
    """
    mechanism = own.mechanism
    open_ = [i for i, spring in enumerate(mechanism.springs) if spring.static_preload]
    if not open_:
        return own, laws_of(mechanism, own.closure.poses(own.q))
    closure, nf = own.closure, len(own.z) - (len(mechanism.stiff_coordinates) if own.elastic else 0)
    stiff = list(range(nf, len(own.z)))
    loaded = replace(own, ports=mechanism.ports)
    q, z, preloads = own.q[None], own.z[None], np.zeros(len(open_))
    rows: list[int] = []
    for _ in range(ITERATIONS):
        laws = laws_of(filled(own, open_, preloads).mechanism, closure.poses(own.q))
        at = mechanics(loaded, laws, q)
        on = at.ds[0, [laws.acts_on[i] for i in open_]]  # (springs, nz)
        rows = rows or worked_on(own, on[:, :nf], [mechanism.springs[i].name for i in open_])
        equations = [*stiff, *rows]
        M = np.hstack([at.K[0][np.ix_(equations, stiff)], -on[:, equations].T])
        try:
            step = np.linalg.solve(M, at.Q[0][equations])
        except np.linalg.LinAlgError:  # something gives way without a force
            break
        dz = np.zeros(len(own.z))
        dz[stiff] = step[: len(stiff)]
        preloads = preloads + step[len(stiff) :]
        z = z + dz
        done = correct(closure, closure.move(q, (at.B @ dz[:, None])[..., 0]), z)
        q = done.q
        small = np.abs(dz * closure.coordinate_weight).max() < SMALL * closure.length
        if small and np.abs(step[len(stiff) :]).max() <= SMALL * max(float(np.abs(preloads).max()), 1.0):
            found = filled(own, open_, preloads)
            return found, laws_of(found.mechanism, closure.poses(own.q))
    names = ", ".join(f"'{mechanism.springs[i].name}'" for i in open_)
    raise PrecomputeError(f"no preload of {names} holds the design position at rest; give a preload or a free length")


def worked_on(own: Bench, on: np.ndarray, names: list[str]) -> list[int]:
    """For each spring the free coordinate that it works on most, each once."""
    rows: list[int] = []
    size = np.abs(on) / own.closure.coordinate_weight[: on.shape[1]]
    for work, name in zip(size, names, strict=True):
        work[rows] = 0.0
        if work.max(initial=0.0) < SMALL:
            raise PrecomputeError(
                f"spring '{name}' has `preload = \"static\"`, but no coordinate is left that it works on; give its "
                "preload or free length"
            )
        rows.append(int(np.argmax(work)))
    return rows


def filled(own: Bench, numbers: list[int], preloads: np.ndarray) -> Bench:
    """The bench with these springs given preloads."""
    springs = list(own.mechanism.springs)
    for i, value in zip(numbers, preloads.tolist(), strict=True):
        springs[i] = replace(springs[i], preload=value, static_preload=False)
    mechanism = replace(own.mechanism, springs=tuple(springs))
    return replace(own, closure=replace(own.closure, mechanism=mechanism))
