"""What Taylor order and expansion point give: toe and camber of the double wishbone under large loads at rest.

    python benchmarks/expansion.py            bakes with orders 1 to 3 about zero and about static, prints; some minutes

Loads act at the contact patch, on top of the static wheel load; toe and camber are what they change of these.  Steering
is held; so is the shock, so that only the bushings give way, or it is free.  Exact is the equilibrium of the closed
kinematics (`exact_rest`), which the independent full model confirms.  See rig.py for axes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from rig import FILE, Forces, FullRig

from fmu_src.interface.variables import layout, variables
from fmu_src.model.reduced_model import ReducedModel
from fmu_src.numpy_runtime.dynamics import Runtime, prepare
from fmu_src.numpy_runtime.outputs import steer_camber
from fmu_src.numpy_runtime.reading import read
from fmu_src.numpy_runtime.state import State
from fmu_src.numpy_runtime.statics import balance
from precompute.arrays import Array
from precompute.coordinates.independent import Coordinates
from precompute.mechanism_file import load
from precompute.model.mechanism import Mechanism, Port
from precompute.pipeline import bake, survey
from precompute.reduction.exact_rest import exact_rest
from precompute.reference import coordinate_values, equilibrium

LOADS: dict[str, Forces] = {
    "lateral 5 kN, inward": {"contact": (-5000.0, 0.0, 0.0)},
    "lateral 5 kN, outward": {"contact": (5000.0, 0.0, 0.0)},
    "braking 3 kN": {"contact": (0.0, 3000.0, 0.0)},
    "both, inward": {"contact": (-5000.0, 3000.0, 0.0)},
}
"""[N] by port."""

ORDERS = (1, 2, 3)
ABOUT = ("zero", "static")
STEPS = 5  # from rest to the loads


def main() -> None:
    mechanism = load(FILE)
    exact, full = ExactStatics(mechanism), FullRig(mechanism)
    cases = [(forces, held) for forces in LOADS.values() for held in HELD]
    apart = max(np.abs(exact.change(*case) - full_change(full, *case)).max() for case in cases)
    print(f"Exact statics and the independent full model differ by {apart:.0e} deg at most")
    tables = {f"taylor = {o}, about {a}": table_change(mechanism, o, a) for a in ABOUT for o in ORDERS}
    for held in HELD:
        print(f"\nSteering {'and shock ' if held else ''}held; errors of toe and camber, of what the load changes")
        print("  " + " " * 26 + "".join(f"{name:>24s}" for name in LOADS))
        changes = [exact.change(forces, held) for forces in LOADS.values()]
        print(f"  {'exact toe, camber':26s}" + "".join(f"{toe:11.4f}, {camber:7.4f} deg" for toe, camber in changes))
        for name, found in tables.items():
            errors = [found.change(f, held) / change - 1.0 for f, change in zip(LOADS.values(), changes, strict=True)]
            print(f"  {name:26s}" + "".join(f"{100 * a:11.4f}, {100 * b:9.4f} %" for a, b in errors))


HELD = (True, False)


def loaded(mechanism: Mechanism, forces: Forces) -> tuple[Port, ...]:
    """The ports with more forces."""
    none = (0.0, 0.0, 0.0)
    return tuple(replace(p, force=tuple(np.add(p.force, forces.get(p.name, none)).tolist())) for p in mechanism.ports)


@dataclass(frozen=True, eq=False)
class ExactStatics:
    """The mechanism by its closed kinematics, nothing tabulated."""

    mechanism: Mechanism

    @cached_property
    def coordinates(self) -> Coordinates:
        """Of the mechanism; the first steers."""
        return survey(self.mechanism).atlas.pieces[0].coordinates

    @cached_property
    def design(self) -> Array:
        """(nq,)."""
        return survey(self.mechanism).design.q

    @cached_property
    def rest(self) -> Array:
        """(nq,) under the static wheel load, steering held."""
        return self.at(self.design, {}, 1)

    def at(self, q: Array, forces: Forces, first: int) -> Array:
        """Equilibrium (nq,) from q on, of the coordinates from `first` on."""
        full = self.coordinates.full
        some = range(first, len(full.coordinates))
        return exact_rest(full, self.design, q, some, loaded(self.mechanism, forces)).q

    def change(self, forces: Forces, held: bool) -> Array:
        """(2,) of toe and camber [deg]."""
        q = self.rest
        for share in np.linspace(0.0, 1.0, STEPS + 1)[1:]:
            part = {port: tuple((share * np.array(force)).tolist()) for port, force in forces.items()}
            q = self.at(q, part, len(self.coordinates.free) if held else 1)
        return self.angles(q) - self.angles(self.rest)

    def angles(self, q: Array) -> Array:
        """(2,) toe and camber [deg]."""
        marker = self.mechanism.marker("wheel")
        R = self.coordinates.full.poses(q[None]).pose(marker.body).R[0] @ marker.R
        return wheel_angles(self.mechanism, R)


def wheel_angles(mechanism: Mechanism, R: Array) -> Array:
    """(2,) steer and camber [deg] of the wheel with the rotation R (3, 3)."""
    marker = mechanism.marker("wheel")
    axis = marker.R.T @ np.asarray(marker.spin_axis)
    return np.degrees(steer_camber(R @ axis, marker.R @ axis))


def full_change(full: FullRig, forces: Forces, held: bool) -> Array:
    """(2,) of toe and camber [deg] by the full model."""
    start = equilibrium(full.model, full.rest, full.load({}), {"pitman": 0.0})
    names = [c.name for c in full.model.coordinates]
    kept = dict(zip(names, coordinate_values(full.model, start).tolist(), strict=True)) if held else {"pitman": 0.0}
    there = equilibrium(full.model, start, full.load(forces), kept)
    before, after = (wheel_angles(full.mechanism, full.pose(state)[2].as_matrix()) for state in (start, there))
    return after - before


@dataclass(frozen=True, eq=False)
class TableStatics:
    """The reduced model at rest."""

    mechanism: Mechanism
    model: ReducedModel

    @cached_property
    def runtime(self) -> Runtime:
        """Its only chart."""
        return prepare(self.model)[0]

    def change(self, forces: Forces, held: bool) -> Array:
        """(2,) of toe and camber [deg]."""
        rest = np.array([start.value for start in self.model.starts])
        there = self.at(rest, forces, self.runtime.nf if held else 1)
        return self.angles(there) - self.angles(rest)

    def at(self, rest: Array, forces: Forces, first: int) -> Array:
        """Equilibrium (nz,) of the coordinates from `first` on."""
        parameters = [p.value for p in self.model.parameters]
        inputs = np.array([v.start or 0.0 for v in variables(self.model)[layout(self.model).inputs]])
        ports = loaded(self.mechanism, forces)
        inputs[self.runtime.slots.loads] = np.concatenate([(*p.force, *p.moment) for p in ports])
        start = State(0.0, 0, 0, rest, np.zeros(rest.size))
        found = balance([self.runtime], start, range(first, rest.size), parameters, inputs)
        assert found.rest.found
        return found.state.z

    def angles(self, z: Array) -> Array:
        """(2,) toe and camber [deg]."""
        number = [m.name for m in self.model.markers].index("wheel")
        first = self.runtime.rows.markers[number].R
        R = read(self.runtime.everything, z)[0][first : first + 9].reshape(3, 3)
        return wheel_angles(self.mechanism, R)


def table_change(mechanism: Mechanism, order: int, about: str) -> TableStatics:
    """Bake it at rest with one Taylor order about one point."""
    tables = replace(mechanism.tables, taylor=order, about=about)  # type: ignore[arg-type]
    coordinates = tuple(replace(c, start=0.0) if c.name == "pitman" else c for c in mechanism.coordinates or ())
    experiment = replace(mechanism.experiment, static=True)
    return TableStatics(
        mechanism, bake(replace(mechanism, tables=tables, coordinates=coordinates, experiment=experiment))
    )


if __name__ == "__main__":
    main()
