"""The command `kinetab schema`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
from importlib.resources import files
from pathlib import Path

from precompute.errors import PrecomputeError
from precompute.files import other_kind, write_file
from precompute.outcome import Outcome

EXAMPLES = """\
kinetab schema                           # where the JSON Schema of mechanism files is
kinetab schema front_axle.toml           # names it in the first line, where editors find it"""

DESCRIPTION = """\
The JSON Schema of mechanism files. Editors that know it complete keys, show their help and mark mistakes while a file
is written: Visual Studio Code with 'Even Better TOML', and all that use Taplo."""

MARK = b"#:schema "


def add(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument(
        "mechanisms",
        type=Path,
        nargs="*",
        metavar="FILE",
        help="mechanism files that are to name it in line 1",
    )
    parser.set_defaults(command=run_schema)


def run_schema(options: argparse.Namespace) -> Outcome:
    """`kinetab schema`."""
    schema = Path(str(files("precompute.mechanism_file") / "mechanism.schema.json"))
    texts = {path: marked(path, MARK + schema.as_uri().encode()) for path in options.mechanisms}
    for path, text in texts.items():
        write_file(path, text)
    lines = [f"{path} names the schema in its first line" for path in texts] or [str(schema)]
    return Outcome("\n".join(lines), {"schema": schema}, tuple(texts))


def marked(path: Path, line: bytes) -> bytes:
    """A file with that first line, in place of one that named another schema.

    Raises:
        PrecomputeError: there is no such file, or it is something else.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PrecomputeError(f"cannot read '{path}': {error.strerror}") from None
    if kind := other_kind(path, content[:8], "mechanism"):
        raise PrecomputeError(f"'{path}' {kind}")
    end = b"\r\n" if b"\r\n" in content else b"\n"
    rest = content.partition(b"\n")[2] if content.startswith(MARK) else content
    return line + end + rest
