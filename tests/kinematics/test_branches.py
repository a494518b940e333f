from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, ROOT
from helpers_branching import equal_crank_slider

from precompute.coordinates.candidates import candidates
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.branches import features, line_ends, search
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.poses import move
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import JointCoordinate, Marker


def found(mechanism, coordinates=None):
    t = spanning_tree(mechanism)
    q = close_loops(mechanism, t).q
    closure = Closure(mechanism, t, coordinates or tuple(c.of for c in mechanism.coordinates))
    return closure, search(closure, closure.values(closure.poses(q)), q, q)


@pytest.mark.parametrize("name", ["four_bar", "crank_slider", "rssr", "spatial_slider_crank"])
def test_single_loops_have_two_assemblies_and_every_start_finds_one(name):
    _, result = found(load(MECHANISMS / f"{name}.toml"))
    assert len(result.assemblies) == 2 and result.closed == result.starts == 400 and result.undetermined == 0
    assert sum(each.found for each in result.assemblies) == 400
    assert result.assemblies[0].moved == 0.0 < result.assemblies[1].moved


def test_the_other_four_bar_is_the_mirror_image_about_the_diagonal():
    m = load(MECHANISMS / "four_bar.toml")
    closure, result = found(m)
    P = closure.poses(result.assemblies[1].q)
    crank_pin, pin, rocker = (m.joint(name).p_P for name in ("crank_pin", "coupler_pin", "rocker"))
    u = (rocker - crank_pin) / np.linalg.norm(rocker - crank_pin)
    mirrored = crank_pin + 2.0 * ((pin - crank_pin) @ u) * u - (pin - crank_pin)
    np.testing.assert_allclose(P.pose("coupler").point(pin), mirrored, atol=1e-12)


def test_andrews_mechanism_has_four():
    """Two dyads hang on its springs' triangle: each can fold to the other side."""
    m = load(ROOT / "tests" / "mechanisms" / "andrews.toml")
    _, result = found(m, (JointCoordinate("beta"),))
    assert len(result.assemblies) == 4 and min(each.found for each in result.assemblies) > 50


def test_links_between_balls_and_universal_joints_are_lines():
    """Half a turn of such a link about its own line, which a universal joint allows, is no other assembly."""
    m = load(MECHANISMS / "five_link.toml")
    lines = [b.name for b in m.bodies if line_ends(m, b.name) is not None]
    assert lines == ["trailing_link", "upper_link", "leading_link", "toe_link"]  # the shock acts on the lower link
    _, result = found(m)
    assert len(result.assemblies) == 16  # 256 with the half turns of the four


def test_a_spin_that_is_idle_does_not_count():
    m = load(MECHANISMS / "rssr.toml")
    t = spanning_tree(m)
    closure, q = Closure(m, t), close_loops(m, t).q
    spun = np.zeros(t.nv)
    line = m.joint("B").p_P - m.joint("A").p_P
    for number, sign in ((1, 1.0), (2, -1.0)):  # the balls at A and B
        spun[t.v_slices[number]] = sign * 0.7 * line / np.linalg.norm(line)
    other = move(m, t, q, spun)
    assert np.abs(closure.poses(other).pose("coupler").R - np.eye(3)).max() > 0.1
    np.testing.assert_allclose(*features(closure, np.array([q, other])), atol=1e-12)
    marked = replace(m, markers=(*m.markers, Marker("side", "coupler", np.array([0.0, 0.0, 0.05]))))
    assert line_ends(marked, "coupler") is None  # its spin is seen


def test_positions_that_the_inputs_do_not_determine_are_not_counted():
    """A scissor lift that is folded up in one storey can turn there, whatever the height of its platform."""
    m = load(MECHANISMS / "short" / "scissor_lift.toml")
    height = next(c.coordinate.of for c in candidates(m) if c.coordinate.name == "platform_z")
    _, result = found(m, (height,))
    assert result.undetermined > 100 and len(result.assemblies) == 4
    assert all(each.condition < 100.0 for each in result.assemblies)


def test_a_dead_centre_is_one_assembly():
    """A crank-slider with its slider as far out as it goes: a double root, found again and again."""
    _, result = found(equal_crank_slider(start=0.0), (JointCoordinate("output"),))
    assert len(result.assemblies) == 1 and result.assemblies[0].condition > 1e7 and result.undetermined == 0
