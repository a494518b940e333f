"""What the command line says of itself: help by examples that work, at once."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import ROOT

from precompute.cli import main
from precompute.command_line import COMMANDS, joined, module_of, parser

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
    lines = module_of(name).EXAMPLES.splitlines()
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


def test_the_schema_is_named_where_editors_look(tmp_path, capsys):
    assert main(["schema"]) == 0
    schema = Path(capsys.readouterr().out.strip())
    assert "properties" in json.loads(schema.read_text(encoding="utf-8"))
    path = tmp_path / "a.toml"
    path.write_bytes(b"# mine\r\nname = 'A'\r\n")
    for _ in range(2):
        assert main(["schema", str(path)]) == 0
        line, _, rest = path.read_bytes().partition(b"\r\n")
        assert rest == b"# mine\r\nname = 'A'\r\n" and line == b"#:schema " + schema.as_uri().encode()


def test_the_schema_is_not_written_into_other_files(tmp_path, capsys):
    good, bad = tmp_path / "a.toml", tmp_path / "b.fmu"
    good.write_text("name = 'A'\n")
    bad.write_bytes(b"PK\3\4")
    assert main(["schema", str(good), str(bad)]) == 1 and "is an FMU" in capsys.readouterr().err
    assert good.read_text() == "name = 'A'\n" and bad.read_bytes() == b"PK\3\4"
    assert main(["schema", str(tmp_path / "none.toml")]) == 1 and "cannot read" in capsys.readouterr().err


def test_a_shell_completes_commands_and_options(capsys):
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    assert "--metric" in script and all(name in script for name in COMMANDS)
    assert subprocess.run(["bash", "-n"], input=script, text=True).returncode == 0
