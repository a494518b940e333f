"""Links of all pages lead somewhere: to files that are there, and to headings that they have."""

import subprocess
import sys

import pytest
from helpers import ROOT
from helpers_pages import NAMES, PAGES, anchor, anchors, stage


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_somewhere(page):
    dead = []
    for target in stage.links(page.read_text(encoding="utf-8")):
        name, _, heading = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.is_file() or ROOT not in file.parents:
            dead.append(target)
        elif heading and heading not in anchors(file):
            dead.append(target)
    assert not dead


def test_anchors():
    assert anchor("`[couplings.NAME]`") == "couplingsname"
    assert anchor('Law, `law = "cardan"`') == "law-law--cardan"
    assert anchor("In a [vehicle](x.md), *twice*") == "in-a-vehicle-twice"


def test_links_in_code_are_none():
    assert stage.links("[a](b.md) `[c](d.md)` ![e](f.png) [g](https://h)\n```\n[i](j)\n```\n") == ["b.md", "f.png"]


def test_all_pages_are_on_the_site_with_what_they_link_to(tmp_path):
    stage.stage(tmp_path / "site")
    for page in PAGES:
        copy = tmp_path / "site" / page.relative_to(ROOT)
        for target in stage.links(copy.read_text(encoding="utf-8")):
            assert (copy.parent / target.partition("#")[0]).exists(), target


def test_the_menu_has_all_pages():
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    assert sorted(line.rpartition(": ")[2] for line in text.splitlines() if line.endswith(".md")) == sorted(NAMES)


def test_the_site_is_built_without_a_warning(tmp_path):
    pytest.importorskip("material", reason="pip install kinetab[docs] brings the generator of the site")
    stage.stage(tmp_path / "build" / "site-pages")
    (tmp_path / "mkdocs.yml").write_bytes((ROOT / "mkdocs.yml").read_bytes())
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    site = tmp_path / "build" / "site"
    for page in PAGES:
        name = page.relative_to(ROOT).with_suffix(".html")
        html = (site / (name.parent / "index.html" if page.name == "README.md" else name)).read_text(encoding="utf-8")
        text = stage.FENCE.sub("", page.read_text(encoding="utf-8"))
        rules = [line for line in text.splitlines() if line.startswith(("|---", "| ---"))]
        assert html.count("<table>") == len(rules), name
        assert 'src="https:' not in html and 'rel="stylesheet" href="https:' not in html
