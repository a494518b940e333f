"""What a suspension engineer reads first of an axle at design: six lines of `kinetab check`."""

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
from precompute.rig.stops import stops_line
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

NO_LOAD = 1e-6
"""[N] of wheel load: below it the wheel stands on nothing."""

UNLOADED = "no road under the wheel: a port at its contact takes the static load, force = [0, 0, 4000] say"
PULLED = "that pulls the wheel down: a port's force is in global axes, that of a road points up"
"""Of wheels that carry nothing."""

STOPS = "stops touch"
"""The line of stops, where there are some."""


@dataclass(frozen=True)
class AxleReport:
    """Of one axle."""

    name: str
    values: tuple[tuple[str, str], ...]  # (line, what it says), in the order of `LINES`; then `STOPS`

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
    lines = [(line, said(mechanism, metric, word, values, missing)) for line, (metric, word) in LINES.items()]
    stops = stops_line(on)
    return AxleReport(axle.name, (*lines, *([(STOPS, f"{stops} (wheel travel)")] if stops else [])))


def said(mechanism: Mechanism, name: str, word: str, values: dict[str, Any], missing: dict[str, str]) -> str:
    """What a line says: a number with its unit, two where the wheels differ, or what is missing for it."""
    units = mechanism.units
    found: dict[str, float] = {}  # by side; the first spring of each
    for column, value in values.items():
        if column.partition(".")[0] == name:
            found.setdefault(column.rpartition(".")[2], float(value[0]))
    if not found:
        return f"not given: {missing[name]}" if name in missing else "not given: no spring moves with the wheel"
    if name == "wheel_load" and (least := min(found.values())) < NO_LOAD:
        pulled = least < -NO_LOAD
        return f"{units.shown(least if pulled else 0.0, 'force', 4)}, {PULLED if pulled else UNLOADED}"
    told = {side: in_units(units, METRICS[name], value) for side, value in found.items()}
    several = [f"{text} ({side})" for side, text in told.items()]
    if name == "spring_motion_ratio" and min(found.values()) < 0.0 and lengthens(mechanism, values):
        word += "; the spring lengthens in bump: check its points"
    return f"{next(iter(told.values())) if len(set(told.values())) == 1 else '; '.join(several)}, {word}"


def lengthens(mechanism: Mechanism, values: dict[str, Any]) -> bool:
    """Whether it is a spring between two points of which a negative motion ratio is."""
    wrong = {column.split(".")[1] for column, value in values.items() if column.count(".") == 2 and value[0] < 0.0}
    return any(spring.name in wrong and spring.on.segment for spring in mechanism.springs)


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
