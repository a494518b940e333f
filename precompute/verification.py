"""An FMU against the independent full model: same start, same constant loads, errors in mm, deg and N."""

from __future__ import annotations

import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from fmu_src import model_file
from fmu_src.errors import FmuError
from fmu_src.reduced_model import ReducedModel
from precompute.arrays import Array
from precompute.candidates import candidates
from precompute.mechanism import Mechanism
from precompute.mechanism_file import from_document
from precompute.reference import FullMotion, Loads, assemble, full_model, initial_velocity, simulate
from precompute.simulation import Run, SimulationError, run_fmu
from precompute.topology import spanning_tree

TOLERANCE = 1e-9
"""Of the full model's integrator, relative."""

SAMPLES = 101
"""Times at which the two are compared."""


@dataclass(frozen=True)
class Difference:
    """Largest difference of one quantity, its unit, when it occurs, and how much the quantity moved."""

    quantity: str
    unit: str  # mm, deg, N, N m, or relative for energy
    error: float
    time: float
    span: float


@dataclass(frozen=True)
class Verification:
    """All differences, and what they were measured with."""

    name: str
    stop: float
    residual: float  # of the full model's constraints [m]
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]  # what was not compared, or not on equal terms

    def worst(self, unit: str) -> Difference | None:
        """The largest difference in that unit."""
        return max((d for d in self.differences if d.unit == unit), key=lambda d: d.error, default=None)


def read_model(path: Path) -> ReducedModel:
    """The model file inside an FMU."""
    try:
        with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory() as directory:
            inside = [n for n in archive.namelist() if n.startswith("resources/") and n.endswith(".kinetab")]
            if not inside:
                raise SimulationError(f"'{path}' holds no kinetab model; was it baked with kinetab?")
            return model_file.load(archive.extract(inside[0], directory))
    except (OSError, zipfile.BadZipFile, zlib.error) as error:
        raise SimulationError(f"'{path}' cannot be opened as an FMU: {error}") from None
    except FmuError as error:
        raise SimulationError(f"'{path}': {error}") from None


def verify(
    path: Path, stop: float | None = None, step: float | None = None, values: Mapping[str, float] | None = None
) -> Verification:
    """Run the FMU in FMPy and the full model at tight tolerance, and compare.

    Args:
        path: the FMU.
        stop: [s]; default from the FMU.
        step: communication step [s]; default from the FMU.
        values: start values, parameters and constant inputs of the FMU; the full model gets the same.
    """
    model = read_model(path)
    run = run_fmu(path, stop, step, values)  # first: it knows the names of all parameters
    mechanism = tuned(from_document(model.mechanism, f"the mechanism in {path.name}"), dict(values or {}))
    mechanism = started(mechanism, model)
    pick = np.unique(np.linspace(0, len(run.time) - 1, SAMPLES).round().astype(int))
    motion = reference_motion(mechanism, run.time[pick], dict(values or {}))
    return Verification(
        name=model.name,
        stop=float(run.time[-1]),
        residual=float(np.max(motion.residual)),
        differences=tuple(compare(mechanism, run, pick, motion)),
        notes=tuple(spin_notes(mechanism)),
    )


def started(mechanism: Mechanism, model: ReducedModel) -> Mechanism:
    """The mechanism in the coordinates of the chart that the motion starts in."""
    names = [axis.name for axis in model.charts[0].axes]
    if names == [c.name for c in mechanism.coordinates or ()]:
        return mechanism
    known = {c.coordinate.name: c.coordinate for c in candidates(mechanism)}
    own = zip(names, model.starts, strict=True)
    return replace(mechanism, coordinates=tuple(replace(known[n], start=s.value, start_rate=s.rate) for n, s in own))


def reference_motion(mechanism: Mechanism, times: Array, values: Mapping[str, float]) -> FullMotion:
    """The full model from the FMU's start values, under its constant inputs."""
    assert mechanism.coordinates is not None
    model = full_model(mechanism)
    start = {c.name: values.get(f"q_start.{c.name}", c.start or 0.0) for c in mechanism.coordinates}
    rates = {c.name: values.get(f"qd_start.{c.name}", c.start_rate) for c in mechanism.coordinates}
    state = initial_velocity(model, assemble(model, start), rates)
    loads = Loads(
        ports={
            p.name: (
                np.array([values.get(f"port.{p.name}.F[{i + 1}]", p.force[i]) for i in range(3)]),
                np.array([values.get(f"port.{p.name}.M[{i + 1}]", p.moment[i]) for i in range(3)]),
            )
            for p in mechanism.ports
        },
        coordinates={c.name: values.get(f"Q.{c.name}", 0.0) for c in mechanism.coordinates},
    )
    return simulate(model, state, times, lambda _t: loads, rtol=TOLERANCE)


def tuned(mechanism: Mechanism, values: Mapping[str, float]) -> Mechanism:
    """The mechanism with the FMU's tunable parameters at other values."""
    springs = {s.name: s for s in mechanism.springs}
    dampers = {d.name: d for d in mechanism.dampers}
    gravity = mechanism.gravity.copy()
    for name, value in values.items():
        kind, _, rest = name.partition(".")
        owner, _, field = rest.partition(".")
        if name.startswith("gravity["):
            gravity[int(name[8]) - 1] = value
        elif kind == "spring" and owner in springs:
            springs[owner] = with_parameter(springs[owner], field, value)
        elif kind == "damper" and owner in dampers:
            dampers[owner] = with_parameter(dampers[owner], field, value)
    return replace(mechanism, springs=tuple(springs.values()), dampers=tuple(dampers.values()), gravity=gravity)


def with_parameter(item: Any, field: str, value: float) -> Any:
    """A spring, stop, damper or table with one number changed: k, free_length, at, c, bump_stop.k, table.f[2] ..."""
    head, _, rest = field.partition(".")
    if rest:
        return replace(item, **{head: with_parameter(getattr(item, head), rest, value)})
    if match := re.fullmatch(r"([xf])\[(\d+)\]", field):
        column = {"x": "x", "f": "force"}[match[1]]
        numbers = getattr(item, column).copy()
        numbers[int(match[2]) - 1] = value
        return replace(item, **{column: numbers})
    return replace(item, **{{"k": "stiffness", "c": "damping"}.get(field, field): value})


def spin_notes(mechanism: Mechanism) -> Iterator[str]:
    """What the full model treats differently: it lets links spin between their balls."""
    topology = spanning_tree(mechanism)
    for spin in topology.spins:
        names = " + ".join(topology.bodies[i] for i in spin.group)
        if not spin.ideal:
            yield f"{names} is held against twist in the FMU but free to spin in the full model: expect differences"
        elif any(m.body in {topology.bodies[i] for i in spin.group} for m in mechanism.markers):
            yield f"markers on {names} are not compared: it may spin between its balls"


def compare(mechanism: Mechanism, run: Run, pick: NDArray[np.intp], motion: FullMotion) -> Iterator[Difference]:
    """Coordinates, markers and forces, each over the picked times."""
    out = {name: values[pick] for name, values in run.outputs.items()}
    for c in mechanism.coordinates or ():
        if f"q.{c.name}" not in run.units:  # the coordinate of a chart, not of the file
            continue
        unit = "deg" if run.units[f"q.{c.name}"] == "rad" else "mm"
        yield scalar(f"q.{c.name}", unit, out[f"q.{c.name}"], motion.coordinates[c.name].value, motion.t)
    topology = spanning_tree(mechanism)
    spinning = {
        topology.bodies[i] for spin in topology.spins for i in spin.group
    }  # their spin is a choice, not a result
    for marker in mechanism.markers:
        p, R = motion.markers[marker.name].p, motion.markers[marker.name].R
        r = np.stack([out[f"marker.{marker.name}.r[{i}]"] for i in (1, 2, 3)], axis=-1)
        if marker.body in spinning:
            continue
        yield vector(f"marker.{marker.name}.r", "mm", 1e3 * np.linalg.norm(r - p, axis=1), 1e3 * p, motion.t)
        angles = np.stack([out[f"marker.{marker.name}.angle[{i}]"] for i in (1, 2, 3)], axis=-1)
        turned = Rotation.from_euler("xyz", angles).inv() * Rotation.from_matrix(R)
        swept = (Rotation.from_matrix(R[0]).inv() * Rotation.from_matrix(R)).magnitude()
        error = np.degrees(turned.magnitude())
        yield vector(f"marker.{marker.name}.angle", "deg", error, np.degrees(swept)[:, None], motion.t)
    for kind, items, moved in (
        ("spring", mechanism.springs, motion.springs),
        ("damper", mechanism.dampers, motion.dampers),
    ):
        for item in items:
            name = f"{kind}.{item.name}.force"
            yield scalar(name, run.units[name].replace(".", " "), out[name], moved[item.name].force, motion.t)


def scalar(name: str, unit: str, ours: Array, theirs: Array, t: Array) -> Difference:
    """Largest difference of a scalar, in mm, deg or its own unit."""
    factor = {"mm": 1e3, "deg": 180.0 / np.pi}.get(unit, 1.0)
    return vector(name, unit, factor * np.abs(ours - theirs), factor * np.asarray(theirs)[:, None], t)


def vector(name: str, unit: str, error: Array, values: Array, t: Array) -> Difference:
    """Largest entry of `error`, with when it occurs and how far the quantity moved."""
    i = int(np.argmax(error))
    return Difference(name, unit, float(error[i]), float(t[i]), float(np.ptp(values, axis=0).max()))
