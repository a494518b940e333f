"""What joints and rods carry, from the multipliers of their constraints, by joint.

The constraints of a joint, the bushings between its bodies and what acts on its own coordinates (drives, springs) exert
on its child, at the joint's point p,

    F = sum f,   M = sum m + (r - p) x f                                                    (1)

with m and f the moment about the centre of mass r and the force of each, f = -phi_u^T lambda of constraints.
Redundant constraints share lambda in the sense of least squares: those loads mean nothing.
"""

from __future__ import annotations

import numpy as np

from precompute.arrays import Array
from precompute.model.bushings import bushings_across
from precompute.model.mechanism import DIRECTIONS, GROUND, Joint
from precompute.model.spins import idle_spins
from precompute.reference.bodies import FullState, cross
from precompute.reference.bushings import body_motions, bushing_state
from precompute.reference.measures import MeasureMotion
from precompute.reference.model import FullModel


def carried_loads(
    model: FullModel, state: FullState, measured: MeasureMotion, constraint: Array, along: Array
) -> dict[str, float]:
    """The loads that the mechanism asks for, by the names of the outputs of an FMU [N, N m].

    Args:
        model: the full model.
        state: at which they are.
        measured: its measures.
        constraint: (m, 6 nb + 6) generalized forces -phi_u lambda of each constraint on bodies and ground.
        along: (number of measures,) forces on all measures, those of drives included.
    """
    found: dict[str, float] = {}
    own = np.hstack([measured.gradients, measured.ground]) * along[:, None]
    on = [element.on for element in model.mechanism.elements]
    on += [read.of for read in model.formed] + [c.of for c in model.coordinates]
    labels = np.array(model.constraints.labels)
    for joint in (joint for joint in model.mechanism.joints if joint.loads):
        acting = np.array([measure.primitive_of(joint.name) is not None for measure in on], dtype=bool)
        total = constraint[: len(labels)][labels == joint.name].sum(axis=0) + own[acting].sum(axis=0)
        load = joint_load(model, state, joint, total.reshape(-1, 6)[model.bodies.index(joint.child)])
        for i, direction in enumerate(DIRECTIONS):
            if direction in joint.loads:
                found[f"joint.{joint.name}.{'FM'[i >= 3]}[{i % 3 + 1}]"] = float(load[i])
    for rod in (rod for rod in model.mechanism.rods if rod.load):
        total = constraint[: len(labels)][labels == rod.name].sum(axis=0)
        force = total.reshape(-1, 6)[model.bodies.index(rod.child), 3:]
        line = point_of(model, state, rod.child, rod.p_C) - point_of(model, state, rod.parent, rod.p_P)
        found[f"rod.{rod.name}.force"] = float(-force @ line / np.linalg.norm(line))
    return found


def joint_load(model: FullModel, state: FullState, joint: Joint, on_child: Array) -> Array:
    """Force and moment (6,) of (1) in the axes asked for, from the generalized force (6,) on the child."""
    R, r, _, _ = body_motions(state)
    c, carrier = model.bodies.index(joint.child), "parent" if joint.load_axes == "ground" else joint.stiff_axes
    p = point_of(model, state, *((joint.child, joint.p_C) if carrier == "child" else (joint.parent, joint.p_P)))
    force, moment = on_child[3:].copy(), R[c] @ on_child[:3] + cross(r[c] - p, on_child[3:])
    bushings = bushing_state(model.bushings, state) if model.bushings.laws else None
    names = [bushing.name for bushing in model.bushings.laws]
    for bushing in bushings_across(joint, model.mechanism.bushings):
        assert bushings is not None
        k = names.index(bushing.name)
        sign = 1.0 if bushing.child == joint.child else -1.0
        force += sign * bushings.on_child[k, 0]
        moment += sign * (bushings.on_child[k, 1] + cross(bushings.point[k] - p, bushings.on_child[k, 0]))
    if joint.load_axes == "ground":
        axes = state.chassis.R
    else:
        axes = orientation(model, state, joint.child if carrier == "child" else joint.parent) @ joint.R
    return np.concatenate([axes.T @ force, axes.T @ moment])


def orientation(model: FullModel, state: FullState, body: str) -> Array:
    """(3, 3) R_GB of a body; of a link between two balls as if it did not spin about their line since design.

    That is the least rotation, seen from the chassis, that takes the line x of design to where it is:
    R = 1 + [a] + [a]^2 / (1 + c), a = x x x', c = x . x'                                   (2)
    """
    names = [GROUND, *(b.name for b in model.mechanism.bodies)]
    R, chassis = body_motions(state)[0], state.chassis.R
    own = R[model.bodies.index(body)]
    for spin in idle_spins(model.mechanism, {name: i for i, name in enumerate(names)})[0]:
        if body != GROUND and names.index(body) in spin.group:
            first = R[model.bodies.index(names[spin.body])]
            line = chassis.T @ first @ spin.axis
            a, c = np.cross(spin.axis, line), float(spin.axis @ line)
            K = np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
            return np.asarray(chassis @ (np.eye(3) + K + K @ K / (1.0 + c)) @ first.T @ own)
    return np.asarray(own)


def point_of(model: FullModel, state: FullState, body: str, p: Array) -> Array:
    """Where a point of a body, p (3,) at design, is now, in G."""
    R, r, _, _ = body_motions(state)
    number = model.bodies.index(body)
    com = np.zeros(3) if number == len(model.bodies.names) else model.bodies.com[number]
    return r[number] + R[number] @ (p - com)
