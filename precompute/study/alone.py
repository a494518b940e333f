"""K&C curves of one design: any case, metric, mechanism and variable; slow and general."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.kc.record import Choices
from precompute.kc.registry import Values
from precompute.model.mechanism import Mechanism
from precompute.rig.cases import acting
from precompute.rig.curves import early_ends, named_cases
from precompute.rig.gradients import quietly
from precompute.rig.march import Course, march
from precompute.rig.records import axle_record
from precompute.rig.stand import Stand, stand


@dataclass(frozen=True, eq=False)
class Setup:
    """What is done to each design."""

    case: str
    values: Array  # (m,) of its input, ascending [SI]
    axle: str | None = None
    choices: Choices = Choices()
    elastic: bool = True

    def on_the_rig(self, mechanism: Mechanism) -> tuple[Stand, Course]:
        """An axle led through the case.

        Raises:
            PrecomputeError: it cannot be put on the rig, or finds no rest there.
        """
        on = stand(mechanism, self.axle, self.choices, self.elastic)
        return on, march(on, [acting(named_cases([self.case])[0], on)], [self.values])[0]


@dataclass(frozen=True, eq=False)
class One:
    """A design over the points of a case."""

    columns: Values  # (m,) each, nan beyond its ends
    found: NDArray[np.bool_]  # (m,)
    remarks: tuple[str, ...]  # why it ends early


def alone(mechanism: Mechanism, setup: Setup, metrics: Sequence[str]) -> tuple[One, dict[str, str]]:
    """Columns of metrics, and why some are missing.

    Raises:
        PrecomputeError: the mechanism cannot be put on the rig, or finds no rest there.
    """
    return columns_of(*setup.on_the_rig(mechanism), setup, metrics)


def columns_of(on: Stand, course: Course, setup: Setup, metrics: Sequence[str]) -> tuple[One, dict[str, str]]:
    """The same of an axle that was led through the case."""
    found, out = np.isin(setup.values, course.values), {}
    missing: dict[str, str] = {}
    if found.any():
        loaded = course.case.pads == "load"
        record = axle_record(on, course.rest, course.setting, second=not loaded)
        values, missing = quietly(record, list(metrics))
        for name, column in values.items():
            if column.ndim == 1:
                out[name] = np.full(len(setup.values), np.nan)
                out[name][found] = column
    return One(out, found, early_ends(course)), missing
