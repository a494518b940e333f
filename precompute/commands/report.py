"""The command `kinetab report`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
from pathlib import Path

from precompute.command_options import add_quiet, loaded
from precompute.errors import PrecomputeError
from precompute.files import check_writable, write_file
from precompute.outcome import Outcome
from precompute.progress import Progress
from precompute.progress_bar import shown
from precompute.sheets.comparison import check_signs
from precompute.sheets.measured import Measured, read_measured
from precompute.sheets.result import Kc, kc
from precompute.web.report import Gathered, gathered, of_fmu, report_page

DESCRIPTION = """\
One page that opens from disk, offline: the mechanism in 3D, kinematics and compliance, natural modes; of an FMU also a
run of it, and its proof: the verdict of kinetab verify, what was certified, where it is valid."""

EXAMPLES = """\
kinetab report corner.toml                           # corner.html; seconds, without a bake
kinetab report Corner.fmu -o corner.html             # with a run and the verdict of kinetab verify
kinetab report corner.toml --compare rig.csv         # measured curves laid over it
kinetab report corner.toml --compare other.toml --online   # the library as a link: a small file"""


def add(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument("source", type=Path, metavar="FILE", help="a mechanism file or an FMU")
    parser.add_argument("-o", "--output", type=Path, help="the page; default: the name of FILE with .html, here")
    parser.add_argument(
        "--compare",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="another mechanism, or a CSV file with measured curves, to lay over kinematics and compliance; repeatable",
    )
    parser.add_argument("--no-verify", action="store_true", help="of an FMU: leave out the verdict, the longest part")
    parser.add_argument("--online", action="store_true", help="load the library for curves from the net: a small file")
    add_quiet(parser)
    parser.set_defaults(command=run_report)


def run_report(options: argparse.Namespace) -> Outcome:
    """`kinetab report`."""
    target = options.output or Path(f"{options.source.stem}.html")
    check_writable(target, ".html", apart_from=[options.source, *options.compare])
    with shown(options.quiet) as progress:
        others = {path.name: other(path) for path in options.compare}
        found = collected(options, others, progress)
    if others and found.kc is None:
        raise PrecomputeError(f"'{found.mechanism.name}' has no wheels, so there are no curves to compare")
    for name, laid in others.items():
        if found.kc:
            check_signs(found.kc, name, laid)
    write_file(target, report_page(found, options.online).encode())
    verdict = found.verification.passed if found.verification else None
    data = {"name": found.mechanism.name, "passed": verdict, "compared": list(others)}
    return Outcome(f"{found.mechanism.name} -> {target}", data, (target,))


def collected(options: argparse.Namespace, others: dict[str, Kc | Measured], progress: Progress) -> Gathered:
    """Of a mechanism file or an FMU."""
    if options.source.suffix.lower() == ".fmu":
        return of_fmu(options.source, others, not options.no_verify, progress)
    return gathered(loaded(options.source), others, progress)


def other(path: Path) -> Kc | Measured:
    """What is laid over the curves."""
    return read_measured(path) if path.suffix.lower() == ".csv" else kc(loaded(path))
