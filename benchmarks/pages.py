"""The tables of the last `make bench` into the pages that show them, between marks that name them.

    python benchmarks/pages.py

A table stands between <!-- bench: NAME --> and <!-- end --> in docs/speed.md and README.md, with the machine and the
day below it.  Tables of parts that were not run stay as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from engines.common import BUILD
from parts.report import blocks, conditions

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("docs/speed.md", "README.md")
PLACE = re.compile(r"(<!-- bench: (.+?) -->\n).*?(<!-- end -->)", re.S)


def main() -> None:
    result = json.loads((BUILD / "bench.json").read_text(encoding="utf-8"))
    told = conditions(result)
    tables = {name: f"{text}\n\n*{told}*" for name, text in blocks(result).items()}
    for page in PAGES:
        path = ROOT / page
        path.write_text(filled(path.read_text(encoding="utf-8"), tables), encoding="utf-8")
        print(f"Wrote {page}: {', '.join(name for name in named(path) if name in tables) or 'nothing'}")


def named(page: Path) -> list[str]:
    """The tables that a page shows."""
    return [name for _, name, _ in PLACE.findall(page.read_text(encoding="utf-8"))]


def filled(page: str, tables: Mapping[str, str]) -> str:
    """The page with new tables where there are any."""

    def place(found: re.Match[str]) -> str:
        start, name, end = found.groups()
        return f"{start}{tables[name]}\n{end}" if name in tables else found.group()

    return PLACE.sub(place, page)


if __name__ == "__main__":
    main()
