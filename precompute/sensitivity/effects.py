"""What every design variable does to a metric over a case, in the units that are shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.design import Variable
from precompute.errors import PrecomputeError
from precompute.hints import nearest
from precompute.rig.cases import Case
from precompute.sensitivity.variables import Kind, Per

NONE, NOTHING = 1e-9, 1e-12
"""A derivative below this share of the largest of its kind, or below this number as it is shown, is round-off."""

METHODS = {
    "exact": "exact: a complex step through the metric along exact kinematics",
    "implicit": "implicit: the exact change of the state of rest, laws of forces by differences",
    "differences": "differences of changed mechanisms, each at rest again",
}
SLOPE_METHODS = {
    "exact": "exact mixed derivatives",
    "implicit": "differences of the derivatives along the case",
    "differences": "differences of the derivatives along the case, where it is nearest to design",
}


@dataclass(frozen=True, eq=False)
class Effect:
    """What one variable does, in the units that are shown."""

    variable: Variable
    kind: Kind
    per: Per
    method: str  # one of METHODS
    values: Array  # (n,) derivative of the metric
    error: float  # the largest estimated; zero where they are exact
    slopes: Array  # (n,) derivative of its slope along the input; nan where there is none
    slope_errors: Array  # (n,)

    @property
    def name(self) -> str:
        """Of the variable."""
        return self.variable.name

    @property
    def size(self) -> float:
        """The largest derivative over the case; nan if there is none."""
        known = np.abs(self.values[np.isfinite(self.values)])
        return float(known.max()) if known.size else float("nan")


@dataclass(frozen=True, eq=False)
class Effects(Mapping[str, Effect]):
    """Derivatives of a metric by design variables over a case, by name."""

    mechanism: str
    axle: str
    column: str
    definition: str
    unit: str  # of the metric
    slope_unit: str
    case: Case
    input: Array  # (n,) as shown
    input_unit: str
    metric: Array  # (n,) itself
    slope_method: str
    effects: Mapping[str, Effect]
    unfollowed: tuple[str, ...]
    remarks: tuple[str, ...]

    def __getitem__(self, name: str) -> Effect:
        if name not in self.effects:
            raise PrecomputeError(f"there is no variable '{name}' here; {nearest(name, self.effects)}")
        return self.effects[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.effects)

    def __len__(self) -> int:
        return len(self.effects)

    @property
    def at_design(self) -> int:
        """The number of the point nearest to the design position."""
        return int(np.argmin(np.abs(self.input)))

    def ranked(self, kind: Kind | None = None) -> list[Effect]:
        """Those that have an effect, the largest first: lengths per mm, angles per deg, others per %."""
        own = [e for e in self.effects.values() if (kind is None or e.kind == kind) and np.isfinite(e.size)]
        least = max(NONE * max((e.size for e in own), default=0.0), NOTHING)
        return sorted((e for e in own if e.size > least), key=lambda e: -e.size)
