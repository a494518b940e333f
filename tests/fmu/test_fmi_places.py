"""Where an FMU may lie: folders with spaces, umlauts, brackets and other scripts, and the forms of their addresses."""

import sys
from ctypes import CDLL, create_string_buffer
from urllib.parse import quote

import pytest
from helpers_fmi import Component, Unpacked
from helpers_kinds import FRONTS, builder
from helpers_model import crank_slider

from fmu_src.build.compile import KERNEL, compile_c, compiler, current_platform

pytestmark = pytest.mark.fmu

FOLDERS = ("with space", "Fahrwerk für Übung", "a[1]+(b)#c&d'e", "100%", "%41", "後輪 サスペンション", "ünï🚗")


@pytest.fixture(scope="module", params=FRONTS)
def path(request, tmp_path_factory):
    return builder(request.param)(crank_slider(), tmp_path_factory.mktemp("fmus") / "crank.fmu")


@pytest.mark.parametrize("name", FOLDERS)
def test_odd_places(name, path, tmp_path):
    component = Component(Unpacked(path, tmp_path / name))
    assert component.component, component.log
    component.free()


@pytest.mark.skipif(sys.platform == "win32", reason="other paths")
def test_forms_of_the_resource_location(path, tmp_path):
    fmu = Unpacked(path, tmp_path / "für 100%")
    plain = str(fmu.folder / "resources")
    encoded = quote(plain)
    unencoded = plain.replace("%", "%25")
    for uri in (
        f"file://{encoded}",
        f"file:{encoded}",
        f"file://localhost{encoded}",
        f"file://{encoded}/",
        f"file://{encoded}".replace("%C3%BC", "%c3%bc"),
        f"file://{unencoded}",
        f"file://{plain}",  # a % without two digits stands for itself
        plain,
    ):
        component = Component(fmu, uri=uri)
        assert component.component, (uri, component.log)
        component.free()
    for uri in ("", "file:", "http://somewhere/x"):
        component = Component(fmu, uri=uri)
        assert component.component is None and not component.blocks and component.log[-1][3]


@pytest.mark.skipif(sys.platform == "win32", reason="there it is tested as it is")
def test_drive_letters(tmp_path):
    """As the part that decodes addresses, compiled as for Windows, sees them."""
    tool = compiler(current_platform())
    made = compile_c(tool, [KERNEL / "location.c"], tmp_path / "a.so", ("-std=c99", "-fPIC", "-shared", "-D_WIN32"))
    decode, path = CDLL(str(made)).kt_model_path, create_string_buffer(200)
    for uri, expected in (
        ("file:///C:/a%20b/resources", "C:/a b/resources/model.kinetab"),
        ("file:/C:/a", "C:/a/model.kinetab"),
        ("file://localhost/C:/%C3%BC", "C:/ü/model.kinetab"),
        ("file://server/share/a", "//server/share/a/model.kinetab"),
        ("C:/a%20b", "C:/a%20b/model.kinetab"),
    ):
        decode(uri.encode(), path)
        assert path.value.decode() == expected
