"""The benchmark's short run and its table."""

import json
import math

import bench
import pytest
from parts import against, growth, report
from parts.timing import interleaved

pytestmark = pytest.mark.fmu


def test_quick_run(tmp_path, capsys):
    bench.main(["--quick", "--folder", str(tmp_path)])
    result = json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    found = result["fmus"]["four_bar"]
    assert found["inputs"] == 6 and found["outputs"] == 20
    assert all(0.0 < timing["shortest"] <= timing["median"] for timing in found["us"].values())
    assert found["us"]["kernel"]["median"] < found["us"]["native FMU, FMPy"]["median"]
    text = (tmp_path / "bench.md").read_text(encoding="utf-8")
    assert "| four_bar | 1 + 0 |" in text and result["machine"]["compiler"] in text
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
        return against.EngineResult(engine, configuration, step, us, error, 0.0)

    results = [
        result("kernel", "RK4", 1e-3, 0.5, 1e-6),
        result("mujoco", "RK4", 1e-3, 40.0, 1e-4),
        result("mujoco", "Euler", 1e-3, 4.0, 1e-2),
        result("exudyn", "trapezoidal", 1e-3, math.nan, math.inf),
        result("exudyn", "trapezoidal", 5e-4, 30.0, 5e-4),
    ]
    exact, equal, every, rk4 = against.ratios("rigid_2", results)
    assert (exact.found, exact.met) == (80.0, True)
    assert (equal.found, equal.met) == (60.0, True)
    assert (every.found, every.met) == (8.0, False)
    assert (rk4.found, rk4.needed, rk4.met) == (80.0, 72.0, True)
    assert against.error_not_larger(results)
    part = {"results": [vars(r) for r in results], "ratios": [], "error_not_larger": True}
    assert "| exudyn | trapezoidal | 1 | unstable | unstable |" in report.against({"rigid_2": part})


@pytest.mark.parametrize("n", [0, 1, 7, 12])
def test_variants_with_stiff_coordinates(n):
    assert len(growth.with_stiff(n).stiff_coordinates) == n
