"""Where the time of a bake goes: work that takes most of it, each on the clock of its thread."""

from __future__ import annotations

import functools
import importlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from precompute.model.mechanism import Mechanism
from precompute.pipeline import bake

WORK = {
    "coarse grids, which show whether the ranges can be reached": ("planning.reach.walk_block",),
    "whether the motion leaves its tables at once": ("pipeline.departure",),
    "closed configurations at nodes and points to compare with": ("tables.sweep.follow",),
    "columns there: velocities, second derivatives, fields": ("tables.sweep.evaluate",),
    "condition numbers at the nodes": ("tables.sweep.worst_condition",),
    "splines: fitted, evaluated": (
        "tables.tabulate.fit_block",
        "tables.certificate.evaluate_block",
        "tables.certificate.block_slope",
    ),
    "factors of the tables": ("tables.tabulate.factorized",),
    "how far stiff directions may deflect": ("tables.tabulate.validity",),
    "whether all motions move mass": ("tables.tabulate.check_inertia",),
}
"""What is done, and the functions that do it, where they are called."""

REST = "the rest"


def measure(mechanism: Mechanism) -> dict[str, float]:
    """Processor time [s] by work, and of what is left."""
    seconds = dict.fromkeys(WORK, 0.0)
    with clocked(seconds):
        start = time.process_time()
        bake(mechanism)
        whole = time.process_time() - start
    return seconds | {REST: whole - sum(seconds.values())}


@contextmanager
def clocked(seconds: dict[str, float]) -> Iterator[None]:
    """While this lasts, calls of these functions add up; what one does for another counts once, for the outer."""
    inside, lock, before = threading.local(), threading.Lock(), []
    for label, places in WORK.items():
        for place in places:
            module, name = place.rsplit(".", 1)
            owner = importlib.import_module(f"precompute.{module}")
            before.append((owner, name, getattr(owner, name)))
            setattr(owner, name, on_clock(getattr(owner, name), label, seconds, inside, lock))
    try:
        yield
    finally:
        for owner, name, function in before:
            setattr(owner, name, function)


def on_clock(
    function: Callable[..., Any], label: str, seconds: dict[str, float], inside: threading.local, lock: threading.Lock
) -> Callable[..., Any]:
    """The function, adding the time of its thread unless another on the clock has called it."""

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if getattr(inside, "busy", False):
            return function(*arguments, **named)
        inside.busy, start = True, time.thread_time()
        try:
            return function(*arguments, **named)
        finally:
            inside.busy = False
            with lock:
                seconds[label] += time.thread_time() - start

    return call
