"""What a command says beside its result: warnings and notes, on stderr as they come, and kept for `--json`."""

from __future__ import annotations

import logging
import sys
from dataclasses import dataclass, field


@dataclass
class Told:
    """Of one command."""

    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


TOLD = Told()
"""Of the command that runs: a process has one at a time."""


def begin() -> None:
    """Nothing was said yet."""
    TOLD.warnings, TOLD.notes = [], []


def warn(text: str) -> None:
    """What is doubtful."""
    TOLD.warnings.append(text)
    print(f"kinetab: warning: {text}", file=sys.stderr)


def note(text: str) -> None:
    """What one may want to know."""
    TOLD.notes.append(text)
    print(f"kinetab: note: {text}", file=sys.stderr)


class NoteHandler(logging.Handler):
    """What packages below say by `logging`, as notes."""

    def emit(self, record: logging.LogRecord) -> None:
        """One of them."""
        note(record.getMessage())
