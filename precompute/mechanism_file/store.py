"""Reading and writing mechanism files; hashing mechanisms."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from precompute.errors import MechanismError
from precompute.files import other_kind, write_file
from precompute.geometry.spatial import Transform
from precompute.mechanism_file.bounds import MOST_BYTES, document_problems, text_problem
from precompute.mechanism_file.reading import parse_document
from precompute.mechanism_file.retouch import retouched
from precompute.mechanism_file.schema.toml_text import TextPlaces, dumps
from precompute.mechanism_file.telling import with_line
from precompute.mechanism_file.writing import to_document
from precompute.model.mechanism import Mechanism, nearest


def load(path: str | os.PathLike[str]) -> Mechanism:
    """Read a mechanism file.

    Raises:
        MechanismError: the file cannot be read, or with every problem found in it.
    """
    return loads(text_of(Path(path)), str(path), Path(path).parent)


def text_of(path: Path) -> str:
    """What is in a file, if it can be a mechanism."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if kind := other_kind(path, data, wanted="mechanism"):
            raise MechanismError([kind], str(path))
        return data.decode("utf-8-sig")  # some editors put a byte order mark first
    except (OSError, ValueError) as error:
        raise MechanismError([_unreadable(path, error)], str(path)) from None


def _unreadable(path: Path, error: OSError | ValueError) -> str:
    """Why a file gives no text."""
    if isinstance(error, UnicodeDecodeError):
        line = error.object[: error.start].count(b"\n") + 1
        return f"line {line}: is not UTF-8 text (byte 0x{error.object[error.start]:02x}); save the file as UTF-8"
    if isinstance(error, FileNotFoundError):
        if not path.parent.is_dir():
            return f"there is no directory '{path.parent}'"
        beside = [file.name for file in path.parent.glob("*.toml")]
        return "there is no such file" + (f"; {nearest(path.name, beside)}" if beside else "")
    if isinstance(error, OSError) and path.is_dir():  # which error it is depends on the system
        return "is a directory; name the .toml file in it"
    return f"cannot be read: {(getattr(error, 'strerror', None) or str(error)).lower()}"


def loads(text: str, source: str = "the mechanism", folder: Path | None = None) -> Mechanism:
    """Read a mechanism from TOML text; `source` is its name in messages, files are named from its folder, if any."""
    document, places = document_of(text, source)
    return parse_document(document, source, places, folder)


def document_of(text: str, source: str) -> tuple[dict[str, Any], TextPlaces]:
    """TOML as dicts, lists, strings and numbers, and where they stand.

    Raises:
        MechanismError: it is no TOML, or larger than any that is read here.
    """
    if problem := text_problem(text):
        raise MechanismError([problem], source)
    try:
        document = tomllib.loads(text)
        if problems := document_problems(document):
            raise MechanismError(problems, source)
        return document, TextPlaces(text.replace("\r\n", "\n"))
    except RecursionError:
        raise MechanismError(["is nested too deeply to be a mechanism"], source) from None
    except tomllib.TOMLDecodeError as error:
        raise MechanismError([_syntax_problem(str(error), text)], source) from None
    except ValueError:  # Python refuses to read whole numbers with thousands of digits
        raise MechanismError(["contains a number with thousands of digits"], source) from None


@contextmanager
def telling_lines(path: Path) -> Iterator[None]:
    """What stages behind the reader find wrong with a mechanism is told with the lines of its file."""
    try:
        yield
    except MechanismError as error:
        places = TextPlaces(text_of(path).replace("\r\n", "\n"))
        problems = [with_line(problem, places) for problem in error.problems]
        raise (error if problems == list(error.problems) else MechanismError(problems, str(path))) from None


def from_document(document: dict[str, Any], source: str = "the mechanism") -> Mechanism:
    """Read a mechanism from a document, such as `to_document` makes."""
    if problems := document_problems(document):
        raise MechanismError(problems, source)
    return parse_document(document, source)


def save(mechanism: Mechanism | dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a mechanism, or a document, as a mechanism file that `load` accepts.

    The text goes to a temporary file first and takes the file's place when it is complete: whatever happens, the file
    holds either the old text or the new.

    Raises:
        MechanismError: the document is faulty, or the mechanism has names that a file cannot have.
        PrecomputeError: the file cannot be written.
    """
    document = to_document(mechanism) if isinstance(mechanism, Mechanism) else mechanism
    parse_document(document, f"the mechanism to be saved as {path}")
    write_file(Path(path), dumps(document).encode("utf-8"))


def rewrite(
    source: str | os.PathLike[str], path: str | os.PathLike[str], new: Mechanism, poses: Mapping[str, Transform]
) -> bool:
    """Write a mechanism that was drawn anew, as the text of its file with other places.

    Args:
        source: the file of the mechanism before.
        path: the new one.
        new: the mechanism drawn anew.
        poses: where each body was moved to.

    Returns:
        Whether the text was kept; otherwise it is written anew, as `save` does.

    Raises:
        PrecomputeError: the file cannot be written.
    """
    text = retouched(text_of(Path(source)), new, poses)
    if text is None:
        save(new, path)
        return False
    write_file(Path(path), text.encode("utf-8"))
    return True


def source_hash(mechanism: Mechanism) -> str:
    """SHA-256 of the mechanism's document; the order of its objects does not count."""
    text = json.dumps(to_document(mechanism), sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


_PARSER_WORDS = {
    "Cannot overwrite a value": "this key is given twice",
    "Cannot mutate immutable namespace": "this table was closed before; write all its keys in one place",
    "Invalid value": "there is no valid value; texts need quotes, lists end with ]",
    "Unclosed array": "a list is not closed; a comma or its ] is missing",
    "Unclosed inline table": "a table is not closed; a comma or its } is missing",
    "Unterminated string": "a text is not closed; its quote is missing",
    'Expected "\'"': "a text is not closed; its quote is missing",
    "Illegal character '\\n'": "a text is not closed on its line; its quote is missing",
    "Expected newline or end of document after a statement": "the line should end here; decimals take a point",
    "Expected '=' after a key in a key/value pair": "expected 'key = value' or a table header '[name]'",
}


def _syntax_problem(message: str, text: str) -> str:
    """What the parser says about text that is not TOML, with the place first and the line quoted."""
    match = re.fullmatch(r"(.*?) \(at (?:line (\d+), column (\d+)|end of document)\)", message, re.DOTALL)
    if match is None:
        return message
    words = match[1]
    if twice := re.fullmatch(r"Cannot declare \((.*?),?\) twice", words):
        keys = re.findall("[^', ]+", twice[1])
        words = f"the table [{'.'.join(keys)}] is given twice"
    words = _PARSER_WORDS.get(words, words[:1].lower() + words[1:])
    if match[2] is None:
        return f"at the end of the file: {words}"
    quoted = text.replace("\r\n", "\n").split("\n")[int(match[2]) - 1].strip()
    return f"line {match[2]}, column {match[3]}: {words}; the line is: {quoted[:80]}"
