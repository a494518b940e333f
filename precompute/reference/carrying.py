"""States of the full model that a moving chassis carries along."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from precompute.arrays import Array
from precompute.reference.bodies import FullState, quaternion_product, rotations
from precompute.reference.chassis import ChassisState


def on_chassis(state: FullState, chassis: ChassisState) -> FullState:
    """A state that was assembled on the resting chassis, carried along by a moving one.

    Positions and velocities relative to the chassis stay as they are.
    """
    R, w, v = chassis.R, chassis.twist[:3], chassis.twist[3:]
    R_B = rotations(state.quaternion)
    turn = np.repeat(chassis.quaternion[None], len(state.r), 0)
    return replace(
        state,
        r=chassis.p + state.r @ R.T,
        quaternion=quaternion_product(turn, state.quaternion),
        v=(state.v + v + np.cross(w, state.r)) @ R.T,
        w=state.w + np.einsum("bji,j->bi", R_B, w),
        chassis=chassis,
    )


def carried(state: FullState, twist: Array, rate: Array) -> FullState:
    """A state whose chassis begins to move otherwise: velocities relative to it stay as they are.

    Args:
        state: on a chassis.
        twist: (6,) of the chassis from now on, in its axes.
        rate: (6,) its derivative.
    """
    chassis = replace(state.chassis, twist=twist, rate=rate)
    w, v = np.split(twist - state.chassis.twist, 2)
    if not (w.any() or v.any()):
        return replace(state, chassis=chassis)
    R = chassis.R
    return replace(
        state,
        v=state.v + (v + np.cross(w, (state.r - chassis.p) @ R)) @ R.T,
        w=state.w + np.einsum("bji,j->bi", rotations(state.quaternion), R @ w),
        chassis=chassis,
    )
