"""Loads of a mechanism along a motion from exact kinematics: the loops closed at every sample, no tables, no bake.

Deflections of stiff directions are not given: they are those in which rubber balances all that acts on it at each
instant, the inertia of the given motion included; what the deflections themselves add to velocities and accelerations
is left out.  Where elements with formulas act on rubber, their forces along the motion and the deflections are found
in turn until they agree.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fmu_src.model.units import effort_of, rate_of
from precompute.arrays import Array
from precompute.coordinates.independent import Coordinates
from precompute.coordinates.stiff_check import stiff_name
from precompute.errors import PrecomputeError
from precompute.kinematics.assembly import Configuration
from precompute.kinematics.continuation import follow
from precompute.loading.axes import axes_in_words, rod_vectors, torn_lines, turned
from precompute.loading.balancing import Sampled, sampled, with_devices
from precompute.loading.devices import History
from precompute.loading.motion import LoadMotion, leaving, listed
from precompute.loading.ready import Ready, made_ready
from precompute.loading.record import JointLoads, idle_components
from precompute.loading.watching import JOINT, watched
from precompute.model.mechanism import GROUND, Mechanism
from precompute.threads import one_thread

CHUNK = 64
"""Samples that are solved at once; where the straight ways to them cannot be gone, fewer."""


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
    own, samples = with_devices(ready, motion, [sampled(ready, motion[which], q) for which, q in ways])
    parts = [sampled_loads(ready, part, axes) for part in samples]
    values = {name: np.concatenate([part[name] for part, _ in parts]) for name in parts[0][0]}
    torn = dict.fromkeys(name for _, names in parts for name in names)
    check_ranges(ready, motion, values)
    return recorded(ready, motion, values, own, axes, (*ready.undefined, *torn_lines(list(torn), axes or "")))


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


def sampled_loads(ready: Ready, part: Sampled, axes: str | None) -> tuple[dict[str, Array], list[str]]:
    """Everything at some samples by name; and vectors that are not whole."""
    closure, nf, names = ready.closure, len(ready.coordinates.free), ready.coordinates.names
    q, z, at = part.q, part.z, part.at
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


def check_ranges(ready: Ready, motion: LoadMotion, values: dict[str, Array]) -> None:
    """Of coordinates of the file that others stand for.

    Raises:
        PrecomputeError: they leave their ranges.
    """
    found = [p for c in ready.others for p in leaving(ready.mechanism, c, motion.time, values[f"q.{c.name}"])]
    if found:
        raise PrecomputeError(listed(motion.source, found))


def recorded(
    ready: Ready,
    motion: LoadMotion,
    values: dict[str, Array],
    devices: History | None,
    axes: str | None,
    undefined: tuple[str, ...],
) -> JointLoads:
    """All quantities with their units; the motion, and what was given besides, as inputs."""
    m, c = ready.mechanism, ready.coordinates
    units = {name: load_unit(name) for name in values}
    if devices is not None:
        values, units = values | devices.outputs, units | devices.units
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
        notes=(*((held,) if c.stiff else ()), *(devices.notes if devices else ())),
    )


def load_unit(name: str) -> str:
    """Of a load, or of the acceleration of a marker."""
    kind = name.rpartition(".")[2].partition("[")[0]
    return {"M": "N.m", "a": "m/s2", "wd": "rad/s2"}.get(kind, "N")
