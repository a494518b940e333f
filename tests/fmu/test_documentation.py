"""The page in an FMU: all variables in both units, the worst errors first, names as text, readable without scripts."""

import re
import zipfile
import zlib
from dataclasses import replace
from html import unescape
from xml.etree import ElementTree

import pytest
from helpers import MECHANISMS
from helpers_model import crank_slider, double_pendulum
from helpers_stiff import stiff_pendulum

from fmu_src.build.documentation import index_html
from fmu_src.build.pages.about import About
from fmu_src.build.pages.accuracy import WORST
from fmu_src.build.python_fmu import build_fmu
from fmu_src.interface.variables import variables
from fmu_src.model.reduced_model import Certificate, ColumnError, ReducedModel
from fmu_src.model.units import DisplayUnit
from precompute.mechanism_file import from_document, load, source_hash
from precompute.quantities import si
from precompute.units import Units
from precompute.web.about import about, units_of

EVIL = "<script>alert(1)</script>"
INCHES = Units(length="in", mass="slug", angle="deg", force="lbf")
ABOUT = About(units=units_of(INCHES))


def read(page: str) -> ElementTree.Element:
    """The page as XML, which it is but for its first line and its scripts."""
    without = re.sub(r"<script>.*?</script>", "", page, flags=re.S)
    return ElementTree.fromstring(without.replace("<!DOCTYPE html>", ""))


def rows_of(page: str) -> dict[str, dict[str, list[str]]]:
    """Variable -> title of the column -> what is in SI and, if that differs, in units of the file."""
    found = {}
    for table in read(page).find(".//section[@id='variables']").iter("table"):
        titles = [cell.text for cell in table.iter("th")]
        for row in table.find("tbody"):
            cells = [[text for text in cell.itertext() if text] for cell in row]
            name = cells[0][0]
            assert name not in found
            found[name] = dict(zip(titles, cells, strict=True))
    return found


def page_of(model: ReducedModel, known: About = ABOUT) -> str:
    return index_html(model, variables(model), "here", known)


@pytest.mark.parametrize("model", [crank_slider(nodes=20), stiff_pendulum(nodes=12, moving=True)], ids=["1", "stiff"])
def test_every_variable_is_there_once_in_both_units(model):
    """What is below is read with its unit, as `--set` does, which knows no page."""
    rows = rows_of(page_of(model))
    assert set(rows) == {v.name for v in variables(model)}
    seen = set()
    for v in variables(model):
        row = rows[v.name]
        assert row["Unit"][:1] == ([] if v.unit == "1" else [v.unit.replace(".", " ")])
        assert "".join(row["Meaning"]).startswith(v.description)
        if v.start is not None:
            assert float(row["Start"][0]) == pytest.approx(v.start, rel=1e-5)
        if len(row["Unit"]) > 1:
            seen.add(v.unit)
            assert si(f"1 {row['Unit'][1]}", v.unit) != 1.0
            for title, values in (("Start", [v.start]), ("Range", [v.minimum, v.maximum])):
                told = re.findall(r"[^\s≥≤…]+", row[title][1]) if row.get(title) else []
                own = [x for x in values if x is not None]
                assert [si(f"{x} {row['Unit'][1]}", v.unit) for x in told] == pytest.approx(own, rel=1e-5, abs=1e-12)
    assert {"m", "m/s", "rad", "N", "N/m"} & {v.unit for v in variables(model)} <= seen


def test_units_of_a_file_in_si_are_not_said_twice():
    assert units_of(Units()) == {}
    assert "<small>" not in index_html(crank_slider(nodes=20), variables(crank_slider(nodes=20)), "here")
    assert units_of(INCHES)["m"] == DisplayUnit("in", 10000.0 / 254.0)


def test_it_can_be_read_without_scripts_and_leads_to_all_its_parts():
    page = page_of(double_pendulum(nodes=8), replace(ABOUT, picture=b"PNG", view="<p>3D</p>", file="name = 'a'\n"))
    root = read(page)
    ids = {own.get("id") for own in root.iter() if own.get("id")}
    links = [a.get("href") for a in root.find(".//nav").iter("a")]
    assert len(links) > 8 and {link.removeprefix("#") for link in links} <= ids
    assert root.find(".//p[@id='search']").get("hidden")  # until there is a script
    assert not [own for own in root.find(".//section[@id='variables']").iter() if own.get("hidden") and own.tag == "tr"]
    assert '<img class="still" src="mechanism.png"' in page and "html:not(.scripted) .moving" in page
    assert not re.search(r'(?:src|href)\s*=\s*"(?!data:,"|#|mechanism\.png"|sbom\.cdx\.json")', page)
    assert "<img" not in page_of(double_pendulum(nodes=8)) and "@import" not in page


def test_groups_of_many_variables_are_folded():
    model = stiff_pendulum(nodes=12, moving=True)
    root = read(page_of(model))
    few, many = root.find(".//div[@id='inputs']"), root.find(".//div[@id='outputs']")
    assert all(own.get("open") for own in few.iter("details")) and len(list(few.iter("tr"))) > 9
    assert not any(own.get("open") for own in many.iter("details"))
    assert any(own.find("summary").text.startswith("Coordinates (") for own in many.iter("details"))


def test_the_worst_come_first_and_the_rest_is_folded():
    """Nearest to what is allowed, which is ten times as much for slopes; no place beyond the coordinates."""
    columns = [ColumnError(f"c{k}", 1.0, 1e-9 * k, (0.1,), 0.0, (0.0,)) for k in range(30)]
    columns += [ColumnError("slope", 1.0, 0.0, (0.1,), 9.5e-8, (0.2,)), ColumnError("still", 1.0, 0.0, (0,), 0.0, (0,))]
    model = crank_slider(nodes=20)
    chart = replace(model.charts[0], certificate=Certificate(1e-8, (), (), 7, 1.0, tuple(columns)))
    root = read(page_of(replace(model, charts=(chart,))))
    accuracy = root.find(".//section[@id='accuracy']")
    first, bars, rest = accuracy.iter("table")
    assert [row[0][0].text for row in first.find("tbody")] == [f"c{k}" for k in range(29, 29 - WORST, -1)]
    assert rest in list(accuracy.find("details").iter("table"))
    assert [row[0][0].text for row in rest.find("tbody")][-3:] == ["c1", "c0", "still"]
    assert sum(int(row[1].text) for row in bars.find("tbody")) == len(columns)
    assert "22 more" in accuracy.find("details/summary").text and first.find("tbody")[0][2].text == "theta 0.1 rad"
    assert [row[0][0].text for row in rest.find("tbody")].index("slope") == 20 - WORST


def test_names_are_text():
    """Of everything that a mechanism file can name as it likes."""
    model = stiff_pendulum(nodes=12)
    mechanism = {"elements": {EVIL: {"on": {EVIL: EVIL}, "outputs": {"a": {"formula": EVIL, "text": EVIL}}}}}
    model = replace(
        model,
        name=EVIL,
        description=EVIL,
        step_note=EVIL,
        source_hash=EVIL,
        mechanism=mechanism,
        stiff=tuple(replace(s, description=EVIL) for s in model.stiff),
        coordinates=tuple(replace(c, description=EVIL) for c in model.coordinates),
        parameters=tuple(replace(p, description=EVIL) for p in model.parameters),
    )
    page = page_of(model, replace(ABOUT, file=f"name = '{EVIL}'\n"))
    assert EVIL not in page and page.count("<script>") == 2
    assert unescape(page).count(EVIL) > 15


@pytest.mark.parametrize("name", ["four_bar", "double_wishbone", "front_axle", "fuel_pump"])
def test_what_is_known_of_a_mechanism(name, tmp_path):
    """Its file is the same mechanism, in its own units, with points and images; the 3D part is small in the archive."""
    mechanism = load(MECHANISMS / f"{name}.toml")
    known = about(mechanism, pytest.fail)
    (tmp_path / "again.toml").write_text(known.file, encoding="utf-8")
    again = load(tmp_path / "again.toml")
    assert source_hash(again) == source_hash(mechanism) and again.units == mechanism.units
    assert known.picture and 10_000 < len(zlib.compress(known.view.encode())) < 100_000


def test_equal_mechanisms_are_drawn_alike():
    first, second = (about(load(MECHANISMS / "double_wishbone_rigid.toml"), pytest.fail) for _ in range(2))
    assert first == second


def test_what_cannot_be_drawn_is_left_out_and_noted(monkeypatch):
    def fail(mechanism):
        raise ValueError("no ink")

    monkeypatch.setattr("precompute.web.about.view_part", fail)
    notes = []
    known = about(load(MECHANISMS / "four_bar.toml"), notes.append)
    assert notes == ["no 3D view in the FMU: ValueError: no ink"]
    assert known.view == "" and known.picture and known.file


def test_it_tells_of_stiff_coordinates_and_a_moving_ground():
    page = page_of(stiff_pendulum(nodes=12, moving=True), About())
    assert '<td><code>mount.x</code></td><td class="n">0</td><td class="n">0.01</td><td>m</td>' in page
    assert "They are integrated implicitly" in page and "a chassis that moves" in page
    assert "Stiff" not in page_of(crank_slider(nodes=20), About())


def test_it_says_how_to_run_it_where_it_is_valid_and_whose_it_is(tmp_path):
    model, picture = double_pendulum(nodes=8), b"\x89PNG any picture"
    path = build_fmu(model, tmp_path / "a.fmu", about=About(picture=picture))
    with zipfile.ZipFile(path) as archive:
        assert archive.read("model.png") == archive.read("documentation/mechanism.png") == picture
        page = archive.read("documentation/index.html").decode()
        assert "BSD 3-Clause" in archive.read("documentation/licenses/kinetab.txt").decode()
        assert "MIT License" in archive.read("documentation/licenses/pythonfmu.txt").decode()
    assert "kinetab (BSD-3-Clause) and pythonfmu (MIT)" in page
    assert 'simulate_fmu("' in page and "kinetab run " in page
    for axis in model.charts[0].axes:
        assert f'<code>{axis.name}</code></td><td class="n">{axis.lower:.6g} … {axis.upper:.6g}' in page


def test_a_mechanism_of_the_page_is_that_of_the_model(baked):
    model = baked("four_bar")
    page = page_of(model, about(from_document(model.mechanism), pytest.fail))
    assert "4 bodies" not in page and f"{len(model.mechanism['bodies'])} bodies" in page
    assert f"{model.mass:.6g} kg" in page and model.source_hash in page
