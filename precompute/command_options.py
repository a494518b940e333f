"""What commands read in the same way: mechanism files with their warnings, and how an FMU is to be run."""

from __future__ import annotations

import argparse
from pathlib import Path

from precompute.errors import PrecomputeError
from precompute.mechanism_file import load
from precompute.model.mechanism import Mechanism
from precompute.quantities import si
from precompute.telling import warn


def loaded(path: Path) -> Mechanism:
    """The mechanism in a file; says what is doubtful in it."""
    mechanism = load(path)
    for warning in mechanism.warnings:
        warn(warning)
    return mechanism


def add_quiet(parser: argparse.ArgumentParser) -> None:
    """The option of commands that take a while."""
    parser.add_argument("-q", "--quiet", action="store_true", help="say nothing of how far it is")


def add_simulation(parser: argparse.ArgumentParser) -> None:
    """Options of commands that run an FMU."""
    parser.add_argument("fmu", type=Path)
    parser.add_argument("--stop", type=seconds, help="stop time [s]; default from the FMU")
    parser.add_argument("--step", type=seconds, help="communication step [s], or 1ms; default from the FMU")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="parameter or constant input, in SI or with a unit: 5deg, 12mm, 100N/mm; repeatable",
    )


def seconds(word: str) -> float:
    """A time on the command line."""
    try:
        return si(word, "s")
    except PrecomputeError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
