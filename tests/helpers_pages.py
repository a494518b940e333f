"""The pages, taken apart: headings, blocks of code, and the notes that stand above some of them."""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from helpers import ROOT

sys.path.insert(0, str(ROOT / "docs"))
import api_reference  # noqa: E402, F401
import stage  # noqa: E402

PAGES = stage.pages()
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
BLOCK = re.compile(r"(?:^<!-- (?P<note>[^\n]*) -->\n\n?)?^ *```(?P<kind>\w*)\n(?P<text>.*?)^ *```$", re.M | re.S)
TABLE = re.compile(r"^\[([^\[\]\n]+)\].*?(?=^\[[^\[]|\Z)", re.M | re.S)


@dataclass(frozen=True)
class Block:
    """A block of code of a page; note: what a comment right above it says."""

    page: Path
    line: int
    kind: str
    note: str
    text: str

    def __str__(self):
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page):
    text = page.read_text(encoding="utf-8")
    return [
        Block(page, text.count("\n", 0, found.start("kind")) + 1, found["kind"], found["note"] or "", found["text"])
        for found in BLOCK.finditer(text)
    ]


def all_blocks(kind):
    return [block for page in PAGES for block in blocks(page) if block.kind == kind]


def anchors(page):
    """Where links into a page may lead: its headings, and places that are marked."""
    text = stage.FENCE.sub("", page.read_text(encoding="utf-8"))
    return [*map(anchor, re.findall(r"^#+ +(.*?) *$", text, re.M)), *re.findall(r'<a id="([^"]*)">', text)]


def anchor(title):
    """What GitHub makes of a heading, and the site with it."""
    shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
    return re.sub(r"[^\w\- ]", "", shown.replace("*", "").lower()).replace(" ", "-")


def tables(text):
    """The head of a file, and its tables by name."""
    own = {found[1]: found[0] for found in TABLE.finditer(text)}
    return text.removesuffix("".join(own.values())), own


def put_into(text, part, without):
    """A file with tables of a part in place of its own, or beside them; points are added."""
    head, old = tables(text)
    top, new = tables(part)
    for name in without:
        kind, _, own = name.partition(".")
        if name in old:
            del old[name]
        else:
            old[kind], count = re.subn(rf"^{own} = .*\n", "", old[kind], flags=re.M)
            assert count == 1, f"{name} is to be taken out, and is not there"
    points = new.pop("points", "").partition("\n")[2]
    old["points"] = old.get("points", "[points]").rstrip() + "\n" + points + "\n"
    return head + top + "\n".join({**old, **new}.values())
