"""The page with the mechanism in 3D, in a browser."""

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
from precompute.sheets.result import kc
from precompute.web.document import embedded
from precompute.web.view import view_page

EVIL = "<script>alert(1)</script>"


def data_of(page: str):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])


def test_it_is_one_file_that_asks_for_nothing():
    page = view_page(load(MECHANISMS / "double_wishbone_rigid.toml"))
    assert not re.search(r'(?:src|href)\s*=\s*"(?!data:,")', page) and "@import" not in page
    assert len(page) < 500_000
    view = data_of(page)["view"]
    assert [m["name"] for m in view["motions"]] == ["coordinates", "bump", "roll", "steering"]


def evil():
    mechanism = load(MECHANISMS / "four_bar.toml")
    body = mechanism.bodies[0]

    def named(x):
        return replace(x, **{end: EVIL for end in ("parent", "child") if getattr(x, end) == body.name})

    return replace(
        mechanism,
        name=EVIL,
        bodies=(replace(body, name=EVIL), *mechanism.bodies[1:]),
        joints=tuple(named(joint) for joint in mechanism.joints),
        markers=tuple(replace(m, body=EVIL if m.body == body.name else m.body) for m in mechanism.markers),
        springs=(),
        dampers=(),
    )


def test_names_are_text():
    page = view_page(evil())
    assert EVIL not in page and data_of(page)["view"]["name"] == EVIL
    assert f"<h1>{EVIL}</h1>" in unescape(page)


def test_no_tag_ends_in_embedded_data():
    text = embedded({"a": "</script><b>&amp;"})
    assert not set("<>&") & set(text) and json.loads(text) == {"a": "</script><b>&amp;"}


@needs_browser
def test_names_are_text_in_the_browser(tmp_path):
    found = browsed(
        tmp_path, view_page(evil()), "document.querySelector('h1').textContent + '|' + document.scripts.length"
    )
    assert found.value == f"{EVIL}|3" and not found.messages  # data, ours, and the probe


@needs_browser
def test_sliders_move_markers_to_where_the_rig_says(tmp_path):
    mechanism = load(MECHANISMS / "macpherson.toml")
    bump = kc(mechanism, cases=["bump"])["bump"]
    inputs = bump.input[[0, 7, 20, 40]].tolist()
    program = (
        f"{json.dumps(inputs)}.map((x) => {{ kinetab.view.set('bump', 0, x); return kinetab.view.marker('wheel'); }})"
    )
    found = browsed(tmp_path, view_page(mechanism), program)
    assert not found.messages
    z = np.array(found.value)[:, 2] - 1e3 * mechanism.marker("wheel").p[2]
    np.testing.assert_allclose(z, inputs, atol=0.01)


@needs_browser
def test_keys_and_sliders_work_and_nothing_is_said(tmp_path):
    program = """(() => {
      const view = kinetab.view, canvas = view.canvas, before = [...view.turn];
      canvas.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft' }));
      canvas.dispatchEvent(new KeyboardEvent('keydown', { key: '+' }));
      const input = view.sliders[0].input;
      input.value = input.max;
      input.dispatchEvent(new Event('input'));
      document.querySelector('[data-view=top]').click();
      document.querySelector('#names').click();
      document.querySelector('#play').click();
      document.querySelector('#home').click();
      view.paint();
      const drawn = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((x) => x);
      return [before, view.turn, drawn, view.active.at, view.active.axes.map((a) => a.design)];
    })()"""
    found = browsed(tmp_path, view_page(load(MECHANISMS / "double_wishbone_rigid.toml")), program)
    before, turn, drawn, at, design = found.value
    assert not found.messages and drawn and turn == [90, 90] and before != turn and at == design


def test_the_command_writes_it(tmp_path, capsys, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    source = str(MECHANISMS / "four_bar.toml")
    assert main(["view", source, "-o", str(tmp_path / "a.html")]) == 0
    assert data_of((tmp_path / "a.html").read_text())["view"]["name"] == "FourBar" and not opened
    assert main(["view", source]) == 0 and opened[0].startswith("file://") and opened[0].endswith("four_bar.html")
    assert main(["view", source, "-o", str(tmp_path / "a.png")]) == 1
    assert main(["view", str(tmp_path / "none.toml"), "--watch"]) == 1
    assert "there is no file" in capsys.readouterr().err


def test_a_watched_file_is_shown_anew_and_its_mistakes_too(tmp_path):
    import threading
    import urllib.request

    from precompute.web.watching import Watched, server

    path = tmp_path / "a.toml"
    path.write_text((MECHANISMS / "four_bar.toml").read_text())
    with server(Watched(path, lambda own: view_page(load(own)))) as host:
        threading.Thread(target=host.serve_forever, daemon=True).start()

        def get(what):
            with urllib.request.urlopen(f"http://127.0.0.1:{host.server_port}{what}") as answer:
                return answer.read().decode()

        first = get("/stamp")
        assert data_of(get("/"))["view"]["name"] == "FourBar" and f'"{first}"' in get("/")
        path.write_text("name = '<b>'\n")
        assert get("/stamp") != first
        assert "problem" in get("/") and "<b>" not in get("/")
        host.shutdown()


def test_without_wheels_there_are_no_cases():
    view = data_of(view_page(load(MECHANISMS / "crank_slider.toml")))["view"]
    assert [motion["name"] for motion in view["motions"]] == ["coordinates"]


@pytest.mark.fmu
def test_a_run_is_animated(fmu, tmp_path, capsys):
    target = tmp_path / "run.html"
    assert main(["run", str(fmu("four_bar")), "--stop", "1", "--animate", str(target)]) == 0
    assert str(target) in capsys.readouterr().out
    (motion,) = data_of(target.read_text())["view"]["motions"]
    assert motion["name"] == "run" and motion["axes"][0]["last"] == pytest.approx(1.0) and motion["error"] < 0.1
    assert main(["run", str(fmu("four_bar")), "--animate", str(tmp_path / "run.png")]) == 1
