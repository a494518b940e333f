"""check and bake come to one verdict."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, pivot_joints, random_mechanism, random_planar_mechanism

from precompute.errors import PrecomputeError, RangeError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.mobility import mobility
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import Coordinate, TableSettings
from precompute.pipeline import bake, survey
from precompute.report.inspection import inspect

COARSE = TableSettings(tolerance=1e-3)
"""The verdict is about ranges; how fine the tables are does not matter."""


def drawn(kind, seed, most):
    """A random mechanism without coordinates, and with some of its joints without ranges; none with more freedoms."""
    m = replace(kind(seed), tables=COARSE)
    try:
        t = spanning_tree(m)
        dof, null = mobility(m, t, close_loops(m, t))
        named = tuple(Coordinate(f"c{i}", on) for i, on in enumerate(pivot_joints(m, t, null)))
    except PrecomputeError:  # drawn as a structure, or of balls alone
        return [m]
    return [] if dof > most else [m, replace(m, coordinates=named)]


def verdict(stage, mechanism):
    """What a stage says; nothing if it is content."""
    try:
        said = stage(mechanism)
    except PrecomputeError as error:
        return str(error)
    return "\n".join(getattr(said, "problems", ()))


def sweep(mechanism):
    """What bake does, without the tables themselves."""
    found = survey(mechanism)
    if found.problems:
        raise RangeError(found.problems)


def half(c, at):
    """A coordinate with the range of another, twice as wide about the design: mostly too wide."""
    return replace(c, lower=at - 2.0 * (at - c.lower), upper=at + 2.0 * (c.upper - at), periodic=False)


@pytest.mark.parametrize("kind", [random_mechanism, random_planar_mechanism])
@pytest.mark.parametrize("seed", [5, 11, 12, pytest.param(34, marks=pytest.mark.slow)])
def test_check_and_bake_come_to_the_same_verdict(kind, seed):
    for m in drawn(kind, seed, most=1):
        assert verdict(inspect, m) == verdict(bake, m)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [random_mechanism, random_planar_mechanism])
@pytest.mark.parametrize("seed", range(40))
def test_check_and_bake_come_to_the_same_verdict_always(kind, seed):
    for m in drawn(kind, seed, most=2):
        assert verdict(inspect, m) == verdict(bake, m)


@pytest.mark.parametrize("seed", [5, pytest.param(9, marks=pytest.mark.slow), pytest.param(16, marks=pytest.mark.slow)])
def test_ranges_that_are_too_wide_are_refused_in_the_same_words(seed):
    m = random_planar_mechanism(seed)
    found = survey(m)
    coordinates = found.atlas.pieces[0].coordinates
    wide = tuple(half(c, at) for c, at in zip(coordinates.free, coordinates.design.tolist(), strict=True))
    too_wide = replace(m, coordinates=wide)
    assert verdict(inspect, too_wide) == verdict(sweep, too_wide)


def test_a_range_that_is_too_wide_is_refused_before_the_sweep(monkeypatch):
    m = load(MECHANISMS / "double_wishbone_rigid.toml")
    pitman, shock = m.coordinates
    wide = replace(m, coordinates=(replace(pitman, lower=-1.2), replace(shock, lower=-0.1)))
    monkeypatch.setattr("precompute.pipeline.tabulate", lambda *_: pytest.fail("swept before it refused"))
    with pytest.raises(RangeError) as caught:
        bake(wide)
    assert len(caught.value.problems) == 2 and caught.value.problems == inspect(wide).problems
    for problem, name in zip(caught.value.problems, ("pitman", "shock"), strict=True):
        assert problem.startswith(f"the range of '{name}'") and "Largest safe range" in problem


def test_open_ranges_are_drawn_in_until_the_grid_of_every_block_can_be_walked():
    """A corner of the box that rays to its corners and middles do not meet."""
    m = replace(random_planar_mechanism(0), tables=COARSE)
    t = spanning_tree(m)
    _, null = mobility(m, t, close_loops(m, t))
    named = tuple(Coordinate(f"c{i}", on) for i, on in enumerate(pivot_joints(m, t, null)))
    found = survey(replace(m, coordinates=named))
    assert found.problems == ()
    free = found.atlas.pieces[0].coordinates.free
    assert all(c.upper - c.lower > np.deg2rad(5.0) for c in free)
    assert all("drawn in" in why.upper_reason for why in found.atlas.pieces[0].coordinates.chosen)
