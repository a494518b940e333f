"""FMUs of all kinds that start at rest under loads which are given before the end of initialization."""

from ctypes import c_size_t
from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_baked import baked, baked_file
from helpers_fmi import ERROR, OK, WARNING, Component, Unpacked, reals, references
from helpers_kinds import NO_FRONT, builder
from helpers_stiff import stiff_pendulum

from precompute.cli import main
from precompute.mechanism_file import load
from precompute.running.simulation import SimulationError
from precompute.verify.motion.full_motion import at_rest
from precompute.verify.verification import verify

pytestmark = [pytest.mark.fmu, NO_FRONT]

KINDS = ("native", "python", "numpy")
REST = 1e-9 * 9.81
LOAD = {"port.bob.F[1]": 30.0, "port.bob.F[2]": -12.0, "port.bob.M[3]": 1.5}


@pytest.fixture(scope="module")
def fmus(tmp_path_factory):
    """kind -> a pendulum on a bushing, unpacked."""
    folder = tmp_path_factory.mktemp("static")
    model = stiff_pendulum(nodes=25)
    model = replace(model, starts=tuple(replace(start, rate=0.0) for start in model.starts))
    return {kind: Unpacked(builder(kind)(model, folder / f"{kind}.fmu"), folder / kind) for kind in KINDS}


class Beginning(Component):
    """An instance in initialization mode that is to start at rest."""

    def __init__(self, fmu):
        super().__init__(fmu)
        self.begin()

    def begin(self, **values):
        assert self.call("SetupExperiment", 0, 0.0, 0.0, 0, 0.0) == OK
        assert self.call("EnterInitializationMode") <= WARNING
        for name, value in {"solver.static": 1.0, **values}.items():
            assert self.set(name, value) == OK
        return self

    def load(self, **values):
        for name, value in (values or LOAD).items():
            assert self.set(name, value) == OK
        return self.call("ExitInitializationMode")

    def everything(self):
        return np.array(self.get(*range(len(self.fmu.references))))


def test_all_kinds_start_at_rest_at_the_same_place(fmus):
    found = {}
    for kind, fmu in fmus.items():
        component = Beginning(fmu)
        assert component.load() == OK
        assert abs(component.get("qdd.theta")[0]) < REST
        found[kind] = component.everything()
        assert component.step(0.0, 1e-3) == OK
        np.testing.assert_allclose(component.get("q.theta", "q.mount.x"), found[kind][[fmu.references["q.theta"],
                                   fmu.references["q.mount.x"]]], rtol=0, atol=1e-14)  # fmt: skip
        component.free()
    assert found["native"].tobytes() == found["python"].tobytes()
    np.testing.assert_allclose(found["numpy"], found["native"], rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_no_equilibrium_is_an_error_with_the_coordinate_and_can_be_mended(fmus, kind):
    component = Beginning(fmus[kind])
    assert component.load(**{"Q.theta": 500.0}) == ERROR
    assert "no static equilibrium was found: 'theta' came to " in component.log[-1][3]
    assert component.load(**{"Q.theta": 1.0}) == OK
    assert abs(component.get("qdd.theta")[0]) < REST
    component.free()


@pytest.mark.parametrize("kind", KINDS)
def test_outputs_may_be_read_before_loads_are_set(fmus, kind):
    """Some masters do so; what has no equilibrium yet is where it would start without."""
    component = Beginning(fmus[kind])
    assert component.set("Q.theta", 500.0) == OK and component.get("q.theta") == [0.7]
    assert component.set("Q.theta", 0.0) == OK
    hanging = component.get("q.theta")
    assert component.load() == OK
    late = component.everything()
    component.free()
    component = Beginning(fmus[kind])
    assert component.load() == OK
    np.testing.assert_array_equal(component.everything(), late)
    assert abs(component.get("q.theta")[0] - hanging[0]) > 0.1
    component.free()


@pytest.mark.parametrize("kind", KINDS)
def test_states_and_resets_start_the_same(fmus, kind):
    component = Beginning(fmus[kind])
    before = component.save()
    assert component.load() == OK
    expected, running = component.everything(), component.save()
    assert component.step(0.0, 1e-3) == OK
    after = component.everything()
    assert component.call("SetFMUstate", running) == OK and component.step(0.0, 1e-3) == OK
    np.testing.assert_array_equal(component.everything(), after)
    assert component.call("SetFMUstate", before) == OK and component.load() == OK
    np.testing.assert_array_equal(component.everything(), expected)
    assert component.call("Reset") == OK and component.get("solver.static") == [0.0]
    component.begin()
    assert component.load() == OK
    np.testing.assert_array_equal(component.everything(), expected)
    component.free()


@pytest.mark.parametrize("kind", KINDS)
def test_a_start_rate_that_is_not_used_is_a_warning(fmus, kind):
    component = Beginning(fmus[kind])
    assert component.load(**{"qd_start.mount.x": 0.2}) == WARNING
    assert "parameter 'qd_start.mount.x' = 0.2 m/s is not used" in component.log[-1][3]
    assert component.get("qd.mount.x") == [0.0]
    component.free()


def test_positions_at_rest_have_derivatives_by_loads(fmus):
    component, h = Beginning(fmus["native"]), 1e-3
    assert component.set("port.bob.F[1]", 30.0) == OK
    force, angle = (references(component.fmu.references[name]) for name in ("port.bob.F[1]", "q.theta"))
    slope, one = reals(0.0), c_size_t(1)
    assert component.call("GetDirectionalDerivative", angle, one, force, one, reals(1.0), slope) == OK
    ends = []
    for load_ in (30.0 - h, 30.0 + h):
        assert component.set("port.bob.F[1]", load_) == OK
        ends.append(component.get("q.theta")[0])
    assert slope[0] == pytest.approx((ends[1] - ends[0]) / (2 * h), rel=1e-5) and abs(slope[0]) > 1e-3
    component.free()


# --- a suspension -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    """A trailing arm with its wheel load, native."""
    model = baked(load(MECHANISMS / "short" / "trailing_arm.toml"))
    return builder("native")(model, tmp_path_factory.mktemp("arm") / "Arm.fmu")


def test_the_full_model_is_at_rest_there_too(arm):
    result = verify(arm, stop=0.2, free=True, values={"solver.static": 1.0, "port.contact.F[3]": 3300.0})
    assert result.worst("mm").span < 1e-4 and result.worst("mm").error < 1e-4


def test_a_manoeuvre_may_begin_at_rest(arm):
    assert verify(arm, values={"solver.static": 1.0, "port.contact.F[3]": 3300.0}).passed


def test_where_several_charts_serve_verify_says_so():
    with pytest.raises(SimulationError, match="with 'solver.static' = 1 the full model cannot be started"):
        at_rest(baked_file("crank_slider_charts"), None)


def test_the_command_starts_at_rest(arm, capsys):
    command = ["run", str(arm), "--stop", "0.2", "--show", "pivot", "--set", "port.contact.F[3]=3300"]
    assert main([*command, "--set", "solver.static=1"]) == 0
    (row,) = [line.split() for line in capsys.readouterr().out.splitlines() if line.split()[:1] == ["pivot"]]
    assert row[1] == row[2] == row[3] and abs(float(row[1])) > 0.1  # smallest, largest, at the end
    assert main([*command, "--set", "solver.static=1", "--set", "port.contact.F[3]=90000"]) == 1
    said = capsys.readouterr().err
    assert "no static equilibrium was found: 'pivot' is pushed with 4.56102e+07 N mm against the end" in said
    assert "29.98 deg" in said
