"""`kinetab bake` again: through the cache, and whenever a file is saved."""

import re
import signal
import subprocess
import sys

import pytest
from helpers import MECHANISMS, ROOT

from precompute import following
from precompute.cache import stages
from precompute.cli import main

CRANK = (MECHANISMS / "crank_slider.toml").read_text().replace("tolerance = 1e-8", "tolerance = 1e-3")


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A mechanism that is baked in a second, and a cache for tables of its own."""
    monkeypatch.setattr(stages, "cache_folder", lambda: tmp_path / "cache")
    path = tmp_path / "crank.toml"
    path.write_text(CRANK)
    return path


def kinetab(capsys, *arguments):
    code = main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return code, out, err


def test_the_second_bake_takes_the_tables_from_the_cache_and_makes_the_same_fmu(file, tmp_path, capsys):
    made = []
    for more in ([], [], ["--no-cache"]):
        code, out, _ = kinetab(capsys, "bake", file, "-o", tmp_path / "a.fmu", *more)
        assert code == 0
        made.append(((tmp_path / "a.fmu").read_bytes(), "\n  from the cache: tables\n" in out))
    assert [cached for _, cached in made] == [False, True, False]
    assert made[0][0] == made[1][0] == made[2][0]


def test_another_rate_takes_the_tables_and_another_mass_does_not(file, tmp_path, capsys):
    kinetab(capsys, "bake", file, "-o", tmp_path / "a.fmu")
    for old, new, cached in (("damping = 0", "damping = 0.25", True), ("\nmass = 12", "\nmass = 7.5", False)):
        file.write_text(CRANK.replace(old, new, 1))
        code, out, _ = kinetab(capsys, "bake", file, "-o", tmp_path / "b.fmu")
        assert code == 0 and ("from the cache: tables" in out) == cached


def edits(monkeypatch, *steps):
    """Let each of these be done where the command waits for a save; in the end it is interrupted."""
    left = list(steps)

    def sleep(seconds):
        if left:
            left.pop(0)()
        else:
            raise KeyboardInterrupt

    monkeypatch.setattr(following.time, "sleep", sleep)


def test_a_watched_file_is_baked_whenever_it_is_saved(file, tmp_path, capsys, monkeypatch):
    fmu, seen = tmp_path / "a.fmu", []

    def saved(text):
        def step():
            seen.append((fmu.read_bytes(), *capsys.readouterr()))
            file.write_text(text)

        return step

    def nothing():
        """Another look: the file is as it was."""

    heavier = CRANK.replace("\nmass = 12", "\nmass = 7.5", 1)
    texts = (heavier, "name = \n", "[bodies]\n" + CRANK, heavier, f"# said again\n{heavier}", CRANK)
    edits(monkeypatch, *(step for text in texts for step in (saved(text), nothing)))
    with pytest.raises(KeyboardInterrupt):
        main(["bake", str(file), "--watch", "-o", str(fmu)])
    seen.append((fmu.read_bytes(), *capsys.readouterr()))
    fmus, outs, errors = zip(*seen, strict=True)
    assert all(out.endswith(f"waiting for '{file}' to be saved; Ctrl-C ends this\n") for out in outs)
    assert fmus[0] == fmus[6] != fmus[1] == fmus[2] == fmus[3] == fmus[4] == fmus[5]
    assert re.match(r"  bodies\.crank\.mass: \S+ -> 7\.5\n", outs[1]) and "-> " in outs[0]
    assert [text.startswith(f"kinetab: {file} has ") for text in errors] == [k in (2, 3) for k in range(7)]
    assert ["from the cache: tables" in out for out in outs] == [False, False, False, False, True, True, True]
    assert outs[4].startswith("  saved, and what it says is the same\n") and "is the same" in outs[5]
    assert re.match(r"  bodies\.crank\.mass: 7\.5 -> ", outs[6])


def test_saves_of_the_points_are_seen_and_of_many_changes_some_are_told(file, tmp_path, capsys, monkeypatch):
    points = tmp_path / "p.csv"
    body = re.sub(r"\[points\]\n((?:\w+ = .*\n)+)", "", CRANK)
    rows = re.findall(r"^(\w+) = \[(.*?)\]", re.search(r"\[points\]\n((?:\w+ = .*\n)+)", CRANK)[1], re.M)
    file.write_text('points = "p.csv"\n' + body)
    points.write_text("".join(f"{name},{numbers}\n" for name, numbers in rows))
    many = "".join(f"[markers.more{k}]\nbody = 'crank'\nat = [0, 0, 0]\n" for k in range(11))
    x = rows[0][1].split(",")[0]
    moved = "".join(f"{name},{numbers}\n" for name, numbers in rows).replace(f",{x},", f",{float(x) + 1e-9:.12g},", 1)
    look = [lambda: None]
    edits(monkeypatch, lambda: points.write_text(moved), *look, lambda: file.write_text(file.read_text() + many), *look)
    with pytest.raises(KeyboardInterrupt):
        main(["bake", str(file), "--watch", "-o", str(tmp_path / "a.fmu")])
    out = capsys.readouterr().out
    assert f"  points.{rows[0][0]}[1]: " in out
    assert "  markers.more0: new -> " in out and "more7" in out and "more8" not in out and "\n  and 3 more\n" in out


def test_what_could_never_be_baked_is_said_at_once(file, tmp_path, capsys):
    code, _, err = kinetab(capsys, "bake", tmp_path / "none.toml", "--watch")
    assert code == 1 and "there is no file" in err


def test_an_interrupt_ends_it_as_it_ends_every_command(file, tmp_path):
    command = [sys.executable, "-P", "-c", "import sys; from precompute.entry import main; sys.exit(main())"]
    arguments = ["bake", str(file), "--watch", "-o", str(tmp_path / "a.fmu")]
    with subprocess.Popen(
        [*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert any(line.startswith("waiting for") for line in process.stdout)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    assert (tmp_path / "a.fmu").exists()
