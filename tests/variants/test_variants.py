"""Design parameters of the FMU: tables of the mechanism with its hardpoints elsewhere, against those baked there."""

import tomllib
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_kernel import Pair

from fmu_src.interface.variables import layout, variables
from fmu_src.model.designs import at_design, design_name
from fmu_src.model.remainder import LENGTHS
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.instance import Instance
from fmu_src.numpy_runtime.reading import read
from kinetab import bake, check, fill, load, plan
from precompute.design import Design, moved
from precompute.errors import MechanismError, PrecomputeError
from precompute.mechanism_file import to_document
from precompute.mechanism_file.reading import parse_document
from precompute.model.parts import variable_quantity
from precompute.report.inspection import inspect
from precompute.running.simulation import SimulationError
from precompute.variants.telling import measured_lines, valid
from precompute.verify.motion.tuning import tuned

LOOSE = 1e-5
"""Tolerance of the tables here."""

COIL = {"between": ["ground", "coupler"], "at": [[1.0, 3.0, 0.0], "Q"], "stiffness": 300.0, "preload": 50.0}
DESIGNS = {"pin": {"of": "point.Q.x", "range": 0.05}, "weight": {"of": "body.coupler.mass", "range": 0.5}}


def four_bar(**design):
    """The shipped one with a spring, coarse tables and some design parameters."""
    document = tomllib.loads((MECHANISMS / "four_bar.toml").read_text())
    document["springs"]["coil"] = COIL
    document["tables"] = {"tolerance": LOOSE}
    return parse_document(document | ({"design": design} if design else {}))


def without(mechanism):
    """The mechanism without its design parameters."""
    return replace(mechanism, designs=())


@cache
def model():
    return bake(four_bar(**DESIGNS))


def rows_at(model, angle):
    found = prepare(model)[0]
    return read(found.everything, np.array([angle]))


# --- what comes out ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("u", [(1.0, 0.0), (0.5, -0.4), (1.0, 1.0)])
def test_the_model_at_a_design_is_that_of_the_mechanism_there(u):
    p = [share * design.range for share, design in zip(u, model().designs, strict=True)]
    changes = {design.of: x for design, x in zip(model().designs, p, strict=True)}
    expected = bake(without(moved(four_bar(**DESIGNS), changes)))
    found = at_design(model(), p)
    together = 1.0 if sum(map(bool, u)) > 1 else 0.0
    error = max(d.errors[0] for d in model().designs) + together * model().designs_together[0]
    assert (error > 1e-7) and error < 1e-3
    for angle in np.linspace(0.0, 6.0, 13):
        values, slopes = rows_at(found, angle)
        for a, b in zip((values, slopes), rows_at(expected, angle), strict=True):
            scale = np.maximum(np.abs(b), 1.0)
            exact = max(map(abs, u)) == 1.0 and not together
            assert (np.abs(a - b) / scale).max() < 100.0 * LOOSE + (0.0 if exact else 30.0 * error)
    assert found.mass == pytest.approx(expected.mass)
    laws = [[law.design for element in m.elements for law in element.laws] for m in (found, expected)]
    assert laws[0] == pytest.approx(laws[1], abs=1e-5)


def test_with_nothing_set_it_is_the_model_without():
    plain = bake(without(four_bar(**DESIGNS)))
    both = zip(plain.charts[0].blocks, model().charts[0].blocks, strict=True)
    assert all(np.array_equal(a.core, b.core) for a, b in both)
    assert at_design(model(), [0.0, 0.0]).charts[0].blocks[1].core == pytest.approx(
        plain.charts[0].blocks[1].coefficients
    )


def test_what_does_not_change_is_not_stored():
    heavier = bake(four_bar(weight=DESIGNS["weight"]))
    (changed,) = (block for block in heavier.charts[0].blocks if block.axes)
    assert len(set(changed.changes.cells[:, 0].tolist())) < len(changed.cells)  # inertia and first moments
    assert set(changed.changes.cells[:, 1].tolist()) == {0}  # to first order: mass is linear in itself
    assert [n.kind for n in heavier.design_numbers] == ["mass"]
    assert heavier.designs[0].errors[LENGTHS] < 1e-12


def test_both_run_times_move_as_the_mechanism_that_was_baked_there(tmp_path):
    """A tenth of a second after the pin was moved, with the crank turning: against a model of the moved mechanism."""
    p = [0.03, 0.2]
    there = bake(without(moved(four_bar(**DESIGNS), {"point.Q.x": p[0], "body.coupler.mass": p[1]})))
    both = Pair(model(), tmp_path)
    names = [v.name for v in variables(there)]
    expected = Instance(prepare(there))
    for instance in (both.numpy, both.compiled):
        instance.set(list(layout(model()).designs), p)
    for instance in (expected, both.numpy, both.compiled):
        instance.setup(0.0)
        instance.enter_initialization()
        instance.exit_initialization()
        for i in range(100):
            instance.step(i * 1e-3, 1e-3)
    asked = [v.name for v in variables(there) if v.causality == "output" and not v.name.startswith("table.")]
    wanted = np.array(expected.get([names.index(name) for name in asked]))
    for instance in (both.numpy, both.compiled):
        found = np.array(instance.get([both.names.index(name) for name in asked]))
        assert (np.abs(found - wanted) / np.maximum(np.abs(wanted), 1.0)).max() < 2e-3


def test_the_fmu_has_them_as_tunable_parameters_with_units():
    (pin, weight) = (v for v in variables(model()) if v.name.startswith("design."))
    assert (pin.name, pin.unit, pin.variability, pin.start) == ("design.pin", "m", "tunable", 0.0)
    assert pin.description == "Change of point.Q.x, measured up to 0.05 m" and (pin.minimum, pin.maximum) == (-0.5, 0.5)
    assert weight.unit == "kg" and design_name(model().designs[1]) == weight.name


def test_another_design_is_filled_by_the_plan():
    own = four_bar(weight=DESIGNS["weight"])
    other = moved(own, {"point.P.x": 0.01})
    filled, expected = fill(plan(own), other), bake(other)
    for a, b in zip(filled.charts[0].blocks, expected.charts[0].blocks, strict=True):
        assert np.array_equal(a.core, b.core)
        assert a.changes is None or np.array_equal(a.changes.core, b.changes.core)
    assert filled.design_numbers == expected.design_numbers


def test_a_column_that_is_zero_until_the_design_changes():
    """The slider's guide lies in the crank's axis: its offset makes terms that are not there without it."""
    document = tomllib.loads((MECHANISMS / "crank_slider.toml").read_text())
    document["tables"] = {"tolerance": 1e-4}
    known = Design.of(parse_document(document)).variables
    name = next(n for n in known if n.startswith("body.") and n.endswith(".com.y"))
    document["design"] = {"d": {"of": name, "range": 0.01 * 1.0}}
    found = bake(parse_document(document))
    document.pop("design")
    there = bake(moved(parse_document(document), {name: found.designs[0].range}))
    here = at_design(found, [found.designs[0].range])
    for angle in (0.3, 2.0, 4.0):
        a, b = (prepare(m)[0] for m in (here, there))
        J = [read(r.equations, np.array([angle]))[0][0] for r in (a, b)]
        S = [read(r.equations, np.array([angle]))[0][list(r.rows.S)] for r in (a, b)]
        assert J[0] == pytest.approx(J[1], rel=1e-3) and S[0] == pytest.approx(S[1], abs=1e-5)


# --- the file ---------------------------------------------------------------------------------------------------------


def test_the_section_is_read_and_written():
    found = four_bar(**DESIGNS)
    assert [(d.name, d.of, d.range) for d in found.designs] == [
        ("pin", "point.Q.x", 0.05),
        ("weight", "body.coupler.mass", 0.5),
    ]
    assert to_document(found)["design"] == DESIGNS
    assert parse_document(to_document(found)).designs == found.designs


@pytest.mark.parametrize("name", ["double_wishbone", "macpherson", "front_axle"])
def test_ranges_are_in_the_unit_of_the_variable(name):
    found = load(MECHANISMS / f"{name}.toml")
    scales = {"inertia": found.units.inertia(), **{q: found.units.scale(q) for q in ("length", "angle", "mass")}}
    laws = ("spring", "anti_roll_bar", "stop", "damper", "force", "bushing", "wheel")
    for variable in found.variables.values():
        if not variable.name.startswith(laws) or variable.kind in ("place", "turn"):
            told = (
                scales[variable_quantity(variable.name)] if not variable.name.startswith("wheel.") else variable.scale
            )
            assert told == variable.scale, variable.name


SEVEN = {
    f"d{i}": {"of": f"point.{p}.{x}", "range": 0.01} for i, (p, x) in enumerate(zip("PQBPQBP", "xxxyyyz", strict=True))
}


@pytest.mark.parametrize(
    ("design", "said"),
    [
        ({"a": {"of": "point.Q.x", "range": 0.0}}, "must be greater than 0|positive"),
        ({"a": {"of": "point.Q.x", "range": 0.1}, "b": {"of": "point.Q.x", "range": 0.2}}, "as that of 'a'"),
        (SEVEN, "has 7 parameters; 6 are the most"),
        ({"a": {"of": 3, "range": 0.1}}, "of"),
        ({"a": {"of": "point.Q.x"}}, "range"),
    ],
)
def test_faulty_sections_are_refused_when_they_are_read(design, said):
    with pytest.raises(MechanismError, match=said):
        four_bar(**design)


@pytest.mark.parametrize(
    ("design", "said"),
    [
        ({"a": {"of": "point.Qu.x", "range": 0.1}}, "no design variable 'point.Qu.x'.*point.Q.x"),
        ({"a": {"of": "spring.rocker.stiffness", "range": 1.0}}, "is a tunable parameter of every FMU"),
        (
            {"a": {"of": "point.B.x", "range": 0.9}, "b": {"of": "joint.crank.rx", "range": 5.0}},
            r"design.a: with 'point.B.x' changed by \+0.9 m: (.|\n)*design.b: with 'joint.crank.rx' changed by -5 deg",
        ),
    ],
)
def test_check_and_bake_refuse_what_cannot_be_moved_with_the_same_words(design, said):
    found = four_bar(**design)
    with pytest.raises(PrecomputeError, match=said) as baked:
        bake(found)
    with pytest.raises(PrecomputeError, match=said) as checked:
        inspect(found)
    assert str(baked.value) == str(checked.value)


def test_several_charts_are_refused():
    document = tomllib.loads((MECHANISMS / "crank_slider_charts.toml").read_text())
    name = next(n for n in Design.of(parse_document(document)).variables if n.endswith(".mass"))
    document["design"] = {"d": {"of": name, "range": 0.1}}
    with pytest.raises(MechanismError, match="several charts"):
        bake(parse_document(document))


def test_check_and_bake_say_what_there_is():
    text = str(check(four_bar(**DESIGNS)))
    assert "pin: point.Q.x, 2.73679 m, changed by up to 0.05 m either way" in text and "up to 5 more" in text
    lines = list(measured_lines(model(), 1e-3))
    assert (
        lines[0].startswith("design.pin within 0.05 m: positions err by up to")
        and "of changes in the file" in lines[-1]
    )


def test_the_radius_of_validity_is_that_of_a_range_whose_error_is_the_tolerance():
    (wide,) = bake(four_bar(pin={"of": "point.Q.x", "range": 0.2})).designs
    tolerance = wide.errors[0] / 8.0
    radius = valid(wide, tolerance)
    assert radius == pytest.approx(0.1)
    (half,) = bake(four_bar(pin={"of": "point.Q.x", "range": radius})).designs
    assert half.errors[0] == pytest.approx(tolerance, rel=0.2)
    lines = list(measured_lines(bake(four_bar(pin={"of": "point.Q.x", "range": 0.2})), tolerance))
    assert (
        lines[1] == "Warning: that is 8 times what tables.stiff_tolerance allows; a `range` of 0.1 m would keep to it"
    )
    assert valid(model().designs[0], 1e-3) > 0.05 and valid(replace(wide, errors=(0.0, 0.0, 0.0)), 1e-3) == np.inf


def test_verify_does_not_follow_them():
    with pytest.raises(SimulationError, match="'design.pin' cannot be set: (.|\n)*verify that FMU"):
        tuned(four_bar(**DESIGNS), {"design.pin": 0.01, "design.weight": 0.0})
