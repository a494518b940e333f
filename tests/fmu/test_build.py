import io
import re
import sys
import zipfile
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from helpers_baked import baked_file
from helpers_model import crank_slider

from fmu_src.build.model_writer import to_bytes
from fmu_src.build.python_fmu import build_fmu, runtime_sources
from fmu_src.errors import BuildError, TableFormatError
from fmu_src.model.model_file import from_bytes
from fmu_src.model.reduced_model import PortInfo

pytestmark = pytest.mark.fmu

MODEL = crank_slider(nodes=20)


@pytest.fixture(scope="module")
def fmu(tmp_path_factory):
    return build_fmu(MODEL, tmp_path_factory.mktemp("fmu") / "any name.fmu")


def names(path):
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


def description(path):
    with zipfile.ZipFile(path) as archive:
        return ElementTree.fromstring(archive.read("modelDescription.xml"))


def test_the_fmu_is_exactly_where_it_was_asked_for(fmu):
    assert fmu.name == "any name.fmu"
    assert [entry.name for entry in fmu.parent.iterdir()] == ["any name.fmu"]


def test_what_the_archive_holds(fmu):
    listed = names(fmu)
    assert listed == sorted(listed) and len(set(listed)) == len(listed)
    assert "modelDescription.xml" in listed and "documentation/index.html" in listed
    assert "binaries/linux64/CrankSlider.so" in listed and "binaries/win64/CrankSlider.dll" in listed
    assert not [name for name in listed if "__pycache__" in name or "\\" in name]
    (slave,) = [name for name in listed if re.fullmatch(r"resources/kinetab_crankslider_[0-9a-f]{8}\.py", name)]
    modules = {m[1] for name in listed if (m := re.fullmatch(r"resources/kinetab_runtime_\w{8}/(.+)", name))}
    assert modules == set(runtime_sources())
    with zipfile.ZipFile(fmu) as archive:
        assert archive.read("resources/slavemodule.txt").decode() == slave[len("resources/") : -len(".py")]
        assert b"fmu_src" not in archive.read(slave)
        assert to_bytes(from_bytes(archive.read("resources/model.kinetab"))) == to_bytes(MODEL)
        assert archive.testzip() is None


@pytest.mark.slow
def test_the_fmu_of_a_suspension_is_small(tmp_path):
    """Its coefficients take 23 MB; with its picture it has 0.1 MB more."""
    demo = build_fmu(baked_file("double_wishbone"), tmp_path / "demo.fmu")
    assert demo.stat().st_size < 3.5e6


def test_the_description_says_what_the_fmu_can_do(fmu):
    root = description(fmu)
    simulation = root.find("CoSimulation").attrib
    assert root.get("modelName") == "CrankSlider" and root.get("description") == "Crank-slider with a spring"
    assert simulation["modelIdentifier"] == "CrankSlider"
    assert simulation["needsExecutionTool"] == "false"
    assert simulation["canGetAndSetFMUstate"] == simulation["canSerializeFMUstate"] == "true"
    assert root.find("DefaultExperiment").attrib == {"startTime": "0.0", "stopTime": "5.0", "stepSize": "0.001"}


def test_equal_models_give_equal_bytes(tmp_path):
    first = build_fmu(MODEL, tmp_path / "a.fmu").read_bytes()
    second = build_fmu(crank_slider(nodes=20), tmp_path / "b.fmu").read_bytes()
    assert first == second
    root = description(io.BytesIO(first))
    assert root.get("generationDateAndTime") is None


def test_other_content_is_another_identity(fmu, tmp_path):
    other = build_fmu(replace(MODEL, stop_time=4.0), tmp_path / "b.fmu")
    assert description(fmu).get("guid") != description(other).get("guid")
    assert set(names(fmu)) ^ set(names(other)) == {
        name for path in (fmu, other) for name in names(path) if name.startswith("resources/kinetab_crankslider_")
    }


def test_building_leaves_no_trace_in_the_process(tmp_path):
    path, modules = list(sys.path), set(sys.modules)
    build_fmu(MODEL, tmp_path / "a.fmu")
    assert sys.path == path
    assert not [name for name in set(sys.modules) - modules if name.startswith("kinetab_")]


def test_a_name_that_is_no_identifier(tmp_path):
    path = build_fmu(replace(MODEL, name="Front axle <2>"), tmp_path / "a.fmu")
    root = description(path)
    assert root.get("modelName") == "Front axle <2>"
    assert root.find("CoSimulation").get("modelIdentifier") == "Front_axle__2_"
    assert "binaries/linux64/Front_axle__2_.so" in names(path)


def test_an_existing_file_is_replaced(tmp_path):
    path = tmp_path / "a.fmu"
    path.write_text("old")
    build_fmu(MODEL, path)
    assert zipfile.is_zipfile(path)


def test_a_failed_build_leaves_an_existing_file_alone(tmp_path):
    path = tmp_path / "a.fmu"
    path.write_text("old")
    with pytest.raises(TableFormatError, match="cannot be written"):
        build_fmu(replace(MODEL, step_size=-1.0), path)
    with pytest.raises(BuildError, match="no legal FMI variable name"):
        build_fmu(replace(MODEL, ports=(PortInfo("a b", 0),)), path)
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.fmu"]


def test_a_place_that_cannot_be_written_is_an_error_in_words(tmp_path):
    with pytest.raises(BuildError, match="cannot write the FMU .*missing.*choose another place"):
        build_fmu(MODEL, tmp_path / "missing" / "a.fmu")
    (tmp_path / "folder.fmu").mkdir()
    with pytest.raises(BuildError, match=r"cannot write the FMU .*folder\.fmu"):
        build_fmu(MODEL, tmp_path / "folder.fmu")
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder.fmu"]
