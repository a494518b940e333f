"""Mechanism -> model in natural coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from precompute.arrays import Array
from precompute.errors import AssemblyError, OutOfReach, PrecomputeError, SingularityError
from precompute.model.mechanism import Measure, Mechanism
from precompute.natural.following import AGREE, Followed, reach
from precompute.natural.freedoms import check_drivers
from precompute.natural.measuring import angles
from precompute.natural.moving import Columns, Moved
from precompute.natural.names import coordinate, known_coordinates, stiff_names
from precompute.natural.newton import solve
from precompute.natural.places import Places
from precompute.natural.system import NaturalSystem, natural_system
from precompute.natural.tangent import tangent

Values = Mapping[str, Array | float]
"""Coordinate -> (n,) or a constant."""


@dataclass(frozen=True, eq=False)
class NaturalModel:
    """A mechanism whose bodies are points and unit vectors that joints share.

    Coordinates have the names of the file (`coordinates.free.NAME`), else of what they measure: `joint.crank`,
    `joint.strut[2]`, `marker.wheel.z`, `spring.front.length`, `damper.front.length`, as candidates are called too
    (`crank`, `strut_2`, `wheel_z`, `front_length`); stiff directions as the FMU has them (`arm_mount.x`, `link[2]`).
    """

    mechanism: Mechanism
    _systems: dict[tuple[str, ...], NaturalSystem] = field(default_factory=dict)

    @cached_property
    def known(self) -> dict[str, Measure]:
        """All coordinates by name."""
        return known_coordinates(self.mechanism)

    @cached_property
    def stiff(self) -> dict[str, Measure]:
        """The stiff directions by name."""
        return dict(stiff_names(self.mechanism))

    def system(self, names: Iterable[str]) -> NaturalSystem:
        """The equations with these free or driven coordinates, and all stiff ones, as drivers."""
        free = tuple(name for name in names if name not in self.stiff)
        if free not in self._systems:
            of = {name: coordinate(self.mechanism, self.known, name) for name in free}
            self._systems[free] = natural_system(self.mechanism, of, self.stiff)
        return self._systems[free]

    @cached_property
    def design(self) -> Places:
        """The assembled design position, with no coordinate given but the stiff ones, which are zero.

        Raises:
            AssemblyError: it cannot be assembled from the points as they are drawn.
        """
        system = self.system(())
        start = system.driven.with_given(system.start, system.given(np.zeros((1, system.stiff)))[0])[None]
        found = solve(system.driven, start)
        if not found.residual[0] < AGREE or system.mirrored(found.x)[0]:
            raise AssemblyError(
                f"'{self.mechanism.name}' cannot be assembled from its design points: see what kinetab check says"
            )
        turned = angles(system.links, system.poses((found.x,)))
        return Places(system.names, np.zeros((1, system.stiff)), found.x, turned)

    def positions(self, values: Values, start: Places | None = None) -> Places:
        """Positions at n values of every independent coordinate, by continuation from the assembled design position.

        Args:
            values: name -> (n,) [m or rad]; as many free or driven coordinates as there are freedoms; stiff
                deflections by their names, zero if absent.
            start: solved places, of these coordinates or others, to start from in place of the design; each new place
                starts from the nearest of them.

        Raises:
            PrecomputeError: which coordinates are missing or clash; what cannot be reached.
        """
        system = self.system(values)
        target = self._table(system, values)
        begin = self.seen(self.design if start is None else start, system)
        if start is None:
            check_drivers(self.mechanism, system, begin)
        first = Followed(begin.x, begin.values, begin.angles, np.ones(len(begin), dtype=bool))
        done = reach(system, first, target)
        if not done.reached.all():
            raise self._unreached(system, target, done)
        return Places(system.names, target, done.x, done.angles)

    def seen(self, places: Places, system: NaturalSystem) -> Places:
        """The same places in the coordinates of another system."""
        if places.names == system.names:
            return places
        values = self.values(places, system.names)
        z = np.stack([np.zeros(len(places)), *(values[name] for name in system.names)], axis=1)[:, 1:]
        old = self.system(places.names)
        still = self._still(places)
        x = system.from_poses(old.poses((places.x,)), z, [still.measure(own.of).value for own in system.counted])
        return Places(system.names, z, solve(system.driven, x).x if system.more else x, places.angles)

    def motion(
        self, places: Places, rates: Values, accelerations: Values | None = None, jerks: Values | None = None
    ) -> Moved:
        """Velocities, accelerations and jerks at solved places, from one factorization each.

        Args:
            places: what `positions` gave.
            rates: coordinate -> (n,), zero if absent; so the others.
            accelerations: the same.
            jerks: the same.

        Raises:
            SingularityError: the coordinates do not determine the velocity somewhere.
        """
        system = self.system(places.names)
        given = (self._table(system, moving or {}, len(places)) for moving in (rates, accelerations, jerks))
        at = tangent(system.driven, places.x)
        self._check_rank(system, at.factor.rank, places)
        moved = at.rates(*system.given_rates(places.values, *given))
        x = (places.x, moved.velocity, moved.acceleration, moved.jerk)
        return Moved(self.mechanism, system, x, places.angles)

    def partials(self, places: Places) -> Columns:
        """Velocities per unit rate of each coordinate of the places, stiff ones included."""
        system = self.system(places.names)
        n, nz = places.values.shape
        at = tangent(system.driven, places.x)
        self._check_rank(system, at.factor.rank, places)
        still = np.zeros((n, nz))
        unit = np.stack([system.given_rates(places.values, still + e, still, still)[0] for e in np.eye(nz)], axis=2)
        velocity = np.swapaxes(at.partials @ unit, 1, 2).reshape(n * nz, -1)
        x = np.repeat(places.x, nz, axis=0)
        nothing = np.zeros_like(x)
        moved = Moved(self.mechanism, system, (x, velocity, nothing, nothing), np.repeat(places.angles, nz, axis=0))
        return Columns(system.names, moved)

    def values(self, places: Places, names: Sequence[str]) -> dict[str, Array]:
        """(n,) of coordinates by name, whether or not they are independent there; angles count their laps."""
        still = self._still(places)
        own = dict(zip(places.names, places.values.T, strict=True))
        known = self.known
        return {
            name: own[name] if name in own else still.measure(coordinate(self.mechanism, known, name)).value
            for name in names
        }

    def _still(self, places: Places) -> Moved:
        """At rest."""
        at_rest = (places.x, *3 * (np.zeros_like(places.x),))
        return Moved(self.mechanism, self.system(places.names), at_rest, places.angles)

    def _table(self, system: NaturalSystem, values: Values, n: int | None = None) -> Array:
        """(n, nz) values in the order of the drivers, zero where there are none."""
        for name in values:
            if name not in system.names:
                raise PrecomputeError(f"'{name}' is not given here; these are: {', '.join(system.names)}")
        columns = [np.asarray(values.get(name, 0.0), dtype=float) for name in system.names]
        table = np.broadcast_arrays(np.zeros(1 if n is None else n), *columns)
        return np.stack(table, axis=1)[:, 1:].copy()

    def _check_rank(self, system: NaturalSystem, rank: Array, places: Places) -> None:
        lost = np.flatnonzero(rank < len(system.driven.unknown))
        if lost.size:
            at = self._shown(system, places.values[lost[0]])
            raise SingularityError(f"'{self.mechanism.name}': the coordinates do not determine the motion at {at}")

    def _unreached(self, system: NaturalSystem, target: Array, done: Followed) -> OutOfReach:
        failed = np.flatnonzero(~done.reached)
        k, many = int(failed[0]), len(failed)
        return OutOfReach(
            f"'{self.mechanism.name}' cannot reach {self._shown(system, target[k])}"
            + (f" and {many - 1} more of {len(target)} positions" if many > 1 else "")
            + f": on the way the motion ends, or meets a dead centre, at {self._shown(system, done.z[k])}",
            target[k],
        )

    def _shown(self, system: NaturalSystem, z: Array) -> str:
        shown = [
            f"{d.name} = {d.of.shown(self.mechanism, float(value))}"
            for i, (d, value) in enumerate(zip(system.drivers, z, strict=True))
            if i < len(system.drivers) - system.stiff or value
        ]
        return ", ".join(shown) or "the design position"


def natural_model(mechanism: Mechanism) -> NaturalModel:
    """The model of a mechanism.

    Raises:
        PrecomputeError: something of the mechanism has no natural coordinates, or it cannot be assembled.
    """
    model = NaturalModel(mechanism)
    _ = model.design
    return model
