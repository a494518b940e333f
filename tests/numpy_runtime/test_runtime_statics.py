"""Starts at rest: models whose equilibria are known otherwise."""

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers_model import crank_slider, double_pendulum
from helpers_stiff import K1, K12, KS, dalembert, law_force, stiff_pendulum
from hypothesis import given
from hypothesis import strategies as st

from fmu_src.errors import StepError, TableRangeError
from fmu_src.interface.variables import SOLVER_STATIC
from fmu_src.model.reduced_model import DisplayUnit
from fmu_src.numpy_runtime.dynamics import mechanics, prepare, static_force
from fmu_src.numpy_runtime.instance import Instance

CHARTS = {
    name: prepare(stiff_pendulum(**changes))
    for name, changes in {
        "stiff": {},
        "moving": {"moving": True},
        "quasistatic": {"quasistatic": True},
        "direct": {"driven": "direct"},
        "filtered": {"driven": "filtered"},
    }.items()
}
PENDULUM = prepare(double_pendulum(nodes=15))

REST = 9.81e-9
"""[m/s2, rad/s2] What counts as no acceleration: a part of gravity."""

TABLES = 1e-6
"""[m/s2, rad/s2] The same of the exact mechanism, to what the tables of the models hold."""


class Started:
    """An instance after initialization, by names."""

    def __init__(self, charts, **values):
        self.instance = Instance(charts)
        self.references = {variable.name: i for i, variable in enumerate(self.instance.variables)}
        self.instance.set([SOLVER_STATIC], [1.0])
        self.instance.set([self.references[name] for name in values], list(values.values()))
        self.instance.setup(0.0)
        self.instance.enter_initialization()
        self.said = self.instance.exit_initialization()

    def get(self, *names):
        return np.array(self.instance.get([self.references[name] for name in names]))


def bob(values):
    return {f"port.bob.F[{i + 1}]": x for i, x in enumerate(values)}


# --- equilibria -------------------------------------------------------------------------------------------------------


@given(load=st.tuples(*[st.floats(-40.0, 40.0)] * 3).map(np.array), torque=st.floats(-3.0, 3.0))
def test_by_dalembert_nothing_is_accelerated(load, torque):
    charts = CHARTS["stiff"]
    found = Started(charts, **bob(load), **{"port.bob.M[3]": torque})
    z, p = found.get("q.theta", "q.mount.x", "q.mount.y"), found.instance._parameters()
    still = np.zeros(3)
    zdd = dalembert(z, still, p[:3], law_force(z, still, p), F=load, M=np.array([0.0, 0.0, torque]))[0]
    assert np.abs(zdd).max() < TABLES
    assert np.abs(found.get("qd.theta", "qd.mount.x", "qd.mount.y")).max() == 0.0
    assert abs(found.get("qdd.theta")[0]) < REST


def test_steady_cornering_counts_like_gravity():
    """A chassis that turns and accelerates: at rest in its axes, by d'Alembert."""
    V, Vd = np.array([0.0, 0.0, 0.8, 12.0, 0.5, 0.0]), np.array([0.0, 0.0, 0.3, 2.0, -1.0, 0.0])
    names = [f"chassis.{s}[{i}]" for s in ("w", "v", "wd", "vd") for i in (1, 2, 3)]
    found = Started(CHARTS["moving"], **dict(zip(names, [*V, *Vd], strict=True)))
    z, p, still = found.get("q.theta", "q.mount.x", "q.mount.y"), found.instance._parameters(), np.zeros(3)
    assert np.abs(dalembert(z, still, p[:3], law_force(z, still, p), V, Vd)[0]).max() < TABLES
    assert abs(found.get("qdd.theta")[0]) < REST
    assert np.abs(z - Started(CHARTS["moving"]).get("q.theta", "q.mount.x", "q.mount.y")).min() > 1e-6


def test_quasistatic_deflections_and_dynamic_ones_are_in_the_same_equilibrium():
    load = bob([30.0, -20.0, 0.0])
    names = ("q.theta", "q.mount.x", "q.mount.y", "spring.tip.force", "marker.bob.r[1]")
    a, b = (Started(CHARTS[name], **load).get(*names) for name in ("stiff", "quasistatic"))
    np.testing.assert_allclose(a, b, rtol=1e-11)


def test_a_stop_is_leaned_on():
    """The spring of the tip is pushed into its stop, fifty thousand times as stiff."""
    values = {"port.tip.F[1]": 40.0, "port.tip.F[2]": 20.0, "spring.tip.stop_below.k": 5e5}
    found = Started(PENDULUM, **values, **{"spring.tip.stop_below.at": 1.6})
    assert 1.599 < found.get("spring.tip.length")[0] < 1.6
    assert np.abs(found.get("qdd.alpha", "qdd.beta")).max() < REST


def test_a_start_in_the_air_comes_to_the_same_rest():
    ends = [Started(PENDULUM, **{"q_start.alpha": a, "q_start.beta": b}) for a in (-1.2, 1.5) for b in (-1.7, 1.7)]
    for found in ends:
        np.testing.assert_allclose(found.get("q.alpha", "q.beta"), ends[0].get("q.alpha", "q.beta"), atol=1e-13)


def test_a_motion_that_starts_at_rest_stays_there():
    found = Started(CHARTS["stiff"], **bob([30.0, -20.0, 0.0]))
    names = ("q.theta", "q.mount.x", "q.mount.y")
    start = found.get(*names)
    for i in range(50):
        found.instance.step(i * 1e-2, 1e-2)
    np.testing.assert_allclose(found.get(*names), start, atol=1e-13)


# --- drives -----------------------------------------------------------------------------------------------------------


def test_a_drive_says_where_its_coordinate_is():
    found = Started(CHARTS["direct"], **{"drive.theta.q": 0.4, "drive.theta.qd": 0.0})
    z, p, still = found.get("q.theta", "q.mount.x", "q.mount.y"), found.instance._parameters(), np.zeros(3)
    assert z[0] == 0.4 and found.said is None
    runtime, inputs = CHARTS["direct"][0], found.instance._inputs()
    assert np.abs(static_force(runtime, mechanics(runtime, z), p, inputs)[1:]).max() < 1e-9
    assert np.abs(found.get("qd.theta", "qd.mount.x", "qd.mount.y") - still).max() == 0.0


def test_the_rate_of_a_drive_does_not_count_and_stays():
    slow, fast = (Started(CHARTS["direct"], **{"drive.theta.q": 0.4, "drive.theta.qd": v}) for v in (0.0, 2.0))
    np.testing.assert_array_equal(fast.get("q.mount.x", "q.mount.y"), slow.get("q.mount.x", "q.mount.y"))
    assert fast.get("qd.theta")[0] == 2.0


def test_what_follows_through_a_filter_has_arrived():
    found = Started(CHARTS["filtered"], **{"drive.theta.q": 0.4, "q_start.theta": -1.0, "qd_start.theta": 0.0})
    np.testing.assert_array_equal(found.get("q.theta", "qd.theta", "qdd.theta"), [0.4, 0.0, 0.0])


# --- what is said -----------------------------------------------------------------------------------------------------


def test_a_start_rate_is_told_to_be_unused():
    text = "parameter 'qd_start.theta' = 0.5 rad/s is not used: with 'solver.static' = 1 the motion starts at rest"
    assert Started(CHARTS["stiff"]).said == text
    assert Started(CHARTS["stiff"], **{"qd_start.theta": 0.0}).said is None
    text = "parameter 'qd_start.mount.x' = -0.1 m/s is not used"
    assert Started(CHARTS["stiff"], **{"qd_start.theta": 0.0, "qd_start.mount.x": -0.1}).said.startswith(text)


def test_a_load_without_equilibrium_names_the_coordinate_in_the_units_of_the_file():
    model = double_pendulum(nodes=15)
    told = {"told": DisplayUnit("deg", 180.0 / math.pi), "told_effort": DisplayUnit("N mm", 1e3)}
    chart = replace(model.charts[0], axes=tuple(replace(axis, **told) for axis in model.charts[0].axes))
    text = (
        r"at t = 0 s: no static equilibrium was found: 'alpha' is pushed with 478834 N mm against the end of its "
        r"table, 91\.6732 deg; check the loads and the springs, .* or set 'solver.static' = 0"
    )
    with pytest.raises(StepError, match=text):
        Started(prepare(replace(model, charts=(chart,))), **{"Q.alpha": 500.0})


def test_a_deflection_that_nothing_holds_is_named():
    charts = CHARTS["stiff"]
    names = [charts[0].model.parameters[i].name for i in (K1, K12, KS)]
    text = r"'mount\.x' is pushed with 19\.62 N to 1 m, 100 times what its tables hold; .* held by a bushing"
    with pytest.raises(StepError, match=text):
        Started(charts, **dict.fromkeys(names, 0.0))


def test_what_goes_round_and_round_is_no_equilibrium():
    with pytest.raises(
        StepError, match=r"no static equilibrium was found: 'theta' came to .* rad, where .* N.m is left"
    ):
        Started(CHARTS["stiff"], **{"Q.theta": 500.0})


def test_an_equilibrium_on_the_top_is_refused():
    """A crank on its dead point, where the spring of the slider is longest."""
    text = (
        r"is not stable: any motion leads away from it; start near the one that is meant, with the parameters 'q_start'"
    )
    with pytest.raises(StepError, match=text):
        Started(prepare(crank_slider(nodes=25)))


def test_outside_a_table_a_drive_is_refused():
    charts = prepare(stiff_pendulum(driven="direct", outside="error"))
    with pytest.raises(TableRangeError, match="coordinate 'theta' = 2 rad is outside its table"):
        Started(charts, **{"drive.theta.q": 2.0})


def test_a_table_that_is_continued_may_be_left_and_that_is_said():
    charts = prepare(double_pendulum(nodes=15, outside="linear"))
    found = Started(charts, **{"Q.alpha": 25.0})
    assert found.get("q.alpha")[0] > 1.6 and "is outside its table" in found.said
    assert np.abs(found.get("qdd.alpha", "qdd.beta")).max() < REST
