"""The command `kinetab verify`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from precompute.command_options import add_quiet, add_simulation
from precompute.outcome import Outcome
from precompute.progress_bar import shown
from precompute.report.verify_text import coverage_warnings, verified
from precompute.running.input_table import read_inputs
from precompute.running.settings import settings
from precompute.telling import warn
from precompute.verify.limits import Limits
from precompute.verify.verification import verify

EXAMPLES = """\
kinetab verify FrontAxle.fmu
kinetab verify FrontAxle.fmu --input loads.csv           # along these inputs
kinetab verify FrontAxle.fmu --json                      # all quantities, for scripts"""


def add(parser: argparse.ArgumentParser) -> None:
    """Its own options."""
    limits = Limits()
    for option, default, what in (
        ("--mm", limits.mm, "position"),
        ("--deg", limits.deg, "angle"),
        ("--newton", limits.newton, "force"),
    ):
        text = f"{what} error accepted at any rate (default %(default)s)"
        parser.add_argument(option, type=positive, default=default, help=text)
    parser.add_argument(
        "--relative",
        type=not_negative,
        help="error accepted besides, as a share of how far a quantity moves; of forces and deflections of bushings "
        "ten times it; default: what the model promises, usually 1e-5, on bushings 1e-3",
    )
    parser.add_argument(
        "--input", type=Path, metavar="CSV", help="move it by inputs over time, as `run` does, not through its range"
    )
    parser.add_argument("--free", action="store_true", help="let it move by itself, not through its range")
    parser.add_argument(
        "--mechanism", type=Path, metavar="TOML", help="refuse an FMU that was not baked from this file as it is now"
    )
    add_quiet(parser)
    add_simulation(parser)
    parser.set_defaults(command=run_verify)


def positive(word: str) -> float:
    """A limit on the command line."""
    value = float(word)
    if not (math.isfinite(value) and value > 0.0):
        raise argparse.ArgumentTypeError(f"{word} is not a positive number")
    return value


def not_negative(word: str) -> float:
    """A share on the command line; zero leaves the absolute limits alone."""
    value = float(word)
    if not (math.isfinite(value) and value >= 0.0):
        raise argparse.ArgumentTypeError(f"{word} is not a number from zero on")
    return value


def run_verify(options: argparse.Namespace) -> Outcome:
    """`kinetab verify`."""
    inputs = read_inputs(options.input, options.fmu) if options.input else None
    values = settings(options.set, options.fmu)
    with shown(options.quiet) as progress:
        result = verify(
            options.fmu,
            options.stop,
            options.step,
            values,
            inputs,
            free=options.free,
            limits=Limits(options.mm, options.deg, options.newton, options.relative),
            mechanism_file=options.mechanism,
            progress=progress,
        )
    for warning in (*result.dynamics.warnings, *coverage_warnings(result)):
        warn(warning)
    problems = () if result.passed else (f"{result.name} fails: {'; '.join(result.faults)}",)
    return Outcome(verified(result), result.as_dict(), problems=problems)
