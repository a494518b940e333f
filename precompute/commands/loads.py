"""The command `kinetab loads`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from precompute.command_options import loaded
from precompute.files import check_folder, check_writable
from precompute.loading.counting import LARGE, cycles, large_cycles
from precompute.loading.driven import driven_loads
from precompute.loading.exact import exact_loads
from precompute.loading.motion import read_motion
from precompute.loading.record import JointLoads
from precompute.outcome import Outcome
from precompute.report.picture_file import check_picture
from precompute.report.plain_names import chosen, label, plain_names, shown
from precompute.report.run_text import table
from precompute.results.samples import loads_data
from precompute.telling import note, warn

DESCRIPTION = """\
Inverse dynamics: what every joint carries along a motion that is given, and what leads it. Of a mechanism file, from
exact kinematics at every row, without a bake; of an FMU, by its drives. The CSV file has a column 'time' and one per
independent coordinate, in SI (m, rad), by the names of the mechanism file or as drive.NAME.q; NAME.rate and
NAME.acceleration, or a spline of degree 5 through the samples gives them. Forces on ports and wheels and the motion of
the chassis are columns as the inputs of an FMU: port.contact.F[3]."""


RATE = re.compile(r"qdd?\.|drive\.\w+\.qdd?$")
"""Rates and accelerations of what is given."""

REST = 1e-9
"""Of the largest load of its unit: a smaller one is none."""


EXAMPLES = """\
kinetab loads strut.toml --input motion.csv --csv loads.csv
kinetab loads strut.toml --input motion.csv --axes ground --folder out --rainflow ranges.csv"""


def add(parser: argparse.ArgumentParser) -> None:
    """Its own options."""
    parser.add_argument("model", type=Path, metavar="FILE", help="a mechanism file, or an FMU with driven coordinates")
    parser.add_argument(
        "--input", type=Path, metavar="CSV", required=True, help="the motion: time, coordinates and forces, in SI"
    )
    parser.add_argument(
        "--axes", metavar="AXES", help="of the loads: ground, joint or a body; default: as the file says"
    )
    parser.add_argument("--csv", type=Path, help="write all loads, and the motion, in one table")
    parser.add_argument(
        "--folder", type=Path, metavar="DIR", help="write a file per joint: time, Fx ... Mz, with units"
    )
    parser.add_argument("--rainflow", type=Path, metavar="CSV", help="write histograms of range pairs of all loads")
    parser.add_argument("--plot", type=Path, help="draw a picture")
    parser.add_argument(
        "--show", metavar="NAMES", help="what to draw and to summarize, such as lower_ball.Fz,tie_rod.force"
    )
    parser.set_defaults(command=run_loads)


def run_loads(options: argparse.Namespace) -> Outcome:
    """`kinetab loads`."""
    check_files(options)
    found = sought(options)
    for text in found.warnings:
        warn(text)
    for text in found.notes:
        note(text)
    for text in found.undefined:
        note(f"not defined, left out: {text}")
    names = chosen(options.show, plain_names(found.values)) if options.show is not None else []
    files = write(options, found, names)
    wanted = [name for name in names if name in found.outputs] or list(found.loads)
    return Outcome(f"{computed(found, files)}\n{summary(found, wanted)}", loads_data(found, wanted), tuple(files))


def check_files(options: argparse.Namespace) -> None:
    """That all results can be written, before any work.

    Raises:
        PrecomputeError: one cannot.
    """
    read, tables = [options.model, options.input], [options.csv, options.rainflow]
    for i, path in enumerate(tables):
        if path:
            check_writable(path, ".csv", apart_from=[*read, *tables[:i], options.plot])
    if options.plot:
        check_picture(options.plot, apart_from=[*read, *tables])
    if options.folder:
        check_folder(options.folder)


def sought(options: argparse.Namespace) -> JointLoads:
    """The loads of a mechanism file or of an FMU."""
    if options.model.suffix.lower() == ".fmu":
        return driven_loads(options.model, options.input, options.axes)
    mechanism = loaded(options.model)
    return exact_loads(mechanism, read_motion(options.input, mechanism, options.model.name), options.axes)


def write(options: argparse.Namespace, found: JointLoads, names: list[str]) -> list[Path]:
    """The files that were asked for."""
    if options.csv:
        found.to_csv(options.csv)
    if options.folder:
        found.to_folder(options.folder, (options.model, options.input, options.csv, options.rainflow))
    if options.rainflow:
        found.to_rainflow(options.rainflow)
    if options.plot:
        from precompute.report.plots import plot_run

        plot_run(found, options.plot, names or usual_loads(found))
    return [path for path in (options.csv, options.folder, options.rainflow, options.plot) if path]


def computed(found: JointLoads, files: Sequence[Path]) -> str:
    """What was computed, and where it went."""
    count, first, last = len(found.time), found.time[0], found.time[-1]
    when = f"{count} samples from {first:g} s to {last:g} s" if count > 1 else f"one sample at {first:g} s"
    where = f" -> {', '.join(map(str, files))}" if files else ""
    return f"{found.name}: {when}, {len(found.loads)} loads in axes {found.axes}{where}"


def summary(found: JointLoads, names: Iterable[str]) -> str:
    """Extremes of loads with their times, and range pairs, a line each."""
    plain, rows, carried = plain_names(found.values), [], carried_loads(found)
    names = list(names)
    for name in (name for name in names if name in carried or name not in found.loads):
        unit, factor = shown(found.units[name])
        values = found.outputs[name]
        low, low_at, high, high_at = found.extremes(name)
        largest = float(cycles(values)[:, 0].max(initial=0.0))
        cells = [f"{factor * low:.5g}", f"{low_at:.4g}", f"{factor * high:.5g}", f"{high_at:.4g}"]
        cells += [f"{large_cycles(values):g}", f"{factor * largest:.5g}"]
        rows.append((label(plain[name]), *cells, unit))
    head = ("", "smallest", "at [s]", "largest", "at [s]", "range pairs", "largest range", "")
    lines = [table(head, rows)] if rows else []
    if none := [label(plain[name]) for name in names if name in found.loads and name not in carried]:
        lines.append(f"  zero throughout: {', '.join(none)}")
    lines.append(f"  range pairs: rainflow cycles (ASTM E1049) of more than {100 * LARGE:.0f} % of the largest range")
    return "\n".join(lines)


def carried_loads(found: JointLoads) -> list[str]:
    """Loads that are more than rounding, against the largest of their unit."""
    sizes = {name: float(np.abs(found.outputs[name]).max()) for name in found.loads}
    largest: dict[str, float] = {}
    for name, size in sizes.items():
        largest[found.units[name]] = max(size, largest.get(found.units[name], 0.0))
    return [name for name, size in sizes.items() if size > REST * largest[found.units[name]]]


def usual_loads(found: JointLoads) -> list[str]:
    """What is drawn if nothing is asked for: what is given and changes, drives, rods, and what joints carry."""
    moving = [name for name, values in found.inputs.items() if not RATE.match(name) and np.ptp(values) > 0.0]
    return [*moving, *carried_loads(found)]
