"""A mechanism drawn anew as it stands at a closed configuration: the same parts, with another design position.

Points and axes go with their bodies.  What a file counts from design changes by what it is at the configuration: joint
coordinates and deflections are zero at the new design, so free lengths, stops, ranges and start values are less by so
much, and a preload is the force that the spring has there.  Two things follow the new design, as a file means them:
frames of markers that have no axes of their own, and bushings, which are relaxed at design.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fmu_src.model.law_parts import deflection, interpolate
from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.geometry.spatial import Transform, so3_log
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.poses import Poses, design_configuration
from precompute.kinematics.topology import spanning_tree
from precompute.measures.measure import Image
from precompute.model.device_images import images_of, reread
from precompute.model.mechanism import (
    DIRECTIONS,
    Bushing,
    Coordinate,
    Joint,
    Measure,
    Mechanism,
    Primitive,
    Spring,
    Wheel,
    joint_primitives,
    stiff_primitives,
)

SAME = 1e-9
"""Directions, and places over the reference length, that differ by less are the same."""


@dataclass(frozen=True, eq=False)
class Redrawn:
    """The mechanism at its new design."""

    mechanism: Mechanism
    poses: dict[str, Transform]  # where each body was moved to
    notes: tuple[str, ...]  # what is not quite the same, in plain words


def redrawn(closure: Closure, q: Array, design: Array | None) -> Redrawn:
    """Draw the mechanism as it stands at the closed q (nq,).

    Args:
        closure: the mechanism.
        q: (nq,) closed.
        design: (nq,) its closed design, at which preloads are given; None if it has none.

    Raises:
        PrecomputeError: a joint has moved so that no drawing can say it.
    """
    m, P = closure.mechanism, closure.poses(q)
    X = {name: P.pose(name) for name in closure.topology.bodies}
    moved = replace(
        m,
        bodies=tuple(
            replace(b, com=X[b.name].point(b.com), inertia=X[b.name].R @ b.inertia @ X[b.name].R.T) for b in m.bodies
        ),
        joints=tuple(redrawn_joint(closure, P, i) for i in range(len(m.joints))),
        rods=tuple(replace(r, p_P=X[r.parent].point(r.p_P), p_C=X[r.child].point(r.p_C)) for r in m.rods),
        constraints=tuple(c.redrawn(X[c.parent], X[c.child]) for c in m.constraints),
        cams=tuple(c.redrawn(X[c.parent], X[c.child]) for c in m.cams),
        dampers=tuple(replace(d, on=d.on.redrawn(P)) for d in m.dampers),
        forces=tuple(replace(f, on=f.on.redrawn(P)) for f in m.forces),
        devices=tuple(replace(d, on=tuple((symbol, on.redrawn(P)) for symbol, on in d.on)) for d in m.devices),
        bushings=tuple(replace(b, p=X[b.child].point(b.p), R=X[b.parent].R @ b.R) for b in m.bushings),
        markers=tuple(
            replace(
                k,
                p=X[k.body].point(k.p),
                R=k.R if np.array_equal(k.R, np.eye(3)) else X[k.body].R @ k.R,
                spin_axis=None if k.spin_axis is None else X[k.body].R @ k.spin_axis,
            )
            for k in m.markers
        ),
        measures=tuple(replace(r, of=r.of.redrawn(P)) for r in m.measures),
        wheels=tuple(redrawn_wheel(w, X[w.body], m.axes.left) for w in m.wheels),
        axles=tuple(replace(a, steering=a.steering and a.steering.redrawn(P)) for a in m.axles),
    )
    topology = spanning_tree(moved)
    there = Closure(moved, topology).poses(design_configuration(moved, topology))

    def gone(of: Measure) -> float:
        """How much less a measure is at the new design than it is here."""
        return float(of.value(P) - of.redrawn(P).value(there))

    def shifted(of: Measure) -> Image:
        """What is in place of a measure."""
        less = gone(of)
        return Image(of.redrawn(P), 1.0, -less if abs(less) > SAME else 0.0)

    images = images_of({d.name: d for d in m.devices}, shifted)
    P_design = None if design is None else closure.poses(design)
    whole = replace(
        moved,
        couplings=tuple(replace(c, of=c.of.recounted(P, gone)) for c in m.couplings),
        springs=tuple(redrawn_spring(s, P, P_design, gone(s.on)) for s in m.springs),
        devices=tuple(reread(d, images) for d in m.devices),
        coordinates=m.coordinates and tuple(redrawn_coordinate(c, P, gone(c.of)) for c in m.coordinates),
    )
    return Redrawn(whole, X, tuple(notes(closure, P, q, design, gone)))


def redrawn_wheel(wheel: Wheel, X: Transform, left: Array) -> Wheel:
    """A wheel that was moved with its carrier; its axis points to the left again, of the same side of the vehicle."""
    spin = X.R @ wheel.spin_axis
    return replace(wheel, centre=X.point(wheel.centre), spin_axis=spin if float(spin @ left) > 0.0 else -spin)


# -- forces and coordinates -------------------------------------------------------------------------------------------


def redrawn_spring(spring: Spring, P: Poses, P_design: Poses | None, gone: float) -> Spring:
    """A spring with the same force at every configuration, on a measure that is less by `gone`."""
    preload = spring.preload
    if preload is not None and P_design is not None:
        shorter = float(spring.on.value(P_design) - spring.on.value(P))
        if spring.table is not None:
            x, f = spring.table.x.tolist(), spring.table.force.tolist()
            preload = interpolate(x, f, deflection(x, f, preload) + shorter) if shorter else preload
        else:
            preload += (spring.stiffness or 0.0) * shorter
    return replace(
        spring,
        on=spring.on.redrawn(P),
        free_length=less(spring.free_length, gone),
        preload=preload,
        bump_stop=spring.bump_stop and replace(spring.bump_stop, at=spring.bump_stop.at - gone),
        rebound_stop=spring.rebound_stop and replace(spring.rebound_stop, at=spring.rebound_stop.at - gone),
    )


def redrawn_coordinate(c: Coordinate, P: Poses, gone: float) -> Coordinate:
    """The same range and start value, of a measure that is less by `gone`."""
    return replace(
        c, of=c.of.redrawn(P), lower=less(c.lower, gone), upper=less(c.upper, gone), start=less(c.start, gone)
    )


def less(value: float | None, gone: float) -> float | None:
    """A value, if there is one, less what is gone."""
    return None if value is None else value - gone


def notes(closure: Closure, P: Poses, q: Array, design: Array | None, gone: Callable[[Measure], float]) -> list[str]:
    """What the new file does not have as it was."""
    m = closure.mechanism
    told = [turned_bushing(closure, P, b) for b in m.bushings]
    if design is None or not np.array_equal(q, design):
        told += [
            f"spring '{s.name}' keeps preload = \"static\": the force that holds the new design position at rest"
            for s in m.springs
            if s.static_preload
        ]
    for c in m.coordinates or ():
        here = float(c.of.value(P))
        if c.lower is not None and c.upper is not None and not c.periodic and not c.lower <= here <= c.upper:
            low, high = (c.of.shown(m, x - gone(c.of)) for x in (c.lower, c.upper))
            told.append(f"coordinate '{c.name}' is outside its range there, which is now {low} to {high}; change it")
    return [text for text in told if text]


def turned_bushing(closure: Closure, P: Poses, bushing: Bushing) -> str:
    """That a bushing is deflected at the configuration, and relaxed at the new design; empty if it is not deflected."""
    X_P, X_C = P.pose(bushing.parent), P.pose(bushing.child)
    moved = float(np.linalg.norm(X_C.point(bushing.p) - X_P.point(bushing.p)))
    moved = moved if moved > SAME * closure.length else 0.0
    turned = float(np.linalg.norm(so3_log(X_P.R.T @ X_C.R)))
    if max(moved / closure.length, turned) < SAME:
        return ""
    shown = closure.mechanism.units.shown
    return (
        f"bushing '{bushing.name}' is moved by {shown(moved, digits=3)} and turned by {shown(turned, 'angle', 3)} "
        "there; in the new file it is relaxed, as bushings are at design"
    )


# -- joints -----------------------------------------------------------------------------------------------------------


def redrawn_joint(closure: Closure, P: Poses, number: int) -> Joint:
    """A joint with its coordinates zero where they are now."""
    joint, topology = closure.mechanism.joints[number], closure.topology
    X_P, X_C = P.pose(joint.parent), P.pose(joint.child)
    axes = [primitive_axis(P, topology.v_slices[number].start, joint, i) for i in range(len(joint.primitives))]
    p = joint_place(closure, P, joint, axes)
    R = (X_C if joint.stiff_axes == "child" else X_P).R @ joint.R
    R = joint.R if np.abs(R - joint.R).max() < SAME else R
    if joint.kind == "sequence":
        own = tuple(along(each, axis) for each, axis in zip(joint.primitives, axes, strict=True))
        return replace(joint, p_P=p, p_C=p, primitives=own, R=joint.R)
    free = [along(each, axis) for each, axis in zip(joint.primitives, axes, strict=True) if not each.stiff]
    standard = joint_primitives(joint.kind, [axes[i] for i in joint.type.carriers])
    if not all(alike(a, b) for a, b in zip(free, standard, strict=True)) and counted(closure.mechanism, joint.name):
        own = tuple(along(joint.primitives[i], axes[i]) for i in joint.walk)
        if joint.stiff:
            raise not_drawable(joint, "its travels are no longer along the axes that its type gives it")
        loads = DIRECTIONS if joint.loads else ()
        return Joint(
            joint.name, "sequence", joint.parent, joint.child, p, p, own, loads=loads, load_axes=joint.load_axes
        )
    directions = [d for d in joint.stiff_directions if d is not None]
    if (joint.stiff or joint.loads) and len(joint.type.axes) == 2:
        R = crossed_frame(*(axes[i] for i in joint.type.carriers[:2]))
        if ("y" in directions) != ("z" in directions) and not np.allclose(R, X_P.R @ joint.R, atol=SAME):
            raise not_drawable(joint, "its stiff direction is not along or across its second axis any more")
    stiff = stiff_primitives(directions, R) if joint.stiff else ()
    return replace(joint, p_P=p, p_C=p, primitives=(*standard, *stiff), R=R if joint.stiff or joint.loads else joint.R)


def along(primitive: Primitive, axis: Array) -> Primitive:
    """The primitive with another axis, if it has one."""
    return primitive if primitive.axis is None else replace(primitive, axis=axis)


def primitive_axis(P: Poses, first: int, joint: Joint, number: int) -> Array:
    """The axis (3,) in G of a primitive whose joint has its rates from `first` on; zero of a ball."""
    primitive = joint.primitives[number]
    if primitive.axis is None:
        return np.zeros(3)
    rate = first + sum(each.rates for each in joint.primitives[:number])
    return np.asarray(P.S[3:, rate] if primitive.kind == "translation" else P.S[:3, rate])


def joint_place(closure: Closure, P: Poses, joint: Joint, axes: list[Array]) -> Array:
    """A point (3,) through which all turns of the joint go, at the configuration."""
    p = start = P.pose(joint.parent).point(joint.p_P)
    turns: list[tuple[Array, Array]] = []
    for i in joint.walk:
        if joint.primitives[i].kind == "translation":
            p = p + P.coordinate(joint.name, i) * axes[i]
        else:
            turns.append((p, axes[i]))
    if not turns:  # it may be anywhere; without a place of its own it is at the origin
        return start if joint.p_P.any() else joint.p_P
    for place, _ in reversed(turns):
        off = [np.cross(x - place, a) if a.any() else x - place for x, a in turns]
        if max(float(np.linalg.norm(d)) for d in off) < SAME * closure.length:
            return place
    raise not_drawable(joint, "it turns before and after a travel, which a drawing counts from zero")


def alike(a: Primitive, b: Primitive) -> bool:
    """Whether two primitives are along or about the same axis."""
    return a.axis is None or b.axis is None or float(np.abs(a.axis - b.axis).max()) < SAME


def counted(mechanism: Mechanism, joint: str) -> bool:
    """Whether something acts on a coordinate of a joint, or reads it."""
    every = [e.on for e in mechanism.elements] + [r.of for r in mechanism.measures]
    every += [on for device in mechanism.devices for _, on in device.on]
    every += [c.of for c in mechanism.coordinates or ()]
    return any(term.primitive_of(joint) is not None for of in every for _, term in of.terms)


def crossed_frame(axis: Array, second: Array) -> Array:
    """The own axes (3, 3) of a joint with two axes: x along the first, y along the second made perpendicular."""
    y = second - (second @ axis) * axis
    y /= np.linalg.norm(y)
    return np.column_stack([axis, y, np.cross(axis, y)])


def not_drawable(joint: Joint, why: str) -> PrecomputeError:
    """The error for a joint that no drawing at the new position can say."""
    return PrecomputeError(
        f"the mechanism cannot be drawn there: joint '{joint.name}' has moved, and {why}. Choose a position in which "
        "it stands as it is drawn."
    )
