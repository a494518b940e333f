"""All metrics as text: for `kinetab kc --list`, and for docs/kc.md.

python -m precompute.kc.listing        writes the tables of docs/kc.md
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from precompute.errors import PrecomputeError
from precompute.hints import nearest
from precompute.kc.conventions import CONVENTIONS
from precompute.kc.display import SHOWN_ANGULAR, shown
from precompute.kc.metric import Metric
from precompute.kc.registry import METRICS, MODULES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "kc.md"

TITLES = {
    "position": "Where the wheel is",
    "steering_axis": "The steering axis",
    "steering": "Steering",
    "velocity": "Gradients and motion ratios",
    "instant_centres": "Instant centres, roll centre, anti-features",
    "statics": "Loads, rates, roll centre and anti-features by forces",
    "compliance": "Compliance",
}
"""Module -> what its metrics are about."""

WIDTH = 110
"""Of lines in the terminal."""

PER = {"wheel": "wheel", "element": "wheel and element", "side": "wheel", "axle": "axle"}


def unit_text(metric: Metric) -> str:
    """The unit in which it is shown; both, where the measure may be a length or an angle."""
    units = [shown(metric).unit, *([shown(metric, True).unit] if metric.unit in SHOWN_ANGULAR else [])]
    return " or ".join(units)


def groups() -> dict[str, list[Metric]]:
    """Metrics by title."""
    names = {module.__name__: TITLES[module.__name__.rpartition(".")[2]] for module in MODULES}
    out: dict[str, list[Metric]] = {title: [] for title in names.values()}
    for metric in METRICS.values():
        out[names[metric.function.__module__]].append(metric)
    return out


def metric_text(m: Metric) -> str:
    """All that is known of one metric."""
    lines = [f"{m.name}  [{unit_text(m)}]  {m.order}, per {PER[m.of]}"]
    lines += textwrap.wrap(m.definition, WIDTH, initial_indent="  ", subsequent_indent="  ")
    words = {c: m.sign.words(c) for c in CONVENTIONS}
    if len({*words.values()}) == 1:
        lines.append(f"  positive: {m.sign.positive}; the same in {', '.join(CONVENTIONS)}")
    else:
        lines += [f"  positive in {c}: {told}" for c, told in words.items()]
    return "\n".join([*lines, f"  as in {m.source}; formulas and pictures: docs/kc.md#{m.name}"])


def list_data(names: Sequence[str]) -> list[dict[str, Any]]:
    """The same of some metrics, or of all, for programs."""
    return [
        {
            "name": m.name,
            "unit": unit_text(m),
            "order": m.order,
            "per": PER[m.of],
            "definition": m.definition,
            "positive": {c: m.sign.words(c) for c in CONVENTIONS},
            "source": m.source,
        }
        for m in (found_metrics(names) if names else METRICS.values())
    ]


def found_metrics(names: Sequence[str]) -> list[Metric]:
    """Metrics by name, or by a part of it; names of columns, as tables have them, are those of their metrics.

    Raises:
        PrecomputeError: there is none.
    """
    found: dict[str, Metric] = {}
    for name in (part.strip() for word in names for part in word.split(",")):
        stem = name.partition(".")[0]
        like = [stem] if stem in METRICS else [known for known in METRICS if stem and stem in known]
        if not like:
            raise PrecomputeError(f"there is no metric '{name}'; {nearest(stem, list(METRICS))}")
        found |= {known: METRICS[known] for known in like}
    return list(found.values())


def list_text(names: Sequence[str] = ()) -> str:
    """Every metric with unit, order and definition; of some all that is known."""
    if names:
        return "\n\n".join(metric_text(m) for m in found_metrics(names))
    lines = [f"{len(METRICS)} metrics; definitions with formulas and pictures: docs/kc.md"]
    for title, metrics in groups().items():
        lines += ["", title]
        for m in metrics:
            lines.append(f"  {m.name}  [{unit_text(m)}]  {m.order}, per {PER[m.of]}")
            text = f"{m.definition} Positive: {m.sign.positive}. As in {m.source}."
            lines += textwrap.wrap(text, WIDTH, initial_indent="      ", subsequent_indent="      ")
    return "\n".join(lines)


# -- docs ----------------------------------------------------------------------------------------------------------


def definition_tables() -> str:
    """A table per group, with an anchor for each metric."""
    parts = []
    for title, metrics in groups().items():
        rows = [
            f'| <a id="{m.name}"></a>`{m.name}` | {unit_text(m)} | {m.order} | {PER[m.of]} | {m.definition} '
            f"| {m.source} |"
            for m in metrics
        ]
        head = "| metric | unit | order | per | definition | convention |\n|---|---|---|---|---|---|"
        parts.append("\n".join([f"### {title}", "", head, *rows]))
    return "\n\n".join(parts)


def sign_table() -> str:
    """What is positive, of every metric, in three conventions."""
    rows = [
        f"| [`{m.name}`](#{m.name}) | " + " | ".join(m.sign.words(c) for c in CONVENTIONS) + " |"
        for m in METRICS.values()
    ]
    return "\n".join(["| metric | " + " | ".join(CONVENTIONS) + " |", "|---|---|---|---|", *rows])


def page(text: str) -> str:
    """docs/kc.md with its tables as they should be."""
    for name, table in (("definitions", definition_tables()), ("signs", sign_table())):
        mark = re.compile(rf"(<!-- {name} -->\n).*?(\n<!-- end -->)", re.S)
        if not mark.search(text):
            raise ValueError(f"docs/kc.md has no place for {name}")
        text = mark.sub(lambda found, table=table: found[1] + table + found[2], text)  # type: ignore[misc]
    return text


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
