"""A mechanism on the rig: its wheels' travels, what is held and all that gives way, as independent coordinates.

    z = [travels of wheels; held (steering, driven); loose (free, found by equilibrium); stiff (the same, on rubber)]

No table, no expansion: z is reached by closing the loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.coordinates.candidates import candidates
from precompute.coordinates.stiff_check import check_stiff_directions, stiff_name
from precompute.errors import MechanismError, SingularityError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.mobility import mobility
from precompute.kinematics.topology import spanning_tree
from precompute.measures.wheel_travel import WheelTravel
from precompute.model.mechanism import Measure, Mechanism, Port, Wheel

INDEPENDENT = 1e-6
"""Least share of a coordinate's motion that the coordinates before it do not have."""


@dataclass(frozen=True, eq=False)
class Bench:
    """A mechanism whose wheels stand on pads."""

    closure: Closure  # its coordinates are z
    q: Array  # (nq,) at the assembled design
    z: Array  # (nz,) there
    names: tuple[str, ...]  # nz
    wheels: tuple[Wheel, ...]  # nw
    steering: tuple[int | None, ...]  # of each axle of the mechanism: the number of its coordinate
    held: tuple[int, ...]  # numbers of the coordinates that are held
    ports: tuple[Port, ...]  # whose loads act: not those on wheel carriers, whose loads come from the pads

    @property
    def mechanism(self) -> Mechanism:
        """What is on the rig."""
        return self.closure.mechanism

    @property
    def elastic(self) -> bool:
        """Whether stiff directions give way."""
        return not self.closure.topology.locked and bool(self.mechanism.stiff_coordinates)


def bench(mechanism: Mechanism, elastic: bool = True) -> Bench:
    """Put a mechanism on the rig.

    Args:
        mechanism: with wheels.
        elastic: whether stiff directions give way; otherwise they are held at zero.

    Raises:
        MechanismError: it has no wheels.
        PrecomputeError: it cannot be assembled, or its wheels and steering do not determine its motion.
    """
    if not mechanism.wheels:
        raise MechanismError(
            ["it has no wheel; give it [wheels.NAME] with body, centre, spin_axis or toe and camber, and radius"],
            f"mechanism '{mechanism.name}'",
        )
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    _, null = mobility(mechanism, topology, design)
    rigid = Closure(mechanism, topology)
    named = free_coordinates(rigid, design.q, null)
    held = held_names(mechanism, named)
    order = [*range(len(mechanism.wheels))]
    order += [k for k, (name, _) in enumerate(named) if name in held and k not in order]
    order += [k for k in range(len(named)) if k not in order]
    free = [named[k] for k in order]
    closure = Closure(mechanism, topology, tuple(of for _, of in free))
    check_stiff_directions(closure, design.q)
    stiff = mechanism.stiff_coordinates if elastic else ()
    if stiff:
        closure = Closure(mechanism, topology.unlocked(), (*closure.coordinates, *stiff))
    names = (*(name for name, _ in free), *(stiff_name(mechanism, c) for c in stiff))
    carriers = {wheel.body for wheel in mechanism.wheels}
    numbers = [
        next((k for k, (_, of) in enumerate(free) if of.same(a.steering)), None) if a.steering else None
        for a in mechanism.axles
    ]
    return Bench(
        closure=closure,
        q=design.q,
        z=closure.values(closure.poses(design.q)),
        names=names,
        wheels=mechanism.wheels,
        steering=tuple(numbers),
        held=tuple(k for k, name in enumerate(names) if name in held),
        ports=tuple(p for p in mechanism.ports if mechanism.marker(p.marker).body not in carriers),
    )


def free_coordinates(closure: Closure, q: Array, null: Array) -> list[tuple[str, Measure]]:
    """Travels, steering, and of the coordinates of the file, or of all candidates, as many as are free besides.

    Raises:
        SingularityError: travels and steering do not move independently, or something moves that has no coordinate.
    """
    mechanism, P = closure.mechanism, closure.poses(q)
    travels: list[tuple[str, Measure]] = [(f"wheel.{w.name}.travel", WheelTravel(w.name)) for w in mechanism.wheels]
    steering = distinct_steering(mechanism)
    own = [(c.name, c.of) for c in mechanism.coordinates or ()]
    others = [(c.coordinate.name, c.coordinate.of) for c in candidates(mechanism)]
    basis = np.zeros((0, null.shape[1]))
    found: list[tuple[str, Measure]] = []
    for name, of in (*travels, *steering, *own, *others):
        row = of.row(P) * (closure.length if of.is_angle(mechanism) else 1.0) * closure.rate_weight @ null
        rest = row - basis.T @ (basis @ row)
        rest = rest - basis.T @ (basis @ rest)
        new = float(np.linalg.norm(rest)) > INDEPENDENT * max(float(np.linalg.norm(row)), INDEPENDENT)
        if new:
            found.append((name, of))
            basis = np.vstack([basis, rest / np.linalg.norm(rest)])
        elif len(found) < len(travels) + len(steering) and (name, of) in (*travels, *steering):
            raise cannot_move(name, [n for n, _ in found], row)
    if len(found) < null.shape[1]:
        raise SingularityError(
            f"'{mechanism.name}' has {null.shape[1]} freedoms, of which only {', '.join(n for n, _ in found)} are "
            "known; name the others in [coordinates.free]"
        )
    return found


def cannot_move(name: str, others: Sequence[str], row: Array) -> SingularityError:
    """The error for a travel or steering that is no freedom of its own."""
    if float(np.linalg.norm(row)) < INDEPENDENT:
        return SingularityError(f"'{name}' cannot move at the design position; check wheels, steering and joints")
    return SingularityError(
        f"'{name}' cannot be moved on its own: {' and '.join(others)} determine{'s' * (len(others) == 1)} it already. "
        "Check the joints, or take the steering out of the axle."
    )


def distinct_steering(mechanism: Mechanism) -> list[tuple[str, Measure]]:
    """What steers, each once, by the name of its coordinate if there is one."""
    found: list[tuple[str, Measure]] = []
    for axle in mechanism.axles:
        of = axle.steering
        if of is None or any(known.same(of) for _, known in found):
            continue
        named = [c.name for c in mechanism.coordinates or () if c.of.same(of)]
        found.append((named[0] if named else of.label, of))
    return found


def held_names(mechanism: Mechanism, named: Sequence[tuple[str, Measure]]) -> set[str]:
    """Names of what the rig holds besides wheels: steering, and coordinates that are driven."""
    steering = {name for name, _ in distinct_steering(mechanism)}
    driven = {c.name for c in mechanism.coordinates or () if c.driven}
    return (steering | driven) & {name for name, _ in named[len(mechanism.wheels) :]}
