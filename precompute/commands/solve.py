"""The command `kinetab solve`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
from pathlib import Path

from precompute.command_options import loaded
from precompute.errors import PrecomputeError
from precompute.files import check_writable
from precompute.outcome import Outcome
from precompute.report.picture_file import check_picture
from precompute.report.plain_names import chosen, plain_names
from precompute.report.run_text import ranges
from precompute.report.solve_text import solved, usual_names
from precompute.results.samples import quantities, span
from precompute.running.samples import write_csv
from precompute.solving.prescribed import read_prescribed
from precompute.solving.solution import solve_motion, solving_model

DESCRIPTION = """\
Exact positions, velocities, accelerations and jerks of all markers along a prescribed motion: natural coordinates,
solved at every row of the file; no tables and no bake. The CSV file has a column 'time' and one per independent
coordinate, in SI (m, rad), by the names of the mechanism file or as joint.crank, marker.wheel.z, spring.coil.length;
stiff directions that are left out have no deflection. Columns NAME.rate, NAME.acceleration and NAME.jerk are taken as
they are; without them, a spline of degree 5 through the samples gives them."""


EXAMPLES = """\
kinetab solve front_axle.toml --input motion.csv --csv out.csv"""


def add(parser: argparse.ArgumentParser) -> None:
    """Its own options."""
    parser.add_argument("mechanism", type=Path)
    parser.add_argument(
        "--input", type=Path, metavar="CSV", required=True, help="the motion: time and coordinates, in SI"
    )
    parser.add_argument("--csv", type=Path, help="write all quantities")
    parser.add_argument("--plot", type=Path, help="draw a picture")
    parser.add_argument("--show", metavar="NAMES", help="what to draw and to print ranges of, such as wheel.z,steer")
    parser.set_defaults(command=run_solve)


def run_solve(options: argparse.Namespace) -> Outcome:
    """`kinetab solve`."""
    if not (options.csv or options.plot or options.show or options.json):
        raise PrecomputeError(
            "nothing would be kept of the motion; add --csv FILE, --plot FILE, --json or --show NAMES"
        )
    if options.csv:
        check_writable(options.csv, ".csv", apart_from=[options.mechanism, options.input, options.plot])
    if options.plot:
        check_picture(options.plot, apart_from=[options.mechanism, options.input])
    mechanism = loaded(options.mechanism)
    model = solving_model(mechanism)
    motion = read_prescribed(options.input, options.mechanism.name, list(model.known))
    try:
        samples = solve_motion(mechanism, motion, model)
    except PrecomputeError as error:
        raise PrecomputeError(f"'{options.input}': {error}") from None
    names = chosen(options.show, plain_names(samples.values)) if options.show is not None else []
    if options.csv:
        write_csv(samples, options.csv)
    if options.plot:
        from precompute.report.plots import plot_run

        plot_run(samples, options.plot, names or usual_names(samples))
    files = [path for path in (options.csv, options.plot) if path]
    lines = [solved(samples, mechanism, files), *([ranges(samples, names)] if names else [])]
    given = [name.removeprefix("q.") for name in samples.inputs]
    data = {**span(samples), "given": given, "quantities": quantities(samples, names)}
    return Outcome("\n".join(lines), data, tuple(files))
