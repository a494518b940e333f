"""The state of rest that motions are small about.

A suspension stands on the rig: its wheels at design height, on pads whose forces stay what they are there, or on its
tyres; what steers it is held.  Any other mechanism is in the equilibrium nearest to where its motion starts.  Driven
coordinates are held, and so is a chassis that moves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from precompute.arrays import Array
from precompute.coordinates.independent import Coordinates, choose_coordinates
from precompute.errors import MechanismError
from precompute.kinematics.assembly import Configuration, close_loops
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.topology import spanning_tree
from precompute.model.mechanism import Mechanism, Port
from precompute.reduction.exact_rest import ExactRest
from precompute.reduction.expansion import static_rest
from precompute.reduction.rest_forces import rest_forces
from precompute.reduction.rest_laws import Laws, laws_of
from precompute.rig.stand import stand

Ground = Literal["tyre", "load"]
"""What a wheel stands on: a road, through the vertical rate of its tyre, or a pad that keeps its force."""

BALANCED = 1e-9
"""Forces that are left, over those of a displacement by the reference length: the start is at rest then."""


@dataclass(frozen=True, eq=False)
class Resting:
    """A mechanism at rest; its coordinates are those of `closure`."""

    closure: Closure
    q: Array  # (nq,)
    names: tuple[str, ...]  # nz
    held: tuple[int, ...]  # numbers of coordinates that do not move
    laws: Laws
    ports: tuple[Port, ...]  # whose loads act
    pads: tuple[float, ...] = ()  # (nw,) vertical forces on the wheels [N]; none where no wheel stands on one
    rates: tuple[float, ...] = ()  # (nw,) of the tyres [N/m]; zero for pads
    text: str = ""  # in words, for those who read the numbers

    @property
    def mechanism(self) -> Mechanism:
        """With all preloads known."""
        return self.closure.mechanism

    @property
    def moving(self) -> list[int]:
        """Numbers of the coordinates that are not held."""
        return [k for k in range(len(self.names)) if k not in self.held]


def resting(mechanism: Mechanism, axle: str | None = None, on: Ground | None = None) -> Resting:
    """Find it.

    Args:
        mechanism: any.
        axle: which one stands on the rig, where there are several; None for the first.
        on: what wheels stand on; by default their tyres, where the file has rates of all.

    Raises:
        PrecomputeError: it cannot be assembled, or there is no equilibrium.
    """
    if mechanism.wheels:
        return on_wheels(mechanism, axle, on)
    if axle or on:
        raise MechanismError(
            [f"it has no wheel, so {'no axle' if axle else 'nothing'} stands on a rig"], f"mechanism '{mechanism.name}'"
        )
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    coordinates = choose_coordinates(mechanism, topology, design)
    found = equilibrium(mechanism, coordinates, design)
    closure = replace(coordinates.full, mechanism=found.mechanism)
    driven = tuple(k for k, c in enumerate(coordinates.free) if c.driven)
    laws = laws_of(found.mechanism, closure.poses(design.q))
    text = "in equilibrium, as near as it is to where the motion starts"
    return Resting(closure, found.q, coordinates.all_names, driven, laws, mechanism.ports, text=text)


def equilibrium(mechanism: Mechanism, coordinates: Coordinates, design: Configuration) -> ExactRest:
    """Where the motion starts, if it rests there: a crank that nothing pulls does anywhere.  Else near it.

    Raises:
        StaticsError: there is no equilibrium, or the start cannot be reached.
    """
    named = mechanism.coordinates and tuple(replace(c, start=None) for c in mechanism.coordinates)
    for static in (False, True):
        asked = replace(mechanism, experiment=replace(mechanism.experiment, static=static), coordinates=named)
        found = static_rest(asked, coordinates, design)
        if static or rests(coordinates, design, found, mechanism.ports):
            break
    return found


def rests(coordinates: Coordinates, design: Configuration, found: ExactRest, ports: tuple[Port, ...]) -> bool:
    """Whether nothing is left of the forces on coordinates that are not driven."""
    closure = replace(coordinates.full, mechanism=found.mechanism)
    at = rest_forces(closure, laws_of(found.mechanism, closure.poses(design.q)), ports, found.q[None])
    scale = np.linalg.norm(at.K[0] * closure.coordinate_weight, axis=1) * closure.length
    own = [k for k in range(len(scale)) if not (k < len(coordinates.free) and coordinates.free[k].driven)]
    return bool((np.abs(at.Q[0]) <= BALANCED * (scale + np.abs(scale).max(initial=0.0)))[own].all())


def on_wheels(mechanism: Mechanism, axle: str | None, on: Ground | None) -> Resting:
    """A suspension, on its tyres or on pads."""
    rates = [wheel.tyre_rate for wheel in mechanism.wheels]
    if on == "tyre" and None in rates:
        names = [f"'{wheel.name}'" for wheel in mechanism.wheels if wheel.tyre_rate is None]
        raise MechanismError(
            [f"wheel{'s' * (len(names) > 1)} {', '.join(names)} cannot stand on tyres; say their tyre_rate"],
            f"mechanism '{mechanism.name}'",
        )
    tyres = on != "load" and None not in rates
    own = stand(mechanism, axle)
    bench, rest = own.rig.bench, own.rest
    return Resting(
        closure=bench.closure,
        q=rest.q[0, 0],
        names=bench.names,
        held=bench.held,
        laws=own.rig.laws,
        ports=bench.ports,
        pads=tuple(rest.pads[0, 0].tolist()),
        rates=tuple(float(rate or 0.0) if tyres else 0.0 for rate in rates),
        text=f"wheels at design height, on {'their tyres' if tyres else 'pads that keep their forces'}",
    )
