"""What the README shows works as shown."""

import re

import pytest
from helpers import ROOT

from precompute.cli import main

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.fmu
def test_first_mechanism(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    toml = re.search(r"```toml\n(.*?)```", README, re.S).group(1)
    (tmp_path / "four_bar.toml").write_text(toml)
    commands = re.search(r"Then\n\n```\n(.*?)```", README, re.S).group(1)
    for line in commands.splitlines():
        assert main(line.split()[1:]) == 0
    out = capsys.readouterr().out
    assert "Degrees of freedom: 1" in out and "3 redundant" in out
    assert (tmp_path / "four_bar.png").exists()


@pytest.mark.fmu
def test_python_example(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "four_bar.toml").write_text(re.search(r"```toml\n(.*?)```", README, re.S).group(1))
    exec(re.search(r"```python\n(.*?)```", README, re.S).group(1), {})
    assert (tmp_path / "MyFourBar.fmu").exists()


def test_named_files_exist():
    for name in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / name).exists(), name
