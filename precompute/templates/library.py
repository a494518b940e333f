"""The templates by name.  They are TOML files in this package; each says in `description` what it is."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

from precompute.errors import PrecomputeError
from precompute.hints import nearest

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
NAME_LINE = re.compile(r'^name = ".*"$', re.MULTILINE)


@cache
def templates() -> dict[str, str]:
    """Name of a template -> the text of its file; in alphabetical order."""
    folder = files(__package__)
    names = sorted(item.name for item in folder.iterdir() if item.name.endswith(".toml"))
    return {name.removesuffix(".toml"): (folder / name).read_text(encoding="utf-8") for name in names}


def descriptions() -> dict[str, str]:
    """Name of a template -> what it is, in a line."""
    return {name: tomllib.loads(text)["description"] for name, text in templates().items()}


def template(name: str, mechanism_name: str | None = None) -> str:
    """The text of a template's file.

    Args:
        name: of the template; of close ones the nearest is named in the error.
        mechanism_name: what its mechanism, and so its FMU, is to be called; None leaves the name that it has.

    Raises:
        PrecomputeError: there is no such template, or mechanisms cannot be called so.
    """
    if name not in templates():
        raise PrecomputeError(f"there is no template '{name}'; {nearest(name, templates())}")
    if mechanism_name is None:
        return templates()[name]
    if not NAME.fullmatch(mechanism_name):
        raise PrecomputeError(
            f"'{mechanism_name}' is not a name; use letters, digits and underscores, starting with a letter"
        )
    return NAME_LINE.sub(f'name = "{mechanism_name}"', templates()[name], count=1)
