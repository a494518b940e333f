"""What tables are made from has no rate, load or start value in it, and all that decides which bodies move how."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, ROOT

from precompute.cache.fingerprint import fingerprint
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.forces import ForceTable
from precompute.model.joint_types import DIRECTIONS
from precompute.pipeline import survey
from precompute.tables.unforced import even_bushing, inert, unforced

ARM = ROOT / "tests" / "cache" / "arm.toml"
TEMPLATES = ROOT / "precompute" / "templates"
FILES = [ARM, *sorted(MECHANISMS.glob("*.toml")), *sorted(TEMPLATES.glob("*.toml"))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_is_left_is_a_mechanism_with_the_same_parts_and_idle_spins(path):
    mechanism = load(path)
    left = inert(mechanism)
    assert fingerprint(inert(left)) == fingerprint(left) != fingerprint(mechanism)
    assert [on.label for on in left.acting] == [on.label for on in mechanism.acting]
    assert [r.output for r in left.read] == [r.output for r in mechanism.read]
    assert [row.output for row in left.held] == [row.output for row in mechanism.held]
    assert [m.name for m in left.frames] == [m.name for m in mechanism.frames]
    assert fingerprint(spanning_tree(left)) == fingerprint(spanning_tree(mechanism))


def test_a_bushing_acts_along_the_same_directions():
    (bushing,) = load(ARM).bushings
    tables = (None, None, None, None, ForceTable(np.array([0.0, 1.0]), np.array([0.0, 2.0])), None)
    turning = np.zeros((6, 6))
    turning[3, 3] = 1.0
    for own in (
        bushing,
        replace(bushing, tables=tables),
        replace(bushing, stiffness=np.zeros((6, 6)), damping=np.zeros((6, 6))),
        replace(bushing, stiffness=np.zeros((6, 6)), damping=turning),
        replace(bushing, stiffness=np.zeros((6, 6)), damping=np.zeros((6, 6)), preload=np.zeros(6)),
    ):
        even = even_bushing(own)
        assert [even.acts_along(d) for d in DIRECTIONS] == [own.acts_along(d) for d in DIRECTIONS]
        assert even.resists_rotation == own.resists_rotation and even.law == own.law


def key(mechanism):
    found = survey(mechanism)
    return fingerprint(tuple(unforced(*pair) for pair in zip(found.atlas.pieces, found.layouts, strict=True)))


def test_rates_and_loads_are_not_in_it_and_where_they_act_is():
    arm = load(ARM)
    base, (bushing,), (spring,) = key(arm), arm.bushings, arm.springs
    assert key(replace(arm, bushings=(replace(bushing, stiffness=2.0 * bushing.stiffness),))) == base
    assert key(replace(arm, springs=(replace(spring, stiffness=1.0, bump_stop=None),), gravity=np.ones(3))) == base
    assert key(replace(arm, ports=(replace(arm.ports[0], force=(1.0, 2.0, 3.0)),), description="other")) == base
    assert key(replace(arm, bushings=(replace(bushing, p=bushing.p + 0.01),))) != base
    assert key(replace(arm, bushings=(replace(bushing, damping=np.eye(6)),))) != base  # it acts about x as well
    assert key(replace(arm, springs=(replace(spring, name="other"),))) != base
    assert key(replace(arm, bodies=(replace(arm.bodies[0], mass=20.5),))) != base
