"""What the rig measured, as people read it: columns with units over the input of each case, by one convention."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.kc.conventions import Convention
from precompute.kc.display import Shown, is_angular, shown
from precompute.kc.footer import Taken, footer
from precompute.kc.metric import Metric
from precompute.kc.registry import METRICS, SIDES, in_convention
from precompute.model.mechanism import nearest
from precompute.rig.cases import CASES
from precompute.rig.curves import Curve, Curves
from precompute.rig.quantities import INPUTS, gradient_shown

CASE_NAMES = tuple(case.name for case in CASES)

GRADIENT_CASES = {"travel": "bump", "roll": "roll", "steering": "steering"}
"""Inputs by the names that people use -> the case that a gradient along it is of."""


@dataclass(frozen=True, eq=False)
class Column(NDArrayOperatorsMixin):
    """A metric over the input of a case; NumPy takes it as an array of its values, and one computes with it so."""

    name: str
    unit: str
    values: Array  # (n,)
    input: Array  # (n,)
    input_name: str
    input_unit: str
    design: float  # its value at design
    gradient: float  # along the input, at design; nan where there is none
    gradient_unit: str
    definition: str

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype=dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        own = [x.values if isinstance(x, Column) else x for x in inputs]
        return getattr(ufunc, method)(*own, **options)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, at: Any) -> Any:
        return self.values[at]

    def __iter__(self) -> Iterator[float]:
        return iter(self.values.tolist())

    def __repr__(self) -> str:
        ends = f"{self.input[0]:g} to {self.input[-1]:g} {self.input_unit}" if len(self) else "no point"
        spread = f"{np.nanmin(self.values):.4g} to {np.nanmax(self.values):.4g}" if self._has_values else "nothing"
        slope = f", {self.gradient:.4g} {self.gradient_unit}" if np.isfinite(self.gradient) else ""
        return (
            f"{self.name} [{self.unit}] over {self.input_name}, {ends}, {len(self)} points: {spread}; "
            f"at design {self.design:.4g} {self.unit}{slope}"
        )

    @property
    def _has_values(self) -> bool:
        return bool(np.isfinite(self.values).any())


@dataclass(frozen=True, eq=False)
class CaseResult(Mapping[str, Column]):
    """The columns of one case by name; a name of a metric alone is that of the own, or the left, wheel."""

    name: str
    title: str
    input: Array  # (n,) ascending
    input_name: str
    input_unit: str
    columns: Mapping[str, Column]
    positive: str  # which way of the input
    remarks: tuple[str, ...]
    own_side: str
    missing: Mapping[str, str]

    def __getitem__(self, name: str) -> Column:
        if name in self.columns:
            return self.columns[name]
        alone = [f"{name}.{self.own_side}", *(c for c in self.columns if c.startswith(f"{name}.") and self._own(c))]
        for column in alone:
            if column in self.columns:
                return self.columns[column]
        raise no_column(name, self)

    def _own(self, column: str) -> bool:
        return column.endswith(f".{self.own_side}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        ends = f"{self.input[0]:g} to {self.input[-1]:g} {self.input_unit}" if self.input.size else "no point"
        return f"{self.title}: {len(self)} columns over {self.input_name}, {ends}, {self.input.size} points"


class NoColumnError(PrecomputeError, KeyError):
    """There is no such column; the message says why."""

    def __str__(self) -> str:
        return str(self.args[0])


def no_column(name: str, case: CaseResult) -> NoColumnError:
    """The error for a metric or case that is not there."""
    metric = name.partition(".")[0]
    if metric in case.missing:
        return NoColumnError(case.missing[metric])
    if metric in METRICS:
        return NoColumnError(f"there is no '{name}' in the case {case.name}; {nearest(name, list(case.columns))}")
    return NoColumnError(f"there is no metric '{name}'; {nearest(metric, list(METRICS))}; `kinetab kc --list` has all")


@dataclass(frozen=True, eq=False)
class Sheet(Mapping[str, CaseResult]):
    """Kinematics and compliance of an axle, by one convention."""

    curves: Curves
    convention: Convention = "iso"

    @property
    def name(self) -> str:
        """Of the mechanism."""
        return self.curves.stand.mechanism.name

    @property
    def axle(self) -> str:
        """Of the axle."""
        return self.curves.stand.axle.name

    @property
    def own_side(self) -> str:
        """The side of the wheel that a metric's name alone is of: that of the file, the left one of two."""
        return next(side for side, place in zip(SIDES, self.curves.stand.sides, strict=True) if not place.mirrored)

    @property
    def missing(self) -> Mapping[str, str]:
        """Metrics that there are none of, and why."""
        return self.curves.missing

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was left out, and which curves end early."""
        out = [f"{name} is left out: {why}" for name, why in self.curves.left_out.items()]
        return (*out, *(remark for curve in self.curves.curves for remark in curve.remarks))

    @cached_property
    def foot(self) -> tuple[str, ...]:
        """What stands at the foot of tables and plots: all that definitions leave open."""
        stand = self.curves.stand
        weights = bool(stand.mechanism.gravity.any())
        locked = bool(stand.rig.bench.closure.topology.locked)
        units = {curve.case.range: INPUTS[curve.case.unit] for curve in self.curves.curves}
        steps = [
            f"{units[name].factor * step:.4g} {units[name].unit} of {name}"
            for name, step in self.curves.secants.items()
            if name in units
        ]
        taken = Taken(secant=" and ".join(steps) or None, weights=weights, elastic=not locked)
        return footer(self.curves.record, self.convention, taken)

    @cached_property
    def cases(self) -> Mapping[str, CaseResult]:
        """All cases by name."""
        return {curve.case.name: self._case(curve) for curve in self.curves.curves}

    def __getitem__(self, name: str) -> Any:
        if name in self.cases:
            return self.cases[name]
        if name in CASE_NAMES:
            raise NoColumnError(self._no_case(name))
        return self.main[name]

    def _no_case(self, name: str) -> str:
        """Why a case is not there."""
        why = self.curves.left_out.get(name)
        return f"the case {name} is left out: {why}" if why else f"the case {name} was not asked for"

    def __iter__(self) -> Iterator[str]:
        return iter(self.cases)

    def __len__(self) -> int:
        return len(self.cases)

    @property
    def main(self) -> CaseResult:
        """The case of which columns are asked for by name alone."""
        if not self.cases:
            raise PrecomputeError(f"nothing was measured of '{self.name}': {'; '.join(self.remarks)}")
        return next(iter(self.cases.values()))

    def at_design(self, name: str) -> Any:
        """A metric at design: a number, or a compliance matrix in SI units."""
        found = self.main.columns.get(name) or self.main.columns.get(f"{name}.{self.own_side}")
        if found is not None:
            return found.design
        for column in (name, f"{name}.{self.own_side}"):
            if column in self.curves.design:
                return self._shown(METRICS[name.partition(".")[0]], column, self.curves.design[column])
        raise no_column(name, self.main)

    def gradient(self, name: str, along: str = "travel") -> float:
        """Of a metric along an input at design, in the units of `kc[case][name].gradient_unit`.

        Args:
            name: as `kc[name]` takes it.
            along: "travel", "roll", "steering", or the name of a case.
        """
        case = GRADIENT_CASES.get(along, along)
        if case not in self.cases:
            hint = self._no_case(case) if case in CASE_NAMES else nearest(along, [*GRADIENT_CASES, *self.cases])
            raise PrecomputeError(f"there is no gradient along '{along}'; {hint}")
        return self.cases[case][name].gradient

    # -- units and signs, at the border --------------------------------------------------------------------------------

    def _case(self, curve: Curve) -> CaseResult:
        case, unit = curve.case, INPUTS[curve.case.unit]
        sign = case.sign.factor(self.convention)
        order = slice(None) if sign > 0 else slice(None, None, -1)
        inputs = (sign * unit.factor * curve.inputs)[order]
        columns = {}
        for column, values in curve.columns.items():
            metric = METRICS[column.partition(".")[0]]
            as_shown, factor = self._how(metric, column)
            slope = gradient_shown(as_shown, case.unit, case.range == "travel")
            columns[column] = Column(
                name=column,
                unit=as_shown.unit,
                values=(factor * as_shown.factor * values)[order],
                input=inputs,
                input_name=case.input,
                input_unit=unit.unit,
                design=float(factor * as_shown.factor * self.curves.design.get(column, np.nan)),
                gradient=sign * factor * slope.factor * curve.gradients.get(column, np.nan),
                gradient_unit=slope.unit,
                definition=metric.definition,
            )
        return CaseResult(
            name=case.name,
            title=case.title,
            input=inputs,
            input_name=case.input,
            input_unit=unit.unit,
            columns=columns,
            positive=case.sign.words(self.convention),
            remarks=curve.remarks,
            own_side=self.own_side,
            missing=self.missing,
        )

    def _how(self, metric: Metric, column: str) -> tuple[Shown, int]:
        angular = is_angular(metric, column, self.curves.record.left)
        return shown(metric, angular), metric.sign.factor(self.convention)

    def _shown(self, metric: Metric, column: str, value: Any) -> Any:
        if metric.unit == "matrix":
            return in_convention({column: value}, self.convention)[column]
        as_shown, factor = self._how(metric, column)
        return factor * as_shown.factor * value
