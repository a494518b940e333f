"""The command `kinetab completion`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse

import shtab

from precompute.command_line import parser
from precompute.outcome import Outcome

EXAMPLES = """\
kinetab completion bash       # in ~/.bashrc: eval "$(kinetab completion bash)"
kinetab completion zsh        # into a file _kinetab of a folder on $fpath"""

DESCRIPTION = """\
Prints a script by which the shell completes commands, options and file names of kinetab."""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    command.add_argument("shell", choices=shtab.SUPPORTED_SHELLS)
    command.set_defaults(command=run_completion)


def run_completion(options: argparse.Namespace) -> Outcome:
    """`kinetab completion`."""
    script = shtab.complete(parser(), options.shell)
    return Outcome(script, {"shell": options.shell, "script": script})
