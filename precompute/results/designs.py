"""Designs that were changed: variables before and after, in the units of the file, and what came of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from precompute.design.variables import Variable
from precompute.fitting import Fit
from precompute.fitting.text import remarks
from precompute.redesign.changing import Redesign


def variable_data(variable: Variable, change: float) -> dict[str, Any]:
    """A variable that changes by so much [SI]."""
    back = variable.scale.back
    return {
        "name": variable.name,
        "before": back(variable.value),
        "after": back(variable.value + change),
        "change": back(change),
        "unit": variable.unit,
    }


def redesign_data(found: Redesign, moved: list[tuple[str, float, float]]) -> dict[str, Any]:
    """A redesign, with the bodies that stand elsewhere: by how much they moved [m] and turned [rad]."""
    loops, holds = found.problem.loops, found.problem.holds
    units, variables = loops.design.mechanism.units, loops.design.variables
    length, angle = units.scale("length"), units.scale("angle")
    held = zip(holds.all, holds.targets, found.held, strict=True) if holds.all else ()
    return {
        "name": loops.design.mechanism.name,
        "method": found.method,
        "iterations": found.iterations,
        "length_unit": units.length,
        "angle_unit": units.angle,
        "asked": [variable_data(variables[name], change) for name, change in found.problem.asked.items()],
        "absorbed": [variable_data(variables[name], change) for name, change in found.absorbed.items()],
        "moved": [{"body": name, "by": length.back(by), "turned": angle.back(turn)} for name, by, turn in moved],
        "held": [
            {"name": h.name, "value": h.shown.factor * value, "change": h.shown.factor * by, "unit": h.shown.unit}
            for h, value, by in held
        ],
        "norm": length.back(float(np.linalg.norm(loops.weights * found.x))),
        "reference_length": length.back(loops.closure.length),
        "gap": length.back(found.gap),
    }


def fit_data(found: Fit) -> dict[str, Any]:
    """A fit: variables with how well they are known, curves with what is left of them."""
    curves = found.curves
    variables = []
    for k, v in enumerate(curves.variables):
        sure, most = v.scale.back(float(found.intervals[v.name])), v.scale.back(float(found.ranges[k]))
        own = variable_data(v, found.value(v) - v.value)
        variables.append({**own, "interval_95": sure, "at_most": most, "at_bound": bool(found.at_bound[k])})
    left = []
    for target in curves.targets:
        before, after = (found.errors(target, at) * target.shown.factor for at in (found.before, found.after))
        worst = int(np.argmax(np.abs(after)))
        left.append(
            {
                "name": target.name,
                "unit": target.shown.unit,
                "points": len(target.values),
                "counts_one": target.shown.factor * target.scale,
                "rms_before": np.sqrt(np.mean(before**2)),
                "rms_after": np.sqrt(np.mean(after**2)),
                "largest": after[worst],
                "largest_at": target.place(worst),
            }
        )
    return {
        "name": curves.design.mechanism.name,
        "source": found.source,
        "tried": found.tried,
        "settled": found.settled,
        "condition": found.certainty.condition,
        "variables": variables,
        "curves": left,
        "remarks": remarks(found),
    }
