"""Loads of a mechanism along a motion from exact kinematics: the loops closed at every sample, no tables, no bake.

Deflections of stiff directions are not given: they are those in which rubber balances all that acts on it at each
instant, the inertia of the given motion included; what the deflections themselves add to velocities and accelerations
is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from fmu_src.model.units import effort_of, rate_of
from precompute.arrays import Array
from precompute.coordinates.decouple import find_dependence
from precompute.coordinates.independent import Coordinates, choose_coordinates
from precompute.coordinates.load_dependence import undefined_lines
from precompute.coordinates.stiff_check import stiff_name
from precompute.errors import PrecomputeError
from precompute.kinematics.assembly import Configuration, close_loops
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.continuation import follow
from precompute.kinematics.topology import Topology, spanning_tree
from precompute.loading.acting import Along, along
from precompute.loading.axes import axes_in_words, rod_vectors, torn_lines, turned
from precompute.loading.motion import LoadMotion, known_columns, leaving, listed
from precompute.loading.record import JointLoads, idle_components
from precompute.loading.watching import JOINT, watched
from precompute.model.mechanism import GROUND, Coordinate, Mechanism
from precompute.reduction.elements import check_preload
from precompute.reduction.exact_loads import Acting, ExactLoads
from precompute.reduction.expansion import static_rest
from precompute.reduction.rest_laws import Laws, laws_of
from precompute.threads import one_thread

CHUNK = 64
"""Samples that are solved at once; where the straight ways to them cannot be gone, fewer."""

ITERATIONS = 40
"""Until deflections are in equilibrium; five are usual."""

AT_REST = 1e-10
"""The last step of deflections, over the reference length."""

LARGEST_STEP = 0.1
"""Of a deflection at once, over the reference length."""

ROOM = 0.01
"""Of what a motion covers: how far beyond it the coordinates are looked at whose file has no range."""


@dataclass(frozen=True, eq=False)
class Ready:
    """A mechanism made ready to be led along a motion."""

    coordinates: Coordinates  # those that are given, then stiff ones
    design: Configuration
    loads: ExactLoads
    laws: Laws
    undefined: tuple[str, ...]  # in words
    others: tuple[Coordinate, ...]  # of the file, that the given ones stand for

    @property
    def closure(self) -> Closure:
        """With all coordinates."""
        return self.coordinates.full

    @property
    def mechanism(self) -> Mechanism:
        """Whose it is."""
        return self.closure.mechanism


@one_thread
def exact_loads(mechanism: Mechanism, motion: LoadMotion, axes: str | None = None) -> JointLoads:
    """Loads of all joints that ask for them, of all if none does, and the forces that lead the coordinates.

    Args:
        mechanism: the mechanism.
        motion: as many coordinates as it has freedoms, and what acts.
        axes: of the loads: "ground", "joint" or the name of a body; None: as the file says.

    Raises:
        PrecomputeError: the coordinates do not determine the motion, it cannot be followed or leaves ranges, or rubber
            finds no equilibrium; there is no such body.
    """
    ready = made_ready(watched(mechanism, axes), motion)
    z = np.stack([motion.coordinates.motions[name][0] for name in ready.coordinates.names], axis=-1)
    ways = followed(ready.coordinates, ready.design, motion.time, z, motion.source)
    parts = [sampled_loads(ready, motion[which], q, axes) for which, q in ways]
    values = {name: np.concatenate([part[name] for part, _ in parts]) for name in parts[0][0]}
    torn = dict.fromkeys(name for _, names in parts for name in names)
    check_ranges(ready, motion, values)
    return recorded(ready, motion, values, axes, (*ready.undefined, *torn_lines(list(torn), axes or "")))


def made_ready(mechanism: Mechanism, motion: LoadMotion) -> Ready:
    """Coordinates, force laws and loads of a mechanism whose given coordinates are independent.

    Raises:
        PrecomputeError: they are not, or a preload cannot be found.
    """
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    given = replace(mechanism, coordinates=led_coordinates(mechanism, topology, design, motion))
    for spring in mechanism.springs:
        check_preload(mechanism, spring)
    try:
        coordinates = choose_coordinates(given, topology, design)
    except PrecomputeError as error:
        raise PrecomputeError(f"{motion.source}: {error}") from None
    dependence, _ = find_dependence(coordinates, design)
    filled = mechanism
    if any(spring.static_preload for spring in mechanism.springs):
        filled = static_rest(given, coordinates, design).mechanism
    return Ready(
        coordinates=coordinates,
        design=design,
        loads=ExactLoads.of(coordinates, dependence),
        laws=laws_of(filled, coordinates.closure.poses(design.q)),
        undefined=undefined_lines(mechanism, topology, dependence.undefined),
        others=tuple(c for c in mechanism.coordinates or () if not any(own.of.same(c.of) for own in coordinates.free)),
    )


def led_coordinates(
    mechanism: Mechanism, topology: Topology, design: Configuration, motion: LoadMotion
) -> tuple[Coordinate, ...]:
    """The coordinates that are given, with ranges: those of the file, or what the motion covers and design."""
    known, P = known_columns(mechanism).coordinates, Closure(mechanism, topology).poses(design.q)
    found = []
    for name, values in motion.coordinates.derivative(0).items():
        of = known[name]
        own = next((c for c in mechanism.coordinates or () if c.of.same(of)), Coordinate(name, of))
        if own.lower is None:
            covered = [*values.tolist(), float(of.value(P))]
            room = ROOM * max(max(covered) - min(covered), ROOM)
            own = replace(own, lower=min(covered) - room, upper=max(covered) + room, periodic=False)
        found.append(replace(own, name=name))
    return tuple(found)


def followed(
    coordinates: Coordinates, design: Configuration, t: Array, z: Array, source: str
) -> Iterator[tuple[slice, Array]]:
    """Samples of values z (n, nf) over t (n,), some after the others, with configurations (., nq), not deflected.

    Raises:
        PrecomputeError: with the time at which the loops cannot follow, and how far they can.
    """
    first, size, q, here = 0, CHUNK, design.q, coordinates.design
    while first < len(t):
        to = z[first : first + size]
        done = follow(coordinates.closure, np.repeat(q[None], len(to), 0), np.repeat(here[None], len(to), 0), to)
        if not done.reached.all():
            if size > 1:
                size //= 2
                continue
            raise PrecomputeError(f"{source}: {unreached(coordinates, t, z, first, done.z[0])}")
        yield slice(first, first + len(to)), done.q
        first, size, q, here = first + len(to), min(2 * size, CHUNK), done.q[-1], to[-1]


def unreached(coordinates: Coordinates, t: Array, z: Array, sample: int, far: Array) -> str:
    """Where a motion ends whose sample cannot be reached from the one before, or from design; in words."""
    asked = f"{coordinates.point(z[sample])} at {t[sample]:.6g} s cannot be reached"
    since = "from design " if sample == 0 else ""
    advice = "start inside of" if sample == 0 else "end or turn before"
    return f"{asked}; {since}the loops close as far as {coordinates.point(far)}. Let the motion {advice} that"


def sampled_loads(ready: Ready, motion: LoadMotion, q: Array, axes: str | None) -> tuple[dict[str, Array], list[str]]:
    """Everything at some samples by name, from configurations without deflection; and vectors that are not whole."""
    closure, nf, names = ready.closure, len(ready.coordinates.free), ready.coordinates.names
    zd, zdd = (np.zeros((len(q), len(closure.coordinates))) for _ in range(2))
    for order, out in ((1, zd), (2, zdd)):
        out[:, :nf] = np.stack([motion.coordinates.motions[name][order] for name in names], axis=-1)
    acting = started(ready.mechanism, motion, zd, zdd)
    q, z, at = deflected(ready, q, acting, motion)
    loads = dict(zip(ready.loads.names, ready.loads.at(q, at.acting).T, strict=True))
    P, torn = closure.poses(q), list[str]()
    if axes not in (None, JOINT):
        loads |= rod_vectors(ready.mechanism, P, loads)
    if axes not in (None, JOINT, GROUND):
        loads, torn = turned(loads, P, axes or "")
    drives = {f"drive.{name}.force": at.needed[:, k] for k, name in enumerate(names)}
    stiff = {f"q.{name}": z[:, nf + k] for k, name in enumerate(ready.coordinates.all_names[nf:])}
    others = {f"q.{c.name}": c.of.value(P) for c in ready.others}
    return drives | loads | stiff | others, torn


def started(mechanism: Mechanism, motion: LoadMotion, zd: Array, zdd: Array) -> Acting:
    """What acts, before forces of elements and wrenches are known."""
    n, moving = len(zd), mechanism.chassis == "moving"
    return Acting(
        rates=zd,
        accelerations=zdd,
        gravity=motion.vectors("gravity") if moving else np.tile(mechanism.gravity, (n, 1)),
        forces=np.zeros((n, 0)),
        wrenches=np.zeros((n, 0, 2, 3)),
        twist=motion.vectors("chassis.w", "chassis.v") if moving else None,
        twist_rate=motion.vectors("chassis.wd", "chassis.vd") if moving else None,
    )


def deflected(ready: Ready, q: Array, acting: Acting, motion: LoadMotion) -> tuple[Array, Array, Along]:
    """Configurations (n, nq) with the deflections at which nothing is left to be supplied along them, z, and forces.

    Raises:
        PrecomputeError: there are none; says when, and which force is left.
    """
    closure, nf = ready.closure, len(ready.coordinates.free)
    z = closure.values(closure.poses(q))
    stiff = slice(nf, None)
    for _ in range(ITERATIONS):
        at = along(closure, ready.laws, q, acting, motion)
        if nf == z.shape[1]:
            return q, z, at
        dz = np.zeros(z.shape)
        try:
            dz[:, stiff] = np.linalg.solve(at.rest.K[:, stiff, stiff], -at.needed[:, stiff, None])[..., 0]
        except np.linalg.LinAlgError:
            break
        size = np.abs(dz * closure.coordinate_weight).max(axis=1) / closure.length
        if (size < AT_REST).all():
            return q, z, at
        share = np.minimum(1.0, LARGEST_STEP / np.maximum(size, 1e-300))
        done = follow(closure, q, z, z + share[:, None] * dz)
        if not done.reached.all():
            break
        q, z = done.q, done.z
    raise PrecomputeError(f"{motion.source}: {not_balanced(ready, at, motion.time)}")


def not_balanced(ready: Ready, at: Along, t: Array) -> str:
    """Where rubber finds no equilibrium: the force that is left, where it is largest."""
    m, nf, closure = ready.mechanism, len(ready.coordinates.free), ready.closure
    left = np.abs(at.needed[:, nf:] / closure.coordinate_weight[nf:])
    sample, k = np.unravel_index(int(np.argmax(left)), left.shape)
    force = m.units.shown_effort(float(at.needed[sample, nf + k]), closure.coordinates[nf + k].is_angle(m), 4)
    name = ready.coordinates.all_names[nf + k]
    return (
        f"no deflection of '{name}' carries what acts at {t[sample]:.6g} s: {force} is left. Check bushings, the "
        "forces of ports and wheels, and the accelerations of the motion"
    )


def check_ranges(ready: Ready, motion: LoadMotion, values: dict[str, Array]) -> None:
    """Of coordinates of the file that others stand for.

    Raises:
        PrecomputeError: they leave their ranges.
    """
    found = [p for c in ready.others for p in leaving(ready.mechanism, c, motion.time, values[f"q.{c.name}"])]
    if found:
        raise PrecomputeError(listed(motion.source, found))


def recorded(
    ready: Ready, motion: LoadMotion, values: dict[str, Array], axes: str | None, undefined: tuple[str, ...]
) -> JointLoads:
    """All quantities with their units; the motion, and what was given besides, as inputs."""
    m, c = ready.mechanism, ready.coordinates
    units = {name: load_unit(name) for name in values}
    inputs = {}
    for name, coordinate in zip(c.names, c.free, strict=True):
        unit = coordinate.of.unit(m)
        units[f"drive.{name}.force"] = effort_of(unit)
        for order, own in enumerate((unit, rate_of(unit), f"{unit}/s2")):
            inputs[f"q{'d' * order}.{name}"] = motion.coordinates.motions[name][order]
            units[f"q{'d' * order}.{name}"] = own
    named = [(stiff_name(m, of), of) for of in c.stiff] + [(other.name, other.of) for other in ready.others]
    units |= {f"q.{name}": of.unit(m) for name, of in named}
    inputs |= {name: motion.inputs[name] for name in motion.given}
    units |= {name: motion.units[name] for name in motion.given}
    held = f"{len(c.stiff)} stiff directions are in equilibrium at each sample, without velocities of their own"
    return JointLoads(
        name=m.name,
        time=motion.time,
        outputs=values,
        inputs=inputs,
        units=units,
        axes=axes_in_words(axes),
        idle=idle_components(m),
        undefined=undefined,
        warnings=motion.warnings,
        notes=(held,) if c.stiff else (),
    )


def load_unit(name: str) -> str:
    """Of a load, or of the acceleration of a marker."""
    kind = name.rpartition(".")[2].partition("[")[0]
    return {"M": "N.m", "a": "m/s2", "wd": "rad/s2"}.get(kind, "N")
