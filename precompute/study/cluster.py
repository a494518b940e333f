"""A Dask cluster as an executor of studies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from precompute.errors import PrecomputeError

ADDRESS = re.compile(r"(\w+://)?[^\s:/]+:\d+")

REACHED = 10
"""[s] in which a scheduler must answer."""

DEATHS = 10
"""Workers that a chunk may cost before it is given up: they are as likely to be stopped as the chunk to be at fault."""


@contextmanager
def cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """The executor of a cluster, and the number of its threads.

    Raises:
        PrecomputeError: Dask is not installed, or there is no scheduler or no worker.
    """
    try:
        from distributed import Client
    except ImportError:
        raise PrecomputeError("--scheduler needs Dask: pip install 'kinetab[study]'") from None
    if not ADDRESS.fullmatch(address):
        raise PrecomputeError(f"'{address}' is no address of a Dask scheduler; write it as tcp://host:8786")
    try:
        client = Client(address, timeout=REACHED, set_as_default=False)
    except (OSError, ValueError) as error:
        raise PrecomputeError(f"no Dask scheduler answers at '{address}': {error}") from None
    with client:
        threads = sum(client.nthreads().values())
        if not threads:
            raise PrecomputeError(f"the Dask cluster at '{address}' has no workers; start some with 'dask worker'")
        yield client.get_executor(pure=False, retries=DEATHS), threads
