"""Differences between runs of an FMU and motions of the full model, in mm, deg and N."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from precompute.arrays import Array
from precompute.kinematics.topology import spanning_tree
from precompute.model.mechanism import Mechanism
from precompute.reference import FullMotion, contact_arm
from precompute.running.simulation import Run
from precompute.verify.findings import Difference
from precompute.verify.limits import Limits
from precompute.verify.motion import devices

FACTORS = {"mm": 1e3, "deg": 180.0 / np.pi}
"""From SI."""


@dataclass(frozen=True, eq=False)
class Trace:
    """How one quantity of the two went apart over time."""

    quantity: str
    unit: str  # mm, deg, N or N m
    t: Array  # (nt,) [s]
    error: Array  # (nt,) in that unit
    values: Array  # (nt, k) of the full model, in that unit
    natural: bool = False  # whether its own size is all that is known of what matters


def notes(mechanism: Mechanism) -> Iterator[str]:
    """What the full model treats differently: it lets links spin between their balls, and all bodies have inertia."""
    topology = spanning_tree(mechanism)
    for spin in topology.spins:
        group = [topology.bodies[i] for i in spin.group]
        names = " + ".join(group)
        if not spin.ideal:
            yield f"{names} is held against twist in the FMU but free to spin in the full model: expect differences"
            continue
        if any(m.body in group for m in mechanism.markers):
            yield f"markers on {names} are not compared: it may spin between its balls"
        if any(set(group) & set(read.of.bodies(mechanism)) for read in mechanism.read):
            yield f"measures of {names} are not compared: it may spin between its balls"
    yield from devices.notes(mechanism)
    if mechanism.stiff_coordinates and mechanism.tables.stiff == "quasistatic":
        yield "stiff directions are quasistatic in the FMU but have inertia in the full model: expect differences"


def compare(mechanism: Mechanism, run: Run, pick: NDArray[np.intp], motion: FullMotion) -> Iterator[Trace]:
    """Coordinates, markers, measures and forces, each over the picked times."""
    out = {name: values[pick] for name, values in run.outputs.items()}
    for c in mechanism.coordinates or ():
        if f"q.{c.name}" not in run.units:  # the coordinate of a chart, not of the file
            continue
        unit = "deg" if run.units[f"q.{c.name}"] == "rad" else "mm"
        yield scalar(f"q.{c.name}", unit, out[f"q.{c.name}"], motion.coordinates[c.name].value, motion.t)
    spinning = spinning_bodies(mechanism)
    yield from markers(mechanism, spinning, out, motion)
    yield from wheels(mechanism, {name: values[pick] for name, values in run.inputs.items()}, out, motion)
    for read in mechanism.read:
        if not spinning & set(read.of.bodies(mechanism)):
            name, unit = read.output, "deg" if read.of.is_angle(mechanism) else "mm"
            yield scalar(name, unit, out[name], motion.measures[read.name].value, motion.t)
    for kind, items, moved in (
        ("spring", mechanism.springs, motion.springs),
        ("damper", mechanism.dampers, motion.dampers),
        ("force", mechanism.forces, motion.forces),
    ):
        for item in items:
            name = f"{kind}.{item.name}.force"
            yield scalar(name, run.units[name].replace(".", " "), out[name], moved[item.name].force, motion.t)
    yield from bushings(mechanism, out, motion)
    yield from elements(mechanism, run, out, motion)
    for c in mechanism.coordinates or ():
        name = f"drive.{c.name}.force"
        if name in out:
            yield scalar(name, run.units[name].replace(".", " "), out[name], motion.coordinates[c.name].force, motion.t)
    yield from floor(mechanism, out, motion)
    yield from loads(run, out, motion)
    if mechanism.chassis == "moving":
        yield triple("chassis.F", "N", stacked(out, "chassis.F"), motion.chassis.wrench[:, 3:], motion.t)
        yield triple("chassis.M", "N m", stacked(out, "chassis.M"), motion.chassis.wrench[:, :3], motion.t)


def floor(mechanism: Mechanism, out: dict[str, Array], motion: FullMotion) -> Iterator[Trace]:
    """Heading and place of a disc on the floor, and what the floor exerts on it: nothing else touches the ground."""
    contact = mechanism.contact
    if contact is None:
        return
    yield scalar("q.heading", "deg", out["q.heading"], motion.coordinates["heading"].value, motion.t)
    for name, along in zip(("x", "y"), contact.floor, strict=True):
        theirs = motion.coordinates[name].value + float(along @ contact.point)
        yield scalar(f"q.{name}", "mm", out[f"q.{name}"], theirs, motion.t)
    force = f"joint.{contact.name}.F"
    yield triple(force, "N", stacked(out, force), -motion.chassis.wrench[:, 3:], motion.t)


def spinning_bodies(mechanism: Mechanism) -> set[str]:
    """Bodies between two balls; how they spin is a choice."""
    topology = spanning_tree(mechanism)
    return {topology.bodies[i] for spin in topology.spins for i in spin.group}


def markers(mechanism: Mechanism, spinning: set[str], out: dict[str, Array], motion: FullMotion) -> Iterator[Trace]:
    """Positions and rotations of markers, in the axes of the ground, but of those that spin."""
    chassis = motion.chassis
    for marker in mechanism.markers:
        if marker.body in spinning:
            continue
        moved = motion.markers[marker.name]
        p = np.einsum("tji,tj->ti", chassis.R, moved.p - chassis.p)
        R = np.swapaxes(chassis.R, 1, 2) @ moved.R
        yield triple(f"marker.{marker.name}.r", "mm", stacked(out, f"marker.{marker.name}.r"), p, motion.t)
        angles = stacked(out, f"marker.{marker.name}.angle")
        turned = Rotation.from_euler("xyz", angles).inv() * Rotation.from_matrix(R)
        swept = (Rotation.from_matrix(R[0]).inv() * Rotation.from_matrix(R)).magnitude()
        error = np.degrees(turned.magnitude())
        yield vector(f"marker.{marker.name}.angle", "deg", error, np.degrees(swept)[:, None], motion.t)


def wheels(mechanism: Mechanism, given: dict[str, Array], out: dict[str, Array], motion: FullMotion) -> Iterator[Trace]:
    """Contacts of wheels with their roads, in the axes of the ground."""
    turn = np.swapaxes(motion.chassis.R, 1, 2)
    for wheel in mechanism.wheels:
        moved, name = motion.wheels[wheel.name], f"wheel.{wheel.name}.contact.r"
        axis, normal = turn @ moved.R @ wheel.spin_axis, stacked(given, f"wheel.{wheel.name}.road.n")
        normal = np.where(normal.any(axis=-1, keepdims=True), normal, mechanism.axes.up)
        arms = np.array([contact_arm(u, n, wheel.radius) for u, n in zip(axis, normal, strict=True)])
        centre = (turn @ (moved.p - motion.chassis.p)[..., None])[..., 0]
        yield triple(name, "mm", stacked(out, name), centre + arms, motion.t)


def bushings(mechanism: Mechanism, out: dict[str, Array], motion: FullMotion) -> Iterator[Trace]:
    """Deflections and forces of bushings, in their own axes."""
    for bushing in mechanism.bushings:
        name, moved = f"bushing.{bushing.name}", motion.bushings[bushing.name]
        for first, units in ((0, ("mm", "N")), (3, ("deg", "N m"))):
            for what, unit in zip(("deflection", "force"), units, strict=True):
                part = slice(first, first + 3)
                ours, theirs = stacked(out, f"{name}.{what}", first), getattr(moved, what)[:, part]
                yield triple(f"{name}.{what}[{first + 1}-{first + 3}]", unit, ours, theirs, motion.t)


def elements(mechanism: Mechanism, run: Run, out: dict[str, Array], motion: FullMotion) -> Iterator[Trace]:
    """What elements with formulas measure, do and remember."""
    for own in devices.compared(mechanism, run):
        ours, theirs = out[own.name], motion.devices[own.name]
        if own.measured:
            yield scalar(own.name, "deg" if own.unit == "rad" else "mm", ours, theirs, motion.t)
        else:
            yield replace(scalar(own.name, own.unit, ours, theirs, motion.t), natural=True)


def loads(run: Run, out: dict[str, Array], motion: FullMotion) -> Iterator[Trace]:
    """Forces and moments of joints, and of rods, as far as the FMU has them."""
    found: dict[str, list[str]] = {}
    for name in (name for name in motion.loads if name in out):
        found.setdefault(name.partition("[")[0], []).append(name)
    for what, names in found.items():
        ours, theirs = (np.stack([of[name] for name in names], axis=-1) for of in (out, motion.loads))
        yield triple(what, run.units[names[0]].replace(".", " "), ours, theirs, motion.t)


def stacked(out: dict[str, Array], name: str, first: int = 0) -> Array:
    """(nt, 3) of three outputs with numbers."""
    return np.stack([out[f"{name}[{first + i}]"] for i in (1, 2, 3)], axis=-1)


def triple(name: str, unit: str, ours: Array, theirs: Array, t: Array) -> Trace:
    """Largest distance of two vectors (nt, k), in mm, deg or their own unit."""
    factor = FACTORS.get(unit, 1.0)
    return vector(name, unit, factor * np.linalg.norm(ours - theirs, axis=1), factor * theirs, t)


def scalar(name: str, unit: str, ours: Array, theirs: Array, t: Array) -> Trace:
    """Largest difference of a scalar, in mm, deg or its own unit."""
    factor = FACTORS.get(unit, 1.0)
    return vector(name, unit, factor * np.abs(ours - theirs), factor * np.asarray(theirs)[:, None], t)


def vector(name: str, unit: str, error: Array, values: Array, t: Array) -> Trace:
    """A quantity whose error (nt,) and values (nt, k) are in its unit."""
    return Trace(name, unit, t, error, values)


def difference(parts: Sequence[Trace], limits: Limits) -> Difference:
    """The largest error of a quantity in all parts of a motion, with when it occurs and how far the quantity moved."""
    error, t = (np.concatenate([getattr(part, key) for part in parts]) for key in ("error", "t"))
    span = float(np.ptp(np.concatenate([part.values for part in parts]), axis=0).max())
    i = int(np.argmax(np.where(np.isnan(error), np.inf, error)))
    name, unit = parts[0].quantity, parts[0].unit
    if parts[0].natural:
        limit = limits.natural(span, float(max(np.abs(part.values).max() for part in parts)))
    else:
        limit = limits.allowed(unit, span, small=unit in ("N", "N m") or name.startswith("bushing."))
    return Difference(name, unit, float(error[i]), f"{t[i]:.3f} s", span, limit)
