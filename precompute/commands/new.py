"""The command `kinetab new`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

from precompute.errors import PrecomputeError
from precompute.files import check_writable, write_file
from precompute.outcome import Outcome
from precompute.templates.library import descriptions, template

DESCRIPTION = """\
Writes a mechanism file to begin with, a suspension or a linkage with plausible numbers and comments that say what to
change; it can be checked, measured, baked and verified as it is. Without a name it lists what there is."""

EXAMPLES = """\
kinetab new                                    # what there is
kinetab new double-wishbone -o corner.toml
kinetab new five-link -o rear.toml --name RearAxle"""


def add(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument("template", nargs="?", help="what to begin with; none lists all")
    parser.add_argument("-o", "--output", type=Path, help="the file; default: the template's name in this directory")
    parser.add_argument("--name", help="name of the mechanism, and so of its FMU; default: the template's")
    parser.set_defaults(command=run_new)


def run_new(options: argparse.Namespace) -> Outcome:
    """`kinetab new`."""
    if options.template is None:
        return Outcome(listing(), {"templates": descriptions()})
    text = template(options.template, options.name)
    target = options.output or Path(f"{options.template}.toml")
    if target.exists():
        raise PrecomputeError(f"'{target}' is there already and stays as it is; choose another with -o, or remove it")
    check_writable(target, ".toml")
    write_file(target, text.encode())
    steps = next_steps(target, text)
    width = max(map(len, steps))
    lines = [f"{options.template} -> {target}; next:", *(f"  {step:{width}}  # {what}" for step, what in steps.items())]
    data = {"template": options.template, "name": tomllib.loads(text)["name"], "next": list(steps)}
    return Outcome("\n".join(lines), data, (target,))


def listing() -> str:
    """All templates, a line each."""
    known = descriptions()
    width = max(map(len, known))
    return "\n".join(f"{name:{width}}  {text}" for name, text in known.items())


def next_steps(target: Path, text: str) -> dict[str, str]:
    """Commands for what was written."""
    document = tomllib.loads(text)
    return {
        f"kinetab check {target}": "freedoms, loops, ranges",
        f"kinetab view {target}": "in 3D",
        **({f"kinetab kc {target}": "kinematics and compliance"} if "wheels" in document else {}),
        f"kinetab bake {target}": f"{document['name']}.fmu",
    }
