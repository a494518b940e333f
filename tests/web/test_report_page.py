"""The report, as data, as text, and in a browser."""

import base64
import importlib.util
import json
import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_browser import browsed, needs_browser

from precompute.cli import main
from precompute.mechanism_file import load
from precompute.running.simulation import Run
from precompute.sheets.measured import read_measured
from precompute.sheets.result import kc
from precompute.web.report import Gathered, gathered, of_fmu, report_page

EVIL = "<script>alert(1)</script>"
DOUBLE_WISHBONE = MECHANISMS / "double_wishbone_rigid.toml"


def data_of(page: str):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])


def unpacked(text: str):
    return np.frombuffer(base64.b64decode(text), dtype="<f4")


@pytest.fixture(scope="module")
def rigid() -> Gathered:
    return gathered(load(DOUBLE_WISHBONE))


@pytest.fixture(scope="module")
def page(rigid) -> str:
    return report_page(rigid)


def test_it_is_small_and_asks_for_nothing(rigid, page):
    assert len(page) < 8e6 and len(report_page(rigid, online=True)) < 1.5e6
    own = page[: page.index("plotly.js v")] if "plotly.js v" in page else page
    assert not re.search(r'<(?:script|link|img)[^>]+(?:src|href)="(?!data:,")', own)


def test_curves_are_those_of_kinetab_kc(page):
    measured = kc(load(DOUBLE_WISHBONE))
    cases = data_of(page)["axle"]["cases"]
    assert list(cases) == list(measured.cases)
    for name, case in measured.cases.items():
        np.testing.assert_allclose(cases[name]["input"]["values"], case.input, rtol=1e-5, atol=1e-9)
        for column, own in cases[name]["columns"].items():
            values = unpacked(own["values"])
            exact = np.where(np.isfinite(case.columns[column].values), case.columns[column].values, np.nan)
            np.testing.assert_allclose(values, exact, rtol=1e-5, atol=1e-12)


@pytest.mark.parametrize("convention", ["sae", "adams"])
def test_conventions_differ_by_the_signs_that_are_stored(page, convention):
    other = kc(load(DOUBLE_WISHBONE), cases=["bump", "steering"], convention=convention)
    cases, metrics = data_of(page)["axle"]["cases"], data_of(page)["axle"]["metrics"]
    for name, case in other.cases.items():
        stored = cases[name]
        x = stored["input"]["signs"][convention] * np.array(stored["input"]["values"])
        order = np.argsort(x)
        np.testing.assert_allclose(x[order], case.input, rtol=1e-5, atol=1e-9)
        for column in ("toe.left", "camber.left", "caster.left"):
            own = stored["columns"][column]
            y = metrics[column.partition(".")[0]]["signs"][convention] * unpacked(own["values"])
            np.testing.assert_allclose(y[order], case.columns[column].values, rtol=1e-5)
            slope = (
                metrics[column.partition(".")[0]]["signs"][convention]
                * stored["input"]["signs"][convention]
                * own["gradient"]
            )
            assert slope == pytest.approx(case.columns[column].gradient, rel=1e-5)


def test_measured_curves_are_laid_over(rigid, tmp_path):
    path = tmp_path / "rig.csv"
    path.write_text("travel [mm],toe [deg]\n-20,0.5\n0,0\n20,-0.4\n")
    data = data_of(report_page(replace(rigid, others={"rig.csv": read_measured(path)})))
    assert data["axle"]["cases"]["bump"]["columns"]["toe.left"]["others"] == {"rig.csv": [[-20, 0, 20], [0.5, 0, -0.4]]}


def test_a_motion_of_a_run_has_its_slider(rigid):
    t = np.linspace(0.0, 1.0, 101)
    values = {"q.pitman": 0.1 * np.sin(6.0 * t), "q.shock": 0.01 * np.sin(9.0 * t), "spring.shock.force": 1e3 * t}
    units = {"q.pitman": "rad", "q.shock": "m", "spring.shock.force": "N"}
    run = Run(time=t, inputs={}, outputs=values, units=units, name="R", steps=100, seconds=1.0)
    data = data_of(report_page(replace(rigid, run=run)))
    assert data["view"]["motions"][-1]["name"] == "run"
    assert data["view"]["motions"][-1]["error"] < 0.01
    assert [group["title"] for group in data["run"]["groups"]] == ["Coordinates", "Forces of springs and bushings"]


@needs_browser
def test_the_browser_has_nothing_to_say_and_all_works(page, tmp_path):
    bump = kc(load(DOUBLE_WISHBONE), cases=["bump"])["bump"]
    program = f"""(() => {{
      const {{ view, curves, modes }} = kinetab;
      curves.panels.forEach((panel) => curves.drawPanel(panel));
      const toe = () => document.querySelector('#summary tr:nth-child(2) td:nth-child(2)').textContent;
      const iso = toe();
      const chosen = document.querySelector('#convention');
      chosen.value = 'sae';
      chosen.dispatchEvent(new Event('change'));
      curves.fill();
      curves.metrics.value = 'camber.left';
      curves.drawChosen();
      const swung = modes.poses(0, 0.3);
      view.set('bump', 0, {bump.input[7]});
      return {{ drawn: document.querySelectorAll('.js-plotly-plot').length, iso, sae: toe(),
        said: document.querySelector('#definition').textContent, swung: Array.from(swung).every(Number.isFinite),
        z: view.marker('wheel')[2] }};
    }})()"""
    found = browsed(tmp_path, page, program)
    assert not found.messages
    got = found.value
    assert got["drawn"] >= 12 and got["swung"]
    assert got["iso"].endswith("deg") and "Positive: top" in got["said"]
    z = got["z"] - 1e3 * load(DOUBLE_WISHBONE).marker("wheel").p[2]
    assert z == pytest.approx(bump.input[7], abs=0.01)


@needs_browser
def test_names_are_shown_and_not_run(tmp_path):
    mechanism = load(MECHANISMS / "four_bar.toml")
    own = gathered(replace(mechanism, name=EVIL, description=EVIL))
    page = report_page(own, online=False)
    assert EVIL not in page
    found = browsed(tmp_path, page, "document.querySelector('h1').textContent")
    assert found.value == EVIL and not found.messages


@pytest.mark.fmu
def test_the_report_of_an_fmu_has_its_proof(fmu, tmp_path, capsys):
    target = tmp_path / "a.html"
    assert main(["report", str(fmu("four_bar")), "-o", str(target)]) == 0
    page = target.read_text(encoding="utf-8")
    assert '<b class="good">PASS</b>' in page and "freshly solved configurations" in page
    data = data_of(page)
    assert [motion["name"] for motion in data["view"]["motions"]] == ["coordinates", "run"]
    assert data["run"]["groups"][0]["title"] == "Coordinates"


def test_mistakes(tmp_path, capsys):
    four_bar, corner = str(MECHANISMS / "four_bar.toml"), str(DOUBLE_WISHBONE)
    out = str(tmp_path / "a.html")
    assert main(["report", four_bar, "-o", out, "--compare", corner]) == 1
    assert "has no wheels" in capsys.readouterr().err
    assert main(["report", four_bar, "-o", str(tmp_path / "a.png")]) == 1
    assert main(["report", str(tmp_path / "none.toml"), "-o", out]) == 1
    assert not (tmp_path / "a.html").exists()


def test_without_a_compiler_for_it_the_page_says_how(fmu, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "ziglang" else found(name))
    page = report_page(of_fmu(fmu("four_bar"), check=False))
    assert "live" not in data_of(page) and "pip install kinetab[native]" in unescape(page)
