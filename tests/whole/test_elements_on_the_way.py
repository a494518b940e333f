"""Elements from the file to the FMU's pages: inspected, drawn, planned, drawn anew, in parts of a mechanism."""

import re
import tomllib
from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS

from fmu_src.build.documentation import index_html
from fmu_src.build.model_writer import to_bytes
from fmu_src.build.pages.elements import element_rows
from fmu_src.interface.variables import variables
from fmu_src.numpy_runtime.devices import slots_of
from precompute.coordinates.candidates import candidates
from precompute.coordinates.subsystem import part_of
from precompute.errors import PlanError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import from_document, load, loads
from precompute.mechanism_file.retouch import retouched
from precompute.model.devices import Device, DeviceForce, DeviceOutput
from precompute.model.mechanism import JointCoordinate, RelativeAngle
from precompute.natural.names import known_coordinates
from precompute.pipeline import bake, fill, plan, survey
from precompute.planning.outline import outline
from precompute.reduction.departure import Motion
from precompute.reduction.devices import devices
from precompute.reduction.elements import ParameterList
from precompute.reduction.wheel_motion import moved_by_travel
from precompute.report.assemblies import assemblies
from precompute.report.drawing import draw
from precompute.report.fmu_info import element_lines, integrator
from precompute.report.inspection import inspect
from precompute.report.report_text import text
from precompute.scene.parts import attachments

FOUR_BAR = (MECHANISMS / "four_bar.toml").read_text(encoding="utf-8")
ELEMENTS = """
[elements.damper]
on = { s = { between = ["ground", "rocker"], at = [[0, 1, 0], "Q"] }, angle = "joint.rocker" }   # two
parameters = { k = "40 N/m", c = 3, T = { value = 5, unit = "ms" } }
inputs = { valve = { start = 1, unit = "1", min = 0.1 } }
states = { F = { rate = "k*(s_rate - F/(c*valve))", unit = "N", start = 0.5 }, x = "(angle - x)/T" }
unknowns = { u = { residual = "u - s", unit = "m" } }
forces = { s = "-F*valve", angle = "-c*angle - mount.F" }     # on both
outputs = { loss = { formula = "F^2/(c*valve)", text = "Heat <of> the damper" } }

[elements.mount]
type = "maxwell"
on = "joint.crank"
stiffness = 2
damping = 0.5
"""


@pytest.fixture(scope="module")
def mechanism():
    return loads(FOUR_BAR + ELEMENTS)


@pytest.fixture(scope="module")
def model(mechanism):
    return bake(mechanism)


def test_check_says_what_each_is_connected_to(mechanism):
    report = inspect(mechanism)
    lines = text(report).splitlines()
    first = lines.index(
        "Elements (what they are connected to, with its value at design; states and inputs at the start)"
    )
    assert lines[first + 1 : first + 4] == [
        "  damper: s = distance ground to rocker, 2.90784 m; angle = spring rocker, 0 deg; forces on s, angle; "
        "states F = 0.5 N, x = 0; input valve = 1; unknown u",
        "  mount: s = joint crank, 0 deg; force on s; state F = 0 N.m",
        "",
    ]
    (damper, _) = report.as_dict()["elements"]
    assert damper["on"][1] == {
        "symbol": "angle", "of": "spring rocker", "unit": "rad", "at_design": 0.0, "pushed": True,
    }  # fmt: skip
    assert "Elements" not in text(inspect(loads(FOUR_BAR)))


def test_info_says_states_and_inputs(model):
    assert list(element_lines(model)) == [
        "element damper: states F = 0.5 N, x = 0; unknown u = 0 m; input valve = 1",
        "element mount: state F = 0 N.m",
    ]
    told = "Runge-Kutta of order 4, linearly implicit of order 3 where elements are too fast for that, "
    assert integrator(model) == told + "not at the start"
    hard = (replace(p, value=1e9) if p.name == "element.mount.stiffness" else p for p in model.parameters)
    faster = replace(model, parameters=tuple(hard))
    assert re.fullmatch(re.escape(told) + r"as at the start, by up to [\d.e+]+ 1/s", integrator(faster))


def test_pages_of_an_fmu_list_formulas_with_units(model):
    rows = list(element_rows(model))
    assert rows[:9] == [
        (
            "damper",
            "s",
            '{"between": ["ground", "rocker"], "at": [[0.0, 1.0, 0.0], [2.73679, 1.98261, 0.0]]}',
            "m",
            "measure",
        ),
        ("", "angle", "joint.rocker", "rad", "measure"),
        ("", "d(F)/dt", "k*(s_rate - F/(c*valve))", "N/s", "state"),
        ("", "d(x)/dt", "(angle - x)/T", "", "state"),
        ("", "u", "solves 0 = u - s", "m", "unknown"),
        ("", "force.s", "-F*valve", "N", "force on s, positive if that grows"),
        ("", "force.angle", "-c*angle - mount.F", "N.m", "force on angle, positive if that grows"),
        ("", "loss", "F^2/(c*valve)", "", "Heat <of> the damper"),
        ("mount", "s", "joint.crank", "rad", "measure"),
    ]
    page = index_html(model, variables(model), "here")
    assert "<h2>Elements</h2>" in page and "Heat &lt;of&gt; the damper" in page
    assert "<h2>Elements</h2>" not in index_html(replace(model, mechanism={}), variables(model), "here")


def test_what_an_fmu_stores_is_the_mechanism_again(mechanism, model):
    again = from_document(model.mechanism)
    assert [d.name for d in again.devices] == ["damper", "mount"]
    assert again.devices[0].states == mechanism.devices[0].states


def test_distances_are_drawn_and_are_points_of_bodies(mechanism):
    without = replace(mechanism, devices=())
    assert draw(mechanism) != draw(without)
    assert len(list(attachments(mechanism))) == len(list(attachments(without))) + 2


# -- plans ------------------------------------------------------------------------------------------------------------


def with_device(mechanism, **changes):
    first, *others = mechanism.devices
    return replace(mechanism, devices=(replace(first, **changes), *others))


def test_other_numbers_of_elements_fill_a_plan(mechanism):
    planned, damper = plan(mechanism), mechanism.devices[0]
    stiffer = with_device(
        mechanism,
        parameters=tuple(replace(p, value=2.0 * p.value) for p in damper.parameters),
        states=tuple(replace(s, start=0.25, text="told otherwise") for s in damper.states),
    )
    assert plan(stiffer) == planned
    filled = fill(planned, stiffer)
    assert to_bytes(filled) == to_bytes(bake(stiffer))
    assert {p.name: p.value for p in filled.parameters}["element.damper.k"] == 80.0


def test_another_structure_of_elements_is_refused_and_named(mechanism):
    planned, damper = plan(mechanism), mechanism.devices[0]
    refused = {
        "elements.mount is gone": replace(mechanism, devices=(replace(damper, forces=damper.forces[:1]),)),
        "elements.damper.states.x is gone": with_device(mechanism, states=damper.states[:1]),
        "elements.damper.on.angle is joint crank, planned: joint rocker": with_device(
            mechanism, on=(damper.on[0], ("angle", JointCoordinate("crank")))
        ),
        "elements.damper.forces.1.formula is -F, planned: -F*valve": with_device(
            mechanism, forces=(DeviceForce("s", "-F"), damper.forces[1])
        ),
    }
    for problem, other in refused.items():
        with pytest.raises(PlanError) as caught:
            fill(planned, other)
        assert problem in caught.value.problems, caught.value
    assert not [place for place, _ in outline(mechanism) if place.startswith("devices")]


# -- drawn anew -------------------------------------------------------------------------------------------------------


def test_the_text_of_a_file_is_kept_where_its_mechanism_is_drawn_anew():
    """Ends of distances move; formulas read what a joint's coordinate was, which is zero at design again."""
    written = FOUR_BAR + ELEMENTS.split("[elements.mount]")[0].replace(" - mount.F", "")
    m = loads(written)
    here = assemblies(m)
    new = assemblies(m, {c.name: float(z + 0.1) for c, z in zip(here.inputs, here.z, strict=True)}).redrawn()
    changed = retouched(written, new.mechanism, new.poses)
    assert changed is not None and "# two" in changed and "# on both" in changed
    table, old = tomllib.loads(changed)["elements"]["damper"], tomllib.loads(written)["elements"]["damper"]
    assert table["parameters"] == old["parameters"] and table["outputs"] == old["outputs"]
    assert table["states"]["F"] == old["states"]["F"] and table["states"]["x"].startswith("((angle ")
    again = loads(changed)
    assert close_loops(again, spanning_tree(again)).iterations == 0
    np.testing.assert_allclose(forces_at(again, 0.0), forces_at(m, 0.1), rtol=1e-9)


def forces_at(m, crank):
    """Forces of the element where the crank has turned so far."""
    found = survey(m)
    piece = found.atlas.pieces[0]
    z, q = piece.coordinates.design, piece.centre.q
    P, _, _ = Motion(piece.coordinates, found.resolved, found.design.q, q, z).at(np.array([crank]))
    parameters = ParameterList()
    (device,) = devices(m, 0, parameters)
    s = [float(on.value(P)) for _, on in m.devices[0].on]
    starts = [*(state.start for state in device.states), *(unknown.start for unknown in device.unknowns)]
    given = [*(parameters.items[i].value for i in device.parameters), *(i.start for i in device.inputs)]
    slots = slots_of(device, [*s, *np.zeros(len(s)), *starts], given)
    return [slots[device.given + c.force].value for c in device.connections]


# -- parts of a mechanism ---------------------------------------------------------------------------------------------


def test_a_part_of_a_mechanism_keeps_measures_and_no_formulas(mechanism):
    part = part_of(mechanism, {"rocker": (0,)})
    (damper,) = part.devices
    assert [symbol for symbol, _ in damper.on] == ["s", "angle"] and damper.pushed == tuple(on for _, on in damper.on)
    assert not damper.states and {force.formula for force in damper.forces} == {"0"}


def test_a_joint_that_an_element_acts_on_is_chosen_as_a_sprung_one_is(mechanism):
    found = {c.label: c.why for c in candidates(replace(mechanism, springs=(), dampers=()))}
    assert found["joint.rocker"] == found["joint.crank"] == "a spring or damper acts on it"


def test_measures_of_elements_have_names_along_given_motions(mechanism):
    assert known_coordinates(mechanism)["element.damper.angle"] == JointCoordinate("rocker")


def test_a_link_that_an_element_can_spin_is_not_idle():
    m = load(MECHANISMS / "rssr.toml")
    (idle,) = spanning_tree(m).spins
    (coupler,) = idle.group
    twist = RelativeAngle("ground", spanning_tree(m).bodies[coupler], np.array([0.3, 0.2, 1.0]))
    acting = Device("twist", (("s", twist),), forces=(DeviceForce("s", "0"),))
    assert spanning_tree(replace(m, devices=(acting,))).spins == ()
    reading = Device("twist", (("s", twist),), outputs=(DeviceOutput("y", "s"),))
    assert len(spanning_tree(replace(m, devices=(reading,))).spins) == 1


def test_measures_that_elements_act_on_may_have_motion_ratios(mechanism, model):
    roles = {model.elements[number].name: role for number, (_, role) in moved_by_travel(mechanism).items()}
    assert {name for name, role in roles.items() if role == "element"} == {
        "element.damper.s", "element.damper.angle", "element.mount.s",
    }  # fmt: skip
    assert all(name.startswith(("spring.", "damper.")) for name, role in roles.items() if role != "element")
