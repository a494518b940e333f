"""Elements with formulas in a motion of an FMU and of the full model: what is compared of them, what was covered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fmu_src.model.reduced_model import ReducedModel
from precompute.arrays import Array
from precompute.formulas.syntax import Call, Tree, names, parse
from precompute.model.mechanism import Device, Mechanism
from precompute.running.simulation import Run
from precompute.verify.findings import DeviceCoverage

JUMPS = "if"
"""What makes a formula jump."""


@dataclass(frozen=True)
class Shown:
    """A number of an element that an FMU shows."""

    name: str  # of the output
    unit: str
    measured: bool = False  # whether it is what the element is connected to


def compared(mechanism: Mechanism, run: Run) -> Iterator[Shown]:
    """What is compared: measures, states, unknowns, loads, forces, and outputs that do not jump."""
    jumping = jumps(mechanism)
    for device in mechanism.devices:
        own = [Shown(f"element.{device.name}.{symbol}", on.unit(mechanism), True) for symbol, on in device.on]
        own += [shown(run, device, x.name) for x in device.states]
        own += [shown(run, device, u.name) for u in device.unknowns]
        own += [shown(run, device, load.name) for load in device.loads]
        own += [shown(run, device, f"force.{force.on}") for force in device.forces]
        own += [shown(run, device, o.name) for o in device.outputs if (device.name, o.name) not in jumping]
        yield from own


def shown(run: Run, device: Device, name: str) -> Shown:
    """One of an element."""
    full = f"element.{device.name}.{name}"
    return Shown(full, run.units[full].replace(".", " "))


def jumps(mechanism: Mechanism) -> set[tuple[str, str]]:
    """Outputs that choose by if(), or read such ones: element and name."""
    trees = {(d.name, o.name): parse(o.formula) for d in mechanism.devices for o in d.outputs}
    found = {key for key, tree in trees.items() if chooses(tree)}
    while more := {key for key, tree in trees.items() if found & {*read(key[0], tree)}} - found:
        found |= more
    return found


def chooses(tree: Tree) -> bool:
    """Whether a formula has if() in it."""
    return isinstance(tree, Call) and (tree.function == JUMPS or any(chooses(part) for part in tree.arguments))


def read(element: str, tree: Tree) -> Iterator[tuple[str, str]]:
    """The symbols that a formula of an element reads."""
    for name in names(tree):
        owner, point, symbol = name.name.partition(".")
        yield (owner, symbol) if point else (element, owner)


def notes(mechanism: Mechanism) -> Iterator[str]:
    """What is not compared."""
    if left := sorted(f"element.{name}.{output}" for name, output in jumps(mechanism)):
        yield f"outputs with if() may jump, so they are not compared by themselves: {', '.join(left)}"


# -- what was covered -------------------------------------------------------------------------------------------------


def covered(mechanism: Mechanism, runs: Sequence[Run]) -> tuple[DeviceCoverage, ...]:
    """Of each element how far its states, forces and inputs went in some runs."""
    found = []
    for device in mechanism.devices:
        head = f"element.{device.name}."
        states = {s.name: span(runs, f"{head}{s.name}") for s in device.states}
        forces = {f.on: span(runs, f"{head}force.{f.on}") for f in device.forces}
        inputs = {i.name: span(runs, f"{head}{i.name}") for i in device.inputs}
        found.append(DeviceCoverage(device.name, states, forces, inputs))
    return tuple(found)


def span(runs: Sequence[Run], name: str) -> tuple[float, float]:
    """From, to, of an output or input."""
    values = np.concatenate([(run.outputs if name in run.outputs else run.inputs)[name] for run in runs])
    return float(values.min()), float(values.max())


# -- inputs -----------------------------------------------------------------------------------------------------------

REACH = 0.5
"""Of the way from its start value to the nearer bound, that an input is swayed by."""

SHARE = 0.2
"""Of its start value, that an input without bounds is swayed by."""


def sways(model: ReducedModel, given: Mapping[str, float]) -> Array:
    """(ni,) by how much inputs of elements are swayed; zero for what is given, or whose size nobody knows."""
    found = []
    for own in (own for device in model.devices for own in device.inputs):
        ways = [abs(bound - own.start) for bound in (own.minimum, own.maximum) if bound is not None]
        by = REACH * min(ways) if len(ways) == 2 else min([SHARE * abs(own.start), *(REACH * way for way in ways)])
        found.append(0.0 if f"element.{own.name}" in given else by)
    return np.array(found)


def swayed(size: Array, share: float) -> Array:
    """(ni,) what inputs are away from their start values at a share of the whole time: sines that begin with it."""
    turns = 2.0 + np.arange(size.size)
    return np.asarray(size * np.sin(2.0 * np.pi * turns * share))
