"""One thread per stage: on batches of small matrices the threads of BLAS only wait for each other."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from threadpoolctl import threadpool_limits

P = ParamSpec("P")
R = TypeVar("R")


def one_thread(stage: Callable[P, R]) -> Callable[P, R]:
    """The stage with one thread for linear algebra; the user's own settings hold again afterwards."""

    @functools.wraps(stage)
    def call(*arguments: P.args, **named: P.kwargs) -> R:
        with threadpool_limits(limits=1, user_api="blas"):  # looks up the libraries that are loaded now
            return stage(*arguments, **named)

    return call
