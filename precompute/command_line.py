"""The command line: commands, options and help.  The module of the command that is meant is imported alone.

What a command costs to import, NumPy and the rest, is paid by those who ask for it: `--version` and help are there at
once.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

from fmu_src import __version__
from precompute.hints import closest, nearest

COMMANDS = {
    "new": "a mechanism file to begin with: suspensions and linkages, commented",
    "check": "freedoms, loops, coordinates, conditioning and feasible range",
    "view": "the mechanism in 3D in a browser, moved by sliders",
    "assemble": "close the loops: of a rough drawing, elsewhere, in all ways",
    "kc": "kinematics and compliance of an axle: toe, camber, rates, ... over cases",
    "sensitivity": "which hardpoint does it: a metric's derivatives by design variables",
    "design": "change hardpoints and lengths, and the least of others that absorb it",
    "fit": "hardpoints and rates from curves that are wanted or were measured",
    "study": "metrics of thousands of designs: what tolerances do",
    "modes": "natural modes about the state of rest: frequencies, damping, what moves",
    "solve": "exact motion of all markers along given coordinates, without a bake",
    "loads": "inverse dynamics: what every joint carries along a given motion",
    "bake": "solve the loops, make the tables, build the FMU",
    "report": "one page to show and to believe: 3D, curves, modes, proof",
    "import": "a suspension of another program as a mechanism file",
    "export": "for other tools: curves, MuJoCo, parameter sets, cars of FMUs",
    "info": "what an FMU is: ranges, accuracy, variables",
    "run": "simulate an FMU with FMPy",
    "verify": "compare an FMU with two independent models, and give a verdict",
    "schema": "the JSON Schema of mechanism files, for editors",
    "completion": "a script by which the shell completes commands and options",
}
"""Name -> what it does."""

PLACES = {"import": "exchange.import_", "export": "exchange.export"}
"""The module of a command in `precompute.commands`, where that has not its name."""

WITH_FILE = ("kc", "sensitivity", "study")
"""Commands whose `--json` may name a file to write."""

PROGRAM = "kinetab"

STANDARD_OUTPUT = Path("-")
"""Where a result goes if such an option names no file."""

NEGATIVE = re.compile(r"-[\d.].*")
EXAMPLES = "examples:\n"
OPTION = re.compile(r"--[a-z][a-z-]*")


class Parser(argparse.ArgumentParser):
    """Says what may have been meant by a command or an option that is not known."""

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        """The options of a command are its own: what is left over is told with its usage, not that of all."""
        found, rest = super().parse_known_args(args, namespace)
        if rest and self.prog != PROGRAM:
            known = [option for action in self._actions for option in action.option_strings]
            told = [f"{word} ({nearest(word, known)})" if word.startswith("-") else word for word in rest]
            self.error(f"unrecognized arguments: {', '.join(told)}")
        return found, rest


def joined(arguments: Sequence[str]) -> list[str]:
    """Arguments in which what begins with a minus sign and a digit is no option: --travel -80:80 is --travel=-80:80."""
    out: list[str] = []
    for word in arguments:
        if out and OPTION.fullmatch(out[-1]) and NEGATIVE.fullmatch(word):
            out[-1] = f"{out[-1]}={word}"
        else:
            out.append(word)
    return out


def named(words: Sequence[str]) -> list[str]:
    """The command that the words begin with; none if they do not."""
    return [words[0]] if words and words[0] in COMMANDS else []


def unknown(words: Sequence[str]) -> str:
    """What is wrong with the command that is named, if anything: there is none, or none of that name."""
    if not words:
        return "name a command"
    if words[0].startswith("-") or words[0] in COMMANDS:
        return ""
    meant = closest(words[0], COMMANDS)
    return f"there is no command '{words[0]}'" + (f"; did you mean '{meant}'?" if meant else "")


def module_of(name: str) -> ModuleType:
    """The module of a command, imported."""
    return import_module(f"precompute.commands.{PLACES.get(name, name)}")


def parser(wanted: Iterable[str] = COMMANDS) -> argparse.ArgumentParser:
    """The command line, with the options of the commands that are wanted."""
    top = Parser(prog=PROGRAM, description="Closed-loop mechanisms as fast FMI 2.0 co-simulation FMUs.")
    top.add_argument("--version", action="version", version=f"kinetab {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text, formatter_class=Help)
        if name in wanted:
            module = module_of(name)
            command.description = getattr(module, "DESCRIPTION", f"{text[0].upper()}{text[1:]}.")
            command.epilog = EXAMPLES + module.EXAMPLES
            module.add(command)
            add_json(command, name in WITH_FILE)
    return top


def add_json(command: argparse.ArgumentParser, with_file: bool) -> None:
    """The option of every command."""
    text = "print one JSON object instead; docs/json.md has its keys"
    if with_file:
        text = "print one JSON object instead, or write it to FILE; docs/json.md has its keys"
        command.add_argument("--json", type=Path, nargs="?", const=STANDARD_OUTPUT, metavar="FILE", help=text)
    else:
        command.add_argument("--json", action="store_true", help=text)


def wants_json(options: argparse.Namespace) -> bool:
    """Whether JSON is printed."""
    return options.json is True or options.json == STANDARD_OUTPUT


class Help(argparse.HelpFormatter):
    """Fills paragraphs, and leaves the lines of examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        head, _, examples = text.partition(EXAMPLES)
        lines = [f"{indent}  {line}" for line in examples.splitlines()]
        filled = super()._fill_text(head, width, indent) if head else ""
        return "\n".join([filled or EXAMPLES.rstrip(), *lines]) if examples else filled
