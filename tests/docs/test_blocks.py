"""Blocks of code that pages show: files load, parts of files fit, commands are parsed, Python compiles and runs."""

import json
import re
import shlex
import shutil
import tomllib

import jsonschema
import pytest
from helpers import ROOT
from helpers_pages import NAMES, PAGES, all_blocks, blocks, put_into, stage

import kinetab as kt
from precompute.command_line import COMMANDS, joined, parser
from precompute.exporting import read_system

SCHEMA = json.loads((ROOT / "precompute" / "mechanism_file" / "mechanism.schema.json").read_text(encoding="utf-8"))
PART = {**SCHEMA, "required": []}
TOML = all_blocks("toml")
WHOLE = [block for block in TOML if "schema" in tomllib.loads(block.text)]
WITH = [block for block in TOML if block.note.startswith("with: ")]
PYTHON = all_blocks("python")
RUNS = [block for block in PYTHON if block.note == "runs"]
PARSER = parser()


@pytest.mark.parametrize("block", WHOLE, ids=str)
def test_mechanism_files_load(block):
    kt.loads(block.text)


@pytest.mark.parametrize("block", [block for block in TOML if block not in WHOLE], ids=str)
def test_parts_of_files_fit(block, tmp_path):
    """Keys, types and limits; of a study that it is TOML."""
    part = tomllib.loads(block.text)
    if block.page.name == "studies.md":
        assert part
    elif "components" in part:
        (tmp_path / "system.toml").write_text(block.text, encoding="utf-8")
        assert read_system(tmp_path / "system.toml").connections
    else:
        jsonschema.validate(part, PART)


@pytest.mark.parametrize("block", WITH, ids=str)
def test_parts_fit_into_their_files(block):
    """And the whole moves: as `kinetab check` looks at it."""
    name, _, without = block.note.removeprefix("with: ").partition(" without: ")
    if name == "this page":
        text = next(above.text for above in WHOLE if above.page == block.page)
    else:
        text = (ROOT / "integration" / "mechanisms" / name).read_text(encoding="utf-8")
    text = put_into(text, block.text, [w.strip() for w in without.split(",") if w])
    report = kt.check(kt.loads(text))
    assert report.dof >= 1 and not report.problems


def commands(text):
    """Lines that begin with kinetab, without what a shell does with them."""
    for line in text.splitlines():
        for command in re.split(r" && ", re.sub(r"^(\$ |\.venv/bin/)", "", line.strip())):
            if command.startswith("kinetab "):
                yield shlex.split(re.split(r" [|>] ", command)[0], comments=True)[1:]


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_commands_are_parsed(page):
    for block in blocks(page):
        if block.kind == "":
            for words in commands(block.text):
                try:
                    PARSER.parse_args(joined(words))
                except SystemExit as stop:
                    assert stop.code == 0, f"{block}: {shlex.join(words)}"


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_commands_in_sentences_are_known(page):
    """Their names and their options, of `kinetab NAME --option`."""
    text = stage.FENCE.sub("", page.read_text(encoding="utf-8"))
    shown = [part for code in re.findall(r"`(kinetab [^`]+)`", text) for part in code.split(" && ")]
    for words in (part.split()[1:] for part in shown):
        if words[0].startswith("-") or words[0] == "COMMAND":
            continue
        assert words[0] in COMMANDS, words
        options = PARSER._subparsers._group_actions[0].choices[words[0]]._option_string_actions
        for word in words[1:]:
            assert not re.match(r"--?[a-z]", word) or word.partition("=")[0].strip(",;[]") in options, words


@pytest.mark.parametrize("block", PYTHON, ids=str)
def test_python_compiles(block):
    compile(block.text, str(block), "exec")


@pytest.mark.fmu
@pytest.mark.parametrize("block", RUNS, ids=str)
def test_python_runs(block, tmp_path, monkeypatch):
    for file in (ROOT / "integration" / "mechanisms").glob("*.*"):
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    exec(compile(block.text, str(block), "exec"), {})
