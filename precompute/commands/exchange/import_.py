"""The command `kinetab import`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.files import check_writable, write_file
from precompute.importing import Asked, imported
from precompute.importing.layouts import LAYOUTS
from precompute.importing.point_table import LENGTHS
from precompute.importing.points_only import Known
from precompute.outcome import Outcome

DESCRIPTION = """\
A suspension of another program as a mechanism file, to be looked at and gone on with. The ending says the format: .json
is Chrono::Vehicle; .csv and .xlsx are tables of hardpoints; .sub, .tpl and .txt TeimOrbit text with [HARDPOINT]; .yaml
suspension-explorer; .ini suspensions.ini of Assetto Corsa. It tells what it took, what it did not take and what it
assumed, and writes that into the file too."""

EXAMPLES = """\
kinetab import DoubleWishbone.json -o corner.toml
kinetab import points.csv -o corner.toml --template double-wishbone --unit m --axes=-x,-y,z
kinetab import rear.xlsx -o rear.toml --template five-link --wheel-radius 325 --wheel-load 4500
kinetab import suspensions.ini -o rear.toml --end rear"""

AXES = "xyz"


def add(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument("source", type=Path, metavar="FILE", help="a file of another program")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the mechanism file, .toml")
    parser.add_argument("--name", help="name of the mechanism; default: what the file says, or its own name")
    parser.add_argument("--template", metavar="NAME", help=f"what points belong to: {', '.join(LAYOUTS)}")
    parser.add_argument("--unit", choices=LENGTHS, help="of lengths in tables; default: what the header says, or mm")
    parser.add_argument(
        "--axes",
        metavar="FORWARD,LEFT,UP",
        help="which axes of the file point there, such as -x,-y,z; default: x,y,z, and -x,-y,z of TeimOrbit",
    )
    parser.add_argument("--end", choices=["front", "rear"], help="which axle; of suspensions.ini the front one")
    parser.add_argument("--wheel-radius", type=length, metavar="MM", help="loaded radius of the wheel")
    parser.add_argument("--wheel-load", type=length, metavar="N", help="of the wheel at rest in the drawn position")
    parser.add_argument(
        "--rack",
        action=argparse.BooleanOptionalAction,
        help="whether the tie rod ends on a rack; default: what the file says, or is usual of the template",
    )
    parser.set_defaults(command=run_import)


def length(word: str) -> float:
    """A positive number on the command line."""
    try:
        value = float(word)
    except ValueError:
        value = -1.0
    if not 0.0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"'{word}' is no positive number")
    return value


def rotation(words: str | None) -> Array | None:
    """(3, 3) rows: forward, left and up in axes of the file; None where nothing is said.

    Raises:
        PrecomputeError: they are no right-handed axes.
    """
    if words is None:
        return None
    R = np.zeros((3, 3))
    parts = [word.strip() for word in words.split(",")]
    for row, word in zip(R, parts, strict=False):
        if word[-1:] in AXES and word[-1:] and word[:-1] in ("", "+", "-"):
            row[AXES.index(word[-1])] = -1.0 if word[0] == "-" else 1.0
    if len(parts) != 3 or abs(np.linalg.det(R) - 1.0) > 1e-9:
        raise PrecomputeError(
            f"--axes {words} is no right-handed set of forward, left, up; that of ISO 8855 is x,y,z, and "
            "-x,-y,z where x is rearward and y to the right"
        )
    return R


def run_import(options: argparse.Namespace) -> Outcome:
    """`kinetab import`."""
    check_writable(options.output, ".toml", apart_from=[options.source])
    known = Known(radius=options.wheel_radius, load=options.wheel_load, rack=options.rack, end=options.end)
    asked = Asked(options.name, options.template, options.unit, rotation(options.axes), known)
    found = imported(options.source, asked)
    write_file(options.output, found.text.encode())
    lines = [f"{options.source} ({found.format}) -> {options.output}", *(f"  {line}" for line in found.notes.lines())]
    lines.append(f"look at it: kinetab view {options.output}; then kinetab check {options.output}")
    return Outcome("\n".join(lines), {"format": found.format, **asdict(found.notes)}, (options.output,))
