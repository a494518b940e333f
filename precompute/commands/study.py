"""The command `kinetab study`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import get_args

from precompute.command_line import STANDARD_OUTPUT
from precompute.command_options import add_quiet, loaded
from precompute.errors import PrecomputeError
from precompute.files import check_writable, write_file
from precompute.outcome import Outcome
from precompute.plain import json_text
from precompute.progress_bar import shown
from precompute.report.picture_file import check_picture
from precompute.study.asking import completed
from precompute.study.cluster import cluster
from precompute.study.running import Progress, Start, processes, running
from precompute.study.sampling import Sampler
from precompute.study.study import Study
from precompute.study.summary import Summary
from precompute.study.text import text
from precompute.study.tolerances import read_tolerances
from precompute.study.writing import ENDINGS, as_dict, check_ending
from precompute.telling import note

EXAMPLES = """\
kinetab study axle.toml tolerances.toml --samples 10000 --workers 2 -o designs.csv --plot bands.png"""


def add(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument("mechanism", type=Path, help="a mechanism file with [wheels]")
    parser.add_argument("tolerances", type=Path, help="a TOML file: [tolerances] that vary, [[curves]] to look at")
    parser.add_argument("--samples", type=int, default=1000, metavar="N", help="designs (default %(default)s)")
    parser.add_argument(
        "--sampler",
        choices=get_args(Sampler),
        default="montecarlo",
        help="at random; Sobol points, which fill the space more evenly; or rows of them that give Sobol indices of "
        "first order and total ones (default %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=0, help="the same gives the same numbers (default %(default)s)")
    by = parser.add_mutually_exclusive_group()
    by.add_argument("--workers", type=int, metavar="N", help="processes on this machine; default: none but this")
    by.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster that computes it: tcp://host:8786")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="all designs, a row each: .csv or .parquet"
    )
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw bands and shares, as bands.png or bands.pdf")
    add_quiet(parser)
    parser.set_defaults(command=run_study)


def run_study(options: argparse.Namespace) -> Outcome:
    """`kinetab study`."""
    check_outputs(options)
    mechanism = loaded(options.mechanism)
    asked = read_tolerances(options.tolerances, mechanism)
    study = Study(mechanism, asked, options.samples, options.sampler, options.seed)
    for reason in dict.fromkeys(engine.why for engine in study.engines if engine.why):
        note(f"designs are computed one by one: {reason}")
    with given_workers(options) as (start, workers):
        found = completed(study, options.output, start, workers, partial(told, options.quiet))
    write(found, options)
    files = tuple(path for path in (options.output, options.json, options.plot) if path and path != STANDARD_OUTPUT)
    return Outcome(f"{text(found)}\n\nwrote {options.output}", as_dict(found), files)


def check_outputs(options: argparse.Namespace) -> None:
    """Before long work: that it can be done and results can be written."""
    if options.workers is not None and options.workers < 1:
        raise PrecomputeError(f"--workers {options.workers}: give one or more")
    read = [options.mechanism, options.tolerances]
    files = [path for path in (options.output, options.json, options.plot) if path and path != STANDARD_OUTPUT]
    for path, endings in ((options.output, ENDINGS), (options.json, (".json",))):
        if path and path != STANDARD_OUTPUT:
            check_writable(path, *endings, apart_from=[*read, *(f for f in files if f is not path)])
    check_ending(options.output)
    if options.plot:
        check_picture(options.plot, apart_from=[*read, *(f for f in files if f is not options.plot)])


@contextmanager
def given_workers(options: argparse.Namespace) -> Iterator[tuple[Start | None, int]]:
    """Who computes it, and how many they are."""
    if options.scheduler:
        with cluster(options.scheduler) as (executor, workers):
            yield running(executor), workers
    elif options.workers:
        yield partial(processes, options.workers), options.workers
    else:
        yield None, 1


def write(found: Summary, options: argparse.Namespace) -> None:
    """What was asked for besides the designs."""
    if options.json and options.json != STANDARD_OUTPUT:
        write_file(options.json, (json_text(as_dict(found)) + "\n").encode())
    if options.plot:
        from precompute.study.picture import picture  # matplotlib takes a third of a second to import

        picture(found, options.plot)


@contextmanager
def told(quiet: bool, done: int, of: int) -> Iterator[Progress]:
    """Progress, from where an earlier run ended."""
    if done:
        note(f"goes on after {done} of {of} parts")
    with shown(quiet) as progress:

        def parts(done: int, of: int) -> None:
            progress(f"{done} of {of} parts of the study", done / of)

        parts(done, of)
        yield parts
