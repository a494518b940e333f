"""Saved states of both FMUs: exact to the bit, also as bytes and in another process."""

from dataclasses import replace

import pytest
from helpers_baked import baked_file
from helpers_fmi import ERROR, OK, Component, Unpacked
from helpers_fmu import python
from helpers_kinds import FRONTS, builder
from helpers_model import crank_slider, double_pendulum
from helpers_stiff import stiff_pendulum

import fmu_src.interface.variables

pytestmark = pytest.mark.fmu

MODELS = {
    "crank": crank_slider(),
    "pendulum": double_pendulum(nodes=15),
    "stiff": stiff_pendulum(nodes=15, moving=True),
    "rolling": baked_file("rolling_disc"),
    "midpoint": replace(stiff_pendulum(nodes=15), name="Midpoint", method="midpoint"),
}
SIZE = 1e-3


@pytest.fixture(scope="module", params=FRONTS)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def fmus(kind, tmp_path_factory):
    """name -> path of the FMU."""
    folder = tmp_path_factory.mktemp("states")
    return {name: builder(kind)(model, folder / f"{name}.fmu") for name, model in MODELS.items()}


@pytest.fixture(scope="module")
def unpacked(fmus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    return {name: Unpacked(path, folder / name) for name, path in fmus.items()}


@pytest.mark.parametrize("name", MODELS)
def test_a_saved_state_is_exact(name, unpacked):
    component = Component(unpacked[name]).initialize()
    everything = list(component.fmu.references.values())
    component.step(0.0, SIZE)
    state = component.save()
    at_save = component.get(*everything)
    component.step(SIZE, SIZE)
    after = component.get(*everything)
    other = component.save()
    assert component.save(other).value == other.value  # used again
    block = component.to_bytes(state)
    component.step(2 * SIZE, SIZE)

    for saved in (state, component.from_bytes(block)):
        assert component.call("SetFMUstate", saved) == OK
        assert component.get(*everything) == at_save
        assert component.step(SIZE, SIZE) == OK
        assert component.get(*everything) == after
        assert component.to_bytes(component.save()) == component.to_bytes(other)
    assert component.call("Terminate") == OK and component.call("SetFMUstate", state) == OK
    assert component.step(SIZE, SIZE) == OK and component.get(*everything) == after
    component.free()


CONTINUE = """
import sys
from pathlib import Path
from helpers_fmi import Component, Unpacked
component = Component(Unpacked(sys.argv[1], sys.argv[2]))
state = component.from_bytes(bytes.fromhex(Path(sys.argv[3]).read_text()))
assert component.call("SetFMUstate", state) == 0
for i in range(50, 100):
    assert component.step(i * 1e-3, 1e-3) == 0
print(*(x.hex() for x in component.get(*component.fmu.references.values())))
"""


def test_another_process_goes_on_to_the_bit(fmus, unpacked, tmp_path):
    component = Component(unpacked["stiff"]).initialize()
    for i in range(100):
        if i == 50:
            (tmp_path / "state").write_text(component.to_bytes(component.save()).hex())
        assert component.step(i * SIZE, SIZE) == OK
    expected = component.get(*component.fmu.references.values())
    component.free()
    done = python(CONTINUE, fmus["stiff"], tmp_path / "there", tmp_path / "state")
    assert done.returncode == 0, done.stderr
    assert [float.fromhex(word) for word in done.stdout.split()] == expected


@pytest.mark.parametrize("kind", FRONTS[:2])  # the third computes it inside the FMU
def test_a_state_of_another_version_is_refused(kind, tmp_path, monkeypatch):
    """Of the same model, baked by another version of kinetab."""
    component = Component(Unpacked(builder(kind)(MODELS["crank"], tmp_path / "a.fmu"), tmp_path / "a")).initialize()
    monkeypatch.setattr(fmu_src.interface.variables, "__version__", "0.0.0")
    other = Component(Unpacked(builder(kind)(MODELS["crank"], tmp_path / "b.fmu"), tmp_path / "b"))
    state = other.save()
    assert component.call("SetFMUstate", state) == ERROR
    assert "is not one of this model" in component.log[-1][3]
    component.free(), other.free()
