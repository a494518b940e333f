"""What a command comes to: words for people, the same as data for programs, and why it failed if it did."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from precompute.errors import MechanismError, PlanError, RangeError
from precompute.plain import json_text
from precompute.telling import TOLD

LINE = re.compile(r"line (\d+)(?:, |: )")


@dataclass(frozen=True)
class Problem:
    """Why a command failed, or what it found to be wrong."""

    text: str
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, eq=False)
class Outcome:
    """Of a command that did what it was asked for; with problems if that was not good."""

    text: str  # on stdout; nothing if it is empty
    data: Mapping[str, Any] = field(default_factory=dict)  # what `--json` prints instead
    written: tuple[Path, ...] = ()  # files
    problems: tuple[str, ...] = ()  # each a line on stderr; the command ends with 1

    def tell(self, as_json: bool) -> int:
        """Print it; the exit code."""
        if as_json:
            print(envelope(self.data, self.written, [placed(text, None) for text in self.problems]))
        elif self.text:
            print(self.text)
        for text in self.problems:
            print(f"kinetab: {text}", file=sys.stderr)
        return 1 if self.problems else 0


def envelope(data: Mapping[str, Any], written: Iterable[Path], problems: Iterable[Problem]) -> str:
    """The JSON object of a command: its own keys, and those that every command has."""
    told = {kind: list(dict.fromkeys([*data.get(kind, ()), *getattr(TOLD, kind)])) for kind in ("warnings", "notes")}
    return json_text({**data, "written": list(written), **told, "problems": list(problems)})


def problems_of(error: BaseException) -> list[Problem]:
    """An error as problems: each with its file and line, where these are known."""
    if isinstance(error, MechanismError):
        file = error.source if Path(error.source).suffix == ".toml" else None
        return [placed(text, file) for text in error.problems]
    if isinstance(error, RangeError | PlanError):
        return [Problem(text) for text in error.problems]
    if isinstance(error, OSError) and error.filename is not None:
        return [Problem(error.strerror or str(error), str(error.filename))]
    return [Problem(str(error))]


def placed(text: str, file: str | None) -> Problem:
    """A problem that may begin with its line."""
    found = LINE.match(text)
    return Problem(text[found.end() :], file, int(found[1])) if found else Problem(text, file)
