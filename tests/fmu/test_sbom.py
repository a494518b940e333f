"""The bill of materials of every FMU, and the version and commit in its documentation."""

import hashlib
import json
import re
import zipfile
from dataclasses import replace

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from helpers_fmu import python
from helpers_kinds import builder
from helpers_model import crank_slider

from fmu_src import __version__
from fmu_src.build import compile, origin
from fmu_src.build.compile import compiler_version, current_platform
from fmu_src.build.python_fmu import build_fmu

pytestmark = pytest.mark.fmu

KINDS = ("native", "python", "numpy")
BILL = "documentation/sbom.cdx.json"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
MODEL = crank_slider(nodes=20)


def contents(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module", params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def files(kind, tmp_path_factory):
    return contents(builder(kind)(MODEL, tmp_path_factory.mktemp("fmu") / "a.fmu"))


@pytest.fixture(scope="module")
def bill(files):
    return json.loads(files[BILL])


def recorded(monkeypatch, folder, text):
    """As in a package that recorded a commit."""
    (folder / "commit.txt").write_text(text)
    monkeypatch.setattr(origin, "COMMIT", folder / "commit.txt")


def test_it_follows_the_schema(files):
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(files[BILL].decode()) is None


def test_it_lists_every_file_but_the_documentation_once_with_its_hash(files, bill):
    parts = [bill["metadata"]["component"], *bill["components"]]
    listed = [file for part in parts for file in part["components"]]
    assert sorted(file["name"] for file in listed) == [name for name in files if not name.startswith("documentation/")]
    for file in listed:
        (digest,) = file["hashes"]
        assert digest == {"alg": "SHA-256", "content": hashlib.sha256(files[file["name"]]).hexdigest()}


def test_it_says_whose_code_each_file_is(kind, files, bill):
    parts = {part["name"]: part for part in bill["components"]}
    assert list(parts) == (["kinetab"] if kind == "native" else ["kinetab", "pythonfmu"])
    for name, part in parts.items():
        assert part["version"] == origin.version(name) and part["purl"] == f"pkg:pypi/{name}@{part['version']}"
        assert part["licenses"] == [{"license": {"id": {"kinetab": "BSD-3-Clause", "pythonfmu": "MIT"}[name]}}]
        assert f"documentation/licenses/{name}.txt" in files
    owners = {file["name"]: name for name, part in parts.items() for file in part["components"]}
    model = {file["name"] for file in bill["metadata"]["component"]["components"]}
    assert {"modelDescription.xml", "resources/model.kinetab"} <= model <= set(files) - set(owners)
    if kind == "native":
        assert set(owners) == {name for name in files if name.startswith(("binaries/", "sources/"))}
    else:
        assert owners["resources/pythonfmu/fmi2slave.py"] == owners["binaries/win64/CrankSlider.dll"] == "pythonfmu"
        assert owners[next(name for name in files if "_runtime_" in name)] == "kinetab"
        fronted = "resources/pythonfmu.so" in files
        assert owners["binaries/linux64/CrankSlider.so"] == ("kinetab" if fronted else "pythonfmu")
        assert owners.get("resources/pythonfmu.so") == ("pythonfmu" if fronted else None)


def test_it_names_what_compiled_the_binaries(bill):
    tools = bill["metadata"]["tools"]["components"]
    assert {"type": "application", "name": "kinetab", "version": __version__} in tools
    assert {"type": "application", "name": "C compiler", "version": compiler_version(current_platform())} in tools


def test_how_compilers_call_themselves(monkeypatch, tmp_path):
    assert re.search(r"\d+\.\d+", compiler_version(current_platform()))
    monkeypatch.setattr(compile.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(compile, "zig_version", lambda: "0.17.0")
    assert compiler_version("win64") == "ziglang 0.17.0 for x86_64-windows-gnu"
    mute = tmp_path / "mute"
    mute.write_text("#!/bin/sh\nexit 1\n")
    mute.chmod(0o755)
    monkeypatch.setenv("CC", str(mute))
    assert compiler_version(current_platform()) == ""


def test_without_a_record_there_is_a_version_and_no_commit(files, bill):
    assert "pedigree" not in bill["components"][0]
    page = files["documentation/index.html"].decode()
    assert f"made by kinetab {__version__}." in page and "commit" not in page
    assert '<a href="sbom.cdx.json">' in page


@pytest.mark.parametrize(
    ("record", "notes", "words"),
    [
        (COMMIT, {}, f"(commit {COMMIT})"),
        (f"{COMMIT}-dirty", {"notes": "files had been changed since this commit"}, f"(commit {COMMIT}, with changes)"),
    ],
)
def test_a_recorded_commit_is_in_the_bill_and_on_the_page(kind, record, notes, words, monkeypatch, tmp_path):
    recorded(monkeypatch, tmp_path, f"{record}\n")
    files = contents(builder(kind)(MODEL, tmp_path / "a.fmu"))
    bill = json.loads(files[BILL])
    assert bill["components"][0]["pedigree"] == {"commits": [{"uid": COMMIT}], **notes}
    assert f"made by kinetab {__version__} {words}." in files["documentation/index.html"].decode()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(files[BILL].decode()) is None


def test_another_commit_is_another_bill_and_no_other_identity(files, kind, monkeypatch, tmp_path):
    recorded(monkeypatch, tmp_path, COMMIT)
    other = contents(builder(kind)(MODEL, tmp_path / "a.fmu"))
    assert {name for name in files if files[name] != other[name]} == {BILL, "documentation/index.html"}
    assert json.loads(files[BILL])["serialNumber"] != json.loads(other[BILL])["serialNumber"]


SCRIPT = """
import hashlib, sys
from helpers_kinds import builder
from helpers_model import crank_slider
for kind in sys.argv[2:]:
    made = builder(kind)(crank_slider(nodes=20), f"{sys.argv[1]}/{kind}.fmu")
    print(hashlib.sha256(made.read_bytes()).hexdigest())
"""


def test_another_process_makes_the_same_bytes(tmp_path, monkeypatch):
    """With another order of sets, in another folder, later."""
    found = []
    for seed in ("1", "2"):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        (tmp_path / seed).mkdir()
        done = python(SCRIPT, tmp_path / seed, "native", "python")
        assert done.returncode == 0, done.stderr
        found.append(done.stdout.split())
    assert len(found[0]) == 2 and found[0] == found[1]


def test_a_model_of_another_alphabet(tmp_path):
    model = replace(MODEL, name="Vorderachse für 後輪", description="„<&>“")
    bill = contents(build_fmu(model, tmp_path / "a.fmu"))[BILL].decode()
    assert json.loads(bill)["metadata"]["component"]["name"] == model.name and "後輪" in bill
