import numpy as np
import pytest

from fmu_src.model.programs import Entry, Op, run
from precompute.formulas.linking import link
from precompute.measures.joint_coordinate import JointCoordinate
from precompute.model.devices import (
    Device,
    DeviceForce,
    DeviceLoad,
    DeviceNumber,
    DeviceOutput,
    DeviceState,
    DeviceTable,
    DeviceUnknown,
)

ON = (("s", JointCoordinate("slide")),)


def linked(*devices):
    return link(devices, lambda measure: "m")


def said(*devices):
    links, problems = linked(*devices)
    assert not (links and problems)
    return [str(problem) for problem in problems]


def outputs(name, **formulas):
    return Device(name, outputs=tuple(DeviceOutput(key, text) for key, text in formulas.items()))


def test_formulas_come_behind_those_that_they_read():
    (found,), problems = linked(outputs("a", x="y + 1", y="z^2", z="2"))
    assert not problems and [formula.key[2] for formula in found.formulas] == ["z", "y", "x"]


def test_elements_that_read_one_another_are_linked_and_others_are_not():
    first = outputs("a", x="c.x")
    links, problems = linked(first, outputs("b", x="1"), outputs("c", x="2"), outputs("d", x="a.x + c.x"))
    assert not problems
    assert [[device.name for device in found.elements] for found in links] == [["a", "c", "d"], ["b"]]


def test_what_residuals_need_comes_first():
    device = Device(
        "a",
        ON,
        unknowns=(DeviceUnknown("u", "force_a - force_b"),),
        forces=(DeviceForce("s", "-force_a"),),
        outputs=(
            DeviceOutput("power", "force_a*s_rate"),
            DeviceOutput("force_b", "2*(s - u)"),
            DeviceOutput("force_a", "u^3"),
        ),
    )
    (found,), problems = linked(device)
    assert not problems and found.inner == 3
    assert {formula.key[2] for formula in found.formulas[:3]} == {"u", "force_a", "force_b"}


def test_a_load_is_an_unknown_that_grows_with_the_forces_of_all_elements():
    """0 = N - N_0 - sum_k N_k f_k, among one device of all that push; what only shows stays apart."""
    reading = Device("a", ON, forces=(DeviceForce("s", "-2*N"),), loads=(DeviceLoad("N", "joint.cam.normal"),))
    pushing = Device("b", ON, forces=(DeviceForce("s", "3*s + 1"),))
    links, problems = linked(reading, outputs("c", x="1"), pushing)
    assert not problems and [[e.name for e in link.elements] for link in links] == [["a", "b"], ["c"]]
    found = links[0]
    assert found.inner == 3 and found.formulas[2].key == ("a", "loads", "N")
    s_b, N, N_0, N_a, N_b = 0.7, 5.0, 2.0, 0.3, -0.4
    slots = [Entry(x, []) for x in (0.1, s_b, 0.0, 0.0, N, N_0, N_a, N_b)]
    for formula in found.formulas:
        slots.append(run(formula.program.code, formula.program.constants, (), slots))
    assert slots[-1].value == pytest.approx(N - N_0 - N_a * (-2.0 * N) - N_b * (3.0 * s_b + 1.0), rel=1e-15)


def test_loads_of_other_joints_are_none():
    with pytest.raises(ValueError, match="elements read normal forces of cams"):
        DeviceLoad("N", "joint.cam.traction")


def test_all_mistakes_of_all_formulas_are_told_at_once():
    damper = Device(
        "damper",
        ON,
        parameters=(DeviceNumber("k", 1.0, "N/m"), DeviceNumber("c", 1.0, "N.s/m")),
        inputs=(DeviceNumber("valve", 1.0),),
        states=(DeviceState("F", "k*(s_rate - F/(c*vlave))", unit="N"), DeviceState("G", "k*s", unit="N")),
        forces=(DeviceForce("q", "-F"),),
        outputs=(DeviceOutput("a", "b +"), DeviceOutput("b", "ohter.x + time"), DeviceOutput("d", "foo(s) + other.y")),
    )
    assert said(damper, outputs("other", x="1")) == [
        "elements.damper.states.F.rate: there is no symbol 'vlave'; did you mean 'valve'? "
        "(at column 18 of the formula)",
        "elements.damper.states.G.rate: has the unit N, but N/s is needed (at column 2 of the formula)",
        "elements.damper.outputs.a: the formula ends too early (at column 4 of the formula)",
        "elements.damper.outputs.b: there is no element 'ohter'; did you mean 'other'? (at column 1 of the formula)",
        "elements.damper.outputs.b: there is no time in formulas; make it an input (at column 11 of the formula)",
        "elements.damper.outputs.d: there is no function or table 'foo'; known: abs, atan2, cos, exp, if, log, max, "
        "min, sign, sin, sqrt, tanh (at column 1 of the formula)",
        "elements.damper.outputs.d: there is no symbol 'other.y'; did you mean 'other.x'? "
        "(at column 10 of the formula)",
        "elements.damper.forces.q: there is no measure 'q' in its `on`; known: s",
    ]


def test_an_algebraic_loop_is_told_with_its_way():
    (text,) = said(outputs("a", x="b.y"), outputs("b", y="2*z", z="a.x - 1"))
    assert "algebraic loop: a.x needs b.y needs b.z needs a.x" in text
    (text,) = said(outputs("a", x="x + 1"))
    assert "a.x needs a.x" in text


def test_a_loop_through_a_state_or_an_unknown_is_none():
    through = Device("b", states=(DeviceState("y", "a.x - y"),))
    assert said(outputs("a", x="b.y"), through) == []
    assert said(outputs("a", x="b.u"), Device("b", unknowns=(DeviceUnknown("u", "a.x - 2*u + 1"),))) == []


def test_what_is_too_long_or_too_deep_is_told():
    (text,) = said(outputs("a", x=" + ".join(["1"] * 600)))
    assert "is too long: more than 400 numbers" in text
    deep = "1"
    for _ in range(40):
        deep = f"2 - ({deep})" if len(deep) < 30 else f"2*({deep})"
    (text,) = said(outputs("a", x=deep))
    assert "is too deep: it needs more than 32 intermediate results" in text


def test_so_many_states_that_a_device_cannot_have_them_are_told():
    many = [
        Device(f"e{i}", states=tuple(DeviceState(f"x{k}", f"e{(i + 1) % 10}.x0") for k in range(7))) for i in range(10)
    ]
    (text,) = said(*many)
    assert "have 70 measures, rates, states, unknowns and loads; at most 64 are possible" in text


def test_functions_are_called_and_the_sign_is_none():
    told = said(outputs("a", x="sin + 1", y="negative(2)"))
    assert told[0] == "elements.a.outputs.x: 'sin' is a function; write sin(...) (at column 1 of the formula)"
    assert told[1].startswith("elements.a.outputs.y: there is no function or table 'negative'; known: abs")


def test_a_table_may_have_any_name_but_those_of_functions():
    """Its name is nobody else's: a minus sign stays one."""
    table = DeviceTable("negative", np.array([0.0, 1.0]), np.array([0.0, 5.0]))
    device = Device("a", ON, tables=(table,), outputs=(DeviceOutput("x", "-s"), DeviceOutput("y", "negative(s)")))
    (found,), problems = linked(device)
    assert not problems
    assert [formula.program.code[2] for formula in found.formulas] == [Op.NEGATE, Op.TABLE]
