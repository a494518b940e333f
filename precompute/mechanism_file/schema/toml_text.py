"""TOML as text: on which line a key stands, where its value is, and a document written out.

The standard library reads TOML but keeps no places and does not write.  `TextPlaces`, `key_lines` and `value_spans`
supply the first for text that `tomllib` has accepted already, so they need not check anything; `dumps` supplies the
second.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Path = tuple[str | int, ...]
"""Place in a document: keys, and positions in arrays counted from 0."""

_TOKEN = re.compile(
    r"""
    (?P<space> [ \t\r]+ | \#[^\n]* )
  | (?P<newline> \n )
  | (?P<string> "{3}(?:\\.|[^\\])*?"{3,5} | '{3}.*?'{3,5} | "(?:\\.|[^"\\])*" | '[^']*' )
  | (?P<punctuation> [\[\]{},=] )
  | (?P<bare> [^\s\[\]{},=\#"']+ )
    """,
    re.VERBOSE | re.DOTALL,
)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")

MOST_PARTS = 3
"""Of a table's header that is written; tables within are inline."""


class _Token(NamedTuple):
    kind: str
    text: str
    line: int
    start: int  # in the text, counted from 0


class TextPlaces:
    """Where things are in a valid TOML text."""

    def __init__(self, text: str) -> None:
        scanner = _Scanner(text)
        scanner.statements()
        self.text, self.lines, self.spans = text, scanner.lines, scanner.spans

    def inside(self, path: Path, column: int) -> tuple[int, int] | None:
        """Line and column, from 1, of a character of a text value; None where escapes have made others of them."""
        start, end = self.spans.get(path, (0, 0))
        raw = self.text[start:end]
        quotes = 3 if raw[:3] in ('"""', "'''") else 1
        if raw[:1] not in ('"', "'") or (raw[0] == '"' and "\\" in raw):
            return None
        begin = quotes + (quotes == 3 and raw[3:4] == "\n")  # a newline that follows the quotes is none of the text
        at = start + begin + column - 1
        return self.text.count("\n", 0, at) + 1, at - self.text.rfind("\n", 0, at)


def key_lines(text: str) -> dict[Path, int]:
    """Line, from 1, of every key, table header and array element of a valid TOML text."""
    scanner = _Scanner(text)
    scanner.statements()
    return scanner.lines


def value_spans(text: str) -> dict[Path, tuple[int, int]]:
    """Where the value of every key, and every array element, of a valid TOML text begins and ends."""
    scanner = _Scanner(text)
    scanner.statements()
    return scanner.spans


def _tokens(text: str) -> Iterator[_Token]:
    line = 1
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind != "space":
            yield _Token(kind, match.group(), line, match.start())
        line += match.group().count("\n")
    yield _Token("end", "", line, len(text))


class _Scanner:
    """Recursive descent over the tokens; fills `lines` and `spans`."""

    def __init__(self, text: str) -> None:
        self.lines: dict[Path, int] = {}
        self.spans: dict[Path, tuple[int, int]] = {}
        self._tokens = list(_tokens(text))
        self._position = 0

    def statements(self) -> None:
        table: Path = ()
        while (token := self._peek(skip_newlines=True)).kind != "end":
            if token.text == "[":
                while self._peek().text == "[":
                    self._next()
                table = self._key((), closing="]")
                while self._peek().text == "]":
                    self._next()
            else:
                self._value(self._key(table, closing="="))

    def _peek(self, skip_newlines: bool = False) -> _Token:
        while skip_newlines and self._tokens[self._position].kind == "newline":
            self._position += 1
        return self._tokens[self._position]

    def _next(self, skip_newlines: bool = False) -> _Token:
        token = self._peek(skip_newlines)
        self._position += token.kind != "end"
        return token

    def _key(self, table: Path, closing: str) -> Path:
        """Read a dotted key up to `closing`, which is consumed; note the line of all its parts."""
        path, line = table, self._peek().line
        while (token := self._next()).text != closing and token.kind != "end":
            parts = token.text.split(".") if token.kind == "bare" else [tomllib.loads(f"key = {token.text}")["key"]]
            for part in parts if token.kind == "string" else filter(None, parts):
                path = (*path, part)
                self.lines.setdefault(path, line)
        return path

    def _value(self, path: Path) -> None:
        first = self._peek(skip_newlines=True)
        opening = first.text
        if opening == "[":
            self._elements(path, "]")
        elif opening == "{":
            self._elements(path, "}")
        else:
            while self._peek().kind in ("bare", "string"):  # two bare tokens: a date and a time
                self._next()
        last = self._tokens[self._position - 1]
        self.spans[path] = first.start, last.start + len(last.text)

    def _elements(self, path: Path, closing: str) -> None:
        """The elements of an array, or the keys of an inline table."""
        self._next()
        index = 0
        while (token := self._peek(skip_newlines=True)).text != closing and token.kind != "end":
            if token.text == ",":
                self._next()
            elif closing == "}":
                self._value(self._key(path, closing="="))
            else:
                self.lines[(*path, index)] = token.line
                self._value((*path, index))
                index += 1
        self._next()


def dumps(document: Mapping[str, Any]) -> str:
    """A document of strings, booleans, numbers, lists and dicts as TOML; floats are exact.

    A dict of dicts becomes a group of tables, `[bodies.crank]`; a dict inside a table becomes an inline table.
    """
    plain = {key: value for key, value in document.items() if not isinstance(value, Mapping)}
    lines = [f"{key_text(key)} = {value_text(value)}" for key, value in plain.items()]
    for key, value in document.items():
        if isinstance(value, Mapping):
            lines += _table_lines(key_text(key), value, MOST_PARTS - 1)
    return "\n".join(lines) + "\n"


def _table_lines(path: str, table: Mapping[str, Any], deeper: int) -> list[str]:
    if deeper and table and all(isinstance(value, Mapping) for value in table.values()):
        groups = table.items()
        return [line for key, value in groups for line in _table_lines(f"{path}.{key_text(key)}", value, deeper - 1)]
    return ["", f"[{path}]", *(f"{key_text(key)} = {value_text(value)}" for key, value in table.items())]


def key_text(key: str) -> str:
    """A key as it stands before the equals sign."""
    return key if _BARE_KEY.fullmatch(key) else _string_text(key)


def value_text(value: Any) -> str:
    """A value as it stands behind the equals sign."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            return _string_text(value)
        case Mapping():
            return "{ " + ", ".join(f"{key_text(k)} = {value_text(v)}" for k, v in value.items()) + " }"
        case list() | tuple():
            return "[" + ", ".join(map(value_text, value)) + "]"
    raise TypeError(f"TOML has no {type(value).__name__}")


def _string_text(text: str) -> str:
    """JSON's escapes are TOML's too; of the characters that JSON leaves alone TOML forbids only DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
