"""Saltelli's designs, any stretch of them, and Sobol indices from them, against closed forms and SciPy's own."""

import json

import numpy as np
import pytest
from helpers import MECHANISMS
from scipy.stats import qmc, sobol_indices, uniform
from test_study import DOCUMENT, STRUT, TOML

from precompute.cli import main
from precompute.design import Design
from precompute.errors import MechanismError, PrecomputeError
from precompute.mechanism_file import load
from precompute.study.sampling import count, evenly, saltelli
from precompute.study.study import Study
from precompute.study.summary import indices
from precompute.study.tolerances import tolerances

A, B = 7.0, 0.1


def ishigami(x):
    """Sobol indices of first order 0.3139, 0.4424, 0; total ones 0.5576, 0.4424, 0.2437."""
    return np.sin(x[0]) + A * np.sin(x[1]) ** 2 + B * x[2] ** 4 * np.sin(x[0])


CLOSED = np.array([[0.31390519, 0.44241114, 0.0], [0.55758886, 0.44241114, 0.24368366]])
"""With V = A^2/8 + B pi^4/5 + B^2 pi^8/18 + 1/2."""


def test_rows_of_designs():
    designs = saltelli(3, 0, 0, 5 * 8).reshape(8, 5, 3)
    first, second = np.split(evenly(6, 0, 0, 8), 2, axis=1)
    assert (designs[:, 0] == first).all() and (designs[:, 1] == second).all()
    for i in range(3):
        other = [k for k in range(3) if k != i]
        assert (designs[:, 2 + i, i] == second[:, i]).all() and (designs[:, 2 + i, other] == first[:, other]).all()
    whole = qmc.Sobol(6, scramble=True, seed=np.random.default_rng(0)).random(8)
    assert np.abs(evenly(6, 0, 0, 8) - whole).max() < 1e-8


@pytest.mark.parametrize(("start", "n"), [(0, 7), (3, 1), (4, 11), (17, 256)])
def test_any_stretch_is_that_of_the_whole(start, n):
    assert (saltelli(3, 5, start, n) == saltelli(3, 5, 0, 512)[start : start + n]).all()
    assert (evenly(4, 5, start, n) == evenly(4, 5, 0, 512)[start : start + n]).all()


def test_how_many_designs_there_are():
    assert count("saltelli", 10000, 18) == 256 * 20 and count("sobol", 77, 18) == 77
    with pytest.raises(PrecomputeError, match="samples is 100; saltelli takes 6 designs.*give 384 or more"):
        count("saltelli", 100, 4)


def test_indices_of_a_function_that_is_known():
    """Two points of one column: they weigh by their variance; constants weigh nothing, rows with failures are out."""
    x = np.pi * (2.0 * saltelli(3, 0, 0, 5 * 4096) - 1.0)
    y = ishigami(x.T)
    values = np.stack([y, np.full(len(y), 3.0), 10.0 * x[:, 1]], axis=-1)
    share, explained, total = indices(("a", "b", "c"), values[:, :2])
    found = np.array([[own[name] for name in "abc"] for own in (share, total)])
    assert np.abs(found - CLOSED).max() < 0.02 and explained == pytest.approx(CLOSED[0].sum(), abs=0.02)
    scipys = sobol_indices(func=ishigami, n=4096, dists=[uniform(-np.pi, 2 * np.pi)] * 3, rng=np.random.default_rng(0))
    assert np.abs(np.array([scipys.first_order, scipys.total_order]) - CLOSED).max() < 0.03
    weighed, _, _ = indices(("a", "b", "c"), values)
    variance = y.var(), (10.0 * x[:, 1]).var()
    assert weighed["b"] == pytest.approx((variance[0] * CLOSED[0, 1] + variance[1]) / sum(variance), abs=0.01)
    values[7, 0] = np.nan
    assert abs(indices(("a", "b", "c"), values[:, :1])[2]["a"] - CLOSED[1, 0]) < 0.03
    assert indices(("a", "b", "c"), values[: 5 * 63, :1])[0] == {} == indices(("a", "b", "c"), values[:, 1:2])[2]


def test_the_command_says_first_and_total_indices(tmp_path, monkeypatch, capsys):
    """Toe is nearly linear in tolerances, so that indices are shares of squared derivatives."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tol.toml").write_text(TOML)
    words = ["study", str(STRUT), "tol.toml", "--samples", "800", "-o", "r.csv"]
    assert main([*words, "--sampler", "saltelli", "--json", "r.json", "--plot", "r.png"]) == 0
    bands = json.loads((tmp_path / "r.json").read_text())["bands"]
    assert bands[0]["totals"].keys() == bands[0]["shares"].keys() and (tmp_path / "r.png").stat().st_size > 20000
    out = capsys.readouterr().out
    assert "768 designs, 4 variables, saltelli" in out and "Sobol indices over all points, first order (total): " in out
    mechanism = load(STRUT)
    made = Study(mechanism, tolerances(DOCUMENT, mechanism), 768, "saltelli")
    toe = np.concatenate([made.chunk(k).columns["0/toe.left"] for k in range(made.chunks)])
    share, explained, total = indices(made.names, toe)
    x = np.concatenate([made.changes(k) for k in range(made.chunks)])
    slopes = np.linalg.lstsq(x / made.sizes, toe - toe.mean(axis=0), rcond=None)[0]
    wanted = (slopes**2).sum(axis=1) / (slopes**2).sum()
    for k, name in enumerate(made.names):
        assert share[name] == pytest.approx(wanted[k], abs=0.03) == total[name]
    assert explained == pytest.approx(1.0, abs=0.03)
    assert main([*words, "--sampler", "saltelli", "--samples", "300"]) == 1
    assert "give 384 or more" in capsys.readouterr().err


def test_tolerances_in_percent():
    soft = load(MECHANISMS / "macpherson.toml")
    curves = [{"metrics": "toe"}]
    given = {"bushing.arm_front.stiffness.x": {"normal": "5%"}}
    (spread,) = tolerances({"tolerances": given, "curves": curves}, soft).spreads
    assert spread.size == pytest.approx(0.05 * Design.of(soft).variables[spread.name].value)
    with pytest.raises(MechanismError, match="'point.tie_outer.x' is -130 mm; say how far it varies in mm, not in %"):
        tolerances({"tolerances": {"point.tie_outer.x": {"normal": "5%"}}, "curves": curves}, soft)
