"""Pieces of HTML from plain texts and numbers; everything is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def section(title: str, body: str, name: str) -> str:
    """A part of the page, with a heading that can be linked to."""
    return f'<section id="{name}">\n<h2>{escape(title)}</h2>\n{body}</section>\n'


def paragraph(text: str, kind: str = "") -> str:
    """Plain text."""
    return f"<p{f' class={chr(34)}{kind}{chr(34)}' if kind else ''}>{escape(text)}</p>\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[int] = ()) -> str:
    """Of texts; some columns are numbers."""
    kinds = [' class="n"' if i in numeric else "" for i in range(len(head))]
    lines = ["<table>", "<thead><tr>" + "".join(f"<th{k}>{escape(c)}</th>" for k, c in zip(kinds, head, strict=True))]
    lines.append("</tr></thead>\n<tbody>")
    for row in rows:
        lines.append("<tr>" + "".join(f"<td{k}>{escape(c)}</td>" for k, c in zip(kinds, row, strict=True)) + "</tr>")
    return "\n".join([*lines, "</tbody></table>\n"])


def folded(summary: str, body: str) -> str:
    """Shown on request."""
    return f"<details><summary>{escape(summary)}</summary>\n{body}</details>\n"


def listed(texts: Iterable[str]) -> str:
    """A list."""
    return "<ul>\n" + "".join(f"<li>{escape(text)}</li>\n" for text in texts) + "</ul>\n"


def cards(numbers: Iterable[tuple[str, str]]) -> str:
    """A few numbers that are looked at first: value and name."""
    own = (f'<div class="number"><b>{escape(value)}</b><span>{escape(name)}</span></div>' for value, name in numbers)
    return f'<div class="numbers">{"".join(own)}</div>\n'
