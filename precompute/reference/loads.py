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
from precompute.model.mechanism import DIRECTIONS, GROUND, Joint, Mechanism
from precompute.reference.bodies import FullState, cross
from precompute.reference.bushings import body_motions, bushing_state
from precompute.reference.measures import MeasureMotion
from precompute.reference.model import FullModel

ON_LINE = 1e-9
"""How far off the line of two balls a force may act that does not turn what hangs between them, over its length."""


def carried_loads(
    model: FullModel,
    state: FullState,
    measured: MeasureMotion,
    constraint: Array,
    along: Array,
    on_deflections: Array | None = None,
) -> dict[str, float]:
    """The loads that the mechanism asks for, by the names of the outputs of an FMU [N, N m].

    Args:
        model: the full model.
        state: at which they are.
        measured: its measures.
        constraint: (m, 6 nb + 6) generalized forces -phi_u lambda of each constraint on bodies and ground.
        along: (number of measures,) forces on all measures, those of drives included.
        on_deflections: (bushings, 6) forces on deflections of bushings besides their own.
    """
    found: dict[str, float] = {}
    own = np.hstack([measured.gradients, measured.ground]) * along[:, None]
    on = [element.on for element in model.mechanism.elements]
    on += [*(read.of for read in model.formed), *model.devices.terms, *model.couplings.terms]
    on += [c.of for c in model.coordinates]
    labels = np.array(model.constraints.labels)
    for joint in (joint for joint in model.mechanism.joints if joint.loads):
        acting = np.array([measure.primitive_of(joint.name) is not None for measure in on], dtype=bool)
        total = constraint[: len(labels)][labels == joint.name].sum(axis=0) + own[acting].sum(axis=0)
        load = joint_load(model, state, joint, total.reshape(-1, 6)[model.bodies.index(joint.child)], on_deflections)
        for i, direction in enumerate(DIRECTIONS):
            if direction in joint.loads:
                found[f"joint.{joint.name}.{'FM'[i >= 3]}[{i % 3 + 1}]"] = float(load[i])
    for rod in (rod for rod in model.mechanism.rods if rod.load):
        total = constraint[: len(labels)][labels == rod.name].sum(axis=0)
        force = total.reshape(-1, 6)[model.bodies.index(rod.child), 3:]
        line = point_of(model, state, rod.child, rod.p_C) - point_of(model, state, rod.parent, rod.p_P)
        found[f"rod.{rod.name}.force"] = float(-force @ line / np.linalg.norm(line))
    return found


def held_loads(model: FullModel, pushing: Array, on_couplings: Array) -> dict[str, float]:
    """Forces of couplings, constraints and cams, positive where they make what they hold larger [N, N m].

    Args:
        model: the full model.
        pushing: (m,) minus the multipliers of all constraints, without units.
        on_couplings: (k,) forces on what couplings hold, then cams.
    """
    couplings = zip(model.mechanism.couplings, on_couplings, strict=False)
    found = {f"coupling.{c.name}.force": float(force) for c, force in couplings if c.load}
    labels = np.array(model.constraints.labels)
    for held in (held for held in model.mechanism.constraints if held.load):
        rows = np.flatnonzero(labels == f"constraint.{held.name}")
        for n, row in enumerate(rows.tolist()):
            number = f"[{n + 1}]" if len(rows) > 1 else ""
            found[f"constraint.{held.name}.force{number}"] = float(pushing[row] * model.row_unit[row])
    pushed = iter(on_couplings[len(model.mechanism.couplings) :].tolist())
    for cam in model.mechanism.cams:
        found[f"joint.{cam.name}.normal"] = next(pushed)
        if cam.rolls is not None:
            found[f"joint.{cam.name}.traction"] = next(pushed)
    return found


def joint_load(
    model: FullModel, state: FullState, joint: Joint, on_child: Array, on_deflections: Array | None
) -> Array:
    """Force and moment (6,) of (1) in the axes asked for, from the generalized force (6,) on the child."""
    R, r, _, _ = body_motions(state)
    c, carrier = model.bodies.index(joint.child), "parent" if joint.load_axes == "ground" else joint.stiff_axes
    p = point_of(model, state, *((joint.child, joint.p_C) if carrier == "child" else (joint.parent, joint.p_P)))
    force, moment = on_child[3:].copy(), R[c] @ on_child[:3] + cross(r[c] - p, on_child[3:])
    bushings = bushing_state(model.bushings, state) if model.bushings.laws else None
    names = [bushing.name for bushing in model.bushings.laws]
    pressed = None if bushings is None else bushings.on_child
    if bushings is not None and on_deflections is not None:
        pressed = bushings.on_child + bushings.pushed(on_deflections)
    for bushing in model.mechanism.bushings:
        if {bushing.parent, bushing.child} != {joint.parent, joint.child}:
            continue
        assert bushings is not None and pressed is not None
        k = names.index(bushing.name)
        sign = 1.0 if bushing.child == joint.child else -1.0
        force += sign * pressed[k, 0]
        moment += sign * (pressed[k, 1] + cross(bushings.point[k] - p, pressed[k, 0]))
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
    R, chassis = body_motions(state)[0], state.chassis.R
    own, link = R[model.bodies.index(body)], idle_link(model.mechanism, body)
    if link is None:
        return np.asarray(own)
    first, x = R[model.bodies.index(link[0])], link[1]
    line = chassis.T @ first @ x
    a, c = np.cross(x, line), float(x @ line)
    K = np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
    return np.asarray(chassis @ (np.eye(3) + K + K @ K / (1.0 + c)) @ first.T @ own)


def idle_link(mechanism: Mechanism, body: str) -> tuple[str, Array] | None:
    """The first of the bodies that would spin with a body between two balls, and their line (3,); None if none would.

    They are what hangs together by other joints than balls; nothing may act on them that turns them about the line.
    """
    group = {body}
    balls = [j for j in mechanism.joints if [p.kind for p in j.primitives if not p.stiff] == ["ball"]]
    others = [{c.parent, c.child} for c in mechanism.connections if c not in balls]
    others += [
        {*row.measure.bodies(mechanism), *((GROUND,) * (len(row.measure.bodies(mechanism)) == 1))}
        for row in mechanism.held
    ]
    while more := next((ends for ends in others if ends & group and not ends <= group), None):
        group |= more
    ends = [j.p_P if j.parent in group else j.p_C for j in balls if (j.parent in group) != (j.child in group)]
    if GROUND in group or len(ends) != 2 or float(np.linalg.norm(ends[1] - ends[0])) == 0.0:
        return None
    length = float(np.linalg.norm(ends[1] - ends[0]))
    line = (ends[1] - ends[0]) / length
    acting = [*(e.on for e in mechanism.elements), *(on for device in mechanism.devices for _, on in device.on)]
    points = [p for measure in acting for on, p in measure.points(mechanism) if on in group]
    pressing = [b for b in mechanism.bushings if (b.parent in group) != (b.child in group)]
    points += [b.p for b in pressing]
    turned = any(np.linalg.norm(np.cross(line, p - ends[0])) > ON_LINE * length for p in points)
    turned |= any(b.resists_rotation for b in pressing)
    turned |= any(group & {*measure.twisted(mechanism)} for measure in acting)
    turned |= any(mechanism.marker(port.marker).body in group for port in mechanism.ports)
    if turned:
        return None
    return next(b.name for b in mechanism.bodies if b.name in group), line


def point_of(model: FullModel, state: FullState, body: str, p: Array) -> Array:
    """Where a point of a body, p (3,) at design, is now, in G."""
    R, r, _, _ = body_motions(state)
    number = model.bodies.index(body)
    com = np.zeros(3) if number == len(model.bodies.names) else model.bodies.com[number]
    return r[number] + R[number] @ (p - com)
