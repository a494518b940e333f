"""Up to where a run can be compared: the full model does not cross branch points.

There its constraints lose rank, and what little they drift turns the direction in which it may move.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.coordinates.crossings import with_crossings
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure, Crossing
from precompute.kinematics.topology import spanning_tree
from precompute.model.mechanism import Mechanism
from precompute.running.simulation import Run, SimulationError


def before_branch_points(
    mechanism: Mechanism, run: Run, pick: NDArray[np.intp]
) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """The samples of a run before it passes a branch point, and a word on that.

    Raises:
        SimulationError: it starts at or beyond one.
    """
    free = mechanism.coordinates or ()
    z, crossings = branch_points(mechanism)
    first, note = np.inf, ""
    for x in crossings:
        c = free[x.axis]
        passed = first_pass(x, c.periodic, float(z[x.axis]), run.outputs, c.name)
        if passed < first:
            at = c.of.shown(mechanism, x.at)
            first, note = passed, f"the full model does not cross the branch point at {c.name} = {at}"
    kept = pick[pick < first]
    if note and len(kept) < 2:
        raise SimulationError(f"nothing can be compared: {note}, and the run starts there or beyond")
    return kept, (f"{note}: compared until {run.time[kept[-1]]:.3g} s",) if note else ()


def branch_points(mechanism: Mechanism) -> tuple[Array, tuple[Crossing, ...]]:
    """The coordinates (nf,) at design, and the branch points that they pass."""
    free, topology = mechanism.coordinates or (), spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    closure = Closure(mechanism, topology, tuple(c.of for c in free))
    z = closure.values(closure.poses(design.q))
    return z, with_crossings(closure, design.q, z, free).crossings


def first_pass(x: Crossing, periodic: bool, design: float, outputs: Mapping[str, Array], name: str) -> float:
    """Number of the first sample that is left out near a crossing, or beyond it as seen from design; or infinite."""
    value = outputs[f"q.{name}"]
    turn = 2.0 * np.pi if periodic else np.inf
    lap = np.floor((value - x.at) / turn) if periodic else np.sign(value - x.at)
    home = np.floor((design - x.at) / turn) if periodic else np.sign(design - x.at)
    distance = np.abs(value - x.at)
    if periodic:
        distance = np.abs((value - x.at + 0.5 * turn) % turn - 0.5 * turn)
    passed = np.flatnonzero((lap != home) | (distance < x.half))
    return float(passed[0]) if passed.size else np.inf
