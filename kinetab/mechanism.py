"""A mechanism with what is done to it as methods, and how it is read."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path

from precompute import mechanism_file
from precompute.model.mechanism import Mechanism as Described
from precompute.report.inspection import Report, inspect
from precompute.sheets.result import kc


class Mechanism(Described):
    """The whole mechanism, in SI units and radians.  `coordinates` None means that they are chosen automatically."""

    kc = kc

    def check(self) -> Report:
        """What it is and what its ranges allow; `print` shows it as `kinetab check` does.

        Raises:
            PrecomputeError: it cannot be assembled or moved.
        """
        return inspect(self)


def of(described: Described) -> Mechanism:
    """The same mechanism, with methods."""
    if isinstance(described, Mechanism):
        return described
    return Mechanism(**{field.name: getattr(described, field.name) for field in fields(described)})


def load(path: str | os.PathLike[str]) -> Mechanism:
    """Read a mechanism file.

    Raises:
        MechanismError: the file cannot be read, or with every problem found in it.
    """
    return of(mechanism_file.load(path))


def loads(text: str, source: str = "the mechanism", folder: Path | None = None) -> Mechanism:
    """Read a mechanism from TOML text; `source` is its name in messages, files are named from its folder, if any."""
    return of(mechanism_file.loads(text, source, folder))
