"""The benchmark's short run and its table."""

import json
import math

import bench
import pages
import pytest
from helpers import ROOT
from parts import against, growth, inside, report, rivals, steps
from parts.commit import git, sides, worktree
from parts.kernel import Kernel
from parts.master import ALONE, CALLED, usual
from parts.models import baked, mechanism
from parts.timing import interleaved

from fmu_src.interface.variables import variables
from precompute.tables import tabulate

pytestmark = pytest.mark.fmu


def test_quick_run(tmp_path, capsys):
    bench.main(["--quick", "--folder", str(tmp_path)])
    result = json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    found = result["fmus"]["four_bar"]
    assert found["inputs"] == 6 and found["outputs"] == 20
    assert all(0.0 < timing["shortest"] <= timing["median"] for timing in found["us"].values())
    assert found["us"]["kernel"]["median"] < found["us"]["native FMU, FMPy"]["median"]
    text = (tmp_path / "bench.md").read_text(encoding="utf-8")
    assert "| four_bar | 1 + 0 |" in text and result["machine"]["compilers"] in text
    assert capsys.readouterr().out.strip() == text.strip()


def test_unknown_part(capsys):
    with pytest.raises(SystemExit):
        bench.main(["--parts", "fmus,speed"])
    assert "there is no part speed" in capsys.readouterr().err


def test_medians_of_interleaved_rounds():
    order = []
    answers = {"a": iter([3.0, 1.0, 2.0]), "b": iter([5.0])}

    def candidate(name):
        return lambda: order.append(name) or next(answers[name])

    times = interleaved({name: candidate(name) for name in answers}, 3, frozenset("b"))
    assert order == ["a", "b", "a", "a"]
    assert (times["a"].median, times["a"].shortest, times["b"].repetitions) == (2.0, 1.0, 1)


def test_ratios():
    def result(engine, configuration, step, us, error):
        return rivals.EngineResult(engine, configuration, step, us, error, 0.0)

    results = [
        result("kernel", "RK4", 1e-3, 0.5, 1e-6),
        result("mujoco", "RK4", 1e-3, 40.0, 1e-4),
        result("mujoco", "Euler", 1e-3, 4.0, 1e-2),
        result("exudyn", "trapezoidal", 1e-3, math.nan, math.inf),
        result("exudyn", "trapezoidal", 5e-4, 30.0, 5e-4),
    ]
    exact, equal, every, rk4 = rivals.ratios("rigid_2", results)
    assert (exact.found, exact.met) == (80.0, True)
    assert (equal.found, equal.met) == (60.0, True)
    assert (every.found, every.met) == (8.0, False)
    assert (rk4.found, rk4.needed, rk4.met) == (80.0, 72.0, True)
    assert rivals.error_not_larger(results)
    part = {"results": [vars(r) for r in results], "ratios": [], "error_not_larger": True}
    assert "| exudyn | trapezoidal | 1 | unstable | unstable |" in report.rivals({"rigid_2": part})


def test_bars_against_a_commit(monkeypatch):
    monkeypatch.setattr(against, "families", lambda: ["AVX-512", "AVX2"])
    rows = [
        against.Row("rigid_1", "AVX-512", ALONE, 0.1, {"gcc": 0.12}),
        against.Row("rigid_1", "AVX2", ALONE, 0.5, {"gcc": 0.1}),
        against.Row("rigid_1", "AVX-512", CALLED, 1.0, {"gcc": 0.45}),
        against.Row("rigid_1", "AVX2", CALLED, 1.0, {"gcc": 0.5}),
    ]
    found = [(round(bar.found, 3), bar.most, bar.met) for bar in against.bars(rows)]
    assert found == [(1.2, 1.1, False), (0.2, 0.25, True), (0.45, 0.5, True), (1.2, 1.0, False)]
    bakes = [against.Bake("rigid_1", 2.0, 1.0), against.Bake("double_wishbone", 38.0, 16.0)]
    assert [(bar.found, bar.most, bar.met) for bar in against.of_bakes(bakes)] == [(16.0, 15.0, False)]
    part = {"commit": "3107e84", "rows": [vars(row) for row in rows], "bakes": [vars(b) for b in bakes], "bars": []}
    assert "| rigid_1 | AVX2 | step alone | 0.500 | 0.100 | 0.20 |" in report.against(part)
    assert "| double_wishbone | 38.0 | 16.0 | 0.42 |" in report.against(part)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git repository")
def test_trees_of_commits_are_removed():
    with pytest.raises(SystemExit, match="no commit nonsense"):
        sides("nonsense")
    with worktree("HEAD") as tree:
        assert (tree / "benchmarks").is_dir() and str(tree) in git("worktree", "list")
    assert not tree.exists() and str(tree) not in git("worktree", "list")


def test_stages_of_a_bake_are_on_a_clock():
    found = baked(mechanism("four_bar"))
    assert {"kinematics", "coordinates", "tables", "reduction", "writing"} <= set(found.stages)
    assert max(found.stages, key=found.stages.__getitem__) in ("tables", "reduction")  # of so small a mechanism


def test_work_inside_a_bake_is_on_a_clock():
    found = inside.measure(mechanism("four_bar"))
    assert set(found) == {*inside.WORK, inside.REST} and min(found.values()) >= 0.0
    busy = {work: seconds for work, seconds in found.items() if seconds > 0.0}
    assert {"columns there: velocities, second derivatives, fields", "splines: fitted, evaluated"} <= set(busy)
    assert f"| {inside.REST} | {found[inside.REST]:.2f} |" in report.inside(found)
    assert not hasattr(tabulate.fit_block, "__wrapped__")  # as before


def test_only_outputs_that_both_kernels_have_are_read():
    model = baked(mechanism("four_bar")).model
    names = [v.name for v in variables(model)]
    every = usual(model).outputs
    older = set(names) - {names[i] for i in every[:3]}
    some = usual(model, older).outputs
    assert len(some) == len(every) and {names[i] for i in some} <= older


def test_single_steps():
    found = baked(mechanism("four_bar"))
    times = steps.single(Kernel(found.library, found.path), usual(found.model), 2)
    assert 0.0 < times["median"] <= times["rare"] <= times["longest"] <= times["seen"]


def test_tables_find_their_places():
    page = "a\n<!-- bench: one -->\nold\n<!-- end -->\nb\n<!-- bench: two -->\nold\n<!-- end -->\n"
    assert pages.filled(page, {"one": "new"}) == page.replace("old", "new", 1)
    known = set(report.WRITERS)
    for name in pages.PAGES:
        assert set(pages.named(ROOT / name)) <= known


@pytest.mark.parametrize("n", [0, 1, 7, 12])
def test_variants_with_stiff_coordinates(n):
    assert len(growth.with_stiff(n).stiff_coordinates) == n


def test_what_elements_cost_may_be_less_than_nothing():
    """Differences of two medians, where the machine does other work."""
    us = {"without elements": 10.0, "two linear states": 9.97, "monotube and friction": 10.0}
    text = report.elements([{"name": "a", "us": us, "states": dict.fromkeys(us, 2)}])
    assert text.splitlines()[-1] == "| a | 10.0 | 9.97 (-0.0300) | 10.0 (+0.00) |"
