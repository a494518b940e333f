"""Curves of a changed mechanism at the inputs of the targets, and how far they are off."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from precompute.arrays import Array
from precompute.design import Design, Variable
from precompute.errors import PrecomputeError
from precompute.fitting.targets import Target
from precompute.kc.record import AxleRecord, Choices
from precompute.rig.cases import Case
from precompute.rig.curves import early_ends
from precompute.rig.march import march
from precompute.rig.records import axle_record
from precompute.rig.stand import Stand, stand
from precompute.sensitivity.analytic import Followed, column_of
from precompute.sensitivity.differences import settled
from precompute.sensitivity.result import measured_apart


@dataclass(frozen=True, eq=False)
class At:
    """A changed mechanism on the rig, at all inputs."""

    changes: Mapping[str, float]  # of variables [SI]
    courses: tuple[Followed, ...]  # by case
    values: Array  # (m,) of all targets, one after another [SI]

    @property
    def stand(self) -> Stand:
        """It."""
        return self.courses[0].stand


@dataclass(frozen=True, eq=False)
class Curves:
    """What is to be fitted: r = (values - targets) / scales."""

    design: Design
    variables: tuple[Variable, ...]
    targets: tuple[Target, ...]
    axle: str | None
    choices: Choices
    elastic: bool

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """Of the targets."""
        return tuple({t.case.name: t.case for t in self.targets}.values())

    @cached_property
    def inputs(self) -> tuple[Array, ...]:
        """Of each case, ascending, each once."""
        return tuple(np.unique(np.concatenate([t.inputs for t in self.of(case)])) for case in self.cases)

    def of(self, case: Case) -> list[Target]:
        """The targets of a case."""
        return [t for t in self.targets if t.case.name == case.name]

    @cached_property
    def wanted(self) -> Array:
        """(m,) values of all targets [SI]."""
        return np.concatenate([t.values for t in self.targets])

    @cached_property
    def scales(self) -> Array:
        """(m,)."""
        return np.concatenate([np.full(len(t.values), t.scale) for t in self.targets])

    def numbers(self, target: Target) -> slice:
        """Where the values of a target are among all."""
        k = self.targets.index(target)
        first = sum(len(t.values) for t in self.targets[:k])
        return slice(first, first + len(target.values))

    def put(self, changes: Mapping[str, float]) -> Stand:
        """The changed mechanism on the rig, with a measure for every element, as derivatives want it."""
        return measured_apart(stand(self.design.moved(changes), self.axle, self.choices, self.elastic))

    def at(self, changes: Mapping[str, float], near: At | None = None) -> At:
        """The curves of the changed mechanism.

        Args:
            changes: of variables [SI].
            near: a mechanism so little different that it rests near by; otherwise it is led from its design position.

        Raises:
            PrecomputeError: it is faulty or does not go as far as the targets do; all of that is told.
        """
        on = self.put(changes)
        followed = (self.beside(on, near) if near else None) or self.led(on)
        return At(changes, followed, self.gathered(self.columns(course, self.record(course)) for course in followed))

    def beside(self, on: Stand, near: At) -> tuple[Followed, ...] | None:
        """All cases from the states of another mechanism; None if one of them does not come to rest."""
        out = []
        for course in near.courses:
            rest, made, good = settled(course, on)
            if not good.all():
                return None
            out.append(Followed(on, course.case, course.values, rest, made))
        return tuple(out)

    def led(self, on: Stand) -> tuple[Followed, ...]:
        """All cases from the design position.

        Raises:
            PrecomputeError: one ends before the targets do.
        """
        courses = march(on, self.cases, self.inputs)
        if short := [end for course in courses for end in early_ends(course)]:
            raise PrecomputeError("\n".join(short))
        return tuple(Followed(on, c.case, c.values, c.rest, c.setting) for c in courses)

    def record(self, course: Followed) -> AxleRecord:
        """With all that the targets of its case need."""
        orders = {t.metric.order for t in self.of(course.case)}
        statics = "statics" in orders
        return axle_record(course.stand, course.rest, course.setting, statics or "velocity" in orders, statics)

    def columns(self, course: Followed, record: AxleRecord) -> list[Array]:
        """(n,) of each target of a case at all its inputs."""
        return [column_of(t.metric, t.column, record) for t in self.of(course.case)]

    def gathered(self, found: Iterable[Sequence[Array]]) -> Array:
        """(..., m) of all targets, of what each of their cases has (..., n) at its inputs."""
        parts: dict[Target, Array] = {}
        for case, inputs, columns in zip(self.cases, self.inputs, found, strict=True):
            for target, column in zip(self.of(case), columns, strict=True):
                parts[target] = column[..., np.searchsorted(inputs, target.inputs)]
        return np.concatenate([parts[t] for t in self.targets], axis=-1)

    def residuals(self, at: At) -> Array:
        """(m,)."""
        return (at.values - self.wanted) / self.scales
