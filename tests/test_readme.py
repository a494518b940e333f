"""What the README and the pages it leads to show works as shown."""

import re

import pytest
from helpers import ROOT

from precompute.cli import main

README = (ROOT / "README.md").read_text(encoding="utf-8")
FIRST = (ROOT / "docs" / "first-mechanism.md").read_text(encoding="utf-8")


def block(page: str, kind: str) -> str:
    return re.search(rf"```{kind}\n(.*?)```", page, re.S).group(1)


@pytest.mark.fmu
def test_first_mechanism(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "four_bar.toml").write_text(block(FIRST, "toml"))
    commands = re.search(r"Then\n\n```\n(.*?)```", FIRST, re.S).group(1)
    for line in commands.splitlines():
        assert main(line.split()[1:]) == 0
    out = capsys.readouterr().out
    assert "Degrees of freedom: 1" in out and "3 redundant" in out
    assert (tmp_path / "four_bar.png").exists()


@pytest.mark.fmu
def test_python_example(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "four_bar.toml").write_text(block(FIRST, "toml"))
    exec(block(FIRST, "python"), {})
    assert (tmp_path / "MyFourBar.fmu").exists()


def test_the_suspension_is_the_one_of_the_demo():
    file = (ROOT / "precompute" / "templates" / "double-wishbone.toml").read_text(encoding="utf-8").splitlines()
    assert set(block(README, "toml").splitlines()) <= set(file)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "new double-wishbone --name Corner" in makefile and "corner_inputs.csv" in makefile


def test_the_readme_is_short():
    assert len(README.splitlines()) < 250


def words(*parts) -> str:
    """A page as one line."""
    return " ".join((ROOT.joinpath(*parts)).read_text(encoding="utf-8").split())


def test_what_is_outside_is_said():
    assert "Outside: contact, flexible bodies; FMI 3.0 and Model Exchange, not yet." in words("README.md")
    assert "FMI 3.0 and Model Exchange: not yet" in words("docs", "limits.md")


def test_masters_that_were_tried_have_their_versions():
    page = words("integration", "README.md")
    tried, _, rest = page.partition("## Masters that were not run here")
    for row in (
        "| OMSimulator | 2.1.3 |",
        "| FMUComplianceChecker | 2.0.4, with FMILibrary 2.0.3 | 0 errors, 0 warnings",
    ):
        assert row in tried
    assert "OMSimulator" not in rest and "(these three were not run)" in words("README.md")


def test_the_makefile_tells_of_platforms():
    assert "make platforms runs native FMUs for Windows and 64-bit ARM" in words("Makefile")
    assert "`make platforms`" in words("README.md") and "`make platforms`" in words("docs", "fmu.md")
