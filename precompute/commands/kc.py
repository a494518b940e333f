"""The command `kinetab kc`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import get_args, get_type_hints

from precompute.command_line import STANDARD_OUTPUT
from precompute.command_options import add_quiet, loaded
from precompute.errors import PrecomputeError
from precompute.files import check_writable
from precompute.kc.conventions import CONVENTIONS
from precompute.kc.listing import list_data, list_text
from precompute.kc.record import Choices
from precompute.model.mechanism import Mechanism
from precompute.outcome import Outcome
from precompute.progress import Progress, stages
from precompute.progress_bar import shown
from precompute.report.picture_file import check_picture
from precompute.rig.cases import CASES
from precompute.rig.quantities import parsed_input
from precompute.rig.stand import chosen_axle
from precompute.sheets.comparison import check_signs, comparison
from precompute.sheets.measured import Measured, read_measured
from precompute.sheets.result import Kc, kc
from precompute.sheets.tables import as_dict, csv_text
from precompute.sheets.text import summary

RANGES = {
    "travel": "wheel travel [mm]; default: that of the file's coordinates",
    "roll": "roll [deg]; default: as far as the travel goes",
    "steer": "steering, from design [mm or deg]; default: the file's range",
    "lateral": "lateral force on a wheel [N]",
    "braking": "braking force on a wheel [N]",
    "traction": "driving force on a wheel [N]",
    "aligning": "torque about the vertical on a wheel [N m]",
    "vertical": "change of a wheel's load [N]",
}
"""Name -> what it is; units are in `BY_NAME`."""

EXAMPLES = """\
kinetab kc axle.toml
kinetab kc axle.toml --travel -80:80 --plot kc.png
kinetab kc axle.toml --cases bump,steering --csv kc.csv
kinetab kc axle.toml --compare rig.csv               # measured curves laid over it
kinetab kc --list toe                                # what a metric means"""


def add(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument("mechanism", type=Path, nargs="?", help="a mechanism file with [wheels]")
    parser.add_argument(
        "--list",
        nargs="*",
        metavar="NAME",
        help="print every metric with unit and definition, or all that is known of some, and end",
    )
    parser.add_argument("--axle", help="which one, where there are several; default: the first")
    parser.add_argument("--cases", metavar="NAMES", help=f"some of {','.join(c.name for c in CASES)}; default: all")
    for name, text in RANGES.items():
        parser.add_argument(f"--{name}", metavar="A:B", help=f"range of {text}; with a unit: -3in:3in, 5kN; A is -A:A")
    parser.add_argument(
        "--secant",
        metavar="STEPS",
        help="gradients as secants over such steps to both sides, as in travel=20,lateral=1kN; default: tangents",
    )
    parser.add_argument("--points", type=int, default=41, help="of every curve (default %(default)s)")
    parser.add_argument("--rigid", action="store_true", help="lock all bushings")
    parser.add_argument("--convention", choices=CONVENTIONS, default="iso", help="of signs (default %(default)s)")
    hints = get_type_hints(Choices)
    for name, text in CHOICES.items():
        parser.add_argument(f"--{name}", choices=get_args(hints[NAMES.get(name, name)]), help=text)
    parser.add_argument("--show", metavar="NAMES", help="metrics to print, instead of those that people look at first")
    parser.add_argument("--all", action="store_true", help="print all metrics of all cases")
    parser.add_argument(
        "--csv", type=Path, nargs="?", const=STANDARD_OUTPUT, help="write all of it; print it if no file"
    )
    parser.add_argument("--plot", type=Path, help="draw the page, as kc.png or kc.pdf")
    parser.add_argument(
        "--compare",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="another mechanism, or a CSV file with measured curves, to lay over it; repeatable",
    )
    add_quiet(parser)
    parser.set_defaults(command=run_kc)


CHOICES = {
    "hold": "while steering: the spring's length, the height of the wheel centre or of the contact (default spring)",
    "contact": "lowest point of the disc, or fixed to the carrier (default lowest)",
    "travel-of": "whose height is travel: of the wheel centre or the contact (default centre)",
    "roll-over": "what roll is relative to: the body, level pads move; the ground, the road tilts (default body)",
    "keep": "what a wheel keeps while forces act along and across: its load or its height (default load)",
}
NAMES = {"hold": "held", "travel-of": "travel", "roll-over": "roll", "keep": "vertical"}
"""Options -> fields of `Choices`, where they are called otherwise."""


def run_kc(options: argparse.Namespace) -> Outcome:
    """`kinetab kc`."""
    if options.list is not None:
        return Outcome(list_text(options.list), {"metrics": list_data(options.list)})
    if options.mechanism is None:
        raise PrecomputeError("name a mechanism file, as in 'kinetab kc front_axle.toml', or ask for --list")
    check_outputs(options)
    mechanism = loaded(options.mechanism)
    others = {path.name: read_measured(path) if path.suffix.lower() == ".csv" else None for path in options.compare}
    with shown(options.quiet) as progress:
        own, *theirs = stages(progress, [1.0, *(float(others[path.name] is None) for path in options.compare)])
        result = measured(mechanism, options, own)
        if options.show is not None:
            check_names(options.show, result)
        found: dict[str, Kc | Measured] = {}
        for path, told in zip(options.compare, theirs, strict=True):
            found[path.name] = others[path.name] or measured(loaded(path), options, told)
    for name, other in found.items():
        check_signs(result, name, other)
    files = write(options, result, found)
    if options.csv == STANDARD_OUTPUT:
        return Outcome(csv_text(result).rstrip("\n"), written=files)
    names = options.show.split(",") if options.show else None
    words = [summary(result, options.all, names=names)]
    words += [f"\n{comparison(result, name, other)}" for name, other in found.items()]
    return Outcome("\n".join(words), as_dict(result), files)


def check_outputs(options: argparse.Namespace) -> None:
    """Before long work: that results can be written."""
    if options.csv == STANDARD_OUTPUT == options.json:
        raise PrecomputeError("--csv and --json cannot both be printed; name a file for one of them")
    read = [options.mechanism, *options.compare]
    files = [path for path in (options.csv, options.json, options.plot) if path and path != STANDARD_OUTPUT]
    for path, suffix in ((options.csv, ".csv"), (options.json, ".json")):
        if path and path != STANDARD_OUTPUT:
            check_writable(path, suffix, apart_from=[*read, *(f for f in files if f is not path)])
    if options.plot:
        check_picture(options.plot, apart_from=read)


def measured(mechanism: Mechanism, options: argparse.Namespace, progress: Progress) -> Kc:
    """What the options ask for."""
    steering = chosen_axle(mechanism, options.axle).steering if mechanism.wheels else None
    turns = steering is not None and steering.is_angle(mechanism)
    given = {
        name: parsed_range(name, getattr(options, name), turns) for name in RANGES if getattr(options, name) is not None
    }
    fields = {NAMES.get(name, name): getattr(options, name.replace("-", "_")) for name in CHOICES}
    return kc(
        mechanism,
        **given,
        cases=[word.strip() for word in options.cases.split(",")] if options.cases else None,
        points=options.points,
        axle=options.axle,
        secant=parsed_steps(options.secant, turns) if options.secant else None,
        convention=options.convention,
        choices=Choices(**{name: value for name, value in fields.items() if value is not None}),
        elastic=not options.rigid,
        progress=progress,
    )


def parsed_range(name: str, word: str, turns: bool) -> float | tuple[float, float]:
    """A range of the command line in mm, deg, N or N m."""
    numbers = []
    for part in word.split(":"):
        try:
            numbers.append(parsed_input(name, part, turns))
        except PrecomputeError as error:
            hint = "; a range is written as -80:80" if ".." in word or part == "" else ""
            raise PrecomputeError(f"--{name} {word}: {error}{hint}") from None
    if len(numbers) > 2:
        raise PrecomputeError(f"--{name} {word}: a range has two ends, as in -80:80")
    return numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])


def parsed_steps(words: str, turns: bool) -> dict[str, float]:
    """Steps of secants of the command line in mm, deg, N or N m."""
    steps = {}
    for word in words.split(","):
        name, equals, step = (part.strip() for part in word.partition("="))
        if not equals or name not in RANGES:
            raise PrecomputeError(f"--secant {words}: write it as travel=20,roll=1; inputs are {', '.join(RANGES)}")
        found = parsed_range(name, step, turns)
        if isinstance(found, tuple):
            raise PrecomputeError(f"--secant {words}: one step is enough for both sides")
        steps[name] = found
    return steps


def check_names(words: str, result: Kc) -> None:
    """The metrics of `--show` must be there; the error says why one is not."""
    for name in words.split(","):
        result.main[name.strip()]


def write(options: argparse.Namespace, result: Kc, others: dict[str, Kc | Measured]) -> tuple[Path, ...]:
    """The files that were asked for, written."""
    if options.csv and options.csv != STANDARD_OUTPUT:
        result.to_csv(options.csv)
    if options.json and options.json != STANDARD_OUTPUT:
        result.to_json(options.json)
    if options.plot:
        result.plot(options.plot, others)
    return tuple(path for path in (options.csv, options.json, options.plot) if path and path != STANDARD_OUTPUT)
