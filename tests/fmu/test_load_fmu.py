"""Loads in both FMUs: the same numbers to the bit, states that come back, steps that do not feel who reads what."""

import json

import numpy as np
import pytest
from fmpy.validation import validate_fmu
from helpers import GOLDEN
from helpers_baked import baked
from helpers_corner import document
from helpers_fmu import Host
from helpers_loads import BEARINGS, CRANK_AXIS, CRANK_SPEED, driven_rssr, watched

from fmu_src.build.native_fmu import build_native_fmu
from fmu_src.build.python_fmu import build_fmu
from precompute.mechanism_file import from_document

pytestmark = pytest.mark.fmu

SIZE = 1e-3


@pytest.fixture(scope="module")
def fmus(tmp_path_factory):
    model = baked(watched(from_document(document(stiff=True)), "joint"))
    folder = tmp_path_factory.mktemp("loads")
    return {
        "native": build_native_fmu(model, folder / "native.fmu"),
        "python": build_fmu(model, folder / "python.fmu"),
    }


def loads_of(host):
    return [
        name for name in host.references if name.startswith(("joint.", "rod.", "marker.wheel.a[", "marker.wheel.wd["))
    ]


def run(path, reading):
    """All outputs at the end of a run in which loads are read at every step, or never."""
    host = Host(path).start()
    for name, value in (("chassis.w[3]", 0.3), ("chassis.vd[2]", 4.0), ("port.wheel.F[2]", -900.0)):
        host.set(name, value)
    for i in range(20):
        host.step(i * SIZE, SIZE)
        if reading:
            host.get(*loads_of(host))
    names = [name for name in host.references if name.startswith(("q", "energy")) or name in loads_of(host)]
    found = dict(zip(names, host.get(*names), strict=True))
    host.close()
    return found


def test_both_give_the_same_whoever_reads_them_and_are_valid(fmus):
    native, python = (run(path, reading=True) for path in fmus.values())
    assert native == python == run(fmus["native"], reading=False)
    assert sum(name.startswith("joint.") for name in native) == 13 and native["joint.ball.F[3]"] != 0.0
    assert [validate_fmu(str(path)) for path in fmus.values()] == [[], []]


@pytest.mark.parametrize("kind", ["native", "python"])
def test_states_come_back(kind, fmus):
    host = Host(fmus[kind]).start()
    names = loads_of(host)
    for i in range(5):
        host.step(i * SIZE, SIZE)
    state = host.fmu.getFMUState()
    before = host.get(*names)
    for i in range(5, 9):
        host.step(i * SIZE, SIZE)
    assert host.get(*names) != before
    host.fmu.setFMUState(state)
    assert host.get(*names) == before
    host.fmu.freeFMUState(state)
    host.close()


@pytest.mark.parametrize("kind", ["native", "python"])
def test_the_published_linkage(kind, tmp_path):
    """Forces in the balls and the torque at all crank angles, the bearings at two, from an FMU that is driven there."""
    golden = json.loads((GOLDEN / "rssr.json").read_text())
    build = build_native_fmu if kind == "native" else build_fmu
    host = Host(build(baked(driven_rssr()), tmp_path / "rssr.fmu")).start()

    def vector(name):
        return np.array(host.get(*(f"joint.{name}[{i}]" for i in (1, 2, 3))))

    for k, psi in enumerate(golden["psi_deg"]):
        for name, value in (("q", np.radians(psi)), ("qd", CRANK_SPEED), ("qdd", 0.0)):
            host.set(f"drive.crank.{name}", value)
        host.step(k * 1e-9, 1e-9)
        np.testing.assert_allclose(vector("A.F"), golden["fA_RSSR"][k], rtol=0.0, atol=1e-7)
        np.testing.assert_allclose(vector("B.F"), -np.array(golden["fB_RSSR"][k]), rtol=0.0, atol=1e-7)
        assert vector("crank.M") @ CRANK_AXIS == pytest.approx(golden["tau_RSSR"][k], abs=1e-8)
        for name, expected in BEARINGS.get(psi, {}).items():
            np.testing.assert_allclose(vector(name), expected, rtol=0.0, atol=1e-7)
    host.close()


def test_derivatives_with_respect_to_a_load(fmus):
    """A force on the wheel, against the difference that it makes: loads are linear in it."""
    host = Host(fmus["native"]).start()
    names = loads_of(host)
    known = host.references["port.wheel.F[2]"]
    found = [host.fmu.getDirectionalDerivative([host.references[name]], [known], [1.0])[0] for name in names]
    before = np.array(host.get(*names))
    host.set("port.wheel.F[2]", host.get("port.wheel.F[2]")[0] + 100.0)
    np.testing.assert_allclose(found, (np.array(host.get(*names)) - before) / 100.0, rtol=1e-7, atol=1e-9)
    host.close()
