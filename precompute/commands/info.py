"""The command `kinetab info`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
from pathlib import Path

from precompute.outcome import Outcome
from precompute.report.fmu_info import info_text, variable_lines
from precompute.results.models import fmu_data

EXAMPLES = """\
kinetab info FrontAxle.fmu
kinetab info FrontAxle.fmu --variables"""


def add(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument("fmu", type=Path)
    parser.add_argument("--variables", action="store_true", help="list all variables")
    parser.set_defaults(command=run_info)


def run_info(options: argparse.Namespace) -> Outcome:
    """`kinetab info`."""
    lines = [info_text(options.fmu), *(variable_lines(options.fmu) if options.variables else ())]
    return Outcome("\n".join(lines), fmu_data(options.fmu, options.variables))
