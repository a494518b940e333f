"""States of the full model made from others: carried along by a moving chassis, or with stiff directions deflected.

`assemble` locks the stiff directions.  To be deflected they are measured, as coordinates of a model in which every
joint that has some is a chain of its primitives, and led to given deflections like all others; the bodies then stand in
the same places in the model that is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from precompute.arrays import Array
from precompute.model.mechanism import Coordinate, JointCoordinate
from precompute.reference.assembly import assemble, full_model, led, set_moving
from precompute.reference.bodies import FullState, quaternion_product, rotations
from precompute.reference.chassis import ChassisState
from precompute.reference.model import FullModel

Motion = tuple[float, float]
"""Value and rate of a coordinate [m or rad, per s]."""


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


def deflected(
    model: FullModel, coordinates: Mapping[str, Motion], deflections: Mapping[JointCoordinate, Motion]
) -> FullState:
    """All constraints closed, coordinates and stiff directions at given values and rates, on the resting chassis.

    Args:
        model: the full model.
        coordinates: values and rates by name; those not named stay at their design values, at rest.
        deflections: values and rates of stiff directions; those not named are zero.

    Raises:
        AssemblyError: a value cannot be reached.
        SingularityError: no velocity gives these rates.
    """
    stiff = {of: f"{of.joint}[{of.index + 1}]: deflection" for of in model.mechanism.stiff_coordinates}
    own = tuple(Coordinate(name, of) for of, name in stiff.items())
    measured = full_model(replace(model.mechanism, coordinates=(*model.coordinates, *own)))
    state = assemble(measured, {name: value for name, (value, _) in coordinates.items()})
    named = {name: deflections.get(of, (0.0, 0.0)) for of, name in stiff.items()}
    state = led(measured, state, {name: value for name, (value, _) in named.items()})
    rates = {name: rate for name, (_, rate) in {**coordinates, **named}.items()}
    return seen_in(model, measured, set_moving(measured, state, rates))


def seen_in(model: FullModel, measured: FullModel, state: FullState) -> FullState:
    """The state of one model in another, which has some of its bodies and the first of its measures."""
    places = [measured.bodies.index(name) for name in model.bodies.names]
    return replace(
        state,
        r=state.r[places],
        quaternion=state.quaternion[places],
        v=state.v[places],
        w=state.w[places],
        angles=state.angles[: model.measures.angles.shape[1]],
    )
