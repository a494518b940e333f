"""Pieces of HTML from plain texts and numbers; everything is escaped here, but what says that it is HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files


class Html(str):
    """Text that is HTML already."""


def asset(name: str) -> str:
    """A style or script of pages in FMUs; `style.css` is that of all pages."""
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")


def safe(text: str) -> str:
    """Plain text as HTML; HTML as it is."""
    return text if isinstance(text, Html) else escape(text)


def code(name: str) -> Html:
    """A name, as a program has it."""
    return Html(f"<code>{escape(name)}</code>")


def section(title: str, body: str, name: str) -> str:
    """A part of the page, with a heading that can be linked to."""
    return f'<section id="{name}">\n<h2>{escape(title)}</h2>\n{body}</section>\n'


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph."""
    return f"<p{f' class={chr(34)}{kind}{chr(34)}' if kind else ''}>{safe(text)}</p>\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[int] = ()) -> str:
    """Of texts; some columns are numbers."""
    kinds = [' class="n"' if i in numeric else "" for i in range(len(head))]
    lines = ["<table>", "<thead><tr>" + "".join(f"<th{k}>{escape(c)}</th>" for k, c in zip(kinds, head, strict=True))]
    lines.append("</tr></thead>\n<tbody>")
    for row in rows:
        lines.append("<tr>" + "".join(f"<td{k}>{safe(c)}</td>" for k, c in zip(kinds, row, strict=True)) + "</tr>")
    return "\n".join([*lines, "</tbody></table>\n"])


def folded(summary: str, body: str, shown: bool = False) -> str:
    """Shown on request, or until it is folded."""
    state = ' open="open"' if shown else ""
    return f"<details{state}><summary>{escape(summary)}</summary>\n{body}</details>\n"


def listed(texts: Iterable[str]) -> str:
    """A list."""
    return "<ul>\n" + "".join(f"<li>{safe(text)}</li>\n" for text in texts) + "</ul>\n"


def cards(numbers: Iterable[tuple[str, str]]) -> str:
    """A few numbers that are looked at first: value and name."""
    own = (f'<div class="number"><b>{escape(value)}</b><span>{escape(name)}</span></div>' for value, name in numbers)
    return f'<div class="numbers">{"".join(own)}</div>\n'


def count(n: int, one: str, many: str = "") -> str:
    """A number and its noun."""
    return f"{n} {noun(n, one, many)}"


def noun(n: int, one: str, many: str = "") -> str:
    """What so many are called."""
    return one if n == 1 else many or f"{one}s"
