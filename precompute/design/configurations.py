"""Where a mechanism is at given values of any measures that determine its motion: joints, wheel travel, lengths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from precompute.arrays import Array
from precompute.errors import ReachError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.continuation import follow
from precompute.kinematics.topology import spanning_tree
from precompute.measures.measure import Measure
from precompute.model.mechanism import Mechanism


def configurations(mechanism: Mechanism, coordinates: Sequence[Measure], z: Array) -> tuple[Closure, Array]:
    """The closure with these coordinates, and the configurations (n, nq) at their values z (n, nz), from design.

    Stiff directions do not deflect.  Derivatives along the coordinates, and by design variables at held coordinates,
    are then those of whatever they are: with the travel of a wheel as one, the slope of steer along it is bump steer.

    Raises:
        PrecomputeError: the design cannot be closed, or a value is out of reach; with the first one.
    """
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    closure = Closure(mechanism, topology, tuple(coordinates))
    q = np.repeat(design.q[None], len(z), axis=0)
    found = follow(closure, q, closure.values(closure.poses(q)), z)
    if not found.reached.all():
        first = int(np.argmin(found.reached))
        raise ReachError(
            f"'{mechanism.name}' cannot be led from design to {told(closure, z[first])}: it gets to "
            f"{told(closure, found.z[first])}. Ask for values nearer to design."
        )
    return closure, found.q


def told(closure: Closure, z: Array) -> str:
    """Values of the coordinates (nz,) in the units of the file."""
    named = zip(closure.coordinates, z.tolist(), strict=True)
    return ", ".join(f"{of.name} = {of.shown(closure.mechanism, value)}" for of, value in named)
