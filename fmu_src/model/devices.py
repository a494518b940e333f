"""Elements that the file describes by formulas: with several measures, parameters, inputs, states, unknowns.

A device is one such element, or several that read one another's quantities.  Its formulas read slots,

    s (nm)      measures that it is connected to                                        |
    sdot (nm)   their rates                                                             |  active: what
    x (nx)      its states                                                              |  changes over a step
    u (nu)      its unknowns                                                            |
    p (np)      parameters of the model
    i (ni)      inputs
    N_0, N_k    of each load that it reads: without its forces, and per force on each measure (1 + nm)
    f (nf)      values of its formulas, each in a slot of its own, in their order

and each formula may read those before it.  Some of them are rates of states, forces on measures, residuals, outputs:

    xdot = r(s, sdot, x, u, p, i),   0 = g(s, sdot, x, u, p, i),   f_k on s_k,   virtual work sum_k f_k ds_k        (1)

The unknowns are those that make the residuals g vanish, found by Newton's method from where they were last.  A positive
force makes its measure grow.  `numpy_runtime.devices` evaluates them.

A load N of the mechanism that formulas read, such as the normal force of a cam, grows with the forces that they give.
It is linear in them, since it is in accelerations: so it is one more unknown, whose residual is

    0 = N - N_0 - sum_k N_k f_k                                                                             (2)

All elements with forces are one device then.  What N_0 and N_k are the equations of motion tell at every evaluation.
"""

from __future__ import annotations

from dataclasses import dataclass

from .programs import Table

MOST_ACTIVE = 64
"""Slots of a device that change over a step."""


@dataclass(frozen=True)
class Formula:
    """A formula: whose it is, what it gives, for messages; and its program."""

    owner: str  # name of the element
    what: str  # e.g. "rate of state 'F'"
    code: tuple[int, ...]  # see `programs`


@dataclass(frozen=True)
class StateInfo:
    """A state of a device."""

    name: str  # with the element's, e.g. "damper.F"
    unit: str
    start: float
    description: str
    rate: int  # its formula


@dataclass(frozen=True)
class UnknownInfo:
    """An unknown of a device."""

    name: str
    unit: str
    start: float  # where Newton's method begins
    nominal: float  # what is usual for it: how small a step counts as none
    description: str
    residual: int  # its formula


@dataclass(frozen=True)
class DeviceInput:
    """An input of a device."""

    name: str
    unit: str
    start: float
    minimum: float | None
    maximum: float | None
    description: str


@dataclass(frozen=True)
class DeviceOutput:
    """A formula that is shown."""

    name: str
    unit: str
    description: str
    formula: int


@dataclass(frozen=True)
class Connection:
    """A measure that a device is connected to."""

    name: str  # e.g. "damper.s"
    element: int  # number among the elements of the model, which has no laws
    force: int  # formula, -1 if nothing acts on it


@dataclass(frozen=True)
class DeviceLoad:
    """A load that formulas read."""

    load: int  # number among the loads of the model
    unknown: int  # number among the unknowns of the device, whose residual is (2)


@dataclass(frozen=True)
class Device:
    """One element of the file, or several that read one another."""

    connections: tuple[Connection, ...]  # nm
    states: tuple[StateInfo, ...]  # nx
    unknowns: tuple[UnknownInfo, ...]  # nu
    parameters: tuple[int, ...]  # np, of the model
    inputs: tuple[DeviceInput, ...]  # ni
    constants: tuple[float, ...]
    tables: tuple[Table, ...]
    formulas: tuple[Formula, ...]  # nf
    inner: int  # so many of them, the first ones, are what the residuals need
    outputs: tuple[DeviceOutput, ...]
    loads: tuple[DeviceLoad, ...] = ()  # nl

    @property
    def active(self) -> int:
        """Slots that change over a step: s, sdot, x, u."""
        return 2 * len(self.connections) + len(self.states) + len(self.unknowns)

    @property
    def given(self) -> int:
        """Slots before those of the formulas."""
        return self.active + len(self.parameters) + len(self.inputs) + self.pressing

    @property
    def pressing(self) -> int:
        """Slots of N_0 and N_k of all loads."""
        return len(self.loads) * (1 + len(self.connections))

    @property
    def slots(self) -> int:
        """All of them."""
        return self.given + len(self.formulas)

    @property
    def x(self) -> int:
        """The first slot of the states."""
        return 2 * len(self.connections)

    @property
    def u(self) -> int:
        """The first slot of the unknowns."""
        return self.x + len(self.states)
