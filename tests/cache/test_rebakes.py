"""A bake through the cache makes what a bake without it makes, to the bit, whatever was changed in the file.

One thing of a file is changed at a time, everything that stands in it; all that was baked before lies in one cache.
"""

import re
import tomllib
from copy import deepcopy
from pathlib import Path

import pytest
from helpers import MECHANISMS, ROOT

from fmu_src.build.model_writer import save
from precompute.cache.stages import NO_CACHE, Stages
from precompute.errors import PrecomputeError
from precompute.mechanism_file import from_document, load
from precompute.pipeline import survey, tabulated
from precompute.progress import unheard
from precompute.threads import one_thread

ARM = Path(__file__).parent / "arm.toml"

WORDS = (
    *("m", "mm", "in", "kg", "g", "deg", "rad", "N", "kN"),
    *("x", "y", "z", "-z", "revolute", "cylindrical", "spherical", "left", "right", "front", "rear"),
    *("dynamic", "quasistatic", "zero", "static", "rk4", "midpoint", "error", "linear", "rotation_vector", "cardan"),
)
"""What a text is changed to, the first that makes another mechanism."""

FORCES = {
    *("gravity", "bushings", "springs", "dampers", "forces", "elements", "vehicle", "experiment", "description"),
    *("axles", "ports"),
}
"""Of these no number is in a table; where something acts, and on what, is."""

ACTS = {"between", "at", "axis", "law", "on", "marker", "parent", "child", "static"}
"""The keys in these that tables depend on, and those that no number stands under."""


def leaves(value, path=()):
    """Places of all numbers and texts."""
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, (*path, key))
    else:
        yield path, value


def changed(document, path, value):
    """The document with something else at a place; without it if that is None."""
    new = deepcopy(document)
    *above, last = path
    inside = new
    for key in above:
        inside = inside[key]
    if value is None:
        del inside[last]
    else:
        inside[last] = value
    return new


def others(document, path, value):
    """Other values for a place, the likeliest first."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [other for other in (value * 1.03125, value + 1, 0.25) if other != value]
    alike = [text for where, text in leaves(document) if isinstance(text, str) and where[-1] == path[-1]]
    names = [name for table in document.values() if isinstance(table, dict) for name in table]
    return [word for word in dict.fromkeys((*alike, *WORDS, *names, f"{value} too")) if word != value]


def renamings(text):
    """The text with every name changed, one at a time."""
    document = tomllib.loads(text)
    groups = (table for table in document.values() if isinstance(table, dict))
    names = {name for table in groups for name, item in table.items() if isinstance(item, dict | list)}
    for name in sorted(names - {"free"}):
        yield name, tomllib.loads(re.sub(rf"(?<![\w]){name}(?![\w ]*=(?! \[))(?!\w)", f"{name}_too", text))


def edits(text):
    """What was edited, and the documents that it may be."""
    document = tomllib.loads(text)
    for path, value in leaves(document):
        yield path, [changed(document, path, other) for other in others(document, path, value)]
        yield (*path, "gone"), [changed(document, path, None)]
    for name, renamed in renamings(text):
        yield (name, "renamed"), [renamed]


@one_thread
def model_bytes(found, stages, path):
    """The model file, or why there is none."""
    try:
        save(tabulated(found, unheard, stages), path)
    except PrecomputeError as error:
        return f"{type(error).__name__}: {error}"
    return path.read_bytes()


def loaded(document):
    try:
        return one_thread(survey)(from_document(document))
    except PrecomputeError:
        return None


def compare(text, folder, every=1):
    """Edits by whether their tables came from the cache; the models are compared to the bit."""
    cache, kept, made = folder / "cache", set(), set()
    base = loaded(tomllib.loads(text))
    assert base is not None
    model_bytes(base, Stages(cache), folder / "base.kinetab")
    for path, documents in list(edits(text))[::every]:
        for found in filter(None, map(loaded, documents)):
            stages = Stages(cache)
            through = model_bytes(found, stages, folder / "one.kinetab")
            assert through == model_bytes(found, NO_CACHE, folder / "other.kinetab"), path
            (kept if stages.reused else made).add(path)
            break
    return kept, made


@pytest.mark.parametrize("every", [12, pytest.param(1, marks=pytest.mark.slow)])
def test_every_change_of_a_file_bakes_to_what_it_bakes_to_without_a_cache(every, tmp_path):
    kept, made = compare(ARM.read_text(encoding="utf-8"), tmp_path, every)
    acting = {path for path, value in leaves(tomllib.loads(ARM.read_text(encoding="utf-8"))) if value != 0}
    numbers = {path for path in (kept | made) & acting if path[0] in FORCES and not ACTS & set(path)}
    assert numbers - kept == set(), "changed a rate, a load or the like, and tables were made anew"
    assert len(kept | made) > 140 / every and len(numbers) > 20 / every
    geometry = {path for path in made if path[0] in ("points", "bodies", "markers", "coordinates", "tables")}
    assert len(geometry) > 20 / every
    if every == 1:
        assert {("points", "pivot", 0), ("bodies", "arm", "mass"), ("tables", "tolerance")} <= geometry
        assert {("units", "length"), ("arm", "renamed")} <= made


@pytest.mark.slow
@pytest.mark.parametrize("name", ["crank_slider", "rolling_disc", "film_bearing", "rotor_motor", "short/trailing_arm"])
def test_the_same_of_files_that_we_ship(name, tmp_path):
    text = (MECHANISMS / f"{name}.toml").read_text(encoding="utf-8")
    tolerance = "\n[tables]\ntolerance = 1e-2\n" if "[tables]" not in text else ""
    kept, made = compare(re.sub(r"tolerance = \S+", "tolerance = 1e-2", text) + tolerance, tmp_path)
    assert len(kept) > 5 and len(made) > 10


def shipped():
    folders = (MECHANISMS, MECHANISMS / "short", ROOT / "precompute" / "templates")
    return [pytest.param(path, id=path.stem) for folder in folders for path in sorted(folder.glob("*.toml"))]


CHEAP = ("four_bar", "rolling_disc", "crank_slider_charts")
"""Several charts, a disc on the floor."""


@pytest.mark.parametrize(
    "path", [pytest.param(*p.values, id=p.id, marks=() if p.id in CHEAP else pytest.mark.slow) for p in shipped()]
)
def test_tables_from_the_cache_are_those_that_were_made(path, tmp_path):
    """Of all shipped files, among them moving chassis, elements, cams, loads, mirrored axles."""
    found = one_thread(survey)(load(path))
    fresh = model_bytes(found, NO_CACHE, tmp_path / "fresh.kinetab")
    assert isinstance(fresh, bytes)
    for times in (0, 1):
        stages = Stages(tmp_path / "cache")
        assert model_bytes(found, stages, tmp_path / "kept.kinetab") == fresh
        assert stages.reused["tables"] == times * len(found.atlas.pieces)
