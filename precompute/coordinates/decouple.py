"""Which independent coordinates each body, measure and marker really depends on.

A steering axle has many coordinates, but no part of it feels all of them: the steering linkage does not feel the wheel
travel, a wheel does not feel the other wheel.  What depends on the same coordinates is tabulated together over just
those, so that the size of the tables does not grow with the mechanism.

A pose that does not depend on z_k has a zero column k in its velocity coefficients everywhere; so the dependence is
read off exact velocities at scattered configurations of the whole range.  The structure of the equations says what can
depend on what (see `solving_order`); the numbers may find less, never more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.coordinates.held_check import check_curves, check_turns
from precompute.coordinates.independent import Coordinates
from precompute.coordinates.load_dependence import Axes, LoadDependence, UndefinedLoad, find_loads
from precompute.coordinates.solving_order import SolvingOrder, solving_order
from precompute.coordinates.stiff_check import check_bushing_turns
from precompute.errors import SweepError
from precompute.geometry.spatial import point_velocity
from precompute.kinematics.assembly import Configuration
from precompute.kinematics.coefficients import Closure, factorize, velocity_coefficients
from precompute.kinematics.continuation import follow
from precompute.kinematics.poses import velocities
from precompute.model.mechanism import JointCoordinate, Measure, Mechanism

SAMPLES = 48
"""Scattered configurations at which dependence is looked for."""

FEWEST_SAMPLES, SAMPLED_RATES = 12, 4000
"""Of mechanisms with many joints fewer, since each takes the cube of the number of their rates; but not below this."""

STEPS = 6
"""From design to each of them."""

ZERO = 1e-9
"""Motion below this fraction of the reference length, over the whole range of a coordinate, is none."""

DEFLECTION = 0.02
"""A large deflection of a stiff coordinate [rad], or as a share of the reference length."""

NOISE = 1e-6
"""Motion below this where the structure of the equations allows none is round-off; above, one of the two is wrong."""


@dataclass(frozen=True)
class Dependence:
    """Coordinates that each thing depends on."""

    nf: int  # table axes; larger numbers are stiff coordinates
    bodies: tuple[Axes, ...]  # nb, the mechanism's order
    measures: tuple[tuple[Measure, Axes], ...]  # of springs, dampers, bushings, those read and those watched, each once
    loads: tuple[LoadDependence, ...] = ()  # that are asked for and defined
    undefined: tuple[UndefinedLoad, ...] = ()  # that are asked for and not
    spins: tuple[tuple[int, Axes], ...] = ()  # bodies of revolution, and what turns them: nothing of their mass moves

    def spun(self, body: int) -> Axes:
        """Coordinates that a body depends on and its mass does not, as it turns about its axis of revolution."""
        return dict(self.spins).get(body, ())

    def body(self, mechanism: Mechanism, name: str) -> Axes:
        """Of a body by name; the ground depends on nothing."""
        names = [b.name for b in mechanism.bodies]
        return self.bodies[names.index(name)] if name in names else ()


def find_dependence(coordinates: Coordinates, design: Configuration) -> tuple[Dependence, Array]:
    """Look at scattered configurations.

    Returns:
        The dependence, and the configurations (n, nq) that were reached.
    """
    q = scattered_configurations(coordinates, design)
    check_bushing_turns(coordinates.closure, q)
    check_curves(coordinates.closure, q)
    check_turns(coordinates, design)
    order = solving_order(coordinates.closure, q)
    closure, at = coordinates.full, deflected(coordinates, q)
    m, t = closure.mechanism, closure.topology
    P = closure.poses(at)
    factor = factorize(closure, closure.matrix(P))
    B = velocity_coefficients(closure, factor)
    ranges = [c.upper - c.lower for c in coordinates.free]  # type: ignore[operator]
    span = np.concatenate([ranges, deflections(coordinates)])
    if not coordinates.stiff:
        confirm_structure(closure, order, np.abs(B * span).max(axis=0))
    W = velocities(t.reach, P.S, B) * span  # motion over the whole range
    W[..., :3, :] *= closure.length
    moved = np.abs(W).max(axis=(0, 2)) / closure.length  # (nb + 1, nz)
    bodies = tuple(narrowed(coordinates, moved[b], order, t.reach[b] != 0) for b in range(1, len(t.bodies)))
    acting: list[tuple[Measure, Axes]] = []
    for on in (*m.acting, *(read.of for read in m.read), *coordinates.watched):
        if not any(on.same(known) for known, _ in acting):
            row = on.moved_with.row(P)
            unit = 1.0 if on.moved_with.is_angle(m) else closure.length
            change = np.abs((row[:, None, :] @ B)[:, 0] * span).max(axis=0) / unit
            acting.append((on, narrowed(coordinates, change, order, (row != 0.0).any(axis=0))))
    loads, undefined = find_loads(closure, P, factor, B, span, bodies)
    return Dependence(len(coordinates.free), bodies, tuple(acting), loads, undefined, spins_of(coordinates)), q


def spins_of(coordinates: Coordinates) -> tuple[tuple[int, Axes], ...]:
    """The disc on the floor, if it is one of revolution, and the coordinate that it spins by."""
    mechanism = coordinates.closure.mechanism
    contact = mechanism.contact
    if contact is None:
        return ()
    number = next(i for i, body in enumerate(mechanism.bodies) if body.name == contact.body)
    spin = JointCoordinate(contact.spin)
    own = tuple(k for k, c in enumerate(coordinates.free) if c.of.same(spin))
    return ((number, own),) if contact.is_round(mechanism.bodies[number]) and own else ()


def deflections(coordinates: Coordinates) -> Array:
    """Large deflections of the stiff coordinates (ns,) [m or rad]."""
    weight = coordinates.full.coordinate_weight[len(coordinates.free) :]
    return np.asarray(DEFLECTION * coordinates.closure.length / weight)


def deflected(coordinates: Coordinates, q: Array) -> Array:
    """Configurations q (n, nq) with random deflections: what does not depend on an axis there does so for none."""
    if not coordinates.stiff:
        return q
    full, nf = coordinates.full, len(coordinates.free)
    z = full.values(full.poses(q))
    to = z.copy()
    to[:, nf:] = np.random.default_rng(5).uniform(-1.0, 1.0, (len(q), z.shape[1] - nf)) * deflections(coordinates)
    return follow(full, q, z, to).q


def narrowed(coordinates: Coordinates, moved: Array, order: SolvingOrder, rates: NDArray[np.bool_]) -> Axes:
    """Coordinates that move something by `moved` (nz,), of those that the rates (nv,) it is made of allow.

    The structure is that of the mechanism without deflections: with stiff coordinates the numbers alone decide.
    """
    if coordinates.stiff:
        return tuple(int(k) for k in np.flatnonzero(moved > ZERO))
    return tuple(k for k in order.axes_of_rates(rates) if moved[k] > ZERO)


def confirm_structure(closure: Closure, order: SolvingOrder, change: Array) -> None:
    """Compare the largest changes (nv, nz) of the joint coordinates with the structure: a bug if it allows less."""
    relative = change / closure.rate_weight[:, None] / closure.length
    m, t = closure.mechanism, closure.topology
    for joint, rates in zip(m.joints, t.v_slices, strict=True):
        for i in range(rates.start, rates.stop):
            allowed = order.axes_of_rates(np.arange(t.nv) == i)
            found = [k for k in range(relative.shape[1]) if relative[i, k] > NOISE and k not in allowed]
            if found:
                raise AssertionError(
                    f"joint '{joint.name}' of '{m.name}' moves with coordinates {found}, by up to "
                    f"{relative[i, found].max():.1e}, which the structure of its loops excludes; please report this"
                )


def axes_of(row: Array) -> Axes:
    """Numbers of the true entries."""
    return tuple(int(k) for k in np.flatnonzero(row))


def scattered_configurations(coordinates: Coordinates, design: Configuration) -> Array:
    """Configurations at random points of the whole range, as far as they can be reached.  -> (n, nq)."""
    closure: Closure = coordinates.closure
    rng = np.random.default_rng(3)
    lower, upper = (np.array([getattr(c, end) for c in coordinates.free]) for end in ("lower", "upper"))
    samples = max(FEWEST_SAMPLES, min(SAMPLES, SAMPLED_RATES // max(closure.topology.nv, 1)))
    z = rng.uniform(lower, upper, (samples, len(lower)))
    q, here = np.repeat(design.q[None], samples, 0), np.repeat(coordinates.design[None], samples, 0)
    for share in np.linspace(0.0, 1.0, STEPS + 1)[1:]:
        step = follow(closure, q, here, coordinates.design + share * (z - coordinates.design))
        q, here = step.q, step.z  # what cannot go on stays where it is: still a configuration of the range
    if not (np.abs(here - coordinates.design) > 0.0).any():
        raise SweepError("the mechanism cannot move from its design position; check the ranges of the coordinates")
    return q


def loop_dependence(coordinates: Coordinates, q: Array) -> tuple[Axes, ...]:
    """Coordinates that move the corners of each loop, at configurations q (n, nq): the joints' points on their bodies.

    Of couplings and constraints, those that move their joints.  A turn of a body about the line of its balls moves no
    corner: the wishbone loop does not feel the steering.
    """
    closure = coordinates.closure
    m, t = closure.mechanism, closure.topology
    P = closure.poses(q)
    B = velocity_coefficients(closure, factorize(closure, closure.matrix(P)))
    span = np.array([c.upper - c.lower for c in coordinates.free])  # type: ignore[operator]
    W = velocities(t.reach, P.S, B) * span
    connections = {c.name: c for c in m.connections}
    found = []
    rates = {j.name: s for j, s in zip(m.joints, t.v_slices, strict=True)}
    size = np.abs(B * span / closure.rate_weight[:, None]).max(axis=0)  # (nv, nz), metres
    for i in range(t.n_loops):
        moved = np.zeros(len(span), dtype=bool)
        for joint in t.loop_joints(m, i)[1:] if i >= len(t.Cc) else ():
            moved |= size[rates[joint]].max(axis=0, initial=0.0) > ZERO * closure.length
        for c in (connections[name] for name in t.loop_joints(m, i) if i < len(t.Cc)):
            for name, point in ((c.parent, c.p_P), (c.child, c.p_C)):
                b = t.bodies.index(name)
                v = point_velocity(W[:, b], P.X[b].point(point))
                moved |= np.abs(v).max(axis=(0, 1)) > ZERO * closure.length
        found.append(axes_of(moved))
    return tuple(found)
