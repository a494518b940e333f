"""One running instance of a model, as FMI sees it: variables, phases, steps, saved states.  Knows no FMI library.

All variables are in one flat list of floats, indexed by value reference.  Outputs are computed when they are asked for
and something has changed since.  Until initialization ends the state follows the start parameters, or all parameters
and inputs where it is to be at rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from enum import IntEnum

import numpy as np

from ..errors import FmuError, StepError
from ..interface.inputs import input_slots
from ..interface.variable import Variable
from ..interface.variables import SOLVER_CHECK, SOLVER_STATIC, SOLVER_STEP, TAG_BYTES, layout, model_tag, variables
from ..model.designs import at_design
from ..model.laws import check_laws
from ..model.reduced_model import Array
from .dynamics import Runtime, mechanics, prepare
from .outputs import outputs
from .state import State, from_numbers
from .statics import at_rest
from .steps.contacts import lost_contact
from .steps.integrator import Watch, advance, relaxed_state
from .steps.methods import rolled
from .steps.pace import SLACK, SWINGS, Pace, cells, check_starts, pace, reason, rounded_down
from .steps.step_error import order
from .steps.swift import limiting_device
from .validity import departure

TIME_TOLERANCE = 1e-9
"""Relative to max(1 s, time): how far the master's clock may be from ours before it is a jump."""


SAFETY = 0.7
"""Of the step that the error of another suggests: errors are not the same everywhere."""

QUARTERS = 4.0
"""Of a step, at which its halves look."""


class Phase(IntEnum):
    """Where an instance is in its life."""

    INSTANTIATED = 0
    INITIALIZING = 1
    STEPPING = 2
    TERMINATED = 3


class Instance:
    """A model with its variables and its state."""

    def __init__(self, charts: Sequence[Runtime]) -> None:
        model = charts[0].model
        self.model = model
        self.charts = self._bare = charts  # as they are with the design parameters that were set; and with none
        self.variables = variables(model)
        self.layout = layout(model)
        self.values = [0.0 if variable.start is None else float(variable.start) for variable in self.variables]
        self.state = self._start(0.0)
        self.phase = Phase.INSTANTIATED
        self._stale = True  # outputs do not fit the rest
        self._unchecked = True  # parameters have changed
        self._warned: set[str] = set()  # of what a warning was; not part of a saved state
        self._lost: str | None = None  # what is to be said of a follower that left its cam
        self._cells = [cells(runtime) for runtime in charts]
        self._sensible = math.inf  # [s] longest step that made sense at the start
        self._tag = model_tag(model)
        self._input_count = input_slots(model).count

    # --- variables ----------------------------------------------------------------------------------------------------

    def get(self, references: Sequence[int]) -> list[float]:
        """Values of variables; outputs are brought up to date first if one is asked for."""
        self._check_references(references)
        if self._stale and references and max(references) >= self.layout.outputs.start:
            self.refresh()
        values = self.values
        return [values[i] for i in references]

    def set(self, references: Sequence[int], values: Sequence[float]) -> None:
        """Set inputs and parameters.  All are checked before the first is changed.

        Raises:
            StepError: a number is not finite or outside its bounds, or the variable may not be set now.
        """
        self._check_references(references)
        for i, value in zip(references, values, strict=True):
            self._check_set(self.variables[i], value)
        for i, value in zip(references, values, strict=True):
            self.values[i] = value
        self._stale = True
        if references and min(references) < self.layout.first_input:
            self._unchecked = True

    def _check_references(self, references: Sequence[int]) -> None:
        if references and not (min(references) >= 0 and max(references) < len(self.values)):
            wrong = next(i for i in references if not 0 <= i < len(self.values))
            raise StepError(f"there is no variable with value reference {wrong}; read the model description")

    def _check_set(self, variable: Variable, value: float) -> None:
        if not math.isfinite(value):
            raise StepError(f"{variable.causality} '{variable.name}' is set to {value}; set a finite number")
        if variable.causality == "input" and not self._bounded(variable):
            return
        if variable.causality == "output":
            raise StepError(f"'{variable.name}' is an output and cannot be set")
        if variable.variability == "fixed" and self.phase >= Phase.STEPPING:
            raise StepError(
                f"parameter '{variable.name}' is fixed and cannot be set after initialization; reset the FMU first"
            )
        lower, upper = variable.minimum, variable.maximum
        if (lower is not None and value < lower) or (upper is not None and value > upper):
            unit = "" if variable.unit == "1" else f" {variable.unit}"
            bounds = f"{'-inf' if lower is None else f'{lower:.9g}'}, {'inf' if upper is None else f'{upper:.9g}'}"
            raise StepError(
                f"{variable.causality} '{variable.name}' is set to {value:.9g}{unit}, outside [{bounds}]; "
                "set a value inside"
            )

    @staticmethod
    def _bounded(variable: Variable) -> bool:
        """Whether an input must be within its bounds: those of elements; coordinates have tables that say so."""
        return variable.name.startswith("element.")

    # --- life ---------------------------------------------------------------------------------------------------------

    def setup(self, start_time: float) -> None:
        """Set the start time [s]."""
        if not math.isfinite(start_time):
            raise StepError(f"the start time is {start_time}; set a finite number")
        self.state = replace(self.state, time=start_time)

    def enter_initialization(self) -> None:
        """From here on outputs may be asked for."""
        self.phase = Phase.INITIALIZING

    def exit_initialization(self) -> str | None:
        """Fix the start state; it must be inside the tables.

        Returns:
            A warning as that of `step`, or that a start rate is not used.

        Raises:
            TableRangeError: a start value is outside its table.
            StepError: a parameter or a start value cannot be used, or there is no equilibrium to start from.
        """
        self.refresh(final=True)
        check_starts(self.charts[self.state.chart], self.state.z, self.state.zd)
        notes = [note for note in (self._lowered(), self._unused()) if note]
        self.phase = Phase.STEPPING
        if watch := self._watch():
            watch(self.state, self.state, 0.0)
        return "; ".join(notes) or self._loss() or self._departure()

    def _lowered(self) -> str | None:
        """Take a shorter step than the default one, if the start of the motion asks for that, and say so.

        A step that was set otherwise is kept; `step` warns if it is too long.
        """
        runtime, longest = self.charts[self.state.chart], self.values[SOLVER_STEP]
        found = self._pace(longest)
        self._sensible = found.step * (1.0 + SLACK)
        if not longest > self._sensible or longest != self.variables[SOLVER_STEP].start:
            return None
        self.values[SOLVER_STEP] = rounded_down(found.step)
        return (
            f"parameter 'solver.step' is lowered from {longest:.9g} s to {self.values[SOLVER_STEP]:.9g} s: "
            f"{reason(runtime, found)}; set it to another value to have that kept"
        )

    def _pace(self, longest: float) -> Pace:
        """What limits steps of a length, or of less, where the motion is."""
        state, runtime, parameters = self.state, self.charts[self.state.chart], self._parameters()
        at = mechanics(runtime, state.z, state.lap, state.memory)
        limit = SWINGS[runtime.model.method] / longest
        swing = limiting_device(runtime, at, state.zd, parameters, self._inputs()[runtime.slots.devices], limit)
        return pace(runtime, state.z, state.zd, parameters, swing)

    def _unused(self) -> str | None:
        """The first start rate that is not zero, though the motion starts at rest."""
        nz = self.state.z.size
        for place, reference in self.layout.starts:
            variable, rate = self.variables[reference], self.values[reference]
            if nz <= place < 2 * nz and variable.causality == "parameter" and rate and self.values[SOLVER_STATIC]:
                return (
                    f"parameter '{variable.name}' = {rate:.9g} {variable.unit} is not used: with 'solver.static' = 1 "
                    "the motion starts at rest"
                )
        return None

    def terminate(self) -> None:
        """End of the simulation; outputs may still be read."""
        self.phase = Phase.TERMINATED

    def step(self, time: float, size: float) -> str | None:
        """Advance by one communication step; nothing changes if it fails.

        Args:
            time: the master's time [s].
            size: communication step [s].

        Returns:
            A warning, the first time that a coordinate lies where the tables were not measured, and the first time
            that a step is too long.

        Raises:
            StepError: wrong phase, time or step size, bad parameter, or the motion diverged.
            TableRangeError: a coordinate has left its table.
        """
        if self.phase != Phase.STEPPING:
            raise StepError("a step was asked for before the end of initialization or after termination")
        now = self.state.time
        if not abs(time - now) <= TIME_TOLERANCE * max(1.0, abs(now)):
            raise StepError(
                f"the step is to start at {time:.9g} s, but the FMU is at {now:.9g} s; step without gaps, "
                "or restore a saved state first"
            )
        parameters = self._parameters()
        longest, check = self.values[SOLVER_STEP], self.values[SOLVER_CHECK] != 0.0
        state = advance(self.charts, self.state, size, parameters, self._inputs(), longest, check, self._watch())
        self.state = replace(state, time=time + size)
        self._stale = True
        return self._loss() or self._departure() or self._too_long(min(size, longest), parameters)

    def _watch(self) -> Watch | None:
        """Looks for followers that leave their cams, until one does."""
        runtime = self.charts[0]
        if not runtime.model.contacts or self._lost or "contact" in self._warned:
            return None
        parameters, inputs = self._parameters(), self._inputs()

        def watch(before: State, after: State, h: float) -> None:
            self._lost = self._lost or lost_contact(runtime, before, after, h, parameters, inputs)

        return watch

    def _loss(self) -> str | None:
        """Once: that a follower has left its cam."""
        if self._lost is None or "contact" in self._warned:
            return None
        self._warned.add("contact")
        return self._lost

    def _departure(self) -> str | None:
        """Once: that a coordinate lies where the tables were not measured."""
        found = None if "departure" in self._warned else departure(self.charts[self.state.chart], self.state.z)
        if found is None:
            return None
        self._warned.add("departure")
        return f"at t = {self.state.time:.9g} s: {found}; this is said once, see output 'table.inRange'"

    def _too_long(self, h: float, parameters: list[float]) -> str | None:
        """Once: that steps of the size h are too long, and which would not be."""
        state, runtime = self.state, self.charts[self.state.chart]
        own = self._cells[state.chart]
        measured = state.error >= 0.0  # then it knows better than the rules, as long as its quarters are within a cell
        most = QUARTERS if measured else 1.0
        far = any(abs(v) * h > most * cell for v, cell in zip(state.zd.tolist(), own, strict=False))
        if "step" in self._warned or not (far or (state.error > 1.0 if measured else h > self._sensible)):
            return None
        self._warned.add("step")
        found = self._pace(h)
        longest = min(found.step, self._sensible, h)
        if state.error > 1.0:
            longest = min(longest, SAFETY * h * state.error ** (-1.0 / order(runtime.model)))
            what = f"the error of a step of {h:.6g} s is {state.error:.3g} times what the tables promise"
        else:
            what = f"steps of {h:.6g} s are too long for the motion"
        more = "; 'solver.check' = 1 measures their error" if state.error < 0.0 else ", see output 'solver.error'"
        return (
            f"at t = {state.time:.9g} s: {what}; set 'solver.step' = {rounded_down(longest):.9g} s; less if the motion "
            f"becomes faster; this is said once{more}"
        )

    def refresh(self, final: bool = False) -> None:
        """Bring the outputs up to date; `final` at the end of initialization."""
        if self.phase < Phase.STEPPING:
            self.state = self._start(self.state.time)
        parameters, inputs = self._parameters(), self._inputs()
        try:
            with np.errstate(all="ignore"):  # what is not finite is an error said in words
                if self.phase < Phase.STEPPING:
                    self.state = self._at_rest(parameters, inputs, final)
                    self.state = relaxed_state(self.charts, self.state, parameters, inputs)
                self.values[self.layout.outputs] = outputs(self.charts, self.state, parameters, inputs)
        except FmuError as error:
            raise type(error)(f"at t = {self.state.time:.9g} s: {error}") from None
        self._stale = False

    def _start(self, time: float) -> State:
        """The state that the start parameters and drives ask for, in the first chart."""
        starts = self.model.starts
        memory = self.charts[0].memory
        numbers = np.array([*(start.value for start in starts), *(start.rate for start in starts), *memory.x])
        for place, reference in self.layout.starts:
            numbers[place] = self.values[reference]
        z, zd, x = np.split(numbers, [len(starts), 2 * len(starts)])
        return State(time, 0, 0, z, rolled(self.charts[0], z, zd), memory=memory._replace(x=x))

    def _at_rest(self, parameters: list[float], inputs: Array, final: bool) -> State:
        """The start state, in equilibrium if that is asked for.

        Before the end of initialization loads may be missing, so an equilibrium that is not found is none yet: some
        masters read outputs before they set inputs.
        """
        try:
            return at_rest(self.charts, self.state, parameters, inputs) if self.values[SOLVER_STATIC] else self.state
        except FmuError:
            if final:
                raise
            return self.state

    def _parameters(self) -> list[float]:
        values = self.values
        parameters = [values[i] for i in self.layout.parameters]
        if self._unchecked:
            self._fold([values[i] for i in self.layout.designs])
            check_laws(self.charts[0].model, parameters)
            self._unchecked = False
        return parameters

    def _fold(self, p: list[float]) -> None:
        """Tables and numbers with design parameters p, if these are others than before."""
        if p != [design.value for design in self.charts[0].model.designs]:
            self.charts = prepare(at_design(self.model, p)) if any(p) else self._bare

    def _inputs(self) -> Array:
        return np.array(self.values[self.layout.inputs])

    # --- saved states -------------------------------------------------------------------------------------------------

    def save(self) -> bytes:
        """Everything that makes a later step come out the same, as one block of bytes.

        The kernel has derivatives of inputs in it; here they are always zero.
        """
        rates = [0.0] * self._input_count
        numbers = np.array([float(self.phase), *self.state.numbers(), *rates, *self.values], dtype="<f8")
        return self._tag + numbers.tobytes()

    def restore(self, block: bytes) -> None:
        """Go back to a saved state.

        Raises:
            StepError: the block is not a saved state of this model.
        """
        count = len(self.state.numbers())
        size = TAG_BYTES + 8 * (1 + count + len(self.values) + self._input_count)
        if len(block) != size or block[:TAG_BYTES] != self._tag:
            raise StepError(
                f"the saved state ({len(block)} bytes) is not one of this model ({size} bytes); "
                "restore only what the same FMU has saved"
            )
        numbers = np.frombuffer(block, dtype="<f8", offset=TAG_BYTES).astype(float)
        if numbers[1 + count : -len(self.values)].any():
            raise StepError(
                "the saved state holds derivatives of inputs, which only the compiled kernel knows; "
                "save it after the step"
            )
        self.phase = Phase(int(numbers[0]))
        self.state = from_numbers(numbers[1 : 1 + count], self.state.memory)
        self.values = numbers[-len(self.values) :].tolist()
        self._stale = self._unchecked = True
