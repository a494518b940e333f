"""The command `kinetab check`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
from pathlib import Path

from precompute.command_options import loaded
from precompute.mechanism_file import telling_lines
from precompute.outcome import Outcome
from precompute.report.inspection import inspect_drawable
from precompute.report.picture_file import check_picture
from precompute.report.report_text import text

EXAMPLES = """\
kinetab check front_axle.toml
kinetab check front_axle.toml --plot coordinates.png   # weights and condition numbers over the ranges"""


def add(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument("mechanism", type=Path)
    parser.add_argument("--all", action="store_true", help="print long lists in full")
    parser.add_argument("--plot", type=Path, help="draw weights, condition numbers and ||B|| over the ranges")
    parser.set_defaults(command=run_check)


def run_check(options: argparse.Namespace) -> Outcome:
    """`kinetab check`."""
    mechanism = loaded(options.mechanism)
    if options.plot:
        check_picture(options.plot, apart_from=[options.mechanism])
    with telling_lines(options.mechanism):
        result, (coordinates, design, selection) = inspect_drawable(
            mechanism, everything=bool(options.all or options.json or options.plot)
        )
    if options.plot and selection:
        from precompute.report.selection_plots import plot_selection  # matplotlib takes a third of a second to import

        plot_selection(coordinates, design, selection, options.plot)
    drawn = (options.plot,) if options.plot and selection else ()
    return Outcome(text(result, everything=options.all), result.as_dict(), drawn, result.problems)
