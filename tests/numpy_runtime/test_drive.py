"""Driven coordinates, with each of the three ways of integrating."""

from dataclasses import replace

import numpy as np
import pytest
from helpers_model import defaults, double_pendulum
from helpers_stiff import C1, C2, stiff_pendulum

from fmu_src.interface.variables import layout, variables
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.outputs import outputs
from fmu_src.numpy_runtime.state import State
from fmu_src.numpy_runtime.steps.integrator import advance

WAYS = {"implicit": {}, "quasistatic": {"quasistatic": True}, "moving": {"moving": True}}
STEP = 1e-3


def driven_pendulum(driven):
    """The double pendulum whose upper rod is driven."""
    model = double_pendulum()
    first = replace(model.coordinates[0], driven=driven, filter_time=0.05 * (driven == "filtered"))
    return replace(model, coordinates=(first, model.coordinates[1]))


def named(charts, state, p, u):
    model = charts[0].model
    names = [variable.name for variable in variables(model)[layout(model).outputs]]
    return dict(zip(names, outputs(charts, state, p, u), strict=True))


def wave(t):
    """Position, rate, acceleration."""
    return 0.3 + 0.2 * np.sin(5 * t), np.cos(5 * t), -5 * np.sin(5 * t)


@pytest.mark.parametrize("way", [*WAYS, "explicit"])
def test_the_motion_is_the_one_that_is_given(way):
    model = driven_pendulum("direct") if way == "explicit" else stiff_pendulum(driven="direct", **WAYS[way])
    charts, p = prepare(model), defaults(model)
    u, at = np.zeros(charts[0].slots.count), charts[0].slots.drives[0].first
    state = State(0.0, 0, 0, np.zeros(charts[0].nz), np.zeros(charts[0].nz))
    for i in range(50):
        u[at : at + 3] = q, qd, qdd = wave(i * STEP)
        state = advance(charts, state, STEP, p, u, STEP)
        assert state.z[0] == pytest.approx(q + qd * STEP + qdd * STEP**2 / 2, abs=1e-14)
        assert state.zd[0] == pytest.approx(qd + qdd * STEP, abs=1e-12)
        assert named(charts, state, p, u)[f"qdd.{model.coordinates[0].name}"] == qdd


@pytest.mark.parametrize("driven", ["direct", "filtered"])
@pytest.mark.parametrize("way", [*WAYS, "explicit"])
def test_the_force_of_the_drive_moves_a_free_coordinate_alike(way, driven):
    """With the force as an input Q the accelerations of the free model are those of the driven one."""
    if way == "explicit":
        model, free = driven_pendulum(driven), double_pendulum()
    else:
        model, free = stiff_pendulum(driven=driven, **WAYS[way]), stiff_pendulum(**WAYS[way])
    charts, free_charts, p = prepare(model), prepare(free), defaults(free)
    slots, nz = charts[0].slots, charts[0].nz
    if way != "explicit":
        p[C1] = p[C2] = 20.0
    u, v = np.zeros(slots.count), np.zeros(free_charts[0].slots.count)
    u[slots.drives[0].first :][: 3 if driven == "direct" else 1] = 0.9
    u[slots.loads], v[free_charts[0].slots.loads] = np.arange(6.0), np.arange(6.0)
    if way == "moving":
        u[slots.twist], v[free_charts[0].slots.twist] = 0.4, 0.4
    state = State(0.0, 0, 0, 1e-3 * np.arange(1.0, nz + 1), 0.1 * np.arange(1.0, nz + 1))
    state.z[0] = 0.4
    name = model.coordinates[0].name
    ours = named(charts, state, p, u)
    v[0] = ours[f"drive.{name}.force"]
    theirs = named(free_charts, state, p, v)
    for key, value in theirs.items():
        assert ours[key] == pytest.approx(value, rel=1e-9, abs=1e-9), key


@pytest.mark.parametrize("way", [*WAYS, "explicit"])
def test_a_filtered_drive_follows_its_closed_form(way):
    model = driven_pendulum("filtered") if way == "explicit" else stiff_pendulum(driven="filtered", **WAYS[way])
    charts, p, T = prepare(model), defaults(model), 0.05
    u = np.zeros(charts[0].slots.count)
    u[charts[0].slots.drives[0].first] = 0.3
    state = State(0.0, 0, 0, np.zeros(charts[0].nz), np.zeros(charts[0].nz))
    for _ in range(100):
        state = advance(charts, state, STEP, p, u, STEP)
    assert state.z[0] == pytest.approx(0.3 * (1 - (1 + 0.1 / T) * np.exp(-0.1 / T)), abs=2e-7)


def test_a_fast_filter_is_stable_in_an_implicit_step():
    model = stiff_pendulum(driven="filtered")
    model = replace(model, coordinates=(replace(model.coordinates[0], filter_time=2e-4),))
    charts, p = prepare(model), defaults(model)
    u = np.zeros(charts[0].slots.count)
    u[charts[0].slots.drives[0].first] = 0.3
    state = State(0.0, 0, 0, np.zeros(3), np.zeros(3))
    for _ in range(20):
        state = advance(charts, state, STEP, p, u, STEP)
    assert state.z[0] == pytest.approx(0.3, abs=1e-6)
