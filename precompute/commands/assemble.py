"""The command `kinetab assemble`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

from precompute.command_options import loaded
from precompute.coordinates.candidates import candidates
from precompute.errors import PrecomputeError
from precompute.files import check_writable
from precompute.mechanism_file import rewrite
from precompute.model.mechanism import Mechanism, nearest
from precompute.outcome import Outcome
from precompute.quantities import si
from precompute.report.assemblies import Assemblies, assemblies
from precompute.report.assembly_text import text
from precompute.telling import note

EXAMPLES = """\
kinetab assemble rough.toml -o closed.toml                # points moved until the loops close
kinetab assemble four_bar.toml --at crank=30deg           # closed elsewhere
kinetab assemble four_bar.toml --branches                 # all ways in which the links fit together"""


def add(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument("mechanism", type=Path)
    parser.add_argument(
        "--at",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="hold an independent coordinate there, in SI or with a unit: crank=30deg; repeatable; default: as drawn",
    )
    parser.add_argument("--branches", action="store_true", help="find all assemblies, from 400 random starts")
    parser.add_argument(
        "--branch", type=int, metavar="N", help="only this one, by its number in the list of --branches"
    )
    parser.add_argument("-o", "--output", type=Path, help="write the mechanism file with its points moved there")
    parser.add_argument("--all", action="store_true", help="print long lists in full")
    parser.set_defaults(command=run_assemble)


def run_assemble(options: argparse.Namespace) -> Outcome:
    """`kinetab assemble`."""
    if options.output:
        check_writable(options.output, ".toml", apart_from=[options.mechanism])
    mechanism = loaded(options.mechanism)
    result = assemblies(mechanism, asked(options.at, mechanism), options.branches or options.branch is not None)
    number = chosen(options.branch, result)
    words, data = text(result, options.all, options.branch), result.as_dict()
    if not options.output:
        return Outcome(words, data)
    kept = write(options.mechanism, options.output, result, number)
    where = f"wrote {options.output}: assembly {number + 1} is its design position, where joint coordinates are zero"
    how = "" if kept else "\n  written anew, in SI units and without comments: not all could be changed in its place"
    return Outcome(f"{words}\n{where}{how}", {**data, "layout_kept": kept}, (options.output,))


def asked(pairs: Sequence[str], mechanism: Mechanism) -> dict[str, float]:
    """NAME=VALUE pairs as numbers in SI.

    Raises:
        PrecomputeError: a name is not known, or a value no number, or its unit one of something else.
    """
    free = mechanism.coordinates
    possible = free if free is not None else [c.coordinate for c in candidates(mechanism)]
    units = {c.name: c.of.unit(mechanism) for c in possible}
    values: dict[str, float] = {}
    for pair in pairs:
        name, equals, word = (part.strip() for part in pair.partition("="))
        if not equals or not name or not word:
            raise PrecomputeError(f"--at {pair}: write NAME=VALUE, such as {next(iter(units), 'crank')}=30deg")
        if name not in units:
            raise PrecomputeError(
                f"--at {pair}: '{mechanism.name}' has no independent coordinate '{name}'; {nearest(name, units)}"
            )
        if name in values:
            raise PrecomputeError(f"--at {pair}: '{name}' is given twice")
        try:
            values[name] = si(word, units[name])
        except PrecomputeError as error:
            raise PrecomputeError(f"--at {pair}: {error}") from None
        if not math.isfinite(values[name]):
            raise PrecomputeError(f"--at {pair}: '{word}' is not a finite number")
    return values


def chosen(branch: int | None, result: Assemblies) -> int:
    """The place of the assembly to write, from 0.

    Raises:
        PrecomputeError: there is none of that number.
    """
    count = len(result.found)
    if branch is not None and not 1 <= branch <= count:
        have = "there is one assembly, number 1" if count == 1 else f"there are assemblies 1 to {count}"
        raise PrecomputeError(f"--branch {branch}: {have}; --branches lists them")
    return (branch or 1) - 1


def write(source: Path, target: Path, result: Assemblies, number: int) -> bool:
    """Write the mechanism as it stands in an assembly; whether comments and layout were kept."""
    new = result.redrawn(number)
    for remark in new.notes:
        note(remark)
    return rewrite(source, target, new.mechanism, new.poses)
