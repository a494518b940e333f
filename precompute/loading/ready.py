"""A mechanism made ready to be led along a motion: coordinates that are given, force laws, what depends on what."""

from __future__ import annotations

from dataclasses import dataclass, replace

from precompute.coordinates.decouple import find_dependence
from precompute.coordinates.independent import Coordinates, choose_coordinates
from precompute.coordinates.load_dependence import undefined_lines
from precompute.errors import PrecomputeError
from precompute.kinematics.assembly import Configuration, close_loops
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.topology import Topology, spanning_tree
from precompute.loading.motion import LoadMotion, known_columns
from precompute.model.mechanism import Coordinate, Mechanism
from precompute.reduction.elements import check_preload
from precompute.reduction.exact_loads import ExactLoads
from precompute.reduction.expansion import static_rest
from precompute.reduction.rest_devices import RestDevices
from precompute.reduction.rest_laws import Laws, laws_of

ROOM = 0.01
"""Of what a motion covers: how far beyond it the coordinates are looked at whose file has no range."""


@dataclass(frozen=True, eq=False)
class Ready:
    """A mechanism made ready to be led along a motion."""

    coordinates: Coordinates  # those that are given, then stiff ones
    design: Configuration
    loads: ExactLoads
    laws: Laws  # without devices
    devices: RestDevices | None  # None: there are none
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
    laws = laws_of(filled, coordinates.closure.poses(design.q))
    return Ready(
        coordinates=coordinates,
        design=design,
        loads=ExactLoads.of(coordinates, dependence),
        laws=replace(laws, at_rest=None),
        devices=laws.at_rest,
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
