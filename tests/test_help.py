"""What the command line says of itself: help by examples that work, at once."""

import re
import shlex
import subprocess
import sys
from importlib import import_module

import pytest
from helpers import ROOT

from precompute.cli import COMMANDS, joined, main, parser

HEAVY = ("numpy", "scipy", "rich", "pydantic", "matplotlib", "fmpy")


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["nonsense"], []], ids=" ".join)
def test_what_needs_no_numbers_loads_nothing_for_them(words):
    """So it is there in a tenth of a second."""
    program = (
        "import sys\nfrom precompute.entry import main\ntry:\n    main()\nfinally:\n"
        f"    print([name for name in {HEAVY} if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, cwd=ROOT)
    assert result.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_are_valid(name):
    lines = import_module(f"precompute.commands.{name}").EXAMPLES.splitlines()
    assert lines
    for line in lines:
        program, *words = shlex.split(line, comments=True)
        assert program == "kinetab" and words[0] == name
        parser([name]).parse_args(joined(words))


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_them(name, capsys):
    with pytest.raises(SystemExit):
        main([name, "--help"])
    out = capsys.readouterr().out
    assert "examples:\n  kinetab " in out and re.search(rf"usage: kinetab {name}", out)


def test_numbers_that_begin_with_a_sign_are_no_options():
    assert joined(["kc", "--travel", "-80:80", "--json", "-o"]) == ["kc", "--travel=-80:80", "--json", "-o"]
    assert joined(["--travel=-3", "-80"]) == ["--travel=-3", "-80"]
