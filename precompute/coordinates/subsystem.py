"""The smallest part of a mechanism that moves a block's columns: what the other coordinates move is left out.

Solving the right wheel does not need the left one.  A subsystem keeps the bodies that depend on some coordinates E
only, with the joints between them; it serves if its own freedoms are just E.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from precompute.arrays import Array
from precompute.coordinates.decouple import Axes, Dependence
from precompute.coordinates.independent import Coordinates
from precompute.coordinates.load_dependence import LoadDependence
from precompute.errors import MechanismError
from precompute.kinematics.assembly import Configuration
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.mobility import null_space
from precompute.kinematics.topology import Topology, spanning_tree
from precompute.model.devices import Device, DeviceForce
from precompute.model.mechanism import (
    GROUND,
    Measure,
    Mechanism,
)


@dataclass(frozen=True, eq=False)
class Subsystem:
    """A part of a mechanism with its own coordinates."""

    coordinates: Coordinates
    design: Configuration
    dependence: Dependence
    members: Axes  # its coordinates among all


def smallest_subsystem(
    coordinates: Coordinates, design: Configuration, dependence: Dependence, block: Axes
) -> Subsystem:
    """The subsystem with the fewest coordinates that contains all that depends on those of the block alone."""
    n = len(coordinates.free)
    for size in range(max(len(block), 1), n):
        for members in combinations(range(n), size):
            if set(block) <= set(members):
                found = subsystem(coordinates, design, dependence, members, block)
                if found is not None:
                    return found
    return Subsystem(coordinates, design, dependence, tuple(range(n)))


def subsystem(
    coordinates: Coordinates, design: Configuration, dependence: Dependence, members: Axes, block: Axes
) -> Subsystem | None:
    """The part that depends on `members` only; None if it does not stand on its own."""
    whole, nf = coordinates.closure, dependence.nf
    kept = {
        b.name: a
        for b, a in zip(whole.mechanism.bodies, dependence.bodies, strict=True)
        if {k for k in a if k < nf} <= set(members)
    }
    free = tuple(coordinates.free[k] for k in members)
    inside = [(on, axes) for on, axes in dependence.measures if {k for k in axes if k < nf} <= set(members)]
    needed = [c.of for c in free] + [on for on, axes in inside if tuple(k for k in axes if k < nf) == block]
    turned = [b for b, spun in dependence.spins if set(dependence.bodies[b]) - set(spun) <= set(block)]
    if any(whole.mechanism.bodies[b].name not in kept for b in turned):
        return None  # what it weighs depends on the block alone, what moves it does not
    if not kept or not all(measured_inside(whole.mechanism, kept, on) for on in needed):
        return None
    try:
        mechanism = part_of(whole.mechanism, kept)
    except MechanismError:  # not connected to the ground on its own
        return None
    topology = spanning_tree(mechanism)
    q = part_of_configuration(whole, design.q, mechanism, topology)
    crossings = tuple(replace(x, axis=members.index(x.axis)) for x in whole.crossings if x.axis in members)
    stiff = [coordinates.stiff.index(c) for c in mechanism.stiff_coordinates]
    about = tuple(whole.about[i] for i in stiff) if whole.about else ()
    closure = Closure(mechanism, topology, tuple(c.of for c in free), crossings, about)
    if null_space(Closure(mechanism, topology), q).shape[1] != len(members) or null_space(closure, q).shape[1]:
        return None
    number = {k: i for i, k in enumerate((*members, *(nf + i for i in stiff)))}
    measured = [(on, axes) for on, axes in inside if measured_inside(whole.mechanism, kept, on)]
    if not all(set(axes) <= set(number) for axes in (*kept.values(), *(axes for _, axes in measured))):
        return None  # a deflection outside moves something inside
    loads = loads_inside(dependence, whole.mechanism, mechanism, number)
    known = {load.opening for load in loads}
    if any(load.opening not in known for load in dependence.loads if block in load.table_axes(nf)):
        return None  # the joint whose load this is lies outside
    own = Dependence(
        nf=len(members),
        bodies=tuple(tuple(number[k] for k in kept[b.name]) for b in mechanism.bodies),
        measures=tuple((on, tuple(number[k] for k in axes)) for on, axes in measured),
        loads=loads,
        spins=tuple(
            ([b.name for b in mechanism.bodies].index(name), tuple(number[k] for k in spun))
            for name, spun in ((whole.mechanism.bodies[b].name, spun) for b, spun in dependence.spins)
            if name in kept
        ),
    )
    here = replace(
        coordinates,
        closure=closure,
        free=free,
        design=coordinates.design[list(members)],
        feasible=tuple(coordinates.feasible[k] for k in members),
        chosen=tuple(coordinates.chosen[k] for k in members),
    )
    return Subsystem(here, replace(design, q=q), own, members)


def loads_inside(
    dependence: Dependence, whole: Mechanism, part: Mechanism, number: dict[int, int]
) -> tuple[LoadDependence, ...]:
    """The loads of a part, as far as its own coordinates, by their numbers there, tell them."""
    known = {joint.name for joint in part.joints} | {row.output for row in part.held}
    names, frames = [b.name for b in whole.bodies], [marker.name for marker in part.frames]

    def own(axes: Axes | None) -> Axes | None:
        return tuple(number[k] for k in axes) if axes is not None and set(axes) <= set(number) else None

    found = []
    for load in (load for load in dependence.loads if load.opening.part in known):
        measures = ((on, own(axes)) for on, axes in load.measures)
        markers = ((whole.frames[i].name, own(axes)) for i, axes in load.frames)
        found.append(
            LoadDependence(
                opening=load.opening,
                bodies=tuple(own(load.bodies[names.index(b.name)]) for b in part.bodies),
                measures=tuple((on, axes) for on, axes in measures if axes is not None),
                frames=tuple((frames.index(name), axes) for name, axes in markers if axes is not None),
            )
        )
    return tuple(found)


def measured_inside(mechanism: Mechanism, kept: dict[str, Axes], on: Measure) -> bool:
    """Whether all bodies that a measure needs are kept."""
    return all(name == GROUND or name in kept for name in on.bodies(mechanism))


def devices_inside(mechanism: Mechanism, kept: dict[str, Axes]) -> Iterator[Device]:
    """The measures of elements as far as all bodies are kept; how large the forces on these are does not matter."""
    for device in mechanism.devices:
        on = tuple((symbol, on) for symbol, on in device.on if measured_inside(mechanism, kept, on))
        symbols = {symbol for symbol, _ in on}
        if on:
            yield Device(
                device.name, on, forces=tuple(DeviceForce(f.on, "0") for f in device.forces if f.on in symbols)
            )


def part_of(mechanism: Mechanism, kept: dict[str, Axes]) -> Mechanism:
    """The mechanism with the bodies kept, and all that lies between them."""
    names = {GROUND, *kept}
    markers = tuple(m for m in mechanism.markers if m.body in names)
    return replace(
        mechanism,
        bodies=tuple(b for b in mechanism.bodies if b.name in names),
        joints=tuple(j for j in mechanism.joints if {j.parent, j.child} <= names),
        rods=tuple(r for r in mechanism.rods if {r.parent, r.child} <= names),
        couplings=tuple(c for c in mechanism.couplings if measured_inside(mechanism, kept, c.of)),
        constraints=tuple(c for c in mechanism.constraints if {c.parent, c.child} <= names),
        cams=tuple(
            c for c in mechanism.cams if all(measured_inside(mechanism, kept, r.measure) for r in c.rows(mechanism))
        ),
        springs=tuple(s for s in mechanism.springs if measured_inside(mechanism, kept, s.on)),
        dampers=tuple(d for d in mechanism.dampers if measured_inside(mechanism, kept, d.on)),
        forces=tuple(f for f in mechanism.forces if measured_inside(mechanism, kept, f.on)),
        bushings=tuple(b for b in mechanism.bushings if {b.parent, b.child} <= names),
        devices=tuple(devices_inside(mechanism, kept)),
        markers=markers,
        ports=tuple(p for p in mechanism.ports if p.marker in {m.name for m in markers}),
        measures=tuple(r for r in mechanism.measures if measured_inside(mechanism, kept, r.of)),
        coordinates=None,
        wheels=tuple(w for w in mechanism.wheels if w.body in names),
        axles=(),
        vehicle=None,
    )


def part_of_configuration(whole: Closure, q: Array, mechanism: Mechanism, topology: Topology) -> Array:
    """The configuration (nq,) of the joints that are kept."""
    names = [j.name for j in whole.mechanism.joints]
    out = np.zeros(topology.nq)
    for joint, here in zip(mechanism.joints, topology.q_slices, strict=True):
        out[here] = q[whole.topology.q_slices[names.index(joint.name)]]
    return out
