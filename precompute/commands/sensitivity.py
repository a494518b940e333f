"""The command `kinetab sensitivity`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import get_args, get_type_hints

from precompute.command_line import STANDARD_OUTPUT
from precompute.command_options import add_quiet, loaded
from precompute.commands.kc import CHOICES, NAMES, parsed_range
from precompute.errors import PrecomputeError
from precompute.files import check_writable
from precompute.kc.record import Choices
from precompute.model.mechanism import Mechanism
from precompute.outcome import Outcome
from precompute.progress_bar import shown
from precompute.report.picture_file import check_picture
from precompute.rig.stand import chosen_axle
from precompute.sensitivity.naming import case_named
from precompute.sensitivity.result import Sensitivity, sensitivity
from precompute.sensitivity.tables import as_dict, csv_text
from precompute.sensitivity.text import summary

POINTS = 13


EXAMPLES = """\
kinetab sensitivity axle.toml --metric wheel.fl.toe --over travel=-60:60:13
kinetab sensitivity axle.toml --metric toe --csv toe.csv --plot toe.png"""


def add(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument("mechanism", type=Path, help="a mechanism file with [wheels]")
    parser.add_argument(
        "--metric",
        required=True,
        help="wheel.fl.toe, axle.front.roll_centre_height, or a column of kinetab kc: toe.left",
    )
    parser.add_argument(
        "--over",
        default="travel",
        metavar="INPUT[=A:B[:N]]",
        help="travel=-60:60:13, steer, roll, lateral or a case of kinetab kc, from A to B in N points (default travel, "
        f"its usual range, {POINTS} points)",
    )
    parser.add_argument(
        "--variables", metavar="NAMES", help="some, as in point.outer,rod.*.length; default: every one that there is"
    )
    parser.add_argument("--axle", help="which one, if the metric does not say it; default: the first")
    parser.add_argument("--rigid", action="store_true", help="lock all bushings")
    hints = get_type_hints(Choices)
    for name, text in CHOICES.items():
        parser.add_argument(f"--{name}", choices=get_args(hints[NAMES.get(name, name)]), help=text)
    parser.add_argument("--all", action="store_true", help="print all variables that change something")
    parser.add_argument(
        "--csv", type=Path, nargs="?", const=STANDARD_OUTPUT, help="write all of it; print it if no file"
    )
    parser.add_argument("--plot", type=Path, help="draw bars and curves, as toe.png or toe.pdf")
    add_quiet(parser)
    parser.set_defaults(command=run_sensitivity)


def run_sensitivity(options: argparse.Namespace) -> Outcome:
    """`kinetab sensitivity`."""
    check_outputs(options)
    mechanism = loaded(options.mechanism)
    found = asked(mechanism, options)
    if options.csv and options.csv != STANDARD_OUTPUT:
        found.to_csv(options.csv)
    if options.json and options.json != STANDARD_OUTPUT:
        found.to_json(options.json)
    if options.plot:
        found.plot(options.plot)
    files = tuple(path for path in (options.csv, options.json, options.plot) if path and path != STANDARD_OUTPUT)
    words = csv_text(found).rstrip("\n") if options.csv == STANDARD_OUTPUT else summary(found, options.all)
    return Outcome(words, as_dict(found), files)


def check_outputs(options: argparse.Namespace) -> None:
    """Before long work: that results can be written."""
    if options.csv == STANDARD_OUTPUT == options.json:
        raise PrecomputeError("--csv and --json cannot both be printed; name a file for one of them")
    files = [path for path in (options.csv, options.json, options.plot) if path and path != STANDARD_OUTPUT]
    for path, suffix in ((options.csv, ".csv"), (options.json, ".json")):
        if path and path != STANDARD_OUTPUT:
            check_writable(path, suffix, apart_from=[options.mechanism, *(f for f in files if f is not path)])
    if options.plot:
        check_picture(options.plot, apart_from=[options.mechanism])


def asked(mechanism: Mechanism, options: argparse.Namespace) -> Sensitivity:
    """What the options ask for."""
    over, between, points = parsed_over(options.over, mechanism, options.axle)
    fields = {NAMES.get(name, name): getattr(options, name.replace("-", "_")) for name in CHOICES}
    with shown(options.quiet) as progress:
        return sensitivity(
            mechanism,
            options.metric,
            over=over,
            between=between,
            points=points,
            variables=None if options.variables is None else [w.strip() for w in options.variables.split(",")],
            axle=options.axle,
            choices=Choices(**{name: value for name, value in fields.items() if value is not None}),
            elastic=not options.rigid,
            progress=lambda done, of: progress(f"{done} of {of} variables", done / of),
        )


def parsed_over(
    word: str, mechanism: Mechanism, axle: str | None
) -> tuple[str, float | tuple[float, float] | None, int]:
    """Input or case, range and number of points of `--over`."""
    name, equals, rest = (part.strip() for part in word.partition("="))
    case = case_named(name)
    if not equals:
        return name, None, POINTS
    low, high, count = ([*rest.split(":"), "", ""])[:3] if rest.count(":") <= 2 else ("", "", "")
    if not low or (not high and ":" in rest):
        raise PrecomputeError(f"--over {word}: write it as travel=-60:60:13, from, to and number of points")
    steering = chosen_axle(mechanism, axle).steering if mechanism.wheels else None
    turns = steering is not None and steering.is_angle(mechanism)
    between = parsed_range(case.range, f"{low}:{high}" if high else low, turns)
    if count and not count.isdecimal():
        raise PrecomputeError(f"--over {word}: the number of points is '{count}'; give a whole number")
    return name, between, int(count) if count else POINTS
