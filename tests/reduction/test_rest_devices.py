"""Elements with formulas at rest without tables: closed forms, differences, the full model, tables about their rest."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import ROOT
from helpers_elements import ALONG, SLIDE, bob, element, slider
from helpers_rig import at, mechanism, richardson, strut

from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.correcting import correct
from precompute.kinematics.topology import spanning_tree
from precompute.measures.wheel_travel import WheelTravel
from precompute.mechanism_file import load
from precompute.model.devices import DeviceForce
from precompute.model.mechanism import Coordinate
from precompute.pipeline import bake, survey
from precompute.reduction.exact_rest import exact_rest
from precompute.reduction.rest_laws import laws_of
from precompute.reduction.statics import StaticsError
from precompute.reference import Loads, assemble, coordinate_values, equilibrium, full_model
from precompute.rig.stand import stand

EXACT = 1e-8  # of differences of order six

SERIES = element(
    "series",
    force="-F - 500*s*y",
    rates={"F": "k*(s_rate - F/c)", "y": "2*(s*(1 + s) - y)"},
    k=4e4,
    c=300.0,
)
"""What yields, and what follows: at rest its force is -500 s^2 (1 + s)."""

MOTOR = element("motor", force="c*i", rates={"i": "(V - r*i - c*s_rate)/l"}, V=10.0, r=4.0, c=0.1, l=0.01)

GAS = element(
    "gas",
    force="A*(p - p0)",
    rates={"m": "fill*0"},
    starts={"m": 2.0},
    outputs={"p": "p0*(m/(1 + 2*s + u))^1.3"},
    residuals={"u": "u + 0.1*u^3 - s/4"},
    A=1e-3,
    p0=1e5,
    fill=1.0,
)
"""A mass of air that stays as it is, in a chamber whose wall gives way."""


def rest_laws(*devices):
    """The laws of a slider with nothing but devices."""
    own = slider(*devices)
    topology = spanning_tree(own)
    design = close_loops(own, topology)
    return laws_of(own, Closure(own, topology).poses(design.q))


def test_forces_at_rest_in_closed_form():
    s = np.linspace(-0.2, 0.3, 6)[:, None]
    np.testing.assert_allclose(rest_laws(SERIES).force(s), -500 * s**2 * (1 + s), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(rest_laws(MOTOR).force(s), np.full(s.shape, 0.1 * 10.0 / 4.0), rtol=1e-14)
    both = rest_laws(SERIES, MOTOR)
    assert both.acts_on == (0, 0) and len(both.elements) == 2
    np.testing.assert_allclose(both.force(s), 0.25 - 500 * s**2 * (1 + s), rtol=1e-12)


@pytest.mark.parametrize("devices", [(SERIES,), (MOTOR,), (GAS,), (GAS, SERIES)])
def test_slopes_at_rest_are_derivatives(devices):
    laws = rest_laws(*devices)
    for s in (-0.15, 0.02, 0.3):
        exact = laws.slope(np.array([[s]]))[0, 0, 0]
        found = richardson(lambda h, s=s: laws.force(np.array([[s + h]]))[0, 0], 1e-3)
        assert exact == pytest.approx(found, rel=1e-8, abs=1e-9)


def test_states_that_are_not_at_rest_hold_what_they_hold():
    own = slider(replace(SERIES, states=(replace(SERIES.states[0], start=30.0), SERIES.states[1])))
    topology = spanning_tree(own)
    poses = Closure(own, topology).poses(close_loops(own, topology).q)
    s = np.array([[0.1]])
    assert laws_of(own, poses, settling=False).force(s) == pytest.approx(-30.0)
    assert laws_of(own, poses, settling=False).slope(s)[0] == pytest.approx(0.0)
    assert laws_of(own, poses).force(s) == pytest.approx(-500 * 0.01 * 1.1)


def test_what_never_rests_is_said():
    endless = element("e", force="x", rates={"x": "1 + s"})
    with pytest.raises(StaticsError, match=r"at rest, .*'e.x' keeps changing at 1.1"):
        rest_laws(endless).force(np.array([[0.1]]))


# -- mechanisms -------------------------------------------------------------------------------------------------------

HOLDING = element("holding", on=(("a", SLIDE), ("d", ALONG)), rates={"F": "40*(2 + 9*sin(a) - F) + 3*a_rate"})
HOLDING = replace(HOLDING, forces=(DeviceForce("a", "-F - 30*a"), DeviceForce("d", "-3e4*d + 5*F")))


def test_exact_rest_is_that_of_the_full_model():
    own = bob(HOLDING)
    full = full_model(own)
    there = equilibrium(full, assemble(full, {"x": 0.2}), Loads())
    found = survey(own)
    closure, design = found.atlas.pieces[0].coordinates.full, found.design.q
    rest = exact_rest(closure, design, design, range(len(closure.coordinates)), ())
    assert rest.z[0] == pytest.approx(float(coordinate_values(full, there)[0]), abs=1e-9)
    assert there.devices[0] == pytest.approx(2 + 9 * np.sin(rest.z[0]), rel=1e-12)
    assert abs(rest.z[1]) > 1e-6


def test_a_static_start_is_where_tables_are_expanded_about():
    own = bob(HOLDING)
    c = own.coordinates[0]
    own = replace(
        own,
        coordinates=(Coordinate(c.name, c.of, c.lower, c.upper),),
        tables=replace(own.tables, about="static"),
        experiment=replace(own.experiment, static=True),
    )
    model = bake(own)
    np.testing.assert_allclose(
        [s.about for s in model.stiff], [s.value for s in model.starts[1:]], rtol=1e-4, atol=1e-10
    )
    assert abs(model.stiff[0].about) > 1e-6
    (device,) = model.devices
    assert device.states[0].start == pytest.approx(2 + 9 * np.sin(model.starts[0].value), rel=1e-9)


def test_a_static_preload_carries_what_elements_do_not():
    own = load(ROOT / "tests" / "mechanisms" / "corner.toml")
    spring = own.springs[0]
    helper = element("helper", on=(("s", spring.on),), force="F", rates={"F": "9*(700 - F)"})

    def preload(*devices):
        m = replace(own, springs=(replace(spring, preload=None, free_length=None, static_preload=True),))
        found = survey(replace(m, chassis="fixed", devices=devices))
        coordinates = found.atlas.pieces[0].coordinates
        q = found.design.q
        return exact_rest(coordinates.full, q, q, range(2, 4), own.ports).mechanism.springs[0].preload

    assert preload(helper) == pytest.approx(preload() - 700.0, abs=1e-6)


# -- on the rig -------------------------------------------------------------------------------------------------------


def with_spring_of_formulas(**more):
    """The strut with its spring as an element, beside what holds nothing at rest."""
    plain = mechanism()
    spring = plain.springs[0]
    length = float(np.linalg.norm(spring.on.p_a - spring.on.p_b))
    own = element(
        "spring",
        on=(("s", spring.on),),
        force=f"{spring.preload} - k*(s - {length!r}) - F",
        rates={"F": "1e5*(s_rate - F/800)"},
        k=spring.stiffness,
    )
    rest = (replace(spring, stiffness=0.0, preload=0.0, bump_stop=None, rebound_stop=None), *plain.springs[1:])
    without = (replace(spring, bump_stop=None, rebound_stop=None), *plain.springs[1:])
    return replace(plain, springs=rest, devices=(own,)), replace(plain, springs=without)


def test_a_spring_of_formulas_is_a_spring_to_the_rig():
    ours, theirs = (at(stand(m), "bump", [-0.03, 0.05])[0] for m in with_spring_of_formulas())
    np.testing.assert_allclose(ours.pads, theirs.pads, rtol=1e-9)
    np.testing.assert_allclose(ours.z, theirs.z, atol=1e-10)


def test_stiffness_on_the_rig_is_the_derivative_of_forces_with_elements():
    plain = mechanism()
    on = (("s", plain.springs[0].on), ("t", WheelTravel(plain.wheels[0].name)))
    own = element("air", on=on, rates={"F": "30*(4e4*s + q*t*t - F)"}, q=4e4)
    own = replace(own, forces=(DeviceForce("s", "-F + 2e4*t"), DeviceForce("t", "-F*s")))
    rig = stand(replace(plain, devices=(own,))).rig
    rest = at(strut(), "bump", [0.02])[0]
    q, z = rest.q[:, 0], rest.z[:, 0]
    here = rig.at(q[:, None])
    for i in range(z.shape[-1]):
        direction = np.eye(z.shape[-1])[i]

        def force(h, direction=direction):
            guess = rig.bench.closure.move(q, h * here.B @ direction)
            return rig.at(correct(rig.bench.closure, guess, z + h * direction).q[:, None]).Q

        np.testing.assert_allclose(-here.K[..., i], richardson(force, 5e-5), atol=EXACT * np.abs(here.K).max())
