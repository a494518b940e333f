"""The kernel against other engines: the same suspension, the same forces, errors against the same full model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from engines.common import ALLOWED, FINE, HOLD, Case, EngineResult, Motion, cases, forces, installed
from engines.truth import Truth, truth

from fmu_src.interface.variables import variables
from parts.kernel import Kernel, Variables
from parts.models import Baked, mechanism, port_inputs, references, with_method, with_tables
from parts.models import baked as bake_again
from parts.timing import interleaved
from precompute.arrays import Array

RUNS = 20
"""Manoeuvres in one timing of the kernel."""

NEEDED = {"rigid_1": 100.0, "rigid_2": 60.0, "bushings_1": 20.0}
"""How many times faster than the fastest exact engine the kernel shall be."""

NEEDED_ANY = 10.0
"""The same against any configuration, whatever its error."""

HAND_WRITTEN = {"rigid_1": 318.0, "rigid_2": 180.0, "bushings_1": 88.0}
"""MuJoCo RK4 over a hand-written table model; the kernel shall be within a factor of 2.5."""
SLOWER = 2.5


METHODS = {"rk4": "RK4", "midpoint": "midpoint"}
STIFF_METHODS = {"rk4": "implicit, order 3", "midpoint": "implicit midpoint"}

FIRST_ORDER = {"taylor": 1, "inertia": 0}
"""Tables of first order in the deflections, as in the reference text."""


class KernelCase(Case):
    """The kernel at the master's step, with internal steps of `solver_step` [s]."""

    engine = "kernel"

    def __init__(self, exact: Truth, baked: Baked, solver_step: float = HOLD, note: str = "") -> None:
        self.truth, self.step = exact, solver_step
        model = baked.model
        self.configuration = (STIFF_METHODS if model.stiff else METHODS)[model.method] + note
        self.kernel = Kernel(baked.library, baked.path, solver_step)
        self.force = forces(exact.milliseconds)
        self.inputs = Variables(port_inputs(model)[:3], self.force)
        places, marker = references(variables(model)), model.markers[model.ports[0].marker].name
        self.position = [places[f"marker.{marker}.{kind}[{i}]"] for kind in ("r", "angle") for i in (1, 2, 3)]
        self.ports = port_inputs(model)[:3]

    def simulate(self) -> Motion:
        """Run and look at the wheel."""
        self.kernel.restart()
        rows = [self.kernel.get(self.position)]
        for force in self.force:
            self.kernel.set(self.ports, force)
            self.kernel.step(HOLD)
            rows.append(self.kernel.get(self.position))
        found = np.array(rows)
        return Motion(found[:, :3], np.array([rotation(a) @ self.truth.wheel[2] for a in found[:, 3:]]))

    def run(self) -> None:
        """Run the manoeuvre in C."""
        self.kernel.time_forces(self.inputs, len(self.force), HOLD)

    def time_once(self) -> float:
        """Processor time [us per step], mean of several manoeuvres, each from the start."""
        return float(np.mean([self.kernel.time_forces(self.inputs, len(self.force), HOLD) for _ in range(RUNS)]))


def rotation(angles: Array) -> Array:
    """R of roll, pitch and yaw: about x, then y, then z of the ground."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(angles), np.sin(angles)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


@dataclass(frozen=True)
class Ratio:
    """One demand of the comparison."""

    what: str
    found: float
    needed: float

    @property
    def met(self) -> bool:
        """Whether the kernel is fast enough."""
        return self.found >= self.needed


def measure(name: str, baked: Baked, repetitions: int) -> dict[str, object]:
    """Errors and times of the kernel and of all engines for one mechanism, and the ratios asked for."""
    exact = truth(name)
    ways = [baked, with_method(baked, "midpoint")]
    all_cases = [KernelCase(exact, way, step) for way in ways for step in (HOLD, HOLD / 2)]
    if baked.model.stiff:
        coarse = bake_again(with_tables(mechanism(name), **FIRST_ORDER))
        all_cases.append(KernelCase(exact, with_method(coarse, "midpoint"), HOLD, ", first-order tables"))
    everything: list[Case] = [*all_cases, *(case for engine in installed() for case in cases(exact, engine))]
    stable = {i: case.time_once for i, case in enumerate(everything) if np.isfinite(case.errors[0])}
    fine = frozenset(i for i in stable if everything[i].step <= FINE)
    times = interleaved(stable, repetitions, fine)
    results = [
        EngineResult(c.engine, c.configuration, c.step, times[i].median if i in times else math.nan, *c.errors)
        for i, c in enumerate(everything)
    ]
    return {
        "results": [asdict(r) for r in results],
        "ratios": [asdict(r) | {"met": r.met} for r in ratios(name, results)],
        "error_not_larger": error_not_larger(results),
    }


def ratios(name: str, results: Sequence[EngineResult]) -> list[Ratio]:
    """How many times faster the kernel is; nan where an engine is missing.

    Against an engine that is exact enough stands the kernel's fastest method whose error is not larger; where the error
    does not matter, the fastest one that is exact enough; against MuJoCo's RK4, for the ratio of the hand-written
    model, the kernel's own or, where that is implicit, the fastest that is exact enough.
    """
    own, others = split(results)
    at_hold = [r for r in others if r.step == HOLD]
    exact = [r for r in at_hold if r.error <= ALLOWED]
    equal = [r for r in others if r.error <= ALLOWED and r.step <= HOLD]
    enough = [r for r in own if r.error <= ALLOWED]
    stiff = own[0].configuration in STIFF_METHODS.values()
    mujoco = [r for r in at_hold if r.engine == "mujoco" and r.configuration == "RK4"]
    found = [
        ("the fastest at 1 ms with an error up to 1e-3", exact, not_worse(own, exact), NEEDED[name]),
        ("the fastest at any step up to 1 ms with an error up to 1e-3", equal, not_worse(own, equal), NEEDED[name]),
        ("the fastest at 1 ms whatever its error", at_hold, enough, NEEDED_ANY),
        ("MuJoCo RK4 at 1 ms", mujoco, enough if stiff else own[:1], HAND_WRITTEN[name] / SLOWER),
    ]
    return [
        Ratio(f"{what}{told(rs)} against kernel{told(mine)}", quickest(rs) / quickest(mine), needed)
        for what, rs, mine, needed in found
    ]


def not_worse(own: Sequence[EngineResult], others: Sequence[EngineResult]) -> list[EngineResult]:
    """The kernel's methods whose error is not larger than that of the fastest of others; if none, the most exact."""
    best = min(others, key=lambda r: r.microseconds, default=None)
    return [r for r in own if best is None or r.error <= best.error] or [min(own, key=lambda r: r.error)]


def split(results: Sequence[EngineResult]) -> tuple[list[EngineResult], list[EngineResult]]:
    """The kernel at the master's step, its default method first, and the stable runs of engines."""
    own = [r for r in results if r.engine == "kernel" and r.step == HOLD]
    return own, [r for r in results if r.engine != "kernel" and np.isfinite(r.error)]


def quickest(results: Sequence[EngineResult]) -> float:
    """The shortest time [us]."""
    return min((r.microseconds for r in results), default=math.nan)


def told(results: Sequence[EngineResult]) -> str:
    """Which one that is."""
    best = min(results, key=lambda r: r.microseconds, default=None)
    return f" ({best.engine} {best.configuration})" if best else " (none)"


def error_not_larger(results: Sequence[EngineResult]) -> bool:
    """Whether a method of the kernel has an error not larger than that of the fastest engine that is exact enough."""
    own, others = split(results)
    exact = [r for r in others if r.error <= ALLOWED and r.step == HOLD]
    best = min(exact, key=lambda r: r.microseconds, default=None)
    return best is None or not_worse(own, exact)[0].error <= best.error
