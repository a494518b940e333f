"""Elements with formulas at rest, over whole batches of what they measure: forces and their exact slopes.

Their states x are those at which no rate is left, found as the FMU does for its static start,

    f = f(s, 0, x),   xdot(s, 0, x) = 0                                                     (1)
    df/ds = F_s + F_x dx/ds,   R_x dx/ds = -R_s                                             (2)

so a spring and a damper in series hold nothing, and a motor has the torque at which it stalls.  What does not change by
itself stays where it starts.  Unknowns follow in all of these slopes; inputs have their start values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from fmu_src.errors import StepError
from fmu_src.model.devices import Device
from fmu_src.model.reduced_model import Element, ReducedModel
from fmu_src.numpy_runtime.devices import Memory, Response, respond, start_memory
from fmu_src.numpy_runtime.resting import LONG, memory_at_rest
from precompute.arrays import Array
from precompute.reduction.statics import StaticsError

REFINED = 3
"""Times that (2) is solved, each for what is left: then the length of the steps to rest does not show."""


@dataclass(frozen=True, eq=False)
class RestDevices:
    """All of a mechanism."""

    devices: tuple[Device, ...]
    elements: tuple[Element, ...]  # (ne) of all laws and devices, by whose numbers they are connected
    acts_on: tuple[int, ...]  # (ne,) the measure of each
    parameters: tuple[float, ...]
    settling: bool = True  # whether states are at rest, or as they start

    @property
    def model(self) -> ReducedModel:
        """What functions of the run-time need of a model."""
        return cast(ReducedModel, self)

    @property
    def inputs(self) -> Array:
        """(ni,) at their start."""
        return np.array([own.start for device in self.devices for own in device.inputs])

    def force(self, s: Array) -> Array:
        """Forces (..., nm) at s (..., nm), by (1)."""
        found = np.zeros(s.shape)
        for at in np.ndindex(s.shape[:-1]):
            np.add.at(found[at], list(self.acts_on), self._at(s[at], slopes=False).force)
        return found

    def each(self, s: Array) -> Array:
        """Force (n, ne) of each element at s (n, nm); of what is no device zero."""
        return np.array([self._at(own, slopes=False).force for own in s]).reshape(len(s), len(self.elements))

    def slope(self, s: Array) -> Array:
        """df/ds (..., nm, nm) by (2); of one side, where a formula has a corner."""
        found, on = np.zeros((*s.shape, s.shape[-1])), np.array(self.acts_on)
        for at in np.ndindex(s.shape[:-1]):
            here = self._at(s[at], slopes=True)
            np.add.at(found[at], (on[:, None], on), self._follow(here))
        return found

    def _follow(self, here: Response) -> Array:
        """(ne, ne) of (2)."""
        ne = len(self.elements)
        along, own = slice(0, ne), slice(2 * ne, None)
        if not (self.settling and here.rate.size):
            return here.F[:, along]
        A, right = here.R[:, own], here.R[:, along]
        matrix, x = np.eye(len(A)) / LONG - A, np.zeros(right.shape)
        size = np.abs(matrix).max(axis=1, keepdims=True)
        for _ in range(REFINED):
            x += np.linalg.solve(matrix / size, (right + A @ x) / size)
        return np.asarray(here.F[:, along] + here.F[:, own] @ x)

    def _at(self, s: Array, slopes: bool) -> Response:
        """What they do at measures (nm,).

        Raises:
            StaticsError: states do not come to rest, or a formula has no value.
        """
        own, still = s[list(self.acts_on)], np.zeros(len(self.elements))
        try:
            reading = any(device.loads for device in self.devices)
            memory = self.memory(own) if self.settling or reading else start_memory(self.model)
            return respond(self.model, self.parameters, self.inputs, own, still, memory, slopes)
        except StepError as error:
            raise StaticsError(f"at rest, {error}") from None

    def memory(self, own: Array, inputs: Array | None = None) -> Memory:
        """What they remember at rest, where elements measure `own` (ne,); with inputs at their start, or these.

        Raises:
            StepError: states do not come to rest, or a formula has no value.
        """
        inputs = self.inputs if inputs is None else inputs
        return memory_at_rest(self.model, self.parameters, inputs, own, start_memory(self.model))
