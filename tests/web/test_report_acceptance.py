"""What reports of whole suspensions do in a browser: say nothing, move wheels as `kinetab kc`, show names as text."""

import json
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_browser import browsed, needs_browser

from precompute.mechanism_file import load
from precompute.sheets.result import kc
from precompute.web.document import embedded
from precompute.web.report import gathered, report_page

EVIL = "<script>alert(1)</script>"
SHIPPED = ["double_wishbone", "macpherson", "front_axle"]
ROUNDING = 0.01
"""[mm] That sliders may be off."""


@cache
def made(name):
    return gathered(load(MECHANISMS / f"{name}.toml"))


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_they_are_small(name):
    page, online = report_page(made(name)), report_page(made(name), online=True)
    assert len(page.encode()) < 8e6 and len(online.encode()) < 1.5e6


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize("name", SHIPPED)
def test_sliders_move_wheels_to_where_the_rig_says(name, tmp_path):
    """Of bump, roll and steering; read back from the page."""
    own = made(name)
    stand, wheels = own.kc.curves.stand, own.mechanism.wheels
    wanted, asked = [], []
    for curve in own.kc.curves.curves:
        if curve.case.name not in ("bump", "roll", "steering"):
            continue
        for i in (0, 11, len(curve.inputs) - 1):
            at = stand.rig.at(curve.course.rest.q[i : i + 1, :1], curve.course.setting.road[i : i + 1, :1])
            wanted.append([(1e3 * corner.centre[0]).tolist() for corner in at.corners])
            asked.append([curve.case.name, own.kc[curve.case.name].input[i]])
    centres = [[wheel.body, wheel.centre.tolist()] for wheel in wheels]
    program = f"""{json.dumps(asked)}.map(([motion, value]) => {{
      const {{ view }} = kinetab;
      view.set(motion, 0, value);
      return {json.dumps(centres)}.map(([body, p]) =>
        view.pointOn(view.poses(), view.data.bodies.indexOf(body), p).map((x) => 1e3 * x));
    }})"""
    found = browsed(tmp_path, report_page(own), program)
    assert not found.messages
    np.testing.assert_allclose(found.value, wanted, atol=ROUNDING)


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize("name", SHIPPED)
def test_all_of_it_is_drawn_and_nothing_is_said(name, tmp_path):
    """Every diagram, also of loads, as on paper; then each case of the loads."""
    program = """(() => {
      dispatchEvent(new Event('beforeprint'));
      const all = (query) => [...document.querySelectorAll(query)];
      const paper = { drawn: document.querySelectorAll('.js-plotly-plot').length,
        empty: all('.curve').filter((own) => !own.firstChild && own.id !== 'live-curve').length,
        controls: all('.controls, .live-controls').filter((own) => own.offsetParent).length,
        wide: document.querySelector('main').scrollWidth - document.querySelector('main').clientWidth };
      dispatchEvent(new Event('afterprint'));
      const cases = document.querySelector('#loads-case');
      const rows = [...cases.options].map((own) => {
        cases.value = own.value;
        cases.dispatchEvent(new Event('change'));
        return document.querySelectorAll('#loads-table tbody tr').length;
      });
      return { ...paper, rows, bars: document.querySelectorAll('.bar').length };
    })()"""
    found = browsed(tmp_path, report_page(made(name)), program)
    assert not found.messages
    got = found.value
    assert got["drawn"] >= 20 and not got["empty"] and not got["controls"] and got["wide"] <= 0
    assert min(got["rows"]) >= 8 and got["bars"] == 20


@needs_browser
def test_it_works_by_keyboard(tmp_path):
    """Arrows move sliders by a hundredth of their range, page keys by a tenth, space plays; all can be reached."""
    program = """(() => {
      const { view } = kinetab;
      const { m, k, input } = view.sliders[view.sliders.length - 1];
      const press = (key) => input.dispatchEvent(new KeyboardEvent('keydown', { key, cancelable: true }));
      const range = Math.abs(m.axes[k].last - m.axes[k].first);
      const before = m.at[k];
      const kept = !press('ArrowRight') && !press('PageDown');
      const moved = (m.at[k] - before) / range;
      press(' ');
      const playing = [!!view.playing, view.active === m, document.querySelector('#play').textContent];
      press(' ');
      const every = [...document.querySelectorAll('canvas, input, select, button, summary')];
      const wanted = every.filter((own) => own.offsetParent && getComputedStyle(own).visibility === 'visible');
      const reached = wanted.filter((own) => {
        own.focus();
        return document.activeElement === own && own.tabIndex >= 0;
      });
      return { kept, moved, playing, stopped: !view.playing, wanted: wanted.length, reached: reached.length };
    })()"""
    found = browsed(tmp_path, report_page(made("double_wishbone_rigid")), program)
    got = found.value
    assert not found.messages and got["kept"] and got["moved"] == pytest.approx(-0.09)
    assert got["playing"] == [True, True, "Pause"] and got["stopped"]
    assert got["wanted"] == got["reached"] > 20


def evil(x, names):
    """Data with a script in the place of names, also where these are parts of keys."""
    if isinstance(x, dict):
        return {evil(key, names): evil(value, names) for key, value in x.items()}
    if isinstance(x, list):
        return [evil(value, names) for value in x]
    if isinstance(x, str) and x in names:
        return EVIL
    if isinstance(x, str) and len(x) < 80:
        return ".".join(EVIL if word in names else word for word in x.split("."))
    return x


@needs_browser
def test_names_of_everything_are_text(tmp_path):
    """Title, tables, legends, tooltips, the picture and what is embedded.

    Files take words alone as names of objects; a page does not rely on that.
    """
    own = made("macpherson")
    m = own.mechanism
    names = {part.name for some in (m.bodies, m.joints, m.bushings, m.springs, m.rods) for part in some}
    some = [
        replace(
            effects, effects={key: replace(e, variable=replace(e.variable, name=EVIL)) for key, e in effects.items()}
        )
        for effects in own.ranked
    ]
    bump = kc(m, cases=["bump"], points=5)
    page = report_page(
        replace(own, mechanism=replace(m, name=EVIL, description=EVIL), ranked=tuple(some), others={EVIL: bump})
    )
    data = re.search(r'id="data">(.*?)</script>', page, re.S)[1]
    page = page.replace(data, embedded(evil(json.loads(data), names)))
    assert EVIL not in page
    program = """(async () => {
      let ran = 0;
      window.alert = () => { ran += 1; };
      dispatchEvent(new Event('beforeprint'));
      document.querySelector('#names').click();
      kinetab.view.paint();
      const evil = '<script>alert(1)</' + 'script>';
      const all = (query) => [...document.querySelectorAll(query)];
      const shown = (query) => all(query).filter((own) => own.textContent.includes(evil)).length;
      const place = document.querySelector('#loads-curves .curve');
      Plotly.Fx.hover(place, [{ curveNumber: 0, pointNumber: 3 }]);
      await new Promise((done) => setTimeout(done, 300));
      return { ran, title: document.title, heads: shown('h1'), texts: shown('main > p'), ranked: shown('.ranked th'),
        summary: shown('#summary td'), metrics: shown('#metric option'), loads: shown('#loads-table td'),
        legends: shown('.legendtext'), tips: shown('.hoverlayer text'),
        scripts: all('script').filter((own) => own.textContent === 'alert(1)').length,
        label: document.querySelector('#scene').getAttribute('aria-label') };
    })()"""
    found = browsed(tmp_path, page, program)
    assert not found.messages
    got = found.value
    assert got["ran"] == got["scripts"] == 0
    assert got["title"] == EVIL and got["label"].startswith(EVIL)
    for where in ("heads", "texts", "loads", "summary", "metrics", "ranked", "legends", "tips"):
        assert got[where], where
