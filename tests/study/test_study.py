"""Studies: the same bits however they are computed, stopped and continued, files, what is told."""

import csv
import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec

import numpy as np
import pytest
from helpers import MECHANISMS
from scipy.stats import qmc

import kinetab as kt
from precompute.cli import main
from precompute.errors import MechanismError, PrecomputeError
from precompute.mechanism_file import load
from precompute.study.running import Parts, by_workers, here
from precompute.study.study import TOGETHER, Study
from precompute.study.summary import shares, spread, summary
from precompute.study.tolerances import tolerances
from precompute.study.writing import write_result

STRUT = MECHANISMS / "macpherson_rigid.toml"
DOCUMENT = {
    "tolerances": {"point.tie_outer": {"normal": "0.2mm"}, "rod.*.length": {"uniform": 0.3}},
    "curves": [
        {"over": "travel", "between": [-40, 40], "points": 3, "metrics": ["wheel.left.toe", "camber.left"]},
        {"over": "steer", "between": ["-1cm", "1cm"], "points": 2, "metrics": "turning_circle"},
    ],
}
TOML = """
[tolerances]
"point.tie_outer" = { normal = "0.2mm" }
"rod.*.length" = { uniform = 0.3 }

[[curves]]
between = [-40, 40]
points = 3
metrics = ["wheel.left.toe", "camber.left"]
"""


def study(samples=2 * TOGETHER + 30, document=DOCUMENT, **more):
    mechanism = load(STRUT)
    return Study(mechanism, tolerances(document, mechanism), samples, **more)


def quiet(done, of):
    pass


def result(path, made, run=here, *arguments):
    parts = Parts.beside(path, made)
    run(parts, *arguments, quiet)
    write_result(parts, path)
    return path.read_bytes()


def test_the_same_seed_gives_the_same_bits_for_any_number_of_workers(tmp_path):
    made = study()
    alone = result(tmp_path / "alone.csv", made)
    assert result(tmp_path / "three.csv", study(), by_workers, partial(ThreadPoolExecutor, 3), 3) == alone
    assert result(tmp_path / "other.csv", study(seed=1)) != alone


def test_a_study_that_was_stopped_goes_on_where_it_was(tmp_path, monkeypatch):
    whole = result(tmp_path / "whole.csv", study())
    path, computed, chunk = tmp_path / "stopped.csv", [], Study.chunk

    def counted(self, number):
        computed.append(number)
        return chunk(self, number)

    def stop(done, of):
        if done == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(Study, "chunk", counted)
    with pytest.raises(KeyboardInterrupt):
        here(Parts.beside(path, study()), stop)
    assert computed == [0, 1] and not path.exists()
    assert result(path, study()) == whole
    assert computed == [0, 1, 2]


def test_parts_of_another_study_are_not_taken_for_this_one(tmp_path):
    Parts.beside(tmp_path / "r.csv", study())
    with pytest.raises(PrecomputeError, match="parts of another study"):
        Parts.beside(tmp_path / "r.csv", study(seed=3))


def test_no_more_chunks_are_under_way_than_asked_for(tmp_path):
    going, most = set(), 0

    class Counting(ThreadPoolExecutor):
        def submit(self, *arguments):
            nonlocal most
            future = super().submit(*arguments)
            going.add(future)
            future.add_done_callback(going.discard)
            most = max(most, len(going))
            return future

    made = study(12 * TOGETHER, {**DOCUMENT, "curves": [{"metrics": "toe", "points": 2, "between": 10}]})
    by_workers(Parts.beside(tmp_path / "r.csv", made), lambda: Counting(2), 2, quiet)
    assert most <= 4


def test_samples_are_what_was_asked_for():
    for sampler in ("montecarlo", "sobol"):
        made = study(4 * TOGETHER, sampler=sampler)
        x = np.concatenate([made.changes(k) for k in range(made.chunks)])
        assert x.shape == (4 * TOGETHER, 4) and made.names[3] == "rod.tie_rod.length"
        assert np.abs(x.std(axis=0) / made.sizes - 1.0).max() < 0.08
        assert np.abs(x[:, 3]).max() <= 3e-4 < 1.02 * np.abs(x[:, 3]).max()
        assert np.abs(np.corrcoef(x.T) - np.eye(4)).max() < 0.1
    whole = qmc.Sobol(4, scramble=True, seed=np.random.default_rng(0)).random(4 * TOGETHER)
    assert np.abs(x[:, 3] / 3e-4 - (2.0 * whole[:, 3] - 1.0)).max() < 1e-8  # no seam between chunks


def test_spreads_and_shares_of_a_known_function():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20000, 3))
    y = np.stack([3.0 * x[:, 0] - 4.0 * x[:, 1], np.full(20000, 2.0)], axis=-1)
    mean, deviation, least, largest, percentiles = spread(y)
    assert abs(deviation[0] - 5.0) < 0.1 and deviation[1] == 0.0 and abs(mean[1] - 2.0) < 1e-12
    assert abs(percentiles[2, 0] - 1.645 * 5.0) < 0.2 and least[0] < percentiles[0, 0] < largest[0]
    found, explained = shares(("a", "b", "c"), x, y)
    assert [*found] == ["b", "a", "c"] and abs(found["b"] - 0.64) < 0.02 and abs(explained - 1.0) < 1e-12
    curved, explained = shares(("a", "b", "c"), x, x[:, :1] ** 2)
    assert explained < 0.05 and max(curved.values()) < 0.05
    assert shares(("a", "b", "c"), x[:5], y[:5])[0] == {}
    y[7, 0] = np.nan  # a design that failed
    assert np.isfinite(spread(y)[1]).all() and abs(shares(("a", "b", "c"), x, y)[0]["b"] - 0.64) < 0.02


def test_problems_of_tolerances_are_all_told_at_once():
    bad = {
        "axel": "front",
        "rigid": "yes",
        "tolerances": {
            "point.tie_outr": {"normal": "0.2mm"},
            "point.tie_outer.x": {"normal": "-0.2mm"},
            "point.tie_outer.y": {"normal": "0.2deg"},
            "point.tie_outer.z": {"gauss": 1},
            "point.lower_ball": {"uniform": "0.1mm"},
            "point.lower_ball.x": {"uniform": "0.1mm"},
        },
        "curves": [
            {"over": "travl", "between": [1, 2], "metrics": "toe"},
            {"between": [60, -60], "metrics": "toe"},
            {"metrics": []},
            {"metrics": "toe", "points": 1},
        ],
    }
    with pytest.raises(MechanismError) as error:
        tolerances(bad, load(STRUT))
    told = str(error.value)
    words = ("did you mean 'axle'", "true or false", "point.tie_outer", "a positive number", "no unit of a length",
             "standard deviation", "'point.lower_ball.x' varies twice", "there is no case or input 'travl'",
             "curves 2: between goes from 60 to -60; the first must be less",
             "metrics are names", "two or more")  # fmt: skip
    assert len(error.value.problems) == len(words)
    for word in words:
        assert word in told, word
    for document, words in (({}, "says what varies"), ({"tolerances": DOCUMENT["tolerances"]}, "what to look at")):
        with pytest.raises(MechanismError, match=words):
            tolerances(document, load(STRUT))


def test_metrics_of_all_curves_that_are_none_are_told_at_once():
    mechanism = load(STRUT)
    curves = [{"metrics": ["tow", "wheel.lef.toe"]}, {"metrics": "toe"}, {"between": 2000, "metrics": "toe"}]
    made = Study(mechanism, tolerances({**DOCUMENT, "curves": curves}, mechanism), 10)
    with pytest.raises(PrecomputeError) as error:
        made.engines  # noqa: B018
    told = str(error.value).splitlines()
    assert len(told) == 3 and told[0].startswith("curves 1: there is no metric 'tow'")
    assert "no wheel 'lef'" in told[1] and told[2].startswith("curves 3: ")


def test_the_command_writes_designs_bands_shares_and_a_picture(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tol.toml").write_text(TOML)
    words = ["study", str(STRUT), "tol.toml", "--samples", "100", "--sampler", "sobol"]
    assert main([*words, "-o", "r.csv", "--json", "r.json", "--plot", "r.png"]) == 0
    out = capsys.readouterr().out
    assert "100 designs, 4 variables, sobol, seed 0" in out and "all designs have all values" in out
    assert not (tmp_path / "r.csv.parts").exists() and (tmp_path / "r.png").stat().st_size > 20000
    rows = [*csv.reader((tmp_path / "r.csv").read_text().splitlines())]
    head, values = rows[0], np.array([row[1:-1] for row in rows[1:]], dtype=float)
    assert head[1] == "change of point.tie_outer.x [mm]" and head[5] == "bump toe.left [deg] at -40 mm"
    made = study(100, {**DOCUMENT, "curves": DOCUMENT["curves"][:1]}, sampler="sobol")
    assert np.abs(values[:, :4] - 1e3 * made.changes(0)).max() < 1e-12
    toe = np.degrees(made.chunk(0).columns["0/toe.left"])
    assert np.array_equal(values[:, 4:7], toe) or np.abs(values[:, 4:7] - toe).max() < 1e-14
    bands = json.loads((tmp_path / "r.json").read_text())["bands"]
    assert bands[0]["column"] == "toe.left" and abs(sum(bands[0]["shares"].values()) - 1.0) < 0.1
    assert np.allclose(bands[0]["percentiles"]["95"], np.percentile(toe, 95.0, axis=0), rtol=1e-12)
    arrow = pytest.importorskip("pyarrow.parquet")
    assert main([*words, "-o", "r.parquet"]) == 0
    table = arrow.read_table("r.parquet")
    assert table.column_names == head and np.array_equal(table[head[5]].to_numpy(), values[:, 4])


def test_failures_are_counted_and_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tol.toml").write_text(
        '[tolerances]\n"rod.tie_rod.length" = { uniform = "150mm" }\n'
        '[[curves]]\nbetween = [-90, 80]\npoints = 5\nmetrics = ["toe"]\n'
    )
    assert main(["study", str(STRUT), "tol.toml", "--samples", "12", "-o", "r.csv"]) == 0
    out = capsys.readouterr().out
    rows = [*csv.DictReader((tmp_path / "r.csv").read_text().splitlines())]
    failed = [row for row in rows if row["failure"]]
    assert 0 < len(failed) < 12 and f"{len(failed)} of 12 designs have not all values" in out
    assert all("" in [v for k, v in row.items() if k.startswith("bump")] for row in failed)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--samples", "1"], "samples is 1"),
        (["--workers", "0"], "give one or more"),
        (["--seed", "-1"], "seed is -1"),
        (["-o", "r.txt"], "must end in .csv or .parquet"),
        (
            ["--scheduler", "nonsense"],
            "kinetab[study]" if find_spec("distributed") is None else "write it as tcp://host",
        ),
    ],
)
def test_what_is_asked_wrongly_is_told(words, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tol.toml").write_text(TOML)
    output = [] if "-o" in words else ["-o", "r.csv"]
    assert main(["study", str(STRUT), "tol.toml", *output, *words]) == 1
    assert told in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["tol.toml"]


def test_a_summary_of_two_curves(tmp_path):
    parts = Parts.beside(tmp_path / "r.csv", study(60))
    here(parts, quiet)
    found = summary(parts)
    assert [(band.case, band.column) for band in found.bands] == [
        ("bump", "toe.left"),
        ("bump", "camber.left"),
        ("steering", "turning_circle"),
    ]
    assert found.bands[2].unit == "mm" and found.bands[2].input_unit == "mm"
    assert np.allclose(found.bands[2].input, [-10.0, 10.0])


def test_from_python_with_any_executor(tmp_path):
    mechanism, told = kt.load(STRUT), []
    with ThreadPoolExecutor(2) as executor:
        found = mechanism.study(
            DOCUMENT, tmp_path / "r.csv", samples=40, executor=executor, progress=lambda *parts: told.append(parts)
        )
        assert executor.submit(int, 1).result() == 1  # it is the user's, and goes on
    assert told == [(1, 1)] and not found.failures
    assert found.bands[0].deviation[0] > 0.0 and [*found.bands[0].shares]
    assert (tmp_path / "r.csv").read_text().count("\n") == 41
