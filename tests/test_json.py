"""`--json` of every command: one object of strict JSON, with just the keys that docs/json.md has."""

import json
import math
import re
import shutil

import numpy as np
import pytest
from helpers import MECHANISMS, ROOT

from precompute.cli import main
from precompute.command_line import COMMANDS, module_of, parser
from precompute.plain import json_text, plain

PAGE = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
STRUT, FOUR_BAR = str(MECHANISMS / "macpherson_rigid.toml"), str(MECHANISMS / "four_bar.toml")
MOTOR = str(MECHANISMS / "rotor_motor.toml")
STIFF = str(ROOT / "tests" / "mechanisms" / "crank_slider_stiff.toml")
DESIGNED = '\n[design.height]\nof = "point.B.y"\nrange = 0.01\n'
MARKED = """\
[markers.coupler_pin]
body = "coupler"
at = "Q"

[ports.coupler_pin]
marker = "coupler_pin"
"""
TURN = "time,crank\n" + "".join(f"{k / 10},{k / 10}\n" for k in range(11))
RIG = "travel [mm],toe [deg]\n-20,0.1\n0,0\n20,-0.1\n"
TOLERANCES = """\
[tolerances]
"point.tie_outer.z" = { normal = "1mm" }
"point.rack_end.z" = { normal = "1mm" }

[[curves]]
over = "travel"
between = [-10, 10]
points = 3
metrics = ["toe.left"]
"""
VOLTAGE = "time,element.motor.voltage\n0,0\n0.02,5\n"


def strict(text):
    def refused(constant):
        raise ValueError(constant)

    return json.loads(text, parse_constant=refused)


def documented(title):
    """The keys below a heading, as paths of parts; [] for items, * for names."""
    section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.S | re.M)
    assert section, f"docs/json.md has no '## {title}'"
    found = set()
    for row in re.findall(r"^\| (`.*?) \|", section[1], re.M):
        stem = ""
        for key in re.findall(r"`([^`]+)`", row):
            path = stem + key if key.startswith(".") else key
            stem = path.rpartition(".")[0] if not key.startswith(".") else stem
            found.add(tuple(re.sub(r"\[\]", ".[]", path).split(".")))
    return found


def used(value, known, path=()):
    """Documented paths that a value has; what is not documented is an error.  Lists of lists are one list."""
    if isinstance(value, dict):
        for key, of in value.items():
            names = {p[len(path)] for p in known if p[: len(path)] == path and len(p) > len(path)}
            part = "*" if "*" in names else key
            assert part in names, f"{'.'.join((*path, key))} is not documented"
            yield from used(of, known, (*path, part))
    elif isinstance(value, list):
        item = (*path, "[]") if path[-1] != "[]" else path
        assert any(p[: len(item)] == item for p in known), f"{'.'.join(item)} is not documented"
        if not value and item in known:
            yield item
        for of in value:
            yield from used(of, known, item)
    else:
        assert value is None or path in known, f"{'.'.join(path)} is not documented"
        yield path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files that commands read."""
    folder = tmp_path_factory.mktemp("json")
    (folder / "turn.csv").write_text(TURN)
    (folder / "rig.csv").write_text(RIG)
    (folder / "voltage.csv").write_text(VOLTAGE)
    (folder / "tolerances.toml").write_text(TOLERANCES)
    (folder / "designed.toml").write_text((MECHANISMS / "four_bar.toml").read_text() + DESIGNED)
    bare = (MECHANISMS / "four_bar.toml").read_text().replace(MARKED, "")
    (folder / "bare.toml").write_text(bare)
    shutil.copy(ROOT / "tests" / "importing" / "samples" / "double_wishbone.csv", folder)
    for name, file in (("motor", MOTOR), ("stiff", STIFF)):
        assert main(["bake", "-q", file, "-o", str(folder / f"{name}.fmu")]) == 0
    return folder


EXAMPLES = {
    "new": [["new"], ["new", "macpherson", "-o", "new.toml"]],
    "check": [["check", str(MECHANISMS / "macpherson.toml")], ["check", MOTOR], ["check", "designed.toml"]]
    + [["check", str(MECHANISMS / "short" / "trailing_arm.toml")]],
    "view": [["view", FOUR_BAR, "-o", "view.html"]],
    "assemble": [["assemble", FOUR_BAR, "-o", "closed.toml"], ["assemble", "bare.toml"]],
    "kc": [["kc", STRUT, "--points", "3", "--cases", "bump,lateral"], ["kc", "--list", "toe"]],
    "sensitivity": [["sensitivity", STRUT, "--metric", "toe.left", "--over", "travel=-10:10:3"]],
    "design": [
        ["design", STRUT, "--change", "point.tie_outer.z=+5mm", "--absorb", "rod.tie_rod.length,point.rack_end.z"]
        + ["--hold", "wheel.left.toe@travel=0", "-o", "moved.toml"],
        ["design", STRUT, "--change", "rod.tie_rod.length=+5mm", "--absorb", "joints"],
    ],
    "fit": [["fit", STRUT, "rig.csv", "--vary", "point.tie_outer.z", "-o", "fitted.toml"]],
    "study": [
        ["study", STRUT, "tolerances.toml", "--samples", "8", "-o", "a.csv"],
        ["study", STRUT, "tolerances.toml", "--samples", "256", "-o", "b.csv", "--sampler", "saltelli"],
    ],
    "modes": [["modes", STRUT]],
    "solve": [["solve", FOUR_BAR, "--input", "turn.csv"]],
    "loads": [["loads", FOUR_BAR, "--input", "turn.csv"]],
    "bake": [["bake", STIFF, "-o", "stiff.fmu"]],
    "report": [["report", FOUR_BAR, "-o", "report.html", "--online"]],
    "import": [["import", "double_wishbone.csv", "-o", "imported.toml", "--template", "double-wishbone"]],
    "export": [["export", FOUR_BAR, "-o", "four_bar.xml"]],
    "info": [["info", "stiff.fmu", "--variables"]],
    "run": [["run", "motor.fmu", "--stop", "0.02", "--step-error", "--input", "voltage.csv"]],
    "verify": [["verify", "motor.fmu"]],
    "schema": [["schema"]],
    "completion": [["completion", "bash"]],
}
"""Small examples that together print every key."""


@pytest.mark.fmu
@pytest.mark.parametrize("name", COMMANDS)
def test_keys_are_those_of_the_page(name, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    every = documented("Every command")
    known, seen = documented(name) | every, set()
    for words in EXAMPLES[name]:
        capsys.readouterr()
        code = main([*words, "--json"])
        out, err = capsys.readouterr()
        printed = strict(out)
        assert code == 0 and printed["problems"] == [], err
        assert all((folder / file).exists() for file in printed["written"])
        seen |= set(used(printed, known))
    lacking = {".".join(path) for path in known - every - seen}
    assert lacking <= RARE.get(name, set())


RARE = {
    "kc": {"missing.*", "remarks.[]"},
    "study": {"failures.*"},
}
"""Keys that these examples do not print."""


def test_every_command_has_a_chapter_and_the_option():
    assert re.findall(r"^## (\S+)$", PAGE, re.M) == [*COMMANDS]
    commands = parser()._subparsers._group_actions[0].choices
    for name in COMMANDS:
        assert "--json" in commands[name].format_help() and module_of(name)


def test_problems_have_files_and_lines(tmp_path, capsys):
    text = (MECHANISMS / "four_bar.toml").read_text().replace("\nmass =", "\nmas =", 1)
    path = tmp_path / "bad.toml"
    path.write_text(text)
    line = text.splitlines().index(next(row for row in text.splitlines() if row.startswith("mas ="))) + 1
    assert main(["check", str(path), "--json"]) == 1
    out, err = capsys.readouterr()
    assert err.startswith(f"kinetab: {path} has ")
    found = strict(out)
    assert [*found] == ["written", "warnings", "notes", "problems"]
    assert {"file": str(path), "line": line, "text": found["problems"][-1]["text"]} in found["problems"]
    assert "unknown key; did you mean 'mass'?" in found["problems"][-1]["text"]


def test_other_problems_are_told_as_well(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["check", "none.toml", "--json"]) == 1
    assert strict(capsys.readouterr().out)["problems"][0]["file"] == "none.toml"
    assert main(["bake", FOUR_BAR, "-o", "no/a.fmu", "--json"]) == 1
    assert "there is no directory" in strict(capsys.readouterr().out)["problems"][0]["text"]
    assert main(["check", str(MECHANISMS / "four_bar.toml"), "--json"]) == 0
    assert strict(capsys.readouterr().out)["problems"] == []


def test_warnings_are_on_stderr_and_in_the_object(capsys):
    assert main(["view", FOUR_BAR, "--watch", "--json"]) == 1
    assert "has no result for --json" in capsys.readouterr().err


def test_what_is_not_finite_is_null():
    found = {"a": math.nan, "b": [math.inf, 1.0], "c": np.array([1.0, -math.inf]), 3: np.float64("nan"), "d": 1 + 2j}
    assert strict(json_text(found)) == {"a": None, "b": [None, 1.0], "c": [1.0, None], "3": None, "d": [1.0, 2.0]}
    with pytest.raises(TypeError, match="has no place in JSON"):
        plain(object())
