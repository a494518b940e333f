"""What the rig measured, in the terminal: values at design and gradients, case by case."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Sequence

import numpy as np

from precompute.arrays import Array
from precompute.kc.registry import METRICS
from precompute.sheets.columns import CaseResult, Column, Sheet

OTHER_END = re.compile(r"needs a (front|rear) axle|needs a steering|needs two balls")
"""Why an axle has no use for a metric."""

WIDTH = 110
"""Of lines of prose."""

STEERING_AXIS = ("caster", "kingpin_inclination", "scrub_radius", "mechanical_trail", "spindle_length")
SHOWN: dict[str, tuple[str, ...]] = {
    "bump": (
        *("toe", "camber", *STEERING_AXIS),
        *("patch_longitudinal", "patch_lateral", "roll_centre_height", "side_view_swing_arm_angle"),
        *("anti_dive", "anti_lift", "anti_squat", "anti_lift_drive"),
        *(
            "spring_motion_ratio",
            "damper_motion_ratio",
            "element_motion_ratio",
            "wheel_load",
            "wheel_rate",
            "ride_rate",
            "ride_frequency",
        ),
    ),
    "roll": ("toe", "camber", "roll_centre_height", "wheel_load", "bar_motion_ratio", "roll_stiffness"),
    "single_bump": ("toe", "camber", "wheel_load"),
    "steering": (
        *("steer", "camber", "caster", "steering_ratio", "ackermann_error", "ackermann_percentage"),
        *("turning_circle", "wheel_load"),
    ),
    "lateral": ("toe", "camber", "patch_lateral", "centre_vertical"),
    "lateral_opposed": ("toe", "camber", "patch_lateral"),
    "lateral_single": ("toe", "camber", "patch_lateral"),
    "braking": ("toe", "camber", "patch_longitudinal", "centre_longitudinal"),
    "traction": ("toe", "camber", "centre_longitudinal"),
    "aligning": ("toe", "camber"),
    "aligning_opposed": ("toe", "camber"),
    "vertical": ("centre_vertical", "toe", "camber", "wheel_rate"),
}
"""Metrics that people look at first, by case."""


def summary(kc: Sheet, everything: bool = False, names: Sequence[str] | None = None) -> str:
    """The table of all cases: metrics that people look at first, everything, or some by name."""
    sides = "both wheels" if not kc.curves.record.mirrored else f"{kc.own_side} wheel, the other by symmetry"
    lines = [f"{kc.name}, axle '{kc.axle}' ({sides}): value at design, gradient there, over the range"]
    for case in kc.cases.values():
        lines += ["", heading(case), *rows(chosen(kc, case, everything, names))]
    if kc.remarks:
        lines += ["", *(wrapped(f"Note: {remark}") for remark in kc.remarks)]
    if names is None and (missing := missing_lines(kc, everything)):
        lines += ["", *missing]
    return "\n".join([*lines, "", *(wrapped(line) for line in kc.foot)])


def heading(case: CaseResult) -> str:
    """Of a case."""
    if not case.input.size:
        return f"{case.title} ({case.name}): no point was reached"
    ends = f"{case.input[0]:.4g} to {case.input[-1]:.4g} {case.input_unit}"
    return f"{case.title} ({case.name}): {case.input_name} {ends}, {case.input.size} points; positive: {case.positive}"


def chosen(kc: Sheet, case: CaseResult, everything: bool = False, names: Sequence[str] | None = None) -> list[Column]:
    """The columns that are printed: of two wheels that do the same, one."""
    wanted = list(METRICS) if everything else SHOWN[case.name] if names is None else [name.strip() for name in names]
    found = [c for name in wanted for c in case.columns.values() if name in (c.name, c.name.partition(".")[0])]
    if names is not None and any("." in name for name in names):
        return found
    other = {"left": "right", "right": "left"}[kc.own_side]
    return [c for c in found if not c.name.endswith(f".{other}") or differs(case, c, kc.own_side)]


def differs(case: CaseResult, column: Column, own: str) -> bool:
    """Whether a wheel does something else than the own one; of its springs, whether none there does the same."""
    metric, *element, _ = column.name.split(".")
    known = [name.split(".") for name in case.columns]
    twins = [".".join(n) for n in known if n[0] == metric and n[-1] == own and len(n) == len(element) + 2]
    return not any(equal(case.columns[twin].values, column.values) for twin in twins)


def equal(a: Array, b: Array) -> bool:
    """Whether two curves are one, but for round-off."""
    size = max(np.abs(np.nan_to_num(a)).max(initial=0.0), 1e-9)
    return np.allclose(a, b, rtol=0.0, atol=1e-6 * size, equal_nan=True)


def rows(columns: Iterable[Column]) -> list[str]:
    """A line per column: name, value at design, gradient, range."""
    columns = list(columns)
    width = max((len(c.name) for c in columns), default=0)
    units = max((len(c.unit) for c in columns), default=0)
    slopes = max((len(c.gradient_unit) for c in columns), default=0)
    out = []
    for c in columns:
        slope = f"{told(c.gradient):>10} {c.gradient_unit:<{slopes}}"
        spread = [x for x in c.values.tolist() if math.isfinite(x)]
        ends = f"{told(min(spread)):>10} to {told(max(spread))}" if spread else ""
        out.append(f"  {c.name:<{width}} {told(c.design):>10} {c.unit:<{units}} {slope} {ends}".rstrip())
    return out


def told(value: float) -> str:
    """Four digits; what is no number is a dash, round-off is zero."""
    if not math.isfinite(value):
        return "-"
    return f"{0.0 if abs(value) < 1e-11 else value:.4g}"


def missing_lines(kc: Sheet, everything: bool) -> list[str]:
    """Metrics that there are none of: those that people look at first and could have, or all."""
    looked = {name for names in SHOWN.values() for name in names}
    could = {name: why for name, why in kc.missing.items() if not OTHER_END.search(why)}
    listed = [why for name, why in (kc.missing if everything else could).items() if everything or name in looked]
    return [wrapped(f"Not given: {why}") for why in dict.fromkeys(listed)]


def wrapped(line: str) -> str:
    """Prose, broken at the width."""
    return textwrap.fill(line, WIDTH, subsequent_indent="  ")
