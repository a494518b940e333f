"""How large a mechanism file may be, so that any file is answered in bounded time and memory.

The limits are far beyond what can be baked; they are also in docs/limits.md.
"""

from __future__ import annotations

import re
from typing import Any

MOST_BYTES = 2 * 2**20
"""Of a file."""

MOST_PARTS = 20
"""Of a dotted key: the time of the parser grows with their square or worse."""

MOST_ENTRIES = 1000
"""Of a table: bodies, markers, points; a thousand markers take half a minute and half a gigabyte."""

MOST_ROWS = 10_000
"""Of a list: points of a force table."""

_DOTTED = re.compile(
    r"""\#[^\n]* | (?:(?<![\w-]) (?:[\w-]++ | "[^"\n]*+" | '[^'\n]*+') [ \t]*+\.[ \t]*+)++""", re.VERBOSE
)
"""Comments, and keys up to their last dot; each character is looked at about once."""


def text_problem(text: str) -> str:
    """Why a text should not even be parsed; empty if it may be."""
    if len(text) > MOST_BYTES:
        return f"is longer than {MOST_BYTES // 2**20} MiB; no mechanism that can be baked needs so much"
    for match in _DOTTED.finditer(text):
        parts = match.group().count(".") + 1
        if parts > MOST_PARTS and not match.group().startswith("#"):
            line = text.count("\n", 0, match.start()) + 1
            return f"line {line}: a key of {parts} parts; keys have at most {MOST_PARTS}, and those of mechanisms five"
    return ""


def document_problems(document: Any) -> list[str]:
    """Tables and lists with too many entries."""
    problems, left = [], [("", document)]
    while left:
        place, value = left.pop()
        if not isinstance(value, (dict, list)):
            continue
        most = MOST_ENTRIES if isinstance(value, dict) else MOST_ROWS
        if len(value) > most:
            problems.append(f"{place or 'the file'}: has {len(value)} entries; at most {most} are taken")
        elif isinstance(value, dict):
            left += [(f"{place}.{key}" if place else str(key), item) for key, item in value.items()]
        else:
            left += [(f"{place}[{i}]", item) for i, item in enumerate(value, 1)]
    return sorted(problems)
