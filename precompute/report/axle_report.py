"""What a suspension engineer reads first of an axle at design: five lines of `kinetab check`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from precompute.errors import PrecomputeError
from precompute.kc.metric import Metric
from precompute.kc.registry import METRICS, evaluate_all
from precompute.model.mechanism import Axle, Mechanism
from precompute.rig.records import axle_record
from precompute.rig.stand import chosen_axle, stand
from precompute.threads import one_thread
from precompute.units import Units

LINES = {
    "motion ratio": ("spring_motion_ratio", "spring over wheel travel"),
    "wheel rate": ("wheel_rate", "in parallel bump"),
    "ride frequency": ("ride_frequency", "of the body on this axle"),
    "static load": ("wheel_load", "that holds the design position"),
    "bump steer": ("bump_steer", "toe-in positive"),
}
"""What the lines are called -> the metric, and a word on it."""

ROUND_OFF = 1e-13
"""[SI] A number below it is zero."""


@dataclass(frozen=True)
class AxleReport:
    """Of one axle."""

    name: str
    values: tuple[tuple[str, str], ...]  # (line, what it says), in the order of `LINES`

    def lines(self) -> list[str]:
        """As `kinetab check` prints them."""
        width = max(len(line) for line in LINES)
        return [f"Axle '{self.name}' at design", *(f"  {line:<{width}}  {said}" for line, said in self.values)]


@one_thread
def axle_reports(mechanism: Mechanism) -> tuple[AxleReport, ...]:
    """Of all axles; of wheels without axles as of one; none where there are no wheels."""
    if not mechanism.wheels:
        return ()
    return tuple(axle_report(mechanism, axle) for axle in mechanism.axles or (chosen_axle(mechanism, None),))


def axle_report(mechanism: Mechanism, axle: Axle) -> AxleReport:
    """Of one axle; where it finds no equilibrium, why."""
    try:
        on = stand(mechanism, axle.name if axle in mechanism.axles else None)
        record = axle_record(on, on.rest, on.still(1), second=False)
    except PrecomputeError as error:
        return AxleReport(axle.name, (("not given", str(error)),))
    with np.errstate(divide="ignore", invalid="ignore"):
        values, missing = evaluate_all(record, [metric for metric, _ in LINES.values()])
    return AxleReport(
        axle.name,
        tuple((line, said(mechanism.units, metric, word, values, missing)) for line, (metric, word) in LINES.items()),
    )


def said(units: Units, name: str, word: str, values: dict[str, Any], missing: dict[str, str]) -> str:
    """What a line says: a number with its unit, two where the wheels differ, or what is missing for it."""
    found: dict[str, float] = {}  # by side; the first spring of each
    for column, value in values.items():
        if column.partition(".")[0] == name:
            found.setdefault(column.rpartition(".")[2], float(value[0]))
    if not found:
        return f"not given: {missing[name]}" if name in missing else "not given: no spring moves with the wheel"
    told = {side: in_units(units, METRICS[name], value) for side, value in found.items()}
    several = [f"{text} ({side})" for side, text in told.items()]
    return f"{next(iter(told.values())) if len(set(told.values())) == 1 else '; '.join(several)}, {word}"


def in_units(units: Units, metric: Metric, value: float) -> str:
    """A number in the units of the file; angles over travel are per metre where lengths are metric."""
    value = 0.0 if abs(value) < ROUND_OFF else value
    match metric.unit:
        case "N/m":
            return units.shown_stiffness(value)
        case "N":
            return units.shown(value, "force", 4)
        case "rad/m":
            per, length = (1.0, "m") if units.length in ("m", "mm") else (units.measure()(1.0), units.length)
            return f"{units.measure(angular=True).back(value) * per:.4g} {units.angle}/{length}"
    return f"{value:.4g}" + (" Hz" if metric.unit == "Hz" else "")
