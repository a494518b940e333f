"""What holds of every ready type, whatever its parameters: it is finite, rests, has true slopes, gives nothing."""

import numpy as np
import pytest
from helpers_devices import Rig
from hypothesis import given, settings
from hypothesis import strategies as st

from precompute.device_types import TYPES
from precompute.device_types.device_type import LENGTH

FEW = settings(max_examples=12, deadline=None)


def log(lower, upper):
    """Numbers over decades."""
    return st.floats(np.log(lower), np.log(upper)).map(lambda x: float(np.exp(x)))


def some(**values):
    return st.fixed_dictionaries(values)


BRANCHES = st.integers(1, 4).flatmap(
    lambda n: some(
        stiffness=log(1e4, 1e6),
        rates=st.lists(log(1e3, 1e6), min_size=n, max_size=n),
        times=st.lists(log(1e-3, 1.0), min_size=n, max_size=n),
    )
)
VALVE = st.lists(st.tuples(log(0.05, 0.5), log(50.0, 800.0)), min_size=2, max_size=4).map(
    lambda steps: np.vstack(
        [-np.cumsum(steps, axis=0)[::-1] * [1.0, 0.5], [[0.0, 0.0]], np.cumsum(steps, axis=0)]
    ).tolist()
)
MONOTUBE = {
    "valve": VALVE,
    "oil_stiffness": log(1e5, 1e7),
    "rod_area": log(5e-5, 3e-4),
    "gas_pressure": log(1e6, 4e6),
    "gas_volume": log(5e-5, 3e-4),
    "reference": st.just(0.1),
}
WINDING = {"constant": log(0.01, 10.0), "resistance": log(0.1, 10.0), "inductance": log(1e-3, 1e-1)}

VALUES = {
    "actuator": some(gain=log(1.0, 1e4), command_start=st.floats(-2.0, 2.0)),
    "maxwell": some(stiffness=log(1e3, 1e6), damping=log(10.0, 1e4), parallel=log(1.0, 1e5), reference=st.just(0.1)),
    "prony": BRANCHES,
    "hydraulic_mount": some(
        stiffness=log(5e4, 5e5),
        damping=log(1.0, 500.0),
        reference=st.just(0.1),
        area=log(1e-3, 1e-2),
        compliance=log(1e-11, 1e-10),
        track_length=log(0.05, 0.5),
        track_area=log(3e-5, 3e-4),
        resistance=log(1e6, 1e9),
        quadratic=log(1e10, 1e14),
        bellows=log(1e6, 1e9),
    ),
    "friction": some(
        coulomb=log(0.05, 0.6),
        static=log(0.6, 1.2),
        normal=log(10.0, 1e3),
        presliding=log(2e-4, 2e-3),
        breakaway=st.floats(0.1, 0.9),
        stribeck=log(0.005, 0.5),
        damping=log(1e-4, 1e-2),
        viscous=log(0.1, 100.0),
    ),
    "air_spring": some(
        pressure=log(2e5, 1e6),
        volume=log(1e-3, 5e-3),
        area=log(2e-3, 6e-3),
        reference=st.just(0.1),
        area_slope=st.floats(-5e-3, 5e-3),
        exponent=st.just(1.4),
        cooling=st.floats(0.0, 20.0),
    ),
    "monotube": some(**MONOTUBE) | some(**MONOTUBE, mount_stiffness=log(1e5, 2e6), mount_damping=log(300.0, 3e3)),
    "dc_motor": some(**WINDING, voltage_start=st.floats(-20.0, 20.0)),
    "servo": some(**WINDING, gain=log(0.1, 100.0), target_start=st.floats(-1.0, 1.0)),
    "stop": some(
        above=st.just(0.11),
        below=st.just(0.08),
        stiffness=log(1e3, 1e6),
        progressive=log(10.0, 1e4),
        power=st.floats(1.5, 5.0),
        damping=log(1e-2, 10.0),
    ),
}
"""Type -> values of its keys, for measures about 0.1."""

PASSIVE = ["maxwell", "prony", "hydraulic_mount", "friction", "air_spring", "monotube", "stop"]
"""Types without a source of energy."""


def test_all_types_are_here():
    """Those with one measure; the others have files of their own."""
    own = ("cam_traction",)  # which acts on a cam
    assert list(VALUES) == [name for name, kind in TYPES.items() if len(kind.measures) == 1 and name not in own]


@pytest.mark.parametrize("unit", ["m", "rad"])
@pytest.mark.parametrize("kind", list(VALUES))
@given(data=st.data())
@settings(FEW, max_examples=4)
def test_it_is_finite_and_its_units_fit(kind, unit, data):
    """The rig refuses formulas whose units do not fit."""
    if TYPES[kind].measures == LENGTH:
        unit = "m"
    rig = Rig.of(kind, unit, **data.draw(VALUES[kind]))
    done = rig.at(0.105, 0.3, rig.x0 * 1.01 + 1e-5, slopes=True)
    assert np.isfinite(done.F).all() and np.isfinite(done.R).all()
    assert np.isfinite(list(done.outputs.values())).all()


@pytest.mark.parametrize("kind", list(VALUES))
@given(data=st.data())
@FEW
def test_it_can_rest_anywhere(kind, data):
    """States whose rates vanish while the measure stands still, found as the static start does."""
    rig = Rig.of(kind, **data.draw(VALUES[kind]))
    s, x = data.draw(st.floats(0.08, 0.12)), rig.x0.copy()
    for _ in range(3):
        done = rig.at(s, 0.0, x, slopes=True)
        x = x - np.linalg.pinv(done.R[:, 2:], rcond=1e-10) @ done.rate if x.size else x
    largest = np.abs(rig.at(s, 0.0, rig.x0).rate).max(initial=1e-9)
    assert (np.abs(rig.at(s, 0.0, x).rate) <= 1e-9 * max(largest, 1.0)).all()


USUAL = {"hydraulic_mount": [1e-5, 1e-4], "friction": [1e-4], "air_spring": [1e-3, 0.1], "monotube": [300.0, 5e-4]}
"""How large states are, about; 1 of the others."""


@pytest.mark.parametrize("kind", list(VALUES))
@given(data=st.data(), s=st.floats(0.085, 0.118), v=log(5e-3, 0.5), sign=st.sampled_from([-1.0, 1.0]))
@FEW
def test_its_slopes_are_those_of_its_formulas(kind, data, s, v, sign):
    """Of four states in a row three at least have no corner of a table, a stop or friction in reach."""
    rig = Rig.of(kind, **data.draw(VALUES[kind]))
    x = data.draw(st.floats(0.1, 2.0)) * np.array(USUAL.get(kind, np.ones(len(rig.x0))))[: len(rig.x0)]
    errors = [rig.slope_error(f * s, f * sign * v, rig.x0 + f * x) for f in (0.97, 0.99, 1.0, 1.02)]
    assert sorted(errors)[2] < 1e-5


@pytest.mark.parametrize("kind", PASSIVE)
@given(
    data=st.data(),
    sizes=st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(-1.0, 1.0)),
    w=log(3.0, 100.0),
)
@FEW
def test_over_a_closed_cycle_from_rest_it_gives_no_energy(kind, data, sizes, w):
    """Started where it stores nothing, it has taken work when its measure is back."""
    rig = Rig.of(kind, **data.draw(VALUES[kind]))
    first = 0.1 if kind in ("hydraulic_mount", "air_spring") else data.draw(st.floats(0.085, 0.115))

    def motion(t):
        s = first + 0.006 * sum(a * np.sin(k * w * t) for k, a in enumerate(sizes, 1))
        return s, 0.006 * w * sum(k * a * np.cos(k * w * t) for k, a in enumerate(sizes, 1))

    times = np.linspace(0.0, 2.0 * np.pi / w, 401)
    x = rig.driven(motion, times, method="LSODA", rtol=1e-7, atol=1e-10 if kind != "monotube" else 1e-5)
    power = np.array([-rig.force(*motion(t), row) * motion(t)[1] for t, row in zip(times, x, strict=True)])
    assert np.trapezoid(power, times) >= -1e-3 * np.trapezoid(np.abs(power), times)
