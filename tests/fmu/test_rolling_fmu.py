"""A disc on the floor in both FMUs: the same numbers to the bit, start values, states, reset, derivatives."""

import numpy as np
import pytest
from fmpy.validation import validate_fmu
from helpers_baked import baked_file
from helpers_fmu import Host

from fmu_src.build.native_fmu import build_native_fmu
from fmu_src.build.python_fmu import build_fmu

pytestmark = pytest.mark.fmu

SIZE = 2e-3
PLACE = ("q.heading", "q.lean", "q.spin", "q.x", "q.y", "qd.x", "qd.y", "energy.total")
FORCE = tuple(f"joint.contact.F[{i}]" for i in (1, 2, 3))


@pytest.fixture(scope="module")
def fmus(tmp_path_factory):
    folder, model = tmp_path_factory.mktemp("rolling"), baked_file("rolling_disc")
    return {
        "native": build_native_fmu(model, folder / "native.fmu"),
        "python": build_fmu(model, folder / "python.fmu"),
    }


def led(host, times):
    """Steps with inputs that change, and all outputs after each."""
    names = [name for name in host.references if name.split("_start")[0] not in ("q", "qd")]
    found = []
    for i in times:
        host.set("Q.lean", 0.1 * np.sin(i))
        host.set("Q.heading", 0.2 * np.cos(3.0 * i))
        host.step(i * SIZE, SIZE)
        found.append(host.get(*names))
    return found


def test_both_give_the_same_and_are_valid(fmus):
    found = []
    for path in fmus.values():
        host = Host(path).start()
        found.append(led(host, range(50)))
        host.close()
    assert found[0] == found[1]
    assert [validate_fmu(str(path)) for path in fmus.values()] == [[], []]


@pytest.mark.parametrize("kind", ["native", "python"])
def test_the_golden_disc_in_an_fmu(kind, fmus):
    host = Host(fmus[kind]).start()
    for i in range(1000):
        host.step(i * SIZE, SIZE)
    expected = (2.299260834913, 1.155101376548 - 0.5 * np.pi, -12.583683757739, 1.600097795021, 5.082150921713)
    np.testing.assert_allclose(host.get(*PLACE[:5]), expected, atol=1e-7)
    np.testing.assert_allclose(host.get(*FORCE), (-4.291764097, -3.681194848, 19.563842272), atol=1e-6)
    assert host.get("energy.total")[0] == pytest.approx(22.0076246324, rel=1e-9)
    host.close()


@pytest.mark.parametrize("kind", ["native", "python"])
def test_start_values_states_and_reset(kind, fmus):
    host = Host(fmus[kind])
    for name, value in (("x", 3.0), ("y", -2.0), ("heading", 1.0), ("spin", 0.5)):
        host.set(f"q_start.{name}", value)
    host.start()
    assert host.get("q.x", "q.y", "q.heading", "q.spin") == [3.0, -2.0, 1.0, 0.5]
    np.testing.assert_allclose(host.get("qd.x", "qd.y"), 3.0 * np.array([np.cos(1.0), np.sin(1.0)]))
    led(host, range(10))
    state = host.fmu.getFMUstate()
    once = led(host, range(10, 20))
    host.fmu.setFMUstate(state)
    assert led(host, range(10, 20)) == once
    host.fmu.freeFMUstate(state)
    host.fmu.reset()
    host.start()
    assert host.get("q.x", "q.y") == [0.0, 0.0]
    host.close()


def test_derivatives_along_a_moment(fmus):
    host = Host(fmus["native"]).start()
    known, before = host.references["Q.spin"], host.get("qdd.x", *FORCE)
    unknown = [host.references[name] for name in ("qdd.x", *FORCE)]
    slopes = host.fmu.getDirectionalDerivative(unknown, [known], [1.0])
    host.set("Q.spin", 1.0)
    np.testing.assert_allclose(slopes, np.array(host.get("qdd.x", *FORCE)) - before, rtol=1e-9, atol=1e-12)
    host.close()
