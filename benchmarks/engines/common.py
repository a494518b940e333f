"""The manoeuvre, the motion of the wheel that it causes, and the cases that are run and timed.

For one second the force at the wheel centre swings about the static wheel load, on all three axes at once.  It is held
over each millisecond, as a master holds the inputs of an FMU.  Spring and damper of the suspension are linear and there
are no stops, so every engine computes all forces natively.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from precompute.arrays import Array

if TYPE_CHECKING:
    from engines.truth import Truth

MECHANISMS = Path(__file__).resolve().parent.parent / "mechanisms"
BUILD = Path(__file__).resolve().parents[2] / "build"  # what takes long to make is kept there
NAMES = ("rigid_1", "rigid_2", "bushings_1")

HOLD = 1e-3  # [s] over which the force is held
MILLISECONDS = 1000  # length of the manoeuvre

STATIC = np.array([0.0, 0.0, 5000.0])  # [N]
AMPLITUDE = np.array([1500.0, 1000.0, 1000.0])  # [N] lateral, longitudinal, vertical
FREQUENCY = np.array([2.0, 5.0, 1.5])  # [Hz]

ALLOWED = 1e-3  # error at which engines are compared with each other
FINE = 1e-4  # [s] steps up to this show convergence; they are timed only once
DIVERGED = 1.0  # error beyond which a run is unstable


def forces(milliseconds: int, step: float = HOLD) -> Array:
    """(n, 3) forces at the wheel centre [N], one per step; means of the held force where a step is longer."""
    held = STATIC + AMPLITUDE * np.sin(2.0 * np.pi * FREQUENCY * HOLD * np.arange(milliseconds)[:, None])
    if step > HOLD:
        return held.reshape(-1, round(step / HOLD), 3).mean(axis=1)
    return np.repeat(held, round(HOLD / step), axis=0)


@dataclass(frozen=True, eq=False)
class Motion:
    """Motion of the wheel, once per millisecond or per step if that is longer, from t = 0."""

    r: Array  # (nt, 3) wheel centre [m]
    axis: Array  # (nt, 3) spin axis

    @property
    def toe(self) -> Array:
        """(nt,) heading of the spin axis about z [rad]."""
        return np.arctan2(self.axis[:, 1], self.axis[:, 0])

    def errors(self, exact: Motion) -> tuple[float, float]:
        """Largest error of the wheel centre over its largest displacement, and of toe [rad]; inf if it diverged."""
        if not np.isfinite(self.r).all() or not np.isfinite(self.axis).all():
            return np.inf, np.inf
        every = round((len(exact.r) - 1) / (len(self.r) - 1))
        way = np.linalg.norm(exact.r - exact.r[0], axis=1).max()
        apart = np.linalg.norm(self.r - exact.r[::every], axis=1).max() / way
        if apart > DIVERGED:
            return np.inf, np.inf
        return float(apart), float(np.abs(self.toe - exact.toe[::every]).max())


class Case(ABC):
    """One engine in one configuration at one step size, ready to run the manoeuvre from its start."""

    engine: str
    configuration: str
    step: float  # [s]
    truth: Truth

    @abstractmethod
    def simulate(self) -> Motion:
        """Run the manoeuvre and look at the wheel."""

    @abstractmethod
    def run(self) -> None:
        """Run the manoeuvre with as little around it as the engine allows; this is what is timed."""

    @cached_property
    def errors(self) -> tuple[float, float]:
        """Of the wheel centre, over its largest displacement, and of toe [rad]; inf if it diverged."""
        return self.simulate().errors(self.truth.motion)

    def time_once(self) -> float:
        """Processor time of one run [microseconds per millisecond simulated]; engines use one thread."""
        start = time.process_time()
        self.run()
        return 1e6 * (time.process_time() - start) / self.truth.milliseconds


@dataclass(frozen=True)
class EngineResult:
    """What is known of a case."""

    engine: str
    configuration: str
    step: float  # [s]
    microseconds: float  # per millisecond simulated, the shortest of all runs; nan if it diverged
    error: float  # of the wheel centre, over its largest displacement; inf if it diverged
    toe_error: float  # [rad]


def measure(cases: Sequence[Case], repetitions: int = 5) -> list[EngineResult]:
    """Errors of the cases and their shortest times; repetitions are interleaved, so that all meet the same machine."""
    times: dict[int, float] = {}
    for repetition in range(repetitions):
        for case in cases:
            if np.isfinite(case.errors[0]) and (repetition == 0 or case.step > FINE):
                times[id(case)] = min(case.time_once(), times.get(id(case), np.inf))
    return [
        EngineResult(case.engine, case.configuration, case.step, times.get(id(case), np.nan), *case.errors)
        for case in cases
    ]


def fastest(
    results: Sequence[EngineResult], engine: str, allowed: float = ALLOWED, longest: float = np.inf
) -> EngineResult | None:
    """The fastest configuration of an engine that is exact enough, with steps up to the `longest` [s].

    A master that sets forces every millisecond needs steps up to HOLD.
    """
    good = [r for r in results if r.engine == engine and r.error <= allowed and r.step <= longest]
    return min(good, key=lambda r: r.microseconds, default=None)


ENGINES = {"mujoco": "mujoco_model", "pinocchio": "pinocchio_model", "exudyn": "exudyn_model"}
"""Packages, and our modules for them."""


def installed() -> list[str]:
    """Engines that can be run: the package is there, and for Pinocchio a compiler too."""
    found = [name for name in ENGINES if importlib.util.find_spec(name) is not None]
    if "pinocchio" in found and not importlib.import_module("engines.pinocchio_model").can_build():
        found.remove("pinocchio")
    return found


def cases(truth: Truth, engine: str) -> list[Case]:
    """All cases of an engine: every configuration at every step size."""
    found: list[Case] = importlib.import_module(f"engines.{ENGINES[engine]}").cases(truth)
    return found


@contextmanager
def kept_file(path: Path) -> Iterator[Path]:
    """A file in the making, which gets its name only when it is complete."""
    path.parent.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=path.parent) as folder:
        unfinished = Path(folder) / path.name
        yield unfinished
        unfinished.replace(path)
