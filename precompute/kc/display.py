"""Units in which tables and plots show metrics, and the factors that lead to them from SI and radians."""

from __future__ import annotations

import math
from dataclasses import dataclass

from precompute.kc.metric import Metric, Unit
from precompute.kc.record import Record

DEG = 180.0 / math.pi


@dataclass(frozen=True)
class Shown:
    """A unit that people quote."""

    unit: str
    factor: float


SHOWN: dict[Unit, Shown] = {
    "rad": Shown("deg", DEG),
    "m": Shown("mm", 1e3),
    "%": Shown("%", 1.0),
    "Hz": Shown("Hz", 1.0),
    "N": Shown("N", 1.0),
    "N/m": Shown("N/mm", 1e-3),
    "N m/rad": Shown("N m/deg", 1.0 / DEG),
    "rad/m": Shown("deg/m", DEG),
    "rad/rad": Shown("deg/deg", 1.0),
    "measure/m": Shown("mm/mm", 1.0),
    "measure/m2": Shown("1/m", 1.0),
    "steering/rad": Shown("mm/deg", 1e3 / DEG),
    "rad/N": Shown("deg/kN", 1e3 * DEG),
    "m/N": Shown("mm/kN", 1e6),
    "rad/(N m)": Shown("deg/(100 N m)", 1e2 * DEG),
    "m/(N m)": Shown("mm/(100 N m)", 1e5),
    "matrix": Shown("rad, m, N, N m", 1.0),
}

SHOWN_ANGULAR: dict[Unit, Shown] = {
    "measure/m": Shown("deg/mm", DEG / 1e3),
    "measure/m2": Shown("deg/mm/m", DEG / 1e3),
    "steering/rad": Shown("deg/deg", 1.0),
}
"""Where the element or the steering is an angle."""


def shown(metric: Metric, angular: bool = False) -> Shown:
    """How a metric is shown; `angular` if it is of an element, or of a steering, that is an angle."""
    return SHOWN_ANGULAR.get(metric.unit, SHOWN[metric.unit]) if angular else SHOWN[metric.unit]


def is_angular(metric: Metric, column: str, record: Record) -> bool:
    """Whether a column of a metric is of an angular element, or of an angular steering."""
    if metric.of == "element":
        names = {element.name: element.angular for element in record.elements if element.role in metric.roles}
        return any(angular for name, angular in names.items() if f".{name}" in column)
    return record.steering is not None and record.steering.angular and metric.unit == "steering/rad"
