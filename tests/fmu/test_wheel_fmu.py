"""Wheels in both FMUs: the same numbers, the same error, derivatives along the normal of the road."""

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu
from helpers_fmu import Host
from helpers_model import double_pendulum

from fmu_src.build.native_fmu import build_native_fmu
from fmu_src.build.python_fmu import build_fmu
from fmu_src.model.reduced_model import WheelInfo

pytestmark = pytest.mark.fmu

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
WHEEL = WheelInfo("tip", 0, (0.0, 1.0, 0.0), "left", 0.25, (0.0, -1.3, 0.0), AXES, -0.25)
SIZE = 1e-3


@pytest.fixture(scope="module")
def fmus(tmp_path_factory):
    folder, model = tmp_path_factory.mktemp("wheels"), double_pendulum(nodes=15, wheels=(WHEEL,))
    return {
        "native": build_native_fmu(model, folder / "native.fmu"),
        "python": build_fmu(model, folder / "python.fmu"),
    }


def run(path):
    """All outputs of a run with loads at the contact, on a road that leans."""
    host = Host(path).start()
    for name, value in (("F[1]", -20.0), ("F[3]", 50.0), ("M[3]", 2.0), ("torque", -3.0), ("spin", 8.0)):
        host.set(f"wheel.tip.{name}", value)
    host.set("wheel.tip.road.n[2]", 0.2)
    for i in range(20):
        host.step(i * SIZE, SIZE)
    names = [name for name in host.references if name.startswith(("q", "energy", "wheel.tip."))]
    found = host.get(*names)
    host.close()
    return dict(zip(names, found, strict=True))


def test_both_give_the_same_and_are_valid(fmus):
    native, python = (run(path) for path in fmus.values())
    assert native == python
    assert [validate_fmu(str(path)) for path in fmus.values()] == [[], []]
    r, centre = (np.array([native[f"wheel.tip.contact.{s}[{i}]"] for i in (1, 2, 3)]) for s in "rx")
    assert r[2] == pytest.approx(-0.25, abs=0.01) and centre @ centre == pytest.approx(1.0)


@pytest.mark.parametrize("kind", ["native", "python"])
def test_a_wheel_that_lies_flat_is_an_error_and_no_end(kind, fmus):
    host = Host(fmus[kind]).start()

    def lay_flat():
        yaw = host.get("marker.tip.angle[3]")[0]
        for i, value in enumerate((-np.sin(yaw), np.cos(yaw), 0.0)):
            host.set(f"wheel.tip.road.n[{i + 1}]", value)

    lay_flat()
    with pytest.raises(FMICallException):
        host.get("wheel.tip.contact.r[1]")
    host.get("q.alpha")  # which has nothing to do with it
    host.step(0.0, SIZE)  # nor has a motion without loads on the wheel
    host.set("wheel.tip.F[3]", 10.0)
    lay_flat()
    with pytest.raises(FMICallException):
        host.step(SIZE, SIZE)
    for i in (1, 2, 3):  # a road without a normal is level
        host.set(f"wheel.tip.road.n[{i}]", 0.0)
    host.step(SIZE, SIZE)
    host.close()


def test_derivatives_along_the_normal_of_the_road(fmus):
    """Of the contact r - R p/|p|; the normal is not of length one."""
    host = Host(fmus["native"]).start()
    host.set("wheel.tip.road.n[3]", 3.0)
    known, unknown = host.references["wheel.tip.road.n[1]"], host.references["wheel.tip.contact.r[1]"]
    yaw = host.get("marker.tip.angle[3]")[0]
    (slope,) = host.fmu.getDirectionalDerivative([unknown], [known], [1.0])
    assert slope == pytest.approx(-0.25 / 3.0 * np.cos(yaw) ** 2, abs=1e-6)
    known = host.references["wheel.tip.F[2]"]
    (slope,) = host.fmu.getDirectionalDerivative([host.references["qdd.beta"]], [known], [1.0])
    before = host.get("qdd.beta")[0]
    host.set("wheel.tip.F[2]", 1.0)
    assert slope == pytest.approx(host.get("qdd.beta")[0] - before, rel=1e-9)
    host.close()
