"""Which stage takes how long: the functions of a module that others made for it, on a clock."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import isfunction
from types import ModuleType
from typing import Any


@contextmanager
def clocked(module: ModuleType) -> Iterator[dict[str, float]]:
    """While this lasts, calls of functions that the module imports from our packages add up.

    Yields:
        Processor time [s] by package of the functions: kinematics, coordinates, tables, reduction ...; what is done
        between them is left out.
    """
    seconds: dict[str, float] = {}
    before = {name: value for name, value in vars(module).items() if isfunction(value) and stage(value, module)}
    for name, function in before.items():
        setattr(module, name, on_clock(function, stage(function, module), seconds))
    try:
        yield seconds
    finally:
        for name, function in before.items():
            setattr(module, name, function)


def stage(function: Callable[..., Any], module: ModuleType) -> str:
    """The package beside the module that a function is from; none if it is from elsewhere."""
    words, root = function.__module__.split("."), module.__name__.split(".")[0]
    return words[1] if words[0] == root and len(words) > 2 else ""


def on_clock(function: Callable[..., Any], name: str, seconds: dict[str, float]) -> Callable[..., Any]:
    """The function, adding its processor time to that of its stage."""

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        start = time.process_time()
        try:
            return function(*arguments, **named)
        finally:
            seconds[name] = seconds.get(name, 0.0) + time.process_time() - start

    return call
