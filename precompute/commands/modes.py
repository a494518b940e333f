"""The command `kinetab modes`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import get_args

from precompute.command_options import loaded
from precompute.modes import linearize, natural_modes
from precompute.modes.resting import Ground
from precompute.modes.text import as_dict, summary
from precompute.outcome import Outcome

DESCRIPTION = """\
Natural modes about the state of rest: frequencies, damping and which bodies move, by exact kinematics, without a bake.
A suspension stands with its wheels at design height, steering held; anything else is in equilibrium."""

EXAMPLES = """\
kinetab modes corner.toml                # on its tyres, if the file has their rates
kinetab modes corner.toml --on load      # on pads that keep their forces
kinetab modes corner.toml --json         # shapes too, and the linear system A, B, C, D"""


def add(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument("mechanism", type=Path)
    parser.add_argument("--axle", help="which one, where there are several; default: the first")
    parser.add_argument(
        "--on", choices=get_args(Ground), help="what wheels stand on; default: tyres, if the file has their rates"
    )
    parser.add_argument("--all", action="store_true", help="print all modes")
    parser.set_defaults(command=run_modes)


def run_modes(options: argparse.Namespace) -> Outcome:
    """`kinetab modes`."""
    linear = linearize(loaded(options.mechanism), options.axle, options.on)
    modes = natural_modes(linear)
    return Outcome(summary(linear, modes, options.all), as_dict(linear, modes))
