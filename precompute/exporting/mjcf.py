"""A mechanism in MuJoCo's format, MJCF, so that others can check it with an engine that is not ours.

The tree of the topology becomes nested bodies, whose frames have the axes of the ground at design and their origins at
the joints; the motions of a joint become joints of its body, outward from the base.  MuJoCo closes loops by soft
constraints.  A ball that is cut is a `connect`; any other cut joint is a `weld` between its child and a body of next to
no mass that the parent carries through the joint.  Rods, springs and dampers between two points are tendons.
Bushings are locked.  The start of the motion is the keyframe "start".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np

from precompute.arrays import Array
from precompute.coordinates.independent import choose_coordinates
from precompute.geometry.spatial import quaternion_multiply
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure, solver, velocity_coefficients
from precompute.kinematics.continuation import follow
from precompute.kinematics.loops import reference_length
from precompute.kinematics.redraw import redrawn
from precompute.kinematics.topology import Topology, spanning_tree
from precompute.model.contact_problems import refuse_contact
from precompute.model.mechanism import GROUND, Joint, JointCoordinate, Measure, Mechanism, Primitive

FEATHER = 1e-6
"""Mass of a body that only carries a cut joint, over the smallest of all others."""

KINDS = {"rotation": "hinge", "translation": "slide", "ball": "ball"}


@dataclass(frozen=True)
class Exported:
    """The text, and what was left out, in words."""

    text: str
    left_out: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Start:
    """Where the motion starts."""

    topology: Topology
    q: Array  # (nq,)
    v: Array  # (nv,)


def mjcf(mechanism: Mechanism, step: float | None = None) -> Exported:
    """The mechanism as MJCF.

    Args:
        mechanism: that can be assembled; drawn roughly, it is exported as assembled.
        step: [s]; default: that of the mechanism's experiment.  Errors of loop closures decay within two of them, the
            least that MuJoCo takes.

    Raises:
        PrecomputeError: it cannot be assembled.
    """
    refuse_contact(mechanism, "writing MJCF")
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    mechanism = redrawn(Closure(mechanism, topology), design.q, design.q).mechanism
    step = step or mechanism.experiment.step_size
    start = started(mechanism)
    root = Element("mujoco", model=mechanism.name)
    SubElement(root, "compiler", angle="radian", autolimits="false", fusestatic="false")
    option = SubElement(root, "option", timestep=repr(step), gravity=numbers(mechanism.gravity), tolerance="0")
    option.set("integrator", "implicitfast")
    SubElement(option, "flag", contact="disable", refsafe="disable")
    stiff = {"solref": f"{2.0 * step!r} 1", "solimp": "0.9999 0.9999 1"}
    world, closures = SubElement(root, "worldbody"), SubElement(root, "equality")
    tree = Tree(mechanism, start.topology, closures, stiff, reference_length(mechanism))
    order = carried(world, tree, GROUND, np.zeros(3))
    tendons = SubElement(root, "tendon")
    tie(tendons, closures, mechanism, stiff)
    key = SubElement(SubElement(root, "keyframe"), "key", name="start")
    key.set("qpos", numbers(np.concatenate([positions(start, mechanism, *own) for own in order] or [np.zeros(0)])))
    key.set("qvel", numbers(np.concatenate([rates(start, mechanism, *own) for own in order] or [np.zeros(0)])))
    indent(root)
    return Exported(tostring(root, encoding="unicode") + "\n", tuple(missing(mechanism)))


def started(mechanism: Mechanism) -> Start:
    """Joints at the start of the motion, with their rates; stiff directions at rest."""
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    coordinates = choose_coordinates(mechanism, topology, design)
    z = np.array([float(here if c.start is None else c.start) for c, here in
                  zip(coordinates.free, coordinates.design, strict=True)])  # fmt: skip
    closure = coordinates.closure
    q = follow(closure, design.q[None], coordinates.design[None], z[None]).q
    P = closure.poses(q)
    B = velocity_coefficients(closure, solver(closure, closure.matrix(P)))[0]
    return Start(topology, q[0], B @ np.array([c.start_rate or 0.0 for c in coordinates.free]))


# -- bodies and joints -------------------------------------------------------------------------------------------------

Placed = tuple[str, int, bool]
"""A joint, the number of its primitive, and whether it is passed from child to parent."""


@dataclass(frozen=True, eq=False)
class Tree:
    """What bodies are written from, and where their closures go."""

    mechanism: Mechanism
    topology: Topology
    closures: Element
    stiff: dict[str, str]  # attributes of constraints
    length: float  # reference length [m]


def carried(into: Element, tree: Tree, base: str, origin: Array) -> list[Placed]:
    """All that a body carries, its sites among it.  Returns joints in the order of their coordinates."""
    order: list[Placed] = []
    marked(into, tree.mechanism, base, origin)
    for arc in (a for a in tree.topology.arcs if tree.topology.bodies[a.base] == base):
        joint, name = tree.mechanism.joints[arc.joint], tree.topology.bodies[arc.body]
        at = joint.p_C if arc.forward else joint.p_P
        element = SubElement(into, "body", name=name, pos=numbers(at - origin))
        own = next(b for b in tree.mechanism.bodies if b.name == name)
        six = own.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        SubElement(element, "inertial", mass=repr(own.mass), pos=numbers(own.com - at), fullinertia=numbers(six))
        order += moved(element, tree.mechanism, joint, arc.forward)
        order += carried(element, tree, name, at)
    return order + cut(into, tree, base, origin)


def moved(into: Element, mechanism: Mechanism, joint: Joint, forward: bool) -> list[Placed]:
    """The motions of a joint from its base outward; those that are stiff are locked."""
    walked = [*joint.walk] if forward else [*reversed(joint.walk)]
    found: list[Placed] = []
    for number in walked:
        primitive = joint.primitives[number]
        if not primitive.stiff:
            single(into, mechanism, joint, number, primitive, forward)
            found.append((joint.name, number, forward))
    return found


def single(into: Element, mechanism: Mechanism, joint: Joint, number: int, primitive: Primitive, forward: bool) -> None:
    """One motion; seen from the child it is about the opposite axis."""
    element = SubElement(into, "joint", name=named(joint, number), type=KINDS[primitive.kind])
    if primitive.axis is None:
        return
    sign = 1.0 if forward else -1.0
    element.set("axis", numbers(sign * primitive.axis))
    on = JointCoordinate(joint.name, number)
    for spring in (s for s in mechanism.springs if s.on.same(on) and s.stiffness):
        element.set("stiffness", repr(spring.stiffness))
        element.set("springref", repr(rest_of(spring.free_length, spring.preload, spring.stiffness, 0.0)))
    for damper in (d for d in mechanism.dampers if d.on.same(on) and d.damping):
        element.set("damping", repr(damper.damping))


def named(joint: Joint, number: int) -> str:
    """Of a motion of a joint."""
    return joint.name if len(joint.primitives) == 1 else f"{joint.name}[{number + 1}]"


def marked(into: Element, mechanism: Mechanism, body: str, origin: Array) -> None:
    """Markers, and ends of tendons, as sites."""
    for marker in (m for m in mechanism.markers if m.body == body):
        SubElement(into, "site", name=marker.name, pos=numbers(marker.p - origin))
    for name, ends in lines(mechanism).items():
        for k, (on, p) in enumerate(ends):
            if on == body:
                SubElement(into, "site", name=f"{name}.{k}", pos=numbers(p - origin))


def cut(into: Element, tree: Tree, base: str, origin: Array) -> list[Placed]:
    """Cut joints whose parent is a body: a ball is held by its point, any other carries a body that is welded on."""
    order: list[Placed] = []
    for joint in (tree.mechanism.joints[c] for c in tree.topology.chords):
        if joint.parent != base:
            continue
        if [p.kind for p in joint.primitives if not p.stiff] == ["ball"]:
            ends = {"body1": other(base), "body2": other(joint.child), "anchor": numbers(joint.p_P - origin)}
            SubElement(tree.closures, "connect", {"name": joint.name, **ends, **tree.stiff})
            continue
        name = f"cut.{joint.name}"
        element = SubElement(into, "body", name=name, pos=numbers(joint.p_P - origin))
        mass = FEATHER * min(b.mass for b in tree.mechanism.bodies if b.mass > 0.0)
        inertia = numbers([mass * tree.length**2] * 3)
        SubElement(element, "inertial", mass=repr(mass), pos="0 0 0", diaginertia=inertia)
        order += moved(element, tree.mechanism, joint, forward=True)
        weld = {"name": joint.name, "body1": name, "body2": other(joint.child), **tree.stiff}
        SubElement(tree.closures, "weld", weld)
    return order


def other(body: str) -> str:
    """As MuJoCo calls the ground."""
    return "world" if body == GROUND else body


# -- what acts ---------------------------------------------------------------------------------------------------------


def lines(mechanism: Mechanism) -> dict[str, tuple[tuple[str, Array], tuple[str, Array]]]:
    """What acts or holds between two points: rods, springs and dampers, by name and ends."""
    found = {f"rod.{rod.name}": ((rod.parent, rod.p_P), (rod.child, rod.p_C)) for rod in mechanism.rods}
    for kind, items in (("spring", mechanism.springs), ("damper", mechanism.dampers)):
        found |= {f"{kind}.{x.name}": x.on.segment for x in items if x.on.segment}
    return found


def tie(tendons: Element, closures: Element, mechanism: Mechanism, stiff: dict[str, str]) -> None:
    """Tendons for all lines."""
    for name, ends in lines(mechanism).items():
        tendon = SubElement(tendons, "spatial", name=name)
        for k in (0, 1):
            SubElement(tendon, "site", site=f"{name}.{k}")
        kind, _, own = name.partition(".")
        if kind == "rod":
            SubElement(closures, "tendon", {"name": own, "tendon1": name, **stiff})
        elif kind == "spring":
            spring = next(s for s in mechanism.springs if s.name == own)
            length = float(np.linalg.norm(np.subtract(*(p for _, p in ends))))
            tendon.set("stiffness", repr(spring.stiffness or 0.0))
            rest = rest_of(spring.free_length, spring.preload, spring.stiffness, length)
            tendon.set("springlength", numbers([rest, rest]))
        else:
            tendon.set("damping", repr(next(d for d in mechanism.dampers if d.name == own).damping or 0.0))


def rest_of(free: float | None, preload: float | None, stiffness: float | None, design: float) -> float:
    """Where a spring has no force."""
    if free is not None:
        return float(free)
    return float(design + (preload or 0.0) / stiffness) if stiffness else design


def told(on: Measure) -> bool:
    """Whether it is a distance or a coordinate of a joint."""
    return on.segment is not None or any(
        kind == "joint" and on.primitive_of(name) is not None for kind, name in on.refers
    )


def missing(mechanism: Mechanism) -> Iterator[str]:
    """What is not in the text."""
    yield from (f"coupling '{coupling.name}'" for coupling in mechanism.couplings)
    yield from (f"constraint '{held.name}'" for held in mechanism.constraints)
    for b in mechanism.bushings:
        yield f"bushing '{b.name}': its directions are locked"
    for spring in mechanism.springs:
        if spring.table is not None or spring.stiffness is None:
            yield f"spring '{spring.name}': its table"
        if spring.static_preload:
            yield f"spring '{spring.name}': its static preload, taken as none"
        for stop in ("bump_stop", "rebound_stop"):
            if getattr(spring, stop) is not None:
                yield f"spring '{spring.name}': its {stop.replace('_', ' ')}"
        if not told(spring.on):
            yield f"spring '{spring.name}': it acts on the {spring.on.name}"
    for damper in mechanism.dampers:
        if damper.damping is None:
            yield f"damper '{damper.name}': its table"
        if not told(damper.on):
            yield f"damper '{damper.name}': it acts on the {damper.on.name}"
    yield from (f"cam '{cam.name}': its follower moves freely" for cam in mechanism.cams)
    yield from (f"force '{force.name}'" for force in mechanism.forces)
    yield from (f"element '{device.name}'" for device in mechanism.devices)
    for port in mechanism.ports:
        if any(port.force) or any(port.moment):
            yield f"load of port '{port.name}': apply it at the site '{port.marker}'"
    if mechanism.chassis == "moving":
        yield "the motion of the chassis, which is fixed"


# -- start -------------------------------------------------------------------------------------------------------------


def positions(start: Start, mechanism: Mechanism, joint: str, number: int, forward: bool) -> Array:
    """Numbers of qpos of a motion."""
    own = configuration(start, mechanism, joint, number, start.q, start.topology.q_slices, width=True)
    if len(own) == 4 and not forward:
        return own * [1.0, -1.0, -1.0, -1.0]
    return own


def rates(start: Start, mechanism: Mechanism, joint: str, number: int, forward: bool) -> Array:
    """Numbers of qvel of a motion.  Of a ball in axes of the outer body, where ours are in those of the base."""
    own = configuration(start, mechanism, joint, number, start.v, start.topology.v_slices, width=False)
    if len(own) == 1:
        return own
    e = configuration(start, mechanism, joint, number, start.q, start.topology.q_slices, width=True)
    back = e * [1.0, -1.0, -1.0, -1.0]
    seen = quaternion_multiply(quaternion_multiply(back, np.concatenate([[0.0], own])), e)[1:]
    return np.asarray(seen if forward else -own)


def configuration(
    start: Start, mechanism: Mechanism, joint: str, number: int, values: Array, slices: Iterable[slice], width: bool
) -> Array:
    """Numbers of a primitive of a joint in a vector of all."""
    k = next(i for i, j in enumerate(mechanism.joints) if j.name == joint)
    sizes = [p.width if width else p.rates for p in mechanism.joints[k].primitives]
    first = list(slices)[k].start + sum(sizes[:number])
    return np.asarray(values[first : first + sizes[number]])


def numbers(values: Iterable[float]) -> str:
    """As MJCF has them."""
    return " ".join(repr(float(x)) for x in values)
