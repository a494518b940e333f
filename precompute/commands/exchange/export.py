"""The command `kinetab export`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from fmu_src.interface.variables import variables
from precompute.command_options import loaded, seconds
from precompute.errors import PrecomputeError
from precompute.exporting import Joined, joined, mjcf, read_system, ssp, ssv
from precompute.files import check_writable, write_file
from precompute.outcome import Outcome
from precompute.running.model_reader import read_model
from precompute.sheets.result import kc
from precompute.sheets.tables import csv_text
from precompute.telling import note

DESCRIPTION = """\
For other tools, by the ending of the file that is written. Of a mechanism file: .csv, curves of kinematics and
compliance, as 'kinetab kc --csv' writes them with its own settings; .xml, MJCF of MuJoCo, so that others can check its
motion. Of an FMU: .ssv, a parameter set of SSP 1.0 with all parameters and start values. Of a file that names FMUs and
what is connected with what: .ssp, all of it in one archive. What the format cannot take is told."""

EXAMPLES = """\
kinetab export axle.toml -o kc.csv                       # toe, camber, rates ... over bump, roll, steering, forces
kinetab export linkage.toml -o linkage.xml               # for MuJoCo
kinetab export linkage.toml -o linkage.xml --step 0.1ms  # whose loops close the better, the shorter the step
kinetab export Corner.fmu -o corner.ssv                  # parameters of an FMU
kinetab export car.toml -o Car.ssp                       # FMUs, their connections and parameters in one file"""

MOST_NAMED = 5


def add(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument("source", type=Path, metavar="FILE", help="a mechanism file, an FMU, or a system of FMUs")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the file; its ending says the format")
    parser.add_argument("--step", type=seconds, help="of MJCF: length of steps; default: that of the mechanism")
    parser.set_defaults(command=run_export)


def run_export(options: argparse.Namespace) -> Outcome:
    """`kinetab export`."""
    source, output = options.source, options.output
    check_writable(output, *FORMATS, apart_from=[source])
    ending = output.suffix.lower()
    if options.step is not None and ending != ".xml":
        raise PrecomputeError(f"--step is for .xml alone, and '{output}' is {ending}")
    if (source.suffix.lower() == ".fmu") != (ending == ".ssv"):
        raise PrecomputeError(WRONG[ending])
    found = FORMATS[ending](options)
    write_file(output, found.content)
    for text in found.left_out:
        note(f"left out: {text}")
    text = "\n".join([*found.lines, f"{source} -> {output}"])
    return Outcome(text, {"format": found.format, "left_out": found.left_out}, (output,))


WRONG = {
    ".csv": "curves are of a mechanism file; name it instead of the FMU",
    ".ssp": "an archive is of a file with [components] and connections; name the FMU in it",
    ".ssv": "a parameter set is of an FMU: bake the mechanism, and name its FMU",
    ".xml": "MJCF is of a mechanism file; name it instead of the FMU",
}
"""What to say where an FMU is named for what is of files, or the other way round."""


@dataclass(frozen=True)
class Exported:
    """What is written, and what there is to say of it."""

    format: str
    content: bytes
    lines: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def curves(options: argparse.Namespace) -> Exported:
    """CSV."""
    return Exported("CSV", csv_text(kc(loaded(options.source))).encode())


def archive(options: argparse.Namespace) -> Exported:
    """SSP."""
    system = read_system(options.source)
    check_writable(options.output, apart_from=system.fmus.values())
    found = joined(system)
    return Exported("SSP", ssp(found), tuple(told(found)))


def told(found: Joined) -> list[str]:
    """What is in an archive, and what masters will not be told."""
    system = found.system
    lines = [
        f"{len(system.fmus)} components, {len(system.connections)} connections, {len(system.starts)} start values",
        f"units are told at both ends of {found.compared} of the connections, and are the same",
    ]
    for name, inputs in found.open.items():
        named = ", ".join(inputs[:MOST_NAMED]) + (
            f" and {len(inputs) - MOST_NAMED} more" if inputs[MOST_NAMED:] else ""
        )
        lines.append(f"neither connected nor given, inputs of '{name}': {named}")
    return lines


def parameters(options: argparse.Namespace) -> Exported:
    """SSV."""
    model = read_model(options.source)
    return Exported("SSV", ssv(model.name, variables(model)).encode())


def motion(options: argparse.Namespace) -> Exported:
    """MJCF."""
    found = mjcf(loaded(options.source), options.step)
    return Exported("MJCF", found.text.encode(), left_out=tuple(found.left_out))


FORMATS = {".csv": curves, ".ssp": archive, ".ssv": parameters, ".xml": motion}
"""By the ending of the file."""
