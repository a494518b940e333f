"""Quantities over time: what they come to, each in the unit that is beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from precompute.loading.counting import cycles, large_cycles
from precompute.loading.record import JointLoads
from precompute.running.samples import Samples
from precompute.running.simulation import Run
from precompute.running.step_error import HELD_ORDER, Change, StepComparison, richardson


def span(samples: Samples) -> dict[str, Any]:
    """Name and times."""
    time = samples.time
    return {"name": samples.name, "samples": len(time), "first_time": time[0], "last_time": time[-1]}


def quantities(samples: Samples, names: Iterable[str]) -> dict[str, Any]:
    """Smallest, largest and last value of some or, if none are named, of all."""
    return {
        name: {
            "unit": samples.units[name],
            "smallest": samples.values[name].min(),
            "largest": samples.values[name].max(),
            "last": samples.values[name][-1],
        }
        for name in list(names) or samples.values
    }


def run_data(run: Run, names: Iterable[str], error: StepComparison | None = None) -> dict[str, Any]:
    """A run of an FMU, and what its steps cost if that was asked for."""
    return {
        **span(run),
        "steps": run.steps,
        "seconds": run.seconds,
        "solver_step": run.solver_step,
        "quantities": quantities(run, names),
        **({"step_error": step_error_data(error, run)} if error else {}),
    }


def step_error_data(found: StepComparison, run: Run) -> dict[str, Any]:
    """Errors of integration, and of holding inputs, by quantity."""

    def changes(of: Mapping[str, Change], order: int) -> dict[str, Any]:
        return {
            name: {
                "unit": run.units[name],
                "difference": change.difference,
                "error": richardson(order) * change.difference,
                "time": change.time,
            }
            for name, change in of.items()
        }

    of = changes(found.changes, found.order)
    held = {"held": changes(found.held, HELD_ORDER)} if found.held else {}
    return {"step": found.step, "order": found.order, "of": of, **held}


def loads_data(found: JointLoads, names: Iterable[str]) -> dict[str, Any]:
    """Loads of joints: extremes with their times, and range pairs."""
    loads = {}
    for name in list(names) or found.loads:
        low, low_at, high, high_at = found.extremes(name)
        pairs = found.outputs[name]
        loads[name] = {
            "unit": found.units[name],
            "smallest": low,
            "smallest_at": low_at,
            "largest": high,
            "largest_at": high_at,
            "range_pairs": large_cycles(pairs),
            "largest_range": cycles(pairs)[:, 0].max(initial=0.0),
        }
    return {**span(found), "axes": found.axes, "loads": loads, "undefined": found.undefined}
