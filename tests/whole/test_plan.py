"""Structure apart from numbers: a plan is filled with other numbers, or says why it cannot be."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from helpers import MECHANISMS, ROOT, joint, random_body

from fmu_src.build.kernel_shape import shape_header
from fmu_src.build.model_writer import to_bytes
from fmu_src.numpy_runtime.dynamics import mechanics, prepare
from precompute.errors import PlanError, SingularityError
from precompute.mechanism_file import load, loads
from precompute.model.mechanism import (
    Coordinate,
    Distance,
    Joint,
    JointCoordinate,
    Mechanism,
    Port,
    Spring,
    TableSettings,
    stiff_primitives,
)
from precompute.pipeline import bake, fill, plan
from precompute.planning.outline import differences, outline

CORNER = ROOT / "tests" / "mechanisms" / "corner.toml"
FOUR_BAR = (MECHANISMS / "four_bar.toml").read_text(encoding="utf-8")
AUTOMATIC = FOUR_BAR.split("[coordinates.free.crank]")[0]  # which then takes the crank, all round
WITH_WHEEL = (
    AUTOMATIC + '\n[markers.wheel]\nbody = "rocker"\nat = "Q"\nspin_axis = "x"\n'
)  # so that there are no charts


def edited(text: str, *edits: tuple[str, str]) -> Mechanism:
    """The mechanism of a file with some of its numbers changed."""
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return loads(text)


MOVED_PIN = ("P = [0.5, 0.8660254037844386, 0]", "P = [0.51, 0.87, 0]")
OTHER_NUMBERS = {
    "crank_slider": (
        MECHANISMS / "crank_slider.toml",
        [("pivot = [2, 1, 0]", "pivot = [2.02, 1.01, 0]"), ("mass = 20", "mass = 23"), ("= 100", "= 130")],
    ),
    "four_bar": (MECHANISMS / "four_bar.toml", [MOVED_PIN]),
    "charts": (
        MECHANISMS / "crank_slider_charts.toml",
        [("mass = 20", "mass = 23"), ("pivot = [2, 1, 0]", "pivot = [2.02, 1, 0]")],
    ),
    "stiff": (CORNER, [("ball = [0, 720, 190]", "ball = [2, 721, 191]"), ("mass = 40", "mass = 44")]),
}


@pytest.mark.parametrize("name", OTHER_NUMBERS)
def test_other_numbers_in_a_plan_are_the_model_that_bake_makes_of_them(name):
    """Bit for bit; and as kernels are compiled for a shape, one serves both where the grids are alike."""
    file, edits = OTHER_NUMBERS[name]
    text = file.read_text(encoding="utf-8")
    first, other = loads(text), edited(text, *edits)
    plan_of_first = plan(first)
    assert plan(other) == plan_of_first
    filled, own = fill(plan_of_first, other), fill(plan_of_first, first)
    assert to_bytes(filled) == to_bytes(bake(other)) != to_bytes(own)
    assert to_bytes(own) == to_bytes(bake(first))
    assert shape_header(filled) == shape_header(own)  # over one axis the number of nodes is no part of it


def test_automatic_coordinates_are_those_of_the_plan():
    planned = plan(loads(AUTOMATIC))
    assert planned.chosen == ("joint.crank",) and planned.charts[0].periodic == ("crank",)
    other = edited(AUTOMATIC, MOVED_PIN)
    assert to_bytes(fill(planned, other)) == to_bytes(bake(other))


def test_a_plan_is_plain_data_without_numbers_and_is_found_again():
    m = load(CORNER)
    first, again = plan(m), plan(load(CORNER))
    assert first == again and first.key == again.key
    assert first.key != plan(loads(FOUR_BAR)).key
    chart = first.charts[0]
    assert chart.axes == ("arm", "rack") and chart.stiff == ("arm_mount.x", "arm_mount.y")
    assert dict(chart.bodies)["rack"] == ("rack",)
    assert ("ground", "rack", "rack") in first.tree and len(first.cuts) == 3
    assert {(block.axes, block.level, block.degree) for block in chart.blocks} >= {(("arm",), "HIGHEST", 3)}
    assert json.loads(json.dumps(asdict(first)), parse_float=pytest.fail)
    renamed = replace(m, name="Other", description="the same")
    assert plan(renamed) == first


def with_joint(m: Mechanism, changed: Joint) -> Mechanism:
    return replace(m, joints=tuple(changed if j.name == changed.name else j for j in m.joints))


def test_another_structure_is_refused_and_named():
    m = loads(FOUR_BAR)
    planned = plan(m)
    (spring,) = m.springs
    pin = m.joint("coupler_pin")
    ball = joint("spherical", "coupler_pin", "coupler", "rocker", pin.p_P)
    stiff = (*pin.primitives, *stiff_primitives(["x"], pin.R))
    rocker = Coordinate("rocker", JointCoordinate("rocker"), -0.1, 0.1)
    refused = {
        "joints.coupler_pin.kind is spherical, planned: revolute": with_joint(m, ball),
        "joints.coupler_pin.primitives.2 is new": with_joint(m, replace(pin, primitives=stiff)),
        "joints.second is new": replace(m, joints=(*m.joints, replace(pin, name="second"))),
        "coordinates.rocker is new": replace(m, coordinates=(rocker,)),
        "coordinates.crank is gone": replace(m, coordinates=(rocker,)),
        "coordinates is gone": replace(m, coordinates=None),
        "coordinates.crank.driven is True, planned: False": replace(
            m, coordinates=(replace(m.coordinates[0], driven=True),)
        ),
        "dampers is gone": replace(m, dampers=()),
        "springs.rocker.preload is new": replace(m, springs=(replace(spring, free_length=None, preload=1.0),)),
        "springs.rocker.on is joint crank, planned: joint rocker": replace(
            m, springs=(replace(spring, on=JointCoordinate("crank")),)
        ),
        "chassis is moving, planned: fixed": replace(m, chassis="moving"),
        "its parts come in another order": replace(m, bodies=m.bodies[::-1]),
    }
    for problem, other in refused.items():
        with pytest.raises(PlanError, match=r"mechanism 'FourBar' does not fit the plan; plan it again") as caught:
            fill(planned, other)
        assert problem in caught.value.problems, caught.value


def test_numbers_of_any_type_are_numbers():
    m = loads(FOUR_BAR)
    whole = replace(m, ports=(Port("coupler_pin", "coupler_pin", (1, 2, 3)),))  # type: ignore[arg-type]
    assert outline(whole) == outline(m) and differences(outline(m), outline(whole)) == []


def test_a_crank_that_no_longer_goes_round_is_refused():
    """With a wheel there is one chart; without, charts would lead through the dead centres that have come."""
    longer = ("P = [0.5, 0.8660254037844386, 0]", "P = [1.0, 1.7, 0]")
    with pytest.raises(PlanError, match="'crank' no longer goes all round"):
        fill(plan(loads(WITH_WHEEL)), edited(WITH_WHEEL, longer))
    with pytest.raises(PlanError, match="its charts are over 'crank', then 'rocker', .* planned: 'crank'"):
        fill(plan(loads(AUTOMATIC)), edited(AUTOMATIC, longer))


def test_chosen_coordinates_that_became_singular_are_refused():
    """Coupler and rocker in line: a dead centre of the crank.  Where the file names it, a new plan does not help."""
    in_line = ("Q = [2.7367945446743276, 1.982605076228447, 0]", "Q = [1.75, 0.4330127018922193, 0]")
    message = "'joint.crank' as independent coordinates: 'crank' cannot be independent at the design position"
    with pytest.raises(PlanError, match=message):
        fill(plan(loads(WITH_WHEEL)), edited(WITH_WHEEL, in_line))
    with pytest.raises(SingularityError, match="cannot be independent"):
        fill(plan(loads(FOUR_BAR)), edited(FOUR_BAR, in_line))


def test_charts_that_come_or_go_are_refused():
    text = (MECHANISMS / "crank_slider_charts.toml").read_text(encoding="utf-8")
    planned = plan(loads(text))
    assert [chart.axes for chart in planned.charts] == [("slider",), ("crank",), ("slider",), ("crank",)]
    longer = edited(text, ("crank_pin = [2.5, 1.8660254037844386, 0]", "crank_pin = [4.2, 3.0, 0]"))
    with pytest.raises(PlanError, match="over 'slider', then 'crank', then 'slider', then 'slider_pin', planned: "):
        fill(planned, longer)
    rocker = AUTOMATIC + '[coordinates.free.rocker]\nof = "joint.rocker"\n'
    drag_link = edited(rocker, ("B = [3, 0, 0]", "B = [0.3, 0, 0]"))
    with pytest.raises(PlanError, match="its charts are over 'rocker', planned: 'crank', then 'rocker', then "):
        fill(plan(loads(rocker)), drag_link)


def carriage(off: float, second: float = 0.0) -> Mechanism:
    """A pendulum on a carriage, and two springs to it whose ends are so far [m] off its hinge."""
    rng = np.random.default_rng(4)
    up, along, hinge = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    slide = joint("prismatic", "slide", "ground", "carriage", np.zeros(3), along)
    swing = joint("revolute", "swing", "carriage", "pendulum", np.zeros(3), hinge)
    ends = [Distance("ground", "pendulum", -2.0 * along, np.array([0.0, 0.0, h])) for h in (off, second)]
    return Mechanism(
        "Carriage",
        [random_body(rng, "carriage"), random_body(rng, "pendulum")],
        [slide, swing],
        springs=[Spring(name, on, stiffness=100.0, free_length=1.0) for name, on in zip("ab", ends, strict=True)],
        coordinates=(
            Coordinate("x", JointCoordinate("slide"), -0.5, 0.5),
            Coordinate("turn", JointCoordinate("swing"), -1.0, 1.0),
        ),
        gravity=-9.81 * up,
        tables=TableSettings(1e-6),
    )


def test_a_dependence_that_the_plan_excludes_is_refused():
    planned = plan(carriage(0.0, 0.1))
    assert dict(planned.charts[0].measures) == {"spring.a": ("x",), "spring.b": ("x", "turn")}
    with pytest.raises(PlanError) as caught:
        fill(planned, carriage(0.05, 0.1))
    assert caught.value.problems == ("spring.a depends on 'turn', which the plan excludes",)


def test_a_dependence_that_goes_is_no_harm():
    """The tables of the plan have an axis more than need be, and the same values."""
    planned, symmetric = plan(carriage(0.05, 0.1)), carriage(0.0, 0.1)
    assert plan(symmetric) != planned
    filled, own = (prepare(model)[0] for model in (fill(planned, symmetric), bake(symmetric)))
    for z in np.random.default_rng(2).uniform((-0.5, -1.0), (0.5, 1.0), (10, 2)):
        a, b = mechanics(filled, z), mechanics(own, z)
        np.testing.assert_allclose(a.s, b.s, atol=1e-5)
        np.testing.assert_allclose(a.ds, b.ds, atol=1e-4)
        np.testing.assert_allclose(a.J, b.J, atol=1e-4)


def test_measures_that_were_one_must_stay_one():
    planned = plan(carriage(0.1, 0.1))
    with pytest.raises(PlanError, match="what spring.b acts on is no longer what another force acts on"):
        fill(planned, carriage(0.1, 0.2))


def test_tolerances_that_take_other_splines_are_refused():
    m = carriage(0.0, 0.1)
    planned = plan(m)
    assert to_bytes(fill(planned, replace(m, tables=TableSettings(2e-6)))) != to_bytes(fill(planned, m))
    with pytest.raises(PlanError, match="tables over 'x' and 'turn' have degree 3, planned: 5, since other tolerances"):
        fill(planned, replace(m, tables=TableSettings(1e-5)))


def test_a_link_that_a_force_may_spin_is_refused():
    """A spring to the middle of the coupler, and beside it: there its spin between the balls is real motion."""
    rssr = load(MECHANISMS / "rssr.toml")
    middle = rssr.bodies[1].com
    planned, beside = (
        replace(rssr, springs=[Spring("s", Distance("ground", "coupler", np.zeros(3), p), stiffness=1, free_length=0)])
        for p in (middle, middle + [0.0, 0.0, 0.01])
    )
    assert plan(planned).idle == ("coupler",)
    with pytest.raises(PlanError, match="a force spins coupler between its balls now"):
        fill(plan(planned), beside)
