"""Bake time, size of the model file and error over tolerance and over the orders of the stiff coordinates."""

from __future__ import annotations

from collections.abc import Iterator

from engines.truth import truth

from parts.making import kib
from parts.models import baked, mechanism, with_tables
from parts.rivals import KernelCase

TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
ORDERS = ((1, 0), (1, 1), (2, 0), (2, 1), (2, 2))
"""`tables.taylor` and `tables.inertia`."""


def measure() -> list[dict[str, object]]:
    """One row per setting."""
    return list(rows())


def rows() -> Iterator[dict[str, object]]:
    """The rigid suspension with steering over tolerance, the one on bushings over orders."""
    for tolerance in TOLERANCES:
        yield row("rigid_2", f"tolerance {tolerance:g}", tolerance=tolerance)
    for taylor, inertia in ORDERS:
        yield row("bushings_1", f"taylor {taylor}, inertia {inertia}", taylor=taylor, inertia=inertia)


def row(name: str, setting: str, **tables: object) -> dict[str, object]:
    """A mechanism with other tables: what it costs, how exact its run is."""
    found = baked(with_tables(mechanism(name), **tables))
    case = KernelCase(truth(name), found)
    error, toe = case.errors
    return {
        "mechanism": name,
        "setting": setting,
        "bake_s": found.seconds,
        "KiB": kib(found.path),
        "error": error,
        "toe_error": toe,
        "us": case.time_once(),
    }
