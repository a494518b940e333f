"""The double wishbone on a test rig: the same experiments on the independent full model and on the reduced one.

Everything happens about rest under the static wheel load of the mechanism file, 5 kN up at the contact patch.  Ground
axes: x outboard (lateral), y along the car (longitudinal), z up.  All results are SI.

    frequencies     of small motions without damping
    compliance      linear response to a small load
    statics         exact response to a load of 1 kN
    step            motion after loads are switched on at t = 0

Responses are measured either with all coordinates free, or with steering and shock held where they are at rest, so that
only the bushings give way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from fmu_src.interface.variables import layout, variables
from fmu_src.model.reduced_model import ReducedModel
from fmu_src.numpy_runtime.dynamics import Runtime, generalized_force, mechanics, prepare
from fmu_src.numpy_runtime.instance import Instance
from fmu_src.numpy_runtime.outputs import steer_camber
from precompute.arrays import Array
from precompute.model.mechanism import Mechanism
from precompute.reference import (
    FullState,
    Loads,
    assemble,
    coordinate_values,
    equilibrium,
    full_model,
    response,
    simulate,
    small_motions,
)
from precompute.reference.recording import marker_motions

FILE = Path(__file__).resolve().parent.parent / "integration" / "mechanisms" / "double_wishbone.toml"

STEP = {"contact": (1500.0, 2000.0, 1000.0)}
"""[N] Added to the wheel load: 1.5 kN lateral, 2 kN longitudinal, 1 kN vertical."""

CASES = {
    "longitudinal at contact patch": {"contact": (0.0, 1000.0, 0.0)},
    "lateral at contact patch": {"contact": (1000.0, 0.0, 0.0)},
    "vertical at contact patch": {"contact": (0.0, 0.0, 1000.0)},
    "longitudinal at wheel centre": {"wheel": (0.0, 1000.0, 0.0)},
    "lateral at wheel centre": {"wheel": (1000.0, 0.0, 0.0)},
}
"""[N] Five loads of 1 kN each."""

Forces = dict[str, tuple[float, float, float]]  # [N] by port

APART = 1e-6  # of the differences that linearize the reduced model [m or rad]
NEWTON_STEPS = 6
IDLE = 0.1  # [Hz] below which nothing holds a motion: links between balls spin


@dataclass(frozen=True, eq=False)
class Response:
    """How a load moves the wheel."""

    wheel: Array  # (3,) of the wheel centre [m]
    contact: Array  # (3,) of the contact patch [m]
    turn: Array  # (3,) rotation vector of the hub [rad]; [2] is toe

    def error(self, exact: Response) -> float:
        """Largest error of the three and of toe, each relative to its own length."""
        pairs = (
            (self.wheel, exact.wheel),
            (self.contact, exact.contact),
            (self.turn, exact.turn),
            (self.turn[2:], exact.turn[2:]),
        )
        return max(float(np.linalg.norm(a - b) / np.linalg.norm(b)) for a, b in pairs)


@dataclass(frozen=True, eq=False)
class Motion:
    """Motion of the wheel after a step."""

    r: Array  # (nt, 3) wheel centre [m]
    steer: Array  # (nt,) [rad]

    def errors(self, exact: Motion) -> tuple[float, float]:
        """Of the wheel centre, as a share of its largest displacement; of the steer angle [deg]."""
        way = np.linalg.norm(exact.r - exact.r[0], axis=1).max()
        return (
            float(np.linalg.norm(self.r - exact.r, axis=1).max() / way),
            float(np.degrees(np.abs(self.steer - exact.steer).max())),
        )


class FullRig:
    """The full model: bodies with six freedoms each, bushings as force elements, nothing tabulated."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism, self.model = mechanism, full_model(mechanism)
        self.rest = equilibrium(self.model, assemble(self.model, {}), self.load({}))
        names = [c.name for c in self.model.coordinates]
        self.coordinates = dict(zip(names, coordinate_values(self.model, self.rest).tolist(), strict=True))

    def load(self, more: Forces) -> Loads:
        """The wheel load and more."""
        none = (0.0, 0.0, 0.0)
        ports = self.mechanism.ports
        return Loads({p.name: (np.add(p.force, more.get(p.name, none)), np.array(p.moment)) for p in ports})

    def frequencies(self) -> Array:
        """[Hz], ascending, of the motions that something holds."""
        found = small_motions(self.model, self.rest, self.load({})).frequencies
        return found[found > IDLE]

    def compliance(self, forces: Forces, held: bool) -> Response:
        """To first order, scaled to the forces given."""
        kept = self.coordinates if held else {}
        moved = response(self.model, self.rest, self.load({}), self.load(forces), kept)
        markers = marker_motions(self.model, [moved])
        return Response(markers["wheel"].v[0], markers["contact"].v[0], markers["wheel"].w[0])

    def statics(self, forces: Forces, held: bool) -> Response:
        """The exact difference between two equilibria."""
        there = equilibrium(self.model, self.rest, self.load(forces), self.coordinates if held else {})
        return between(*(self.pose(state) for state in (self.rest, there)))

    def pose(self, state: FullState) -> Pose:
        """Of the wheel."""
        markers = marker_motions(self.model, [state])
        return markers["wheel"].p[0], markers["contact"].p[0], Rotation.from_matrix(markers["wheel"].R[0])

    def step(self, times: Array, rtol: float) -> Motion:
        """Motion from rest under the loads of STEP."""
        load = self.load(STEP)
        wheel = simulate(self.model, self.rest, times, lambda _: load, rtol).markers["wheel"]
        marker = self.mechanism.marker("wheel")
        axis = np.asarray(marker.spin_axis)
        return Motion(wheel.p, np.array([steer_camber(R @ axis, marker.R @ axis)[0] for R in wheel.R]))


Pose = tuple[Array, Array, Rotation]  # wheel centre, contact patch, hub


def between(before: Pose, after: Pose) -> Response:
    """The way from one pose to another."""
    return Response(after[0] - before[0], after[1] - before[1], (after[2] * before[2].inv()).as_rotvec())


class ReducedRig:
    """The reduced model, baked with `static`: it starts at rest."""

    def __init__(self, model: ReducedModel) -> None:
        self.model, self.charts = model, prepare(model)
        self.z = np.array([start.value for start in model.starts])
        self.parameters = [p.value for p in model.parameters]
        self.inputs = np.array([v.start or 0.0 for v in variables(model)[layout(model).inputs]])
        self.at = mechanics(self.charts[0], self.z)
        steps = APART * np.eye(self.z.size)
        self.K = np.array([self.force(self.z - s) - self.force(self.z + s) for s in steps]).T / (2.0 * APART)

    def force(self, z: Array) -> Array:
        """Generalized forces (nz,) on the mechanism at rest at z, under the wheel load."""
        runtime = self.charts[0]
        return generalized_force(runtime, mechanics(runtime, z), np.zeros(z.size), self.parameters, self.inputs)

    def frequencies(self) -> Array:
        """[Hz], ascending."""
        return np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(self.at.J, self.K)).real)) / (2.0 * np.pi)

    def compliance(self, forces: Forces, held: bool) -> Response:
        """To first order: dz = K^-1 (dr/dz)^T F."""
        ports = [port.name for port in self.model.ports]
        r = dict(zip(ports, self.at.dr.T.reshape(-1, 3, self.z.size), strict=False))  # wheels come after them
        push = np.sum([r[port].T @ force for port, force in forces.items()], axis=0)
        free = slice(self.charts[0].nf if held else 0, None)
        dz = np.zeros(self.z.size)
        dz[free] = np.linalg.solve(self.K[free, free], push[free])
        return Response(r["wheel"] @ dz, r["contact"] @ dz, self.at.A[:3] @ dz)  # all ports are on the hub

    def statics(self, forces: Forces, held: bool) -> Response:
        """What the quasi-static option shows when the forces are set, and the coordinates rest again if not held."""
        charts = prepare(replace(self.model, quasistatic=True))  # the tables are the same
        poses = []
        for more in ({}, forces):
            bench = Bench(charts)
            bench.add(more)
            if not held:
                bench.settle()
            poses.append(bench.pose())
        return between(*poses)

    def step(self, times: Array, longest: float) -> Motion:
        """Motion from rest under the loads of STEP, as a master sees it; integrator steps up to `longest` [s]."""
        bench = Bench(self.charts)
        bench.set(["solver.step"], [longest])
        bench.instance.exit_initialization()
        bench.add(STEP)
        found = [bench.wheel()]
        for t0, t1 in zip(times[:-1].tolist(), times[1:].tolist(), strict=True):
            bench.instance.step(t0, t1 - t0)
            found.append(bench.wheel())
        return Motion(np.array(found)[:, :3], np.array(found)[:, 3])


class Bench:
    """An instance in initialization, with its variables by name."""

    def __init__(self, charts: Sequence[Runtime]) -> None:
        self.instance = Instance(charts)
        self.number = {v.name: i for i, v in enumerate(self.instance.variables)}
        self.instance.setup(0.0)
        self.instance.enter_initialization()

    def get(self, *names: str) -> Array:
        """Values of variables."""
        return np.array(self.instance.get([self.number[name] for name in names]))

    def set(self, names: Sequence[str], values: Sequence[float] | Array) -> None:
        """Set inputs and parameters."""
        self.instance.set([self.number[name] for name in names], [float(x) for x in values])

    def add(self, forces: Forces) -> None:
        """Add forces to the loads of the ports."""
        for port, force in forces.items():
            names = [f"port.{port}.F[{i}]" for i in (1, 2, 3)]
            self.set(names, self.get(*names) + force)

    def vector(self, name: str) -> Array:
        """(3,) of an output with three components."""
        return self.get(*(f"{name}[{i}]" for i in (1, 2, 3)))

    def wheel(self) -> Array:
        """(4,) wheel centre [m] and steer angle [rad]."""
        return np.append(self.vector("marker.wheel.r"), self.get("marker.wheel.steer"))

    def pose(self) -> Pose:
        """Of the wheel."""
        hub = Rotation.from_euler("xyz", self.vector("marker.wheel.angle"))
        return self.vector("marker.wheel.r"), self.vector("marker.contact.r"), hub

    def settle(self) -> None:
        """Move the coordinates to where they do not accelerate, by Newton's method with differences."""
        names = [c.name for c in self.instance.model.coordinates]
        starts, rates = [f"q_start.{name}" for name in names], [f"qdd.{name}" for name in names]

        def accelerations(q: Array) -> Array:
            self.set(starts, q)
            return self.get(*rates)

        q = self.get(*starts)
        for _ in range(NEWTON_STEPS):
            slope = [(accelerations(q + d) - accelerations(q - d)) / (2.0 * APART) for d in APART * np.eye(q.size)]
            q = q - np.linalg.solve(np.array(slope).T, accelerations(q))
        self.set(starts, q)
