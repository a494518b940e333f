"""The command line as a user meets it: exit codes, messages, files."""

import json
import re
import subprocess
import sys
import zipfile

import pytest
from helpers import MECHANISMS
from helpers_chains import four_bars

from fmu_src.build.compile import PLATFORMS, current_platform
from precompute.cli import main

CRANK = MECHANISMS / "crank_slider.toml"


def kinetab(capsys, *arguments):
    code = main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return code, out, err


def test_a_picture_that_fails_does_not_cost_the_fmu(capsys, tmp_path, monkeypatch):
    def fail(mechanism):
        raise ValueError("no ink")

    monkeypatch.setattr("precompute.web.about.draw", fail)
    code, _, err = kinetab(capsys, "bake", CRANK, "-o", tmp_path / "a.fmu")
    assert code == 0 and "no picture in the FMU: ValueError: no ink" in err
    assert "model.png" not in zipfile.ZipFile(tmp_path / "a.fmu").namelist()


@pytest.fixture
def edited(tmp_path):
    """A mechanism file with some text replaced."""

    def edit(name, *changes):
        text = (MECHANISMS / f"{name}.toml").read_text()
        for old, new in changes:
            assert old in text
            text = text.replace(old, new, 1)
        path = tmp_path / "edited.toml"
        path.write_text(text)
        return path

    return edit


def test_check_speaks_plainly(capsys):
    code, out, _ = kinetab(capsys, "check", MECHANISMS / "double_wishbone_rigid.toml")
    assert code == 0
    assert "Degrees of freedom: 2 = 25 joint freedoms - rank 23 of 26 loop equations" in out
    assert "pitman_link, pitman, idler, link_idler: 6 equations, 3 redundant" in out
    assert re.search(r"shock +-> upper_arm \(1 equation of lower_ball\)", out)
    assert "idle rotation of tie_rod" in out and "condition number" in out
    assert "feasible with the others at design: -60.8" in out


def test_check_as_json(capsys):
    code, out, _ = kinetab(capsys, "check", CRANK, "--json")
    report = json.loads(out)
    assert code == 0 and report["dof"] == 1 and report["problems"] == []
    assert report["coordinates"][0]["feasible"]["full_turn"] is True


def test_check_finds_a_range_that_is_too_wide(capsys, edited):
    path = edited("double_wishbone_rigid", ("from = -2.5", "from = -4"))
    code, _, err = kinetab(capsys, "check", path)
    assert code == 1
    assert re.search(r"the range of 'shock', -4 in to 2.5 in, leaves the feasible one, -3\.243", err)


def test_check_finds_a_corner_that_cannot_be_reached(capsys, edited):
    """Each range is feasible with the other at design, not both together."""
    path = edited("double_wishbone_rigid", ("from = -2.5", "from = -3.1"), ("from = -30", "from = -55"))
    code, _, err = kinetab(capsys, "check", path)
    assert code == 1 and "some corner of the ranges cannot be reached" in err


@pytest.mark.fmu
def test_bake_run_verify_a_native_fmu(capsys, tmp_path):
    fmu = tmp_path / "crank.fmu"
    code, out, _ = kinetab(capsys, "bake", CRANK, "--native", "-o", fmu)
    assert code == 0 and re.search(r"\n  native FMU for [\w-]+\n$", out)
    with zipfile.ZipFile(fmu) as archive:
        assert not [name for name in archive.namelist() if name.endswith(".py")]
    code, out, err = kinetab(capsys, "run", fmu, "--stop", "0.5", "--csv", tmp_path / "crank.csv")
    assert code == 0 and "0.5 s in 500 steps" in out and err == ""
    code, out, _ = kinetab(capsys, "verify", fmu, "--free", "--stop", "0.5")
    assert code == 0 and "against the full model" in out and out.endswith("\nPASS\n")


def test_a_native_fmu_takes_a_compiler(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, out, err = kinetab(capsys, "bake", CRANK, "--native", "-o", tmp_path / "a.fmu")
    assert code == 1 and out == "" and "kinetab: no C compiler is found" in err
    assert not list(tmp_path.iterdir())


def test_an_unknown_platform(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["bake", str(CRANK), "--platform", "vax"])
    assert caught.value.code == 2


@pytest.mark.fmu
def test_platforms_of_a_python_fmu(capsys, tmp_path, monkeypatch):
    """Each has a kernel; what was asked for and cannot be compiled is an error."""
    here = current_platform()
    code, _, err = kinetab(capsys, "bake", "-q", CRANK, "--platform", here, "-o", tmp_path / "a.fmu")
    assert code == 0 and err == "" and len(kernels_in(tmp_path / "a.fmu")) == 1
    other = next(name for name in PLATFORMS if name != here)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, _, err = kinetab(capsys, "bake", CRANK, "--platform", other, "-o", tmp_path / "b.fmu")
    assert code == 1 and f"compiling for {other} on another platform takes ziglang" in err
    assert not (tmp_path / "b.fmu").exists()


def kernels_in(path):
    with zipfile.ZipFile(path) as archive:
        return [name for name in archive.namelist() if name.startswith("resources/kinetab_kernel_")]


@pytest.mark.fmu
@pytest.mark.parametrize("cc", ["", "/nonexistent/cc"])
def test_a_python_fmu_does_without_a_compiler(capsys, tmp_path, monkeypatch, cc):
    with monkeypatch.context() as poor:
        poor.setenv("PATH", "")
        poor.setenv("CC", cc)
        poor.setattr("importlib.util.find_spec", lambda name: None)
        code, out, err = kinetab(capsys, "bake", CRANK, "-o", tmp_path / "a.fmu")
    assert code == 0 and "largest table error" in out and kernels_in(tmp_path / "a.fmu") == []
    if cc:
        assert "kinetab: note: the environment variable CC is '/nonexistent/cc', but there is no such command" in err
    else:
        assert "no C compiler is found ($CC, cc, gcc, clang, ziglang); install a C compiler (gcc or clang)" in err
        assert "'pip install kinetab[native]'" in err
    assert "runs in NumPy, which is slower" in err
    code, out, err = kinetab(capsys, "run", tmp_path / "a.fmu", "--stop", "0.05")
    assert code == 0 and "0.05 s in 50 steps" in out
    assert "the FMU was built without a compiled kernel; it runs in NumPy, which is slower" in err


@pytest.mark.fmu
def test_bake_run_verify(capsys, tmp_path):
    fmu, csv, png = (tmp_path / f"crank.{ending}" for ending in ("fmu", "csv", "png"))
    code, out, _ = kinetab(capsys, "bake", CRANK, "-o", fmu)
    assert code == 0 and "largest table error" in out and "\n  tables 8.42 KiB\n" in out and fmu.stat().st_size > 10_000
    soft = ("--stop", "0.5", "--set", "spring.slider.k=50")
    code, out, _ = kinetab(capsys, "run", fmu, "--csv", csv, "--plot", png, *soft)
    assert code == 0 and "0.5 s in 500 steps" in out
    header, *rows = csv.read_text().splitlines()
    assert header.startswith("time,q.crank,qd.crank") and len(rows) == 501
    assert png.read_bytes().startswith(b"\x89PNG")
    code, out, _ = kinetab(capsys, "verify", fmu, "--free", *soft)
    assert code == 0 and "marker.slider.r" in out and "constraint residual" in out
    strict = ("--mm", "1e-12", "--relative", "0")
    code, out, err = kinetab(capsys, "verify", fmu, "--free", "--stop", "0.5", *strict)
    assert code == 1 and out.endswith("\nFAIL\n") and "ABOVE" in out and "differs by more than it may in marker." in err


@pytest.mark.fmu
def test_run_takes_inputs_over_time(capsys, fmu, tmp_path):
    inputs = tmp_path / "inputs.csv"
    inputs.write_text("time,Q.crank\n0,0\n0.1,50\n0.2,0\n")
    plain, pushed = tmp_path / "plain.csv", tmp_path / "pushed.csv"
    for path, extra in ((plain, ()), (pushed, ("--input", inputs))):
        assert kinetab(capsys, "run", fmu("crank_slider"), "--stop", "0.2", "--csv", path, *extra)[0] == 0
    last = [float(p.read_text().splitlines()[-1].split(",")[2]) for p in (plain, pushed)]
    assert last[1] > last[0] + 0.1


# -- doubts: said once on stderr, no error -----------------------------------------------------------------------------


def test_warnings_are_said_once_by_check_and_by_bake(capsys, edited, tmp_path):
    """An inertia that no body has is accepted, and named in the units of the file."""
    path = edited("crank_slider", ("inertia = [10, 10, 10]", "inertia = [10, 10, 21]"))
    warning = "kinetab: warning: bodies.slider.inertia: the principal moments 10, 10 and 21 kg m2 violate the triangle"
    for command in (["check", path], ["check", path, "--json"], ["bake", path, "-o", tmp_path / "a.fmu"]):
        code, out, err = kinetab(capsys, *command)
        assert code == 0 and err.count(warning) == 1 and "allow_unphysical_inertia = true" in err
        assert "--json" not in command or "triangle inequality" in json.loads(out)["warnings"][0]
    assert (tmp_path / "a.fmu").is_file()


def test_check_prints_long_lists_where_it_is_asked_to(capsys, tmp_path):
    path = tmp_path / "chain.toml"
    path.write_text(four_bars(11))
    _, short, _ = kinetab(capsys, "check", path)
    _, full, _ = kinetab(capsys, "check", path, "--all")
    assert "--all lists them" in short and "c10" not in short.split("Independent")[0]
    assert "--all" not in full and "ground -c10-> rocker10" in full and "Ranking over the motion" in full


# -- bad input: a clear paragraph, exit code 1, no traceback, no file -------------------------------------------------

BAD_FILES = {
    "unknown key": (("mass = 12", "mas = 12"), r"line 15, bodies\.crank\.mas: .*did you mean 'mass'"),
    "missing point": (
        ('at = "pivot"', 'at = "pivo"'),
        r"line \d+, joints\.crank\.at: there is no point 'pivo'.*'pivot'",
    ),
    "negative mass": (("mass = 12", "mass = -12"), r"bodies\.crank\.mass: .*-12"),
    "inertia": (
        ("inertia = [10, 10, 10]", "inertia = [10, 10, -1]"),
        r"bodies\.slider\.inertia: .*negative principal moment, -1 kg m2",
    ),
    "itself": (('child = "crank"', 'child = "ground"'), r"joints\.crank.*to itself"),
    "wrong unit": (('length = "m"', 'length = "metre"'), r"line 7, units\.length: is 'metre'; choose one of m, mm, in"),
    "non-finite number": (("stiffness = 100", "stiffness = nan"), r"springs\.slider\.stiffness: .*finite"),
    "massless": (
        (
            "[joints.crank]",
            '[bodies.flag]\nmass = 0\ncom = "pivot"\n\n[joints.flag]\ntype = "revolute"\nparent = "ground"\n'
            'child = "flag"\nat = "pivot"\naxis = "z"\n\n'
            '[coordinates.free.flag]\nof = "joint.flag"\nfrom = -9\nto = 9\n\n'
            "[joints.crank]",
        ),
        r"reduced inertia is singular at .*It needs a mass or an inertia of 'flag', or `driven = true` for 'flag'",
    ),
    "unconnected": (
        ("[joints.crank]", '[bodies.lost]\nmass = 1\ncom = "pivot"\n\n[joints.crank]'),
        r"bodies\.lost: no joint connects it to the ground.*\"free\"",
    ),
    "cannot assemble": (
        (
            'child = "slider"\nat = "slider_pin"\naxis = "z"',
            'child = "slider"\nat = ["slider_pin", [9, 40, 0]]\naxis = "z"',
        ),
        r"loop '.*' \(through .*\) cannot be closed: a gap of",
    ),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files(capsys, edited, tmp_path, case):
    change, message = BAD_FILES[case]
    target = tmp_path / "out.fmu"
    target.write_bytes(b"precious")
    code, out, err = kinetab(capsys, "bake", edited("crank_slider", change), "-o", target)
    assert code == 1 and re.search(message, err), err
    assert target.read_bytes() == b"precious"
    assert {p.name for p in tmp_path.iterdir()} == {"out.fmu", "edited.toml"}


def test_all_problems_at_once(capsys, edited):
    path = edited(
        "crank_slider", ("mass = 12", "mas = 12"), ('at = "pivot"', 'at = "pivo"'), ("tolerance", "tollerance")
    )
    _, _, err = kinetab(capsys, "bake", path)
    assert "3 problems" in err
    assert "did you mean 'mass'" in err and "'pivot'" in err and "'tolerance'" in err


def test_range_beyond_a_singularity(capsys, edited, tmp_path):
    path = edited("double_wishbone_rigid", ("from = -2.5", "from = -4"))
    code, _, err = kinetab(capsys, "bake", path, "-o", tmp_path / "out.fmu")
    assert code == 1
    assert re.search(r"loop 'lower_ball' locks at joint .* \(condition number .*\) at shock = -3\.2\d+ in", err)
    assert re.search(r"leaves the feasible one, -3\.24\d* in to \d\.\d+ in", err)  # as check says it
    assert not (tmp_path / "out.fmu").exists()


def test_unwritable_output(capsys, tmp_path):
    code, _, err = kinetab(capsys, "bake", CRANK, "-o", tmp_path / "nowhere" / "out.fmu")
    assert code == 1 and "nowhere" in err


@pytest.mark.fmu
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "missing.fmu"], "there is no file"),
        (["run", "FMU", "--set", "spring.slider.kk=1"], "did you mean 'spring.slider.k'"),
        (["run", "FMU", "--set", "spring.slider.k"], "write NAME=VALUE"),
        (["run", "FMU", "--set", "Q.crank=nan"], "Q.crank.*nan"),
        (["run", "FMU", "--set", "spring.slider.k=-1"], "spring.slider.k"),
        (["run", "FMU", "--step", "0"], "must be positive"),
        (["run", "FMU", "--stop", "-1"], "must be positive"),
        (["run", "FMU", "--step", "nan"], "must be positive"),
        (["run", "FMU", "--input", "missing.csv"], "cannot be read"),
        (["run", "FMU", "--csv", "/nowhere/out.csv", "--stop", "0.01"], "cannot write"),
        (["verify", "missing.fmu"], "there is no file"),
        (["verify", "FMU", "--set", "nonsense=1"], "nonsense"),
        (["verify", "FMU", "--set", "gravity[9]=1"], r"gravity\[9\]"),
        (["verify", "FMU", "--set", "spring.slider.k=-1"], "spring.slider.k"),
        (["run", "FMU", "--step", "1e-12"], "steps; choose"),
        (["run", "FMU", "--csv", "FMU"], "reads or writes that file itself"),
        (["run", "FMU", "--plot", "plot.xyz", "--stop", "0.01"], "cannot draw 'plot.xyz'"),
        (["run", "."], "is a directory"),
    ],
)
def test_bad_runs(capsys, fmu, arguments, message):
    before = fmu("crank_slider").read_bytes()
    code, _, err = kinetab(capsys, *(str(fmu("crank_slider")) if a == "FMU" else a for a in arguments))
    assert fmu("crank_slider").read_bytes() == before
    assert code == 1 and re.search(message, err), err


@pytest.mark.fmu
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be names, beginning with 'time'"),
        ("time,Q.crunk\n0,1\n", "did you mean 'Q.crank'"),
        ("time,Q.crank\n0,x\n", "line 2, column 2 (Q.crank): 'x' is no number"),
        ("time,Q.crank\n0\n", "line 2: expected 2 numbers"),
        ("time,Q.crank\n1,0\n0,0\n", "ascending time"),
        ("time,Q.crank\n0,nan\n", "finite"),
        ("time,Q.crank,Q.crank\n0,1,2\n", "stands twice"),
        ("time,Q.crank\n0," + "9" * 200_000 + "\n", "cannot be read"),
    ],
)
def test_bad_input_tables(capsys, fmu, tmp_path, text, message):
    path = tmp_path / "inputs.csv"
    path.write_text(text)
    code, _, err = kinetab(capsys, "run", fmu("crank_slider"), "--input", path)
    assert code == 1 and message in err


def test_outputs_never_overwrite_what_they_are_made_from(capsys, tmp_path):
    source = tmp_path / "source.toml"
    source.write_text(CRANK.read_text())
    code, _, err = kinetab(capsys, "bake", source, "-o", source)
    assert code == 1 and "reads or writes that file itself" in err
    assert source.read_text() == CRANK.read_text()


@pytest.mark.fmu
def test_a_damaged_fmu(capsys, fmu, tmp_path):
    data = bytearray(fmu("crank_slider").read_bytes())
    data[len(data) // 2] ^= 0xFF
    path = tmp_path / "damaged.fmu"
    path.write_bytes(data)
    for command in ("run", "verify"):
        code, _, err = kinetab(capsys, command, path, "--stop", "0.01")
        assert code in (0, 1) and (code == 0 or "damaged.fmu" in err)


@pytest.mark.fmu
def test_inputs_from_a_spreadsheet(capsys, fmu, tmp_path):
    path = tmp_path / "inputs.csv"
    path.write_bytes("\ufefftime,Q.crank\n0,0\n1,5\n\n".encode())
    assert kinetab(capsys, "run", fmu("crank_slider"), "--input", path, "--stop", "0.01")[0] == 0


def test_usage_errors_exit_with_two():
    for arguments in (
        [],
        ["bake"],
        ["nonsense"],
        ["verify", "x.fmu", "--mm", "nan"],
        ["verify", "x.fmu", "--deg", "-1"],
    ):
        result = subprocess.run([sys.executable, "-m", "precompute.cli", *arguments], capture_output=True, text=True)
        assert result.returncode == 2 and "usage" in result.stderr


@pytest.mark.fmu
def test_leaving_the_table_says_which_coordinate_and_what_to_do(capsys, fmu):
    code, _, err = kinetab(capsys, "run", fmu("double_wishbone_rigid"), "--set", "Q.pitman=20000", "--stop", "0.5")
    assert code == 1
    assert re.search(r"coordinate 'pitman' = .* is outside its table .*wider range", err)
