"""Elements in both FMUs: golden numbers, the same to the bit, states that come back, errors that name the formula."""

import json

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu
from helpers import GOLDEN
from helpers_elements import BUSY, MOTOR, SERVO, baked, bob, element, maxwell, rotor, slider
from helpers_fmu import Host
from helpers_kinds import builder

pytestmark = pytest.mark.fmu

KINDS = ("native", "python")
STEP = 1e-3
CASES = {
    "servo": (rotor(SERVO), ("q.x", "qd.x", "element.servo.i")),
    "motor": (rotor(MOTOR), ("qd.x", "element.motor.i")),
    "maxwell": (slider(maxwell(), rate=1.0), ("q.x", "qd.x", "element.mx.F")),
    "busy": (bob(BUSY), ()),
    "lasting": (bob(BUSY, method="midpoint"), ()),
    "valve": (
        slider(element("valve", force="-s_rate/in_area", outputs={"flow": "s_rate/in_area"}, in_area=1), rate=1.0),
        (),
    ),
}


@pytest.fixture(scope="module")
def fmus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("elements")
    return {
        (name, kind): builder(kind)(baked(mechanism), folder / f"{name}_{kind}.fmu")
        for name, (mechanism, _) in CASES.items()
        for kind in KINDS
    }


def ran(path, steps, *names, **values):
    host = Host(path)
    for name, value in values.items():
        host.set(name.replace("__", "."), value)
    host.start()
    for i in range(steps):
        host.step(i * STEP, STEP)
    found = host.get(*(names or host.references))
    host.close()
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", ["servo", "motor"])
def test_golden_rows(case, kind, fmus):
    rows = np.array(json.loads((GOLDEN / "active_and_singular.json").read_text())[case]["rows"])
    size = np.abs(rows[:, 1:]).max(axis=0)
    for row in rows:
        found = ran(fmus[case, kind], round(row[0] / STEP), *CASES[case][1])
        assert (np.abs(np.array(found) - row[1:]) < 1e-6 * size).all(), row[0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_mass_on_a_maxwell_element(kind, fmus):
    path, names = fmus["maxwell", kind], CASES["maxwell"][1]
    assert ran(path, 100, *names) == pytest.approx((0.02866836, -0.34689284, 1.73050499), abs=1e-7)
    assert ran(path, 500, *names) == pytest.approx((0.02021922, -0.0036582, 0.1460535), abs=1e-7)
    stiff = ran(path, 100, *names, element__mx__k=1e9)
    assert stiff[0] == pytest.approx((1.0 - np.exp(-5.0)) / 50.0, abs=1e-4)


@pytest.mark.parametrize("case", CASES)
def test_both_are_the_same_to_the_bit_and_valid(case, fmus):
    native, python = (ran(fmus[case, kind], 30) for kind in KINDS)
    assert native == python
    assert [validate_fmu(str(fmus[case, kind])) for kind in KINDS] == [[], []]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", ["maxwell", "busy", "lasting"])
def test_states_come_back(case, kind, fmus):
    host = Host(fmus[case, kind]).start()
    for i in range(5):
        host.step(i * STEP, STEP)
    state, ends = host.fmu.getFMUState(), []
    block = host.fmu.serializeFMUState(state)
    for attempt in range(3):
        for i in range(5, 12):
            host.step(i * STEP, STEP)
        ends.append(host.get(*host.references))
        if attempt:
            state = host.fmu.deSerializeFMUstate(block)
        host.fmu.setFMUState(state)
    assert ends[0] == ends[1] == ends[2]
    host.fmu.reset()
    host.start()
    assert host.get(*host.references) == ran(fmus[case, kind], 0)
    host.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_division_by_zero_is_an_error_and_nothing_is_lost(kind, fmus):
    host = Host(fmus["valve", kind]).start()
    host.step(0.0, STEP)
    before = host.get("q.x", "qd.x")
    host.set("element.valve.in_area", 0.0)
    with pytest.raises(FMICallException):
        host.step(STEP, STEP)
    host.set("element.valve.in_area", 1.0)
    assert host.get("q.x", "qd.x") == before
    host.step(STEP, STEP)
    host.close()
