"""The page of an FMU as a user opens it: out of the archive, from disk, in a browser."""

import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_browser import browsed, needs_browser
from helpers_model import crank_slider
from test_view_page import EVIL, evil

import kinetab as kt
from fmu_src.build.documentation import index_html
from fmu_src.interface.variables import variables
from precompute.cli import main
from precompute.mechanism_file import load
from precompute.web.about import about

pytestmark = [pytest.mark.fmu, needs_browser]

FOUR_BAR = MECHANISMS / "four_bar.toml"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The documentation of an FMU as `kinetab bake` makes it, unpacked."""
    place = tmp_path_factory.mktemp("page")
    assert main(["bake", str(FOUR_BAR), "-o", str(place / "a.fmu")]) == 0
    with zipfile.ZipFile(place / "a.fmu") as archive:
        archive.extractall(place)
    return place / "documentation"


@pytest.fixture(scope="module")
def page(folder):
    return (folder / "index.html").read_text(encoding="utf-8")


def test_sliders_move_markers_to_where_kinematics_in_other_coordinates_say(folder, page):
    at = np.radians([20.0, 130.0, 251.0])
    mechanism = load(FOUR_BAR)
    name = mechanism.coordinates[0].name
    marker = mechanism.markers[0].name
    motion = kt.solve(mechanism, np.arange(3.0), {name: [at, None, None, None]})
    exact = np.stack([motion.outputs[f"marker.{marker}.r[{k}]"] for k in (1, 2, 3)], axis=-1)
    program = f"""(() => {{
      const view = kinetab.view, axis = view.active.axes[0];
      return [axis.unit, axis.factor, view.active.error, {json.dumps(at.tolist())}.map((x) => {{
        view.set('coordinates', 0, x * axis.factor);
        return view.marker('{marker}');
      }})];
    }})()"""
    found = browsed(folder, page, program)
    unit, factor, error, places = found.value
    assert not found.messages
    assert factor == pytest.approx(180.0 / np.pi if unit == "deg" else 1.0) and error < 0.1
    np.testing.assert_allclose(places, 1e3 * exact, atol=0.1)


def test_the_view_takes_the_place_of_the_picture_where_scripts_run(folder, page):
    program = """['.view', '.still', '#search'].map((name) => getComputedStyle(document.querySelector(name)).display)"""
    found = browsed(folder, page, program)
    view, still, search = found.value
    assert not found.messages and still == "none" and "none" not in (view, search)


SEARCH = """((words) => words.map((word) => {
  const field = document.querySelector('#search input');
  field.value = word;
  field.dispatchEvent(new Event('input'));
  const shown = [...document.querySelectorAll('#variables tbody tr')].filter((row) => row.checkVisibility());
  return [shown.map((row) => row.cells[0].textContent), document.querySelector('#found').textContent];
}))"""


def test_search_is_by_name_text_and_unit(folder, page):
    model_page = SEARCH + "(['', 'energy', 'POTENTIAL', 'deg/s crank', 'rad/s crank', 'N.m', 'no such thing', ''])"
    found = browsed(folder, page, model_page)
    assert not found.messages
    before, energy, potential, told, own, moments, none, after = found.value
    assert before == after and before[1] == ""
    assert {"energy.kinetic", "energy.potential", "energy.total"} <= set(energy[0]) and "variables" in energy[1]
    assert "energy.potential" in potential[0] and "energy.kinetic" not in potential[0]
    assert told == own and "qd.crank" in told[0] and not any("energy" in name for name in told[0])
    assert moments[0] and not any(name.startswith(("q.", "energy")) for name in moments[0])
    assert none[0] == [] and none[1].startswith("0 of ")


def test_search_by_keys_and_folds_as_they_were(folder, page):
    program = """(() => {
      const field = document.querySelector('#search input');
      const folds = () => [...document.querySelectorAll('#variables details')].map((own) => own.open);
      const before = folds();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true, cancelable: true }));
      const focused = document.activeElement === field;
      for (const word of ['e', 'en', 'energy']) { field.value = word; field.dispatchEvent(new Event('input')); }
      const opened = folds();
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
      const after = folds();
      dispatchEvent(new Event('beforeprint'));
      const printed = folds();
      dispatchEvent(new Event('afterprint'));
      return { focused, before, opened, after, printed, last: folds(), text: field.value };
    })()"""
    found = browsed(folder, page, program)
    got = found.value
    assert not found.messages and got["focused"] and got["text"] == ""
    assert got["before"] == got["after"] == got["last"] != got["opened"] and all(got["printed"])


def test_names_are_shown_and_not_run(tmp_path):
    """Of a body in the 3D view, of the model, and in the file."""
    known = about(evil(), pytest.fail)
    model = replace(crank_slider(nodes=20), name=EVIL, description=EVIL)
    page = index_html(model, variables(model), "here", known)
    assert EVIL not in page
    program = """[document.querySelector('h1').textContent, kinetab.view.data.bodies.join(),
      document.querySelector('#file pre').textContent, String(document.scripts.length)]"""
    found = browsed(tmp_path, page, f"(kinetab.view.paint(), {program})")
    title, bodies, file, scripts = found.value
    assert not found.messages and title == EVIL and EVIL in bodies and EVIL in file
    assert scripts == "5"  # one in the head, data, 3D, search, and the probe
