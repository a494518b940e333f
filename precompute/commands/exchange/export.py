"""The command `kinetab export`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
from pathlib import Path

from fmu_src.interface.variables import variables
from precompute.command_options import loaded, seconds
from precompute.errors import PrecomputeError
from precompute.exporting import mjcf, ssv
from precompute.files import check_writable, write_file
from precompute.outcome import Outcome
from precompute.running.model_reader import read_model
from precompute.telling import note

DESCRIPTION = """\
For other tools, by the ending of the file that is written: .xml is MJCF of MuJoCo, of a mechanism file, so that others
can check its motion; .ssv is a parameter set of SSP 1.0, of an FMU, with all parameters and start values. What the
format cannot take is told."""

EXAMPLES = """\
kinetab export linkage.toml -o linkage.xml               # for MuJoCo
kinetab export linkage.toml -o linkage.xml --step 0.1ms  # whose loops close the better, the shorter the step
kinetab export Corner.fmu -o corner.ssv                  # parameters of an FMU"""

FORMATS = {".xml": "MJCF", ".ssv": "SSV"}


def add(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument("source", type=Path, metavar="FILE", help="a mechanism file or an FMU")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the file; its ending says the format")
    parser.add_argument("--step", type=seconds, help="of MJCF: length of steps; default: that of the mechanism")
    parser.set_defaults(command=run_export)


def run_export(options: argparse.Namespace) -> Outcome:
    """`kinetab export`."""
    check_writable(options.output, ".xml", ".ssv", apart_from=[options.source])
    fmu = options.source.suffix.lower() == ".fmu"
    left_out: tuple[str, ...] = ()
    if options.output.suffix.lower() == ".ssv":
        if not fmu:
            raise PrecomputeError("a parameter set is of an FMU: bake the mechanism, and name its FMU")
        model = read_model(options.source)
        write_file(options.output, ssv(model.name, variables(model)).encode())
    else:
        if fmu:
            raise PrecomputeError("MJCF is of a mechanism file; name it instead of the FMU")
        found = mjcf(loaded(options.source), options.step)
        write_file(options.output, found.text.encode())
        left_out = tuple(found.left_out)
        for text in left_out:
            note(f"left out: {text}")
    data = {"format": FORMATS[options.output.suffix.lower()], "left_out": left_out}
    return Outcome(f"{options.source} -> {options.output}", data, (options.output,))
