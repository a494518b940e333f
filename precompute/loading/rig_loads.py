"""What every joint, spring and bushing carries while an axle goes through the cases of the rig.

At rest the reaction R_k along a direction k that a joint locks is what holds all other forces along the motion of the
closed mechanism that opens it, with the coordinates of the rig held (see `kinematics.openings`):

    R_k = - sum_b m_b g . v_bk - sum_m f_m ds_m/dk - sum_wheels,ports (F . v_k + M . w_k)   (1)

What holds the steering does no work along it.  Of an axle with one corner the loads are those of that corner.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from precompute.arrays import Array
from precompute.coordinates.load_dependence import (
    MISFIT,
    UndefinedLoad,
    is_across,
    repeated,
    torn_loops,
    undefined_lines,
)
from precompute.geometry.spatial import point_velocity
from precompute.kinematics.coefficients import solver
from precompute.kinematics.openings import Opened, Opening, opened
from precompute.model.mechanism import DIRECTIONS, Joint, Measure, Mechanism
from precompute.rig.balance import Rest, Setting
from precompute.rig.march import Course, joined, joined_settings
from precompute.rig.mechanics import Mechanics, turned
from precompute.rig.stand import Stand
from precompute.threads import one_thread


@dataclass(frozen=True, eq=False)
class CaseLoads:
    """Loads over a case."""

    course: Course
    vectors: Mapping[str, Array]  # "joint.NAME.F", ".M": parent on child at its point; (n, 3) in axes of the file [SI]
    forces: Mapping[str, Array]  # "rod.NAME.force", "spring.NAME.force" ...: (n,) [SI]
    units: Mapping[str, str]  # of these, "N" or "N m"
    bushings: Mapping[str, Array]  # name -> (n, 6) on the child, along and about its own axes [SI]


@dataclass(frozen=True, eq=False)
class RigLoads:
    """Of all cases."""

    cases: tuple[CaseLoads, ...]
    undefined: tuple[str, ...]  # loads that nothing defines and why, in words


@one_thread
def rig_loads(stand: Stand, courses: Sequence[Course]) -> RigLoads:
    """Loads of all joints along courses of an axle."""
    mechanism, courses = stand.mechanism, [course for course in courses if course.values.size]
    rest, setting = joined([c.rest for c in courses]), joined_settings([c.setting for c in courses])
    at = stand.rig.at(rest.q[:, :1], setting.road[:, :1])
    closure, P = stand.rig.bench.closure, at.motion.places
    some = tuple(every_opening(mechanism))
    along = opened(closure, P, solver(closure, closure.matrix(P)), at.B, some)
    gap = along.gap.max(axis=0)
    torn = np.flatnonzero(gap.max(axis=0, initial=0.0) > MISFIT).tolist()
    load = -power(stand, at, along, some, rest, setting)  # (1)
    found = {
        o.name: -load[:, k] if o.carrier == "row" and o.row(mechanism).pulls else load[:, k]
        for k, o in enumerate(some)
        if k not in torn
    }
    undefined = [
        UndefinedLoad(some[k], own, repeated(closure, P, own)) for k in torn for own in [torn_loops(closure, gap[:, k])]
    ]
    vectors, forces = gathered(found)
    of_elements, bushings = element_forces(stand, at)
    units, cases, ends = units_of(mechanism), [], np.cumsum([0, *(course.values.size for course in courses)])
    for course, first, last in zip(courses, ends, ends[1:], strict=False):
        own = [{k: v[first:last] for k, v in each.items()} for each in (vectors, forces | of_elements, bushings)]
        cases.append(CaseLoads(course, own[0], own[1], units, own[2]))
    return RigLoads(tuple(cases), undefined_lines(mechanism, closure.topology, tuple(undefined)))


def every_opening(mechanism: Mechanism) -> Iterator[Opening]:
    """Of all joints that hold something rigidly, in axes of the ground; then of all that is held besides."""
    for joint in mechanism.joints:
        carried = replace(joint, loads=(), load_axes="ground").loadable if holds(joint) else ()
        yield from (Opening(joint.name, i, "ground") for i, name in enumerate(DIRECTIONS) if name in carried)
    for row in mechanism.held:
        yield Opening(row.output, 3 * row.measure.is_angle(mechanism), "row")


def holds(joint: Joint) -> bool:
    """Whether it locks a direction that rubber does not carry: what bushings carry is told of each of them."""
    return sum(p.rates for p in joint.primitives) < len(DIRECTIONS)


def power(stand: Stand, at: Mechanics, along: Opened, some: Sequence[Opening], rest: Rest, setting: Setting) -> Array:
    """(n, nk) of all forces that are known, along openings."""
    mechanism, bench, nz = stand.mechanism, stand.rig.bench, along.nz
    W = along.W[..., nz:]
    number = {name: i for i, name in enumerate(along.P.topology.bodies)}
    found = np.zeros((len(W), len(some)))
    gravity = turned(mechanism.gravity, mechanism.axes.up, setting.road[:, 0])
    for body in mechanism.bodies:
        r = along.P.pose(body.name).point(body.com)
        found += body.mass * np.einsum("nc,nck->nk", gravity, point_velocity(W[:, number[body.name]], r))
    found += power_of_laws(stand, at, along, some)
    for port in bench.ports:
        marker = mechanism.marker(port.marker)
        V, p = W[:, number[marker.body]], along.P.pose(marker.body).point(marker.p)
        found += np.einsum("c,nck->nk", np.array(port.force), point_velocity(V, p))
        found += np.einsum("c,nck->nk", np.array(port.moment), V[:, :3])
    loads = setting.loads
    for w, (wheel, c) in enumerate(zip(bench.wheels, at.corners, strict=True)):
        V, patch = W[:, number[wheel.body]], loads.patch[:, 0, w] + rest.pads[:, 0, w, None] * c.up
        found += np.einsum("nc,nck->nk", patch, point_velocity(V, c.contact))
        found += np.einsum("nc,nck->nk", loads.centre[:, 0, w], point_velocity(V, c.centre))
        found += np.einsum("nc,nck->nk", loads.moment[:, 0, w], V[:, :3])
    return found


def power_of_laws(stand: Stand, at: Mechanics, along: Opened, some: Sequence[Opening]) -> Array:
    """(n, nk) of springs, bushings and elements; of rubber across a joint that opens as far as the joint follows."""
    mechanism, laws = stand.mechanism, stand.rig.laws
    B, forces, found = along.B[..., along.nz :], laws.force(at.s), np.zeros((len(at.s), len(some)))
    nv = B.shape[1] - along.P.screws.shape[-1]
    one_of_each = {opening.part: opening for opening in some}
    for k, measure in enumerate(laws.measures):
        across = {part: is_across(mechanism, opening, measure) for part, opening in one_of_each.items()}
        row = measure.row(along.P)[:, None]
        opens = (row[..., nv:] @ B[:, nv:])[:, 0] * [not across[opening.part] for opening in some]
        found += forces[:, k, None] * ((row[..., :nv] @ B[:, :nv])[:, 0] + opens)
    return found


def gathered(found: Mapping[str, Array]) -> tuple[dict[str, Array], dict[str, Array]]:
    """Vectors of joints of which all three components are known; what else is known of what is held, by its name."""
    heads = dict.fromkeys(name.partition("[")[0] for name in found if name.startswith("joint."))
    whole = {head: [f"{head}[{i}]" for i in (1, 2, 3)] for head in heads}
    vectors = {
        head: np.stack([found[name] for name in names], axis=-1)
        for head, names in whole.items()
        if all(name in found for name in names)
    }
    return vectors, {name: values for name, values in found.items() if not name.startswith("joint.")}


def element_forces(stand: Stand, at: Mechanics) -> tuple[dict[str, Array], dict[str, Array]]:
    """Forces of springs and elements (n,), positive where they push apart; of bushings (n, 6)."""
    mechanism, laws = stand.mechanism, stand.rig.laws
    each = laws.moving(at.s, np.zeros(at.s.shape))
    each = each if laws.at_rest is None else each + laws.at_rest.each(at.s)
    singles = {name: each[:, k] for k, (name, _) in enumerate(single_forces(mechanism))}
    first = len(mechanism.elements)
    bushings = {b.name: each[:, first + 6 * k : first + 6 * k + 6] for k, b in enumerate(mechanism.bushings)}
    last = first + 6 * len(mechanism.bushings)
    devices = {name: each[:, last + k] for k, (name, _) in enumerate(device_forces(mechanism))}
    return singles | devices, bushings


def single_forces(mechanism: Mechanism) -> Iterator[tuple[str, Measure]]:
    """Springs, dampers and constant forces as the outputs of an FMU are called, and what they act on."""
    for kind, some in (("spring", mechanism.springs), ("damper", mechanism.dampers), ("force", mechanism.forces)):
        yield from ((f"{kind}.{own.name}.force", own.on) for own in some)


def device_forces(mechanism: Mechanism) -> Iterator[tuple[str, Measure]]:
    """The same of elements with formulas."""
    for device in mechanism.devices:
        yield from ((f"element.{device.name}.force.{symbol}", on) for symbol, on in device.on)


def units_of(mechanism: Mechanism) -> dict[str, str]:
    """Of everything that is a single force, or a moment."""
    every = [*single_forces(mechanism), *device_forces(mechanism)]
    every += [(row.output, row.measure) for row in mechanism.held]
    return {name: "N m" if on.is_angle(mechanism) else "N" for name, on in every}
