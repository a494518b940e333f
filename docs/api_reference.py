"""Writes docs/api-reference.md, every public name of kinetab as the sources have it: python docs/api_reference.py."""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import kinetab as kt

DOCS = Path(__file__).parent
OURS = ("kinetab", "precompute", "fmu_src")
FIELDS_ALONE = "Parts of a mechanism"
"""The section of api.md whose classes are made by users: their methods are no part of the interface."""

HEAD = """# Every name of the Python interface

Signatures, fields and what the sources say of them, for all that [api.md](api.md) lists, which says what they are for.
Numbers are in SI units and radians, unless a line says otherwise. Written by `python docs/api_reference.py`; a test
compares it with the sources.
"""


def reference() -> str:
    """The page."""
    parts = [HEAD]
    for section, names in sections():
        parts.append(f"## {section}\n")
        parts += [entry(name, section) for name in names if name != "__version__"]
    return "\n".join(parts).rstrip() + "\n"


def sections() -> Iterator[tuple[str, list[str]]]:
    """Headings of api.md and the names that their tables list."""
    for part in (DOCS / "api.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        heading, _, text = part.partition("\n")
        rows = re.findall(r"^\| (`.*?) \|", text, re.M)
        yield heading, [n for row in rows for n in re.findall(r"`(\w+)`", row) if hasattr(kt, n)]


def entry(name: str, section: str) -> str:
    """A name with its signature and what is said of it."""
    of = getattr(kt, name)
    lines = [f"### {name}\n"]
    if not inspect.isclass(of):
        return "\n".join([*lines, block(f"def {name}{signature(of)}: ..."), prose(of)])
    if fields := list(fields_of(of)):
        lines.append(block("\n".join([f"class {name}:", *(f"    {line}" for line in fields)])))
    lines.append(prose(of))
    if section != FIELDS_ALONE and not issubclass(of, Exception):
        lines += [f"- {line}" for line in members(of)] + [""]
    return "\n".join(lines)


def block(code: str) -> str:
    """Code on the page."""
    return f"```python\n{code}\n```\n"


def signature(of: Callable[..., Any], method: bool = False) -> str:
    """Its arguments and what it gives, as the source writes them."""
    found = inspect.signature(of)
    kept = [p for k, p in enumerate(found.parameters.values()) if not (method and k == 0)]
    text = str(found.replace(parameters=kept)).replace("'", "")
    for words in {p.default for p in kept if isinstance(p.default, str)}:
        text = re.sub(rf"= {re.escape(words)}(?=[,)])", f'= "{words}"', text)
    return re.sub(r"<function (\w+) at 0x\w+>", r"\1", text)


def fields_of(of: type) -> Iterator[str]:
    """Fields of a class and those that it inherits, with their types, plain defaults and the comments behind them."""
    seen: set[str] = set()
    for base in reversed(ours(of)):
        source = textwrap.dedent(inspect.getsource(base))
        lines = source.splitlines()
        (tree,) = ast.parse(source).body
        assert isinstance(tree, ast.ClassDef)
        for node in tree.body:
            if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
                continue
            name = node.target.id
            if name.startswith("_") or name in seen:
                continue
            seen.add(name)
            comments = [line.partition("  # ")[2] for line in lines[node.lineno - 1 : node.end_lineno]]
            default = "" if node.value is None else f" = {ast.unparse(node.value)}"
            default = default if isinstance(node.value, ast.Constant) or not default else " = ..."
            yield f"{name}: {ast.unparse(node.annotation)}{default}" + "".join(f"  # {c}" for c in comments if c)


def ours(of: type) -> list[type]:
    """A class and its bases that are ours, itself first."""
    return [base for base in of.__mro__ if base.__module__.startswith(OURS)]


def members(of: type) -> Iterator[str]:
    """Public methods and properties, each in a line."""
    fields = {line.partition(":")[0] for line in fields_of(of)}
    seen: set[str] = set()
    for base in ours(of):
        for name, value in vars(base).items():
            if name.startswith("_") or name in fields | seen or not (told := getattr(value, "__doc__", None)):
                continue
            seen.add(name)
            what = value.__func__ if isinstance(value, classmethod | staticmethod) else value
            given = signature(what, not isinstance(value, staticmethod)) if inspect.isfunction(what) else ""
            yield f"`.{name}{given}`: {' '.join(told.partition('Args:')[0].partition('Raises:')[0].split())}"


def prose(of: Any) -> str:
    """A docstring as a page has it: arguments and errors as lists."""
    lines: list[str] = []
    listing = False
    for line in inspect.getdoc(of).splitlines():
        if line in ("Args:", "Raises:", "Returns:"):
            listing = True
            lines += [f"*{line[:-1]}*", ""]
        elif listing and re.match(r" {4}\S", line):
            lines.append(f"- {line.strip()}")
        elif listing and line.startswith("     "):
            lines[-1] += f" {line.strip()}"
        else:
            listing = listing and not line
            lines.append(line)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (DOCS / "api-reference.md").write_text(reference(), encoding="utf-8")
