"""A model in NumPy on a test rig: at its start, with values set, and what forces act on it where it is put."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from fmu_src.errors import StepError
from fmu_src.interface.inputs import input_slots
from fmu_src.model.reduced_model import ReducedModel
from fmu_src.model.remainder import strain
from fmu_src.numpy_runtime.devices import Memory
from fmu_src.numpy_runtime.dynamics import Mechanics, Runtime, mechanics, moving_force, prepare
from fmu_src.numpy_runtime.instance import Instance
from fmu_src.numpy_runtime.quasistatic import relax
from fmu_src.numpy_runtime.statics import resting
from precompute.arrays import Array


class Rig:
    """A model with start values, parameters and constant inputs."""

    def __init__(self, model: ReducedModel, values: Mapping[str, float]) -> None:
        self.model = model
        self.charts = prepare(model)
        self.soft = prepare(replace(model, quasistatic=True)) if model.stiff else self.charts
        self.slots = input_slots(model)
        self.values = dict(values)
        self.nf = len(model.charts[0].axes)
        start = self.started()
        self.z, self.zd, self.memory = start.state.z, start.state.zd, start.state.memory
        self.parameters = [start.values[i] for i in start.layout.parameters]
        self.inputs = np.array(start.values[start.layout.inputs])
        self.names = [v.name for v in start.variables[start.layout.inputs]]

    def started(self) -> Instance:
        """A fresh instance at the end of its initialization."""
        instance = Instance(self.charts)
        reference = {v.name: i for i, v in enumerate(instance.variables)}
        known = {name: value for name, value in self.values.items() if name in reference}
        instance.setup(0.0)
        instance.set([reference[name] for name in known], list(known.values()))
        instance.enter_initialization()
        instance.exit_initialization()
        return instance

    def stepped(self, instance: Instance, time: float, h: float, inputs: Array) -> None:
        """Take a step of the length h [s] with inputs (count,)."""
        first = instance.layout.inputs.start
        instance.set(range(first, first + inputs.size), inputs.tolist())
        instance.step(time, h)

    def at(self, z: Array, zd: Array, inputs: Array, memory: Memory | None = None) -> tuple[Mechanics, Array]:
        """Tables of the first chart at z, and what accelerates its axes (nf,).

        Deflections are in equilibrium, found from those of z; so are their rates.  States of elements are those of a
        memory, or those in which they rest.
        """
        runtime: Runtime = self.soft[0]
        memory = self.resting(z, inputs) if memory is None else memory
        if not self.model.stiff:
            at = mechanics(runtime, z, 0.0, memory)
            return at, moving_force(runtime, at, zd, self.parameters, inputs)
        at, zd, u = relax(runtime, runtime.equations, z, zd, self.parameters, inputs, memory)
        return at, moving_force(runtime, at, zd, self.parameters, inputs, u)[: self.nf]

    def resting(self, z: Array, inputs: Array) -> Memory:
        """What elements remember at rest, or at the start where they do not rest."""
        try:
            return resting(
                self.charts[0], mechanics(self.charts[0], z, 0.0, self.memory), self.parameters, inputs
            ).memory
        except StepError:
            return self.memory

    def strained(self, z: Array, most: float) -> str:
        """Which deflection is beyond a share of what its tables are good for, in words; "" if none is."""
        if strain(self.model, z[None])[0] <= most:
            return ""
        for stiff, d in zip(self.model.stiff, z[self.nf :].tolist(), strict=True):
            if stiff.share(d) > most:
                said = f"'{stiff.name}' deflects by {stiff.words.text(d, 3)}"
                about = f" from {stiff.words.text(stiff.about, 3)}" if stiff.about else ""
                return f"{said}, its tables are valid up to {stiff.words.text(stiff.radius, 3)}{about}"
        return ""
