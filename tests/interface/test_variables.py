from dataclasses import replace

import pytest
from helpers_model import crank_slider, double_pendulum
from helpers_stiff import stiff_pendulum

from fmu_src.errors import BuildError
from fmu_src.interface.description_xml import model_identifier, model_structure, scalar_variable, unit_definitions
from fmu_src.interface.variables import SOLVER_CHECK, SOLVER_STATIC, SOLVER_STEP, layout, variables
from fmu_src.model.reduced_model import PortInfo
from fmu_src.model.units import DISPLAY, exponents, unit

PENDULUM = double_pendulum(nodes=8)
TABLE = variables(PENDULUM)
BY_NAME = {variable.name: variable for variable in TABLE}


def test_names_and_order():
    parameters = ["solver.step", "solver.check", "solver.static"]
    parameters += ["q_start.alpha", "q_start.beta", "qd_start.alpha", "qd_start.beta"]
    parameters += [parameter.name for parameter in PENDULUM.parameters]
    inputs = ["Q.alpha", "Q.beta", *(f"port.tip.{s}[{i}]" for s in "FM" for i in (1, 2, 3))]
    outputs = [f"{s}.{c}" for s in ("q", "qd", "qdd") for c in ("alpha", "beta")]
    outputs += [f"{e}.{s}" for e in ("spring.tip", "damper.tip") for s in ("length", "rate", "force")]
    outputs += [f"marker.tip.{s}[{i}]" for s in ("r", "v", "w", "angle") for i in (1, 2, 3)]
    outputs += [f"marker.tip.{s}" for s in ("steer", "camber", "steer_absolute", "camber_change")]
    outputs += ["energy.kinetic", "energy.potential", "energy.total", "table.inRange", "solver.error"]
    assert [variable.name for variable in TABLE] == parameters + inputs + outputs


def test_the_layout_fits_the_order():
    groups, names = layout(PENDULUM), [variable.name for variable in TABLE]
    references = SOLVER_STEP, SOLVER_CHECK, SOLVER_STATIC
    assert [names[i] for i in references] == ["solver.step", "solver.check", "solver.static"]
    assert [names[i] for i in groups.parameters] == [parameter.name for parameter in PENDULUM.parameters]
    assert {variable.causality for variable in TABLE[groups.inputs]} == {"input"}
    assert {variable.causality for variable in TABLE[groups.outputs]} == {"output"}
    assert len(TABLE[groups.inputs]) == 2 + 6


def test_an_angular_element_has_an_angle_and_a_torque():
    table = {variable.name: variable for variable in variables(crank_slider(nodes=12))}
    assert table["damper.crank.angle"].unit == "rad" and table["damper.crank.force"].unit == "N.m"
    assert table["spring.slider.length"].unit == "m" and table["spring.slider.force"].unit == "N"
    assert table["Q.theta"].unit == "N.m" and table["qdd.theta"].unit == "rad/s2"
    assert "marker.pin.steer" not in table


def test_bounds_only_where_the_table_must_not_be_left():
    assert (BY_NAME["q.alpha"].minimum, BY_NAME["q.alpha"].maximum) == (-1.6, 1.6)
    assert BY_NAME["q_start.beta"].maximum == 1.8
    linear = {variable.name: variable for variable in variables(double_pendulum(nodes=8, outside="linear"))}
    assert linear["q.alpha"].minimum is None
    turning = {variable.name: variable for variable in variables(crank_slider(nodes=12))}
    assert turning["q.theta"].maximum is None and turning["q.theta"].nominal == 1.0


def test_only_accelerations_depend_on_inputs_at_once():
    inputs = tuple(variable.name for variable in TABLE if variable.causality == "input")
    for variable in TABLE:
        assert variable.depends_on == (inputs if variable.name.startswith("qdd.") else ()), variable.name


def test_initial_dependencies_are_knowns_without_repeats():
    for variable in TABLE:
        names = variable.depends_initially_on
        if names is None:
            assert variable.causality == "output"
            continue
        assert len(set(names)) == len(names)
        assert all(BY_NAME[name].causality in ("parameter", "input") for name in names)
        assert bool(names) == (variable.causality == "output")
    for name in ("q.beta", "spring.tip.force", "energy.total", "qdd.alpha"):  # in equilibrium all depends on everything
        assert BY_NAME[name].depends_initially_on is None
    assert BY_NAME["qd.beta"].depends_initially_on == ("solver.static", "qd_start.beta")


def test_what_depends_on_everything_has_no_list():
    outputs, unknowns = model_structure(TABLE)
    index = {variable.name: str(i) for i, variable in enumerate(TABLE, start=1)}
    initially = {node.get("index"): node.get("dependencies") for node in unknowns}
    assert initially[index["q.beta"]] is None
    assert initially[index["qd.beta"]] == f"{index['solver.static']} {index['qd_start.beta']}"
    assert all(node.get("dependencies") is not None for node in outputs)


def test_names_that_fmi_cannot_carry_are_refused():
    model = replace(PENDULUM, ports=(PortInfo("rear left", 0),))
    with pytest.raises(BuildError, match=r"'port.rear left.F\[1\]' is no legal FMI variable name"):
        variables(model)


def test_two_equal_names_are_refused():
    with pytest.raises(BuildError, match="two variables are called 'spring.tip.length'"):
        variables(replace(PENDULUM, elements=(PENDULUM.elements[0],) * 2))


# --- units ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("N.m/rad", {"kg": 1, "m": 2, "s": -2, "rad": -1}),
        ("N.m.s/rad", {"kg": 1, "m": 2, "s": -1, "rad": -1}),
        ("m/s2", {"m": 1, "s": -2}),
        ("N.s/m", {"kg": 1, "s": -1}),
        ("J/(kg.m)", {"m": 1, "s": -2}),
        ("1/s", {"s": -1}),
        ("1", {}),
        ("lbf", None),
        ("N*m", None),
    ],
)
def test_exponents_of_units(name, expected):
    assert exponents(name) == expected


def test_display_units():
    degrees, millimetres = unit("rad").display, unit("m").display
    assert degrees.name == "deg" and degrees.factor == pytest.approx(57.29577951308232)
    assert (millimetres.name, millimetres.factor) == ("mm", 1000.0)
    assert unit("J").display is None
    assert BY_NAME["q.alpha"].display_unit == "deg"


# --- description ------------------------------------------------------------------------------------------------------


def test_every_unit_in_use_is_defined():
    defined = {node.get("name") for node in unit_definitions(TABLE)}
    assert defined == {variable.unit for variable in TABLE}


def test_a_scalar_variable_in_xml():
    node = scalar_variable(BY_NAME["q_start.alpha"], 1)
    real = node.find("Real")
    assert node.attrib == {
        "name": "q_start.alpha",
        "valueReference": "1",
        "description": "Start value of alpha: Angle of the upper rod",
        "causality": "parameter",
        "variability": "fixed",
        "initial": "exact",
    }
    assert real.attrib == {
        "unit": "rad", "displayUnit": "deg", "min": "-1.6", "max": "1.6", "nominal": "1.6", "start": "0.5",
    }  # fmt: skip


def test_start_values_keep_every_digit():
    third = replace(BY_NAME["spring.tip.k"], start=1 / 3)
    assert float(scalar_variable(third, 0).find("Real").get("start")) == 1 / 3


def test_dependencies_in_xml_are_ascending_indices():
    outputs, unknowns = model_structure(TABLE)
    assert len(outputs) == len(unknowns) == sum(variable.causality == "output" for variable in TABLE)
    for node in (*outputs, *(node for node in unknowns if "dependencies" in node.attrib)):
        numbers = [int(text) for text in node.get("dependencies").split()]
        assert numbers == sorted(set(numbers))
        assert len(node.get("dependenciesKind").split()) == len(numbers)


@pytest.mark.parametrize(
    ("name", "expected"), [("FrontAxle", "FrontAxle"), ("front axle-2", "front_axle_2"), ("2nd", "_2nd"), ("é", "_")]
)
def test_identifiers(name, expected):
    assert model_identifier(name) == expected


def test_every_variable_has_a_unit_a_text_and_a_nominal_value():
    table = variables(stiff_pendulum(moving=True))
    for reference, variable in enumerate(table):
        node = scalar_variable(variable, reference)
        real = node.find("Real").attrib
        assert real["unit"] and node.get("description") and float(real["nominal"]) > 0.0
        assert (real["unit"] in DISPLAY) == ("displayUnit" in real)
    sizes = {variable.name: variable.size for variable in table}
    assert sizes["chassis.vd[1]"] == 10.0 and sizes["gravity[3]"] == pytest.approx(9.80665, rel=0.1)
