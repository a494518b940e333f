"""Elements under [mirror]: which have images, on which measures, and that these do the mirror image of the same."""

import dataclasses

import numpy as np
import pytest
from test_mirror import CORNER

from fmu_src.numpy_runtime.devices import slots_of
from precompute.errors import MechanismError
from precompute.formulas.syntax import renamed
from precompute.geometry.placement import Placement
from precompute.measures.measure import Image
from precompute.mechanism_file import loads, parse_document, to_document
from precompute.model.device_images import read, reread
from precompute.model.devices import Device, DeviceForce, DeviceOutput
from precompute.model.images import PartImages
from precompute.model.mechanism import Axes, Combination, JointCoordinate, MarkerCoordinate
from precompute.reduction.devices import devices
from precompute.reduction.elements import ParameterList

ELEMENTS = """
[elements.damper_left]
on = { s = "spring.coil_left.length", y = "marker.hub_left.y", q = "joint.strut_left[2]" }
parameters = { k = 4e5, c = 1500, n = 3 }
states = { F = "k*(s_rate - F/c) + n*y*k - brain_left.target*k" }
unknowns = { u = { residual = "u + 0.2*u^3 - y*n", start = 0.1 } }
forces = { s = "-F", y = "k*u - c*y_rate - k*abs(y)", q = "-n*q*c" }
outputs = { stroke = "y + 2*s + curve(y)", turn = "max(q, q_rate/n)" }
tables = { curve = [[0, 0], [1, 2]] }

[elements.top_left]
type = "maxwell"
on = "spring.across_left.length"
stiffness = 40
damping = 1

[elements.brain_left]
inputs = { gain = 1 }
outputs = { target = "gain*damper_left.y*damper_left.n" }

[elements.bar]
on = { l = "joint.arm_left", r = "joint.arm_right" }
parameters = { k = 100, kappa = { value = 2 } }
forces = { l = "-k*(l - r) + kappa*(damper_left.F - damper_right.F)", r = "k*(l - r)" }

[elements.rack]
on = "joint.rack"
parameters = { k = 100 }
forces = { s = "-k*s" }
"""


@pytest.fixture(scope="module")
def axle():
    return loads(CORNER + ELEMENTS)


def named(mechanism):
    return {device.name: device for device in mechanism.devices}


def test_elements_of_the_mirrored_side_have_images_and_others_are_shared(axle):
    names = ["damper_left", "top_left", "brain_left", "bar", "rack", "damper_right", "top_right", "brain_right"]
    assert [device.name for device in axle.devices] == names
    assert named(axle)["bar"].on == (("l", JointCoordinate("arm_left", 0)), ("r", JointCoordinate("arm_right", 0)))
    right = dict(named(axle)["damper_right"].on)
    assert right["s"].same(next(s.on for s in axle.springs if s.name == "coil_right"))
    assert right["y"] == MarkerCoordinate("hub_right", "y") and right["q"] == JointCoordinate("strut_right", 1)


def test_formulas_of_images_read_what_counts_the_other_way_with_a_minus(axle):
    right = named(axle)["damper_right"]
    assert right.states[0].rate == "k*(s_rate - F/c) + n*(-y)*k - brain_right.target*k"
    assert [force.formula for force in right.forces] == [
        "-F",
        "-(k*u - c*(-y_rate) - k*abs((-y)))",
        "-(-n*(-q)*c)",
    ]
    assert [output.formula for output in right.outputs] == ["(-y) + 2*s + curve((-y))", "max((-q), (-q_rate)/n)"]
    assert named(axle)["brain_right"].outputs[0].formula == "gain*(-damper_right.y)*damper_right.n"
    assert right.parameters == named(axle)["damper_left"].parameters


def test_images_do_the_mirror_image(axle):
    parameters = ParameterList()
    made = devices(axle, 0, parameters)
    device = next(d for d in made if any(c.name == "damper_left.s" for c in d.connections))
    rng = np.random.default_rng(7)
    s, rate = rng.uniform(-0.5, 0.5, (2, len(device.connections)))
    sign = {"s": 1.0, "y": -1.0, "q": -1.0}
    names = [c.name for c in device.connections]
    for number, name in enumerate(names):
        owner, symbol = name.split(".")
        if owner == "damper_right":
            other = names.index(f"damper_left.{symbol}")
            s[number], rate[number] = sign[symbol] * s[other], sign[symbol] * rate[other]
    given = [parameters.items[i].value for i in device.parameters] + [i.start for i in device.inputs]
    x = [12.0] * len(device.states)
    slots = slots_of(device, [*s, *rate, *x, *(u.start for u in device.unknowns)], given)
    values = {}
    for c in device.connections:
        values[c.name] = slots[device.given + c.force].value
    for output in device.outputs:
        values[output.name] = slots[device.given + output.formula].value
    values |= {f"rate of {state.name}": slots[device.given + state.rate].value for state in device.states}
    for symbol, turned in sign.items():
        assert values[f"damper_right.{symbol}"] == pytest.approx(turned * values[f"damper_left.{symbol}"], rel=1e-14)
    for name in ("damper_{}.stroke", "damper_{}.turn", "brain_{}.target", "rate of damper_{}.F"):
        assert values[name.format("right")] == pytest.approx(values[name.format("left")], rel=1e-14)


def test_what_is_saved_has_the_images_as_elements(axle):
    document = to_document(axle)
    assert "mirror" not in document and list(document["elements"])[-1] == "brain_right"
    assert to_document(parse_document(document)) == document


def told(text):
    with pytest.raises(MechanismError) as error:
        loads(text)
    return list(error.value.problems)


def test_mistakes_are_told_once_and_of_the_original():
    first = CORNER.count("\n") + 1
    (found,) = told(CORNER + ELEMENTS.replace("k*(s_rate - F/c)", "k*(s_rate - F/cc)"))
    where = f"line {first + 4}, column 31: elements.damper_left.states.F"
    assert found == f"{where}: there is no symbol 'cc'; did you mean 'c'?"


def test_an_image_needs_a_name():
    (found,) = told(CORNER + ELEMENTS.replace("top_left]", "top]"))
    assert found.endswith(
        "elements.top: has a mirror image, but no 'left' in its name that 'right' could replace; call it for example "
        "top_left"
    )
    (found,) = told(CORNER + ELEMENTS + '\n[elements.top_right]\noutputs = { y = "1" }\n')
    assert "its mirror image would be called 'top_right', a name that is taken" in found


def test_elements_that_only_read_others_go_with_these():
    """Also where they stand before what they read, and where nothing but names tells."""
    added = '\n[elements.watch_left]\noutputs = { y = "chain_left.y" }\n'
    added += '[elements.chain_left]\noutputs = { y = "brain_left.target" }\n'
    added += '[elements.both_left]\noutputs = { y = "brain_left.target - brain_right.target" }\n'
    found = named(loads(CORNER + ELEMENTS + added))
    assert found["watch_right"].outputs[0].formula == "chain_right.y" and "both_right" not in found


# -- placed anywhere --------------------------------------------------------------------------------------------------


def test_an_element_that_is_moved_reads_what_its_measure_was():
    corner = loads(CORNER + ELEMENTS)
    at = Placement(np.eye(3), np.array([0.0, -2.5, 0.0]))
    own = named(corner)
    there = PartImages(at, {j.name: j for j in corner.joints}, Axes(), Axes(), devices=own)
    moved = there.device("damper_left", own["damper_left"])
    assert moved.forces[1].formula == "k*u - c*y_rate - k*abs((y + 2.5))"
    assert (
        there.device("brain_left", own["brain_left"]).outputs[0].formula == "gain*(damper_left.y + 2.5)*damper_left.n"
    )


@pytest.mark.parametrize(
    ("image", "read_as"),
    [((1.0, 0.0), "s"), ((-1.0, 0.0), "(-s)"), ((1.0, 0.5), "(s - 0.5)"), ((-1.0, 0.5), "(0.5 - s)")],
)
def test_a_symbol_is_read_as_what_it_was(image, read_as):
    on = {"s": Image(JointCoordinate("j"), *image)}
    assert read("s", on, "s") == read_as
    assert read("s_rate", on, "s_rate") == ("(-s_rate)" if image[0] < 0.0 else "s_rate")
    assert read("other", on, "other") == "other" and read("k_rate", on, "k_rate") == "k_rate"


def test_combinations_are_mirrored_as_sums(axle):
    text = (
        CORNER
        + '\n[elements.sum_left]\non = { measures = ["marker.hub_left.y", "joint.strut_left"], factors = [1, 2] }\n'
    )
    right = named(loads(text + 'forces = { s = "0" }\n'))["sum_right"]
    on = right.on[0][1]
    assert isinstance(on, Combination) and on.factors == (-1.0, 2.0)


def test_only_symbols_are_renamed():
    assert renamed("s*sin(s) + pi*s_rate*a.s - curve(s) ^ 2e3", lambda word: word.upper()) == (
        "S*sin(S) + pi*S_RATE*A.S - curve(S) ^ 2e3"
    )


def test_a_formula_that_cannot_be_read_stays_as_it_is():
    bad = Device(
        "e", (("s", JointCoordinate("j")),), forces=(DeviceForce("s", "2 $ s"),), outputs=(DeviceOutput("y", "s"),)
    )
    found = reread(bad, {"e": {"s": Image(JointCoordinate("j"), -1.0)}})
    assert found.forces[0].formula == "-(2 $ s)" and found.outputs[0].formula == "(-s)"
    assert dataclasses.replace(found, forces=bad.forces, outputs=bad.outputs).on == bad.on
