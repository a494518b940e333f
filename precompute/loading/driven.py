"""The same loads from an FMU: its drives lead the coordinates along the motion, and its outputs are read.

Where all coordinates are driven and nothing is stiff, a sample follows from its inputs alone.  Deflections move by
themselves, from equilibrium at the first sample on; so do coordinates that are not driven.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from fmu_src.model.reduced_model import ReducedModel
from precompute.arrays import Array
from precompute.coordinates.independent import choose_coordinates
from precompute.coordinates.stiff_check import stiff_name
from precompute.errors import PrecomputeError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.continuation import follow
from precompute.kinematics.poses import Poses
from precompute.kinematics.topology import spanning_tree
from precompute.loading.axes import axes_in_words, returned, rod_vectors, turned
from precompute.loading.exact import followed
from precompute.loading.motion import LoadMotion, given_motion, known_columns, listed, read_motion
from precompute.loading.record import JointLoads, idle_components
from precompute.loading.watching import JOINT, check_axes, watched
from precompute.mechanism_file import from_document
from precompute.model.mechanism import GROUND, Mechanism
from precompute.running.model_reader import read_model
from precompute.running.simulation import Run, run_fmu
from precompute.threads import one_thread
from precompute.units import USUAL, Units


@one_thread
def driven_loads(fmu: Path, motion: Path | Mapping[str, ArrayLike], axes: str | None = None) -> JointLoads:
    """Loads and forces of drives of an FMU along a motion, sample by sample.

    Args:
        fmu: with loads, and with coordinates that are driven.
        motion: a CSV file, or columns by name.
        axes: of the loads: "ground", "joint" or the name of a body; None: as the FMU has them.

    Raises:
        PrecomputeError: it has no loads or drives, the motion is faulty, or the run fails.
    """
    mechanism = baked_mechanism(fmu)
    check_axes(mechanism, axes)
    if problems := [*unfit(mechanism, fmu)]:
        raise PrecomputeError("\n".join(problems))
    led = replace(mechanism, coordinates=tuple(c for c in mechanism.coordinates or () if c.driven is True))
    found = given_motion(motion, led) if isinstance(motion, Mapping) else read_motion(motion, led, fmu.name)
    run = led_run(fmu, mechanism, led, found)
    outputs = {name: values for name, values in run.outputs.items() if is_wanted(name, mechanism)}
    loads, torn = in_axes(mechanism, run, outputs, axes)
    loose = [c.name for c in mechanism.coordinates or () if c.driven is not True]
    inputs = {name: run.inputs[name] for name in run.inputs if name.startswith("drive.") or name in found.given}
    units = run.units | {name: "N" for name in loads if name not in run.units}
    return JointLoads(
        name=run.name,
        time=found.time,
        outputs=loads,
        inputs=inputs,
        units={name: units[name] for name in (*loads, *inputs)},
        axes="as the FMU has them" if axes is None else axes_in_words(axes),
        idle=idle_components(mechanism if axes is None else watched(mechanism, axes)),
        undefined=unknown_lines(torn),
        warnings=(*found.warnings, *run.warnings),
        notes=tuple(f"'{name}' is not driven by a motion: it moves as forces, or its filter, let it" for name in loose),
    )


def unknown_lines(torn: list[str]) -> tuple[str, ...]:
    """What is left out since the FMU does not have all of a vector."""
    if not torn:
        return ()
    return (
        f"{', '.join(torn)}. In these axes they have a part along a free direction, on which forces or drives act, or "
        'one that is not defined; the FMU has no output of it. Bake it with `load_axes = "ground"` of these joints.',
    )


def baked_mechanism(fmu: Path) -> Mechanism:
    """What an FMU was baked from."""
    return mechanism_of(read_model(fmu), f"the mechanism in {fmu.name}")


def mechanism_of(model: ReducedModel, source: str) -> Mechanism:
    """What a model was baked from, with the units of its file as far as the model tells them."""
    told = {axis.unit: axis.told.name for axis in model.charts[0].axes if axis.told}
    told |= {stiff.unit: stiff.told.name for stiff in model.stiff if stiff.told}
    units = Units(length=told.get("m", USUAL.length), angle=told.get("rad", USUAL.angle))
    return replace(from_document(model.mechanism, source), units=units)


def unfit(mechanism: Mechanism, fmu: Path) -> Iterator[str]:
    """Why an FMU gives no loads along a motion."""
    file = "bake it again, or let 'kinetab loads FILE.toml' take the mechanism file itself"
    if not any(joint.loads for joint in mechanism.joints) and not any(rod.load for rod in mechanism.rods):
        yield (f'{fmu.name} has no loads; put `loads = "all"` at the top of its mechanism file and {file}')
    if not any(c.driven is True for c in mechanism.coordinates or ()):
        names = ", ".join(c.name for c in mechanism.coordinates or ())
        yield (
            f"no coordinate of {fmu.name} is driven, so no motion can be given; set `driven = true` of {names} in its "
            f"mechanism file and {file}"
        )


def led_run(fmu: Path, mechanism: Mechanism, led: Mechanism, motion: LoadMotion) -> Run:
    """The run along the samples of a motion.

    Raises:
        PrecomputeError: coordinates are given that are not driven; the FMU stopped.
    """
    driven = led.coordinates or ()
    known = known_columns(led).coordinates
    names = {c.name: name for c in driven for name in motion.coordinates.motions if known[name].same(c.of)}
    if others := [name for name in motion.coordinates.motions if name not in names.values()]:
        by = ", ".join(c.name for c in driven)
        raise PrecomputeError(
            listed(motion.source, [f"'{name}' is no coordinate that {fmu.name} is driven by: {by}" for name in others])
        )
    t = motion.time - motion.time[0]
    columns, held = {"time": t} | dict(motion.inputs), dict[str, Array]()
    for c in driven:
        own = motion.coordinates.motions[names[c.name]]
        for k, step in enumerate(held_drive(t, own)):
            name = f"drive.{c.name}.q{'d' * k}"
            columns[name], held[name] = own[k], step
    inputs = np.empty(len(t), dtype=[(name, float) for name in columns])
    for name, values in columns.items():
        inputs[name] = values
    remembering = mechanism.stiff_coordinates or any(device.states for device in mechanism.devices)
    at_rest = remembering and all(c.driven for c in mechanism.coordinates or ())
    values = {"solver.static": 1.0} if at_rest else {}
    return run_fmu(fmu, values=values, inputs=inputs, check=False, points=t, held=held)


def held_drive(t: Array, motion: Array) -> tuple[Array, Array, Array]:
    """What a drive is to be over each step, (n,) each, so that the step ends where the next sample of it is.

    An FMU takes a drive at the start of a step and goes on with q + qd h + qdd h^2/2; what it shows at the end is where
    that leads.  With the mean acceleration, the rate ends as it should; the start is shifted by h^3/12 of the jerk.

    Args:
        t: (n,) [s].
        motion: (4, n) value, rate and more.
    """
    q, qd = motion[0], motion[1]
    h = np.diff(t, append=t[-1] + 1.0)
    rate = np.append(np.diff(qd), 0.0) / h
    return np.append(q[1:], q[-1] + qd[-1]) - h * qd - 0.5 * h**2 * rate, qd, rate


def is_wanted(name: str, mechanism: Mechanism) -> bool:
    """Whether an output is a load, the force of a drive, an acceleration, a deflection or of an element."""
    end = name.rpartition(".")[2].partition("[")[0]
    return (
        name.startswith(("joint.", "rod."))
        or (name.startswith("drive.") and end == "force")
        or (name.startswith("marker.") and end in ("a", "wd"))
        or name.startswith("element.")
        or name in {f"q.{stiff_name(mechanism, c)}" for c in mechanism.stiff_coordinates}
    )


def in_axes(
    mechanism: Mechanism, run: Run, outputs: dict[str, Array], axes: str | None
) -> tuple[dict[str, Array], list[str]]:
    """Outputs with loads in the axes asked for; and vectors of which a part is not known."""
    if axes is None or (axes == JOINT and all(j.load_axes == JOINT for j in mechanism.joints if j.loads)):
        return outputs, []
    P = poses_of(mechanism, run)
    if axes == JOINT:
        return returned(mechanism, P, outputs, axes)
    rods = rod_vectors(mechanism, P, outputs)
    loads, torn = returned(mechanism, P, outputs, axes)
    return loads | (rods if axes == GROUND else turned(rods, P, axes)[0]), torn


def poses_of(mechanism: Mechanism, run: Run) -> Poses:
    """Where all bodies are at the samples of a run, from its coordinates, deflections included."""
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    coordinates = choose_coordinates(mechanism, topology, design)
    z = np.stack([run.outputs[f"q.{name}"] for name in coordinates.all_names], axis=-1)
    nf, full = len(coordinates.free), coordinates.full
    q = np.concatenate([part for _, part in followed(coordinates, design, run.time, z[:, :nf], run.name)])
    start = np.concatenate([z[:, :nf], np.zeros((len(z), z.shape[1] - nf))], axis=1)
    return full.poses(follow(full, q, start, z).q)
