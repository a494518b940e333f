"""The command `kinetab run`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from precompute.command_options import add_simulation
from precompute.files import check_writable, write_file
from precompute.mechanism_file import from_document
from precompute.outcome import Outcome
from precompute.report.picture_file import check_picture
from precompute.report.plain_names import chosen, plain_names
from precompute.report.run_text import kept, ran, ranges, step_error_text
from precompute.results.samples import run_data
from precompute.running.input_table import read_inputs
from precompute.running.model_reader import read_model
from precompute.running.samples import write_csv
from precompute.running.settings import settings
from precompute.running.simulation import (
    Run,
    StoppedError,
    read_description,
    real_variables,
    run_fmu,
    times,
)
from precompute.running.step_error import step_error
from precompute.telling import note, warn

EXAMPLES = """\
kinetab run FrontAxle.fmu --input loads.csv --animate run.html   # the motion in 3D, in a browser
kinetab run FrontAxle.fmu --stop 2 --plot run.png --csv run.csv
kinetab run FrontAxle.fmu --input loads.csv --set spring.shock.k=90N/mm --show wheel.z,steer"""


def add(parser: argparse.ArgumentParser) -> None:
    """Its own options."""
    parser.add_argument(
        "--input", type=Path, metavar="CSV", help="inputs over time: a column 'time' and one per input, in SI"
    )
    parser.add_argument("--csv", type=Path, help="write all outputs and inputs")
    parser.add_argument("--plot", type=Path, help="draw a picture")
    parser.add_argument("--animate", type=Path, metavar="HTML", help="write a page with the motion in 3D")
    parser.add_argument("--show", metavar="NAMES", help="what to draw and to print ranges of, such as wheel.z,steer")
    parser.add_argument("--step-error", action="store_true", help="run again in steps of half the length and compare")
    add_simulation(parser)
    parser.set_defaults(command=run_run)


def run_run(options: argparse.Namespace) -> Outcome:
    """`kinetab run`."""
    if options.csv:
        check_writable(options.csv, ".csv", apart_from=[options.fmu, options.input, options.plot])
    if options.plot:
        check_picture(options.plot, apart_from=[options.fmu, options.input])
    if options.animate:
        check_writable(options.animate, ".html", apart_from=[options.fmu, options.input])
    names = shown_names(options) if options.show is not None else []
    inputs = read_inputs(options.input, options.fmu) if options.input else None
    values = settings(options.set, options.fmu)
    try:
        run = run_fmu(options.fmu, options.stop, options.step, values, inputs)
    except StoppedError as error:
        tell(error.run)
        files = write(options, error.run, names, stopped=True)
        return Outcome("", run_data(error.run, names), tuple(files), (f"{error}\n  {kept(error.run, files)}",))
    tell(run)
    files = write(options, run, names)
    lines = [ran(run, files), *([ranges(run, names)] if names else [])]
    error_of_steps = None
    if options.step_error:
        from precompute.report.plots import usual

        _, step = times(read_description(options.fmu), options.stop, options.step)
        compared = [name for name in names or usual(run) if name in run.outputs]
        error_of_steps = step_error(options.fmu, run, step, values, inputs, compared)
        lines.append(step_error_text(error_of_steps, run))
    return Outcome("\n".join(lines), run_data(run, names, error_of_steps), tuple(files))


def shown_names(options: argparse.Namespace) -> list[str]:
    """The variables that `--show` asks for, before anything is run."""
    return chosen(options.show, plain_names(real_variables(read_description(options.fmu), "output", "input")))


def tell(run: Run) -> None:
    """What was said on the way."""
    for text in run.notes:
        note(text)
    for text in run.warnings:
        warn(text)


def write(options: argparse.Namespace, run: Run, names: Sequence[str], stopped: bool = False) -> list[Path]:
    """The files that were asked for."""
    if options.csv:
        write_csv(run, options.csv)
    if options.plot:
        from precompute.report.plots import plot_run

        plot_run(run, options.plot, names, stopped)
    if options.animate and not stopped:
        from precompute.web.view import run_page

        mechanism = from_document(read_model(options.fmu).mechanism, f"the mechanism in {options.fmu.name}")
        write_file(options.animate, run_page(mechanism, run).encode())
    animated = None if stopped else options.animate
    return [path for path in (options.csv, options.plot, animated) if path]
