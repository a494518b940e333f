"""The motion of a run, as a slider over time: bodies where the coordinates of the FMU put them, by exact kinematics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from precompute.arrays import Array
from precompute.coordinates.independent import choose_coordinates
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.continuation import follow
from precompute.kinematics.topology import spanning_tree
from precompute.model.mechanism import Mechanism
from precompute.scene.motion import Axis, Motion, continuous, evaluated, largest_error, pose_numbers, spline

SAMPLES = 301
"""At most; every second one is kept, the others tell how far between them poses are off."""


def recorded_motion(
    mechanism: Mechanism, time: Array, values: Mapping[str, Array], look: Sequence[tuple[int, Array]]
) -> Motion | None:
    """Poses over time; None where coordinates change from chart to chart, or a sample cannot be followed.

    Args:
        mechanism: that the FMU was baked from.
        time: (n,) [s].
        values: outputs of the FMU over time, "q.NAME" among them.
        look: body numbers and points of them, whose error is measured.
    """
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    coordinates = choose_coordinates(mechanism, topology, design)
    names = [f"q.{name}" for name in coordinates.all_names]
    if not all(name in values for name in names) or len(time) < 9:
        return None
    count = min(SAMPLES, len(time) - (len(time) + 1) % 2)
    at = np.linspace(time[0], time[-1], count - (count + 1) % 2)
    z = np.stack([np.interp(at, time, values[name]) for name in names], axis=-1)
    closure = coordinates.full
    here, q = closure.values(closure.poses(design.q[None])), design.q[None]
    found = []
    for to in z:
        done = follow(closure, q, here, to[None])
        if not done.reached[0]:
            return None
        q, here = done.q, to[None]
        found.append(q[0])
    poses = continuous(pose_numbers(closure, np.array(found)), 1)
    c = spline(poses[::2], 1)
    between = np.array([evaluated(c, np.array([i + 0.5])) for i in range(len(poses) // 2)])
    axis = Axis("time", "s", float(at[0]), float(at[-1]), float(at[0]), len(poses[::2]))
    return Motion("run", "Motion of the run", (axis,), c, largest_error(between, poses[1::2], look))
