"""The command `kinetab fit`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import get_args, get_type_hints

import numpy as np

from precompute.command_options import add_quiet, loaded
from precompute.commands.design import words
from precompute.commands.kc import CHOICES, NAMES
from precompute.files import check_writable
from precompute.fitting import Fit, fit
from precompute.fitting.text import summary
from precompute.geometry.spatial import Transform
from precompute.kc.conventions import CONVENTIONS
from precompute.kc.record import Choices
from precompute.outcome import Outcome
from precompute.progress_bar import shown
from precompute.redesign.amending import rewritten
from precompute.results.designs import fit_data
from precompute.telling import note

EXAMPLES = """\
kinetab fit axle.toml rig.csv --vary point.outer,point.inner.z --within 10mm -o fitted.toml"""

USUAL = 10
"""So many designs are tried, about: then half is done, as far as anybody knows."""


def add(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument("mechanism", type=Path, help="a mechanism file with [wheels], where the search begins")
    parser.add_argument(
        "targets",
        type=Path,
        help="a CSV file with curves, as 'kinetab kc --csv' writes it or 'kinetab kc --compare' reads it",
    )
    parser.add_argument(
        "--vary",
        action="append",
        required=True,
        metavar="NAMES",
        help="design variables that may change: point.outer,point.inner.z, bushing.*.stiffness.x; repeatable",
    )
    parser.add_argument(
        "--within",
        action="append",
        default=[],
        metavar="AMOUNTS",
        help="how far they may go from where they are: 10mm,2deg,50%% (default 20mm,5deg,80%%); repeatable",
    )
    parser.add_argument(
        "--metrics", metavar="NAMES", help="columns of the targets that count: toe,camber.left; default: all"
    )
    parser.add_argument(
        "--convention", choices=CONVENTIONS, help="of the signs of the targets (default: what they say, or iso)"
    )
    parser.add_argument("--axle", help="which one, where there are several; default: the first")
    parser.add_argument("--rigid", action="store_true", help="lock all bushings")
    hints = get_type_hints(Choices)
    for name, text in CHOICES.items():
        parser.add_argument(f"--{name}", choices=get_args(hints[NAMES.get(name, name)]), help=text)
    parser.add_argument("-o", "--output", type=Path, help="write the mechanism file with its numbers changed there")
    add_quiet(parser)
    parser.set_defaults(command=run_fit)


def run_fit(options: argparse.Namespace) -> Outcome:
    """`kinetab fit`."""
    if options.output:
        check_writable(options.output, ".toml", apart_from=[options.mechanism, options.targets])
    found = asked(options)
    words, data = summary(found), fit_data(found)
    if not options.output:
        return Outcome(words, data)
    kept = write(options.mechanism, options.output, found)
    return Outcome(f"{words}\nwrote {options.output}", {**data, "layout_kept": kept}, (options.output,))


def asked(options: argparse.Namespace) -> Fit:
    """What the options ask for."""
    mechanism = loaded(options.mechanism)
    fields = {NAMES.get(name, name): getattr(options, name.replace("-", "_")) for name in CHOICES}
    with shown(options.quiet) as progress:
        return fit(
            mechanism,
            options.targets,
            words(options.vary),
            within=words(options.within),
            metrics=None if options.metrics is None else words([options.metrics]),
            convention=options.convention,
            axle=options.axle,
            choices=Choices(**{name: value for name, value in fields.items() if value is not None}),
            elastic=not options.rigid,
            progress=lambda tried, off: progress(
                f"{tried} designs, {off:.3g} off (root mean square)", tried / (tried + USUAL)
            ),
        )


def write(source: Path, target: Path, found: Fit) -> bool:
    """Write the mechanism with its changes; whether comments and layout were kept."""
    new, still = found.mechanism, Transform(np.eye(3), np.zeros(3))
    kept = rewritten(source, target, found.document, new, {body.name: still for body in new.bodies})
    if not kept:
        note("written anew, in SI units and without comments: not all could be changed in its place")
    return kept
