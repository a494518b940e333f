"""Tables about the static deflection: exact where they are expanded about, by both run-times, and better near it."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from helpers import ROOT
from helpers_baked import baked
from helpers_kernel import Pair

from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.reading import read
from precompute.errors import MechanismError
from precompute.kinematics.continuation import follow
from precompute.mechanism_file import load
from precompute.pipeline import survey
from precompute.reduction.exact_rest import exact_rest
from precompute.reduction.statics import StaticsError, balanced
from precompute.reference import Loads, assemble, full_model
from precompute.reference.recording import marker_motions
from precompute.reference.statics import equilibrium

CORNER = ROOT / "tests" / "mechanisms" / "corner.toml"
HARD = (3000.0, -6000.0, 4500.0)  # [N] a corner taken hard, under braking


def corner(force=None, **settings):
    """The mechanism, with other start loads and table settings."""
    m = replace(load(CORNER), chassis="fixed")
    ports = m.ports if force is None else tuple(replace(p, force=force) for p in m.ports)
    return replace(m, ports=ports, tables=replace(m.tables, **settings))


@cache
def bake_corner(order, about, force=None):
    return baked(corner(force, taylor=order, about=about))


@cache
def found():
    return survey(corner())


@cache
def exact(force=None):
    """The exact equilibrium of the stiff coordinates, (nz,), the free ones at design."""
    full, q = found().atlas.pieces[0].coordinates.full, found().design.q
    return exact_rest(full, q, q, range(2, 4), corner(force).ports).z


def exact_marker(z):
    """Position of the wheel at coordinates z (nz,), without tables."""
    full, q = found().atlas.pieces[0].coordinates.full, found().design.q
    there = follow(full, q[None], full.values(full.poses(q))[None], z[None])
    assert there.reached.all()
    marker = full.mechanism.marker("wheel")
    return full.poses(there.q).pose(marker.body).point(marker.p)[0]


def table_marker(model, z):
    runtime = prepare(model)[0]
    first = runtime.rows.markers[0].r
    return read(runtime.everything, z)[0][first : first + 3]


def deflections(model):
    return np.array([start.value for start in model.starts[2:]])


def test_the_exact_equilibrium_is_that_of_the_full_model():
    m = corner(HARD)
    full = full_model(m)
    loads = Loads({p.name: (np.array(p.force), np.array(p.moment)) for p in m.ports})
    there = equilibrium(full, assemble(full, {}), loads, {c.name: 0.0 for c in m.coordinates})
    assert np.abs(exact(HARD)[2:]).max() > 1e-3
    np.testing.assert_allclose(exact_marker(exact(HARD)), marker_motions(full, [there])["wheel"].p[0], atol=1e-10)


@pytest.mark.parametrize("order", [1, 3])
@pytest.mark.parametrize("about", ["zero", "static"])
def test_tables_are_exact_where_they_are_expanded_about(about, order):
    model = bake_corner(order, about)
    point = np.array([s.about for s in model.stiff])
    assert (np.abs(point) > 1e-4).all() if about == "static" else not point.any()
    for axes in ((0.0, 0.0), (0.06, 0.01), (-0.08, -0.015)):
        z = np.array([*axes, *point])
        np.testing.assert_allclose(table_marker(model, z), exact_marker(z), atol=1e-7)


def test_the_expansion_point_is_the_start():
    model = bake_corner(3, "static")
    np.testing.assert_allclose([s.about for s in model.stiff], deflections(model), rtol=1e-4)
    np.testing.assert_allclose([s.about for s in model.stiff], exact()[2:], rtol=1e-9)


def missed(order, about):
    """Of the deflections when the corner is taken hard, over these; tables are about zero, or about the usual start."""
    model = bake_corner(order, about)
    hard = replace(model, ports=tuple(replace(p, force=HARD) for p in model.ports))
    away = deflections(balanced(corner(HARD), corner(HARD), hard)) - exact(HARD)[2:]
    return np.abs(away).max() / np.abs(exact(HARD)).max()


def test_a_higher_order_leaves_less_of_the_error_and_the_point_itself_nothing():
    for about in ("zero", "static"):
        errors = [missed(order, about) for order in (1, 2, 3)]
        assert errors[1] < 0.1 * errors[0] and errors[2] < 0.3 * errors[1]
        assert errors[2] < 1e-4
    np.testing.assert_allclose(deflections(bake_corner(2, "static", HARD)), exact(HARD)[2:], rtol=1e-5)


@pytest.mark.parametrize("about", ["zero", "static"])
def test_the_kernel_reads_what_numpy_reads(about, tmp_path):
    pair = Pair(bake_corner(3, about), tmp_path).start()
    for step in range(5):
        for instance in (pair.numpy, pair.compiled):
            instance.step(step * 1e-3, 1e-3)
    a, b = (np.array(instance.get(pair.outputs)) for instance in (pair.numpy, pair.compiled))
    np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-12)


def test_a_deflection_outside_is_told_alike_by_both(tmp_path):
    model = bake_corner(3, "static")
    far = model.stiff[0].about + 1.5 * model.stiff[0].radius
    starts = (*model.starts[:2], replace(model.starts[2], value=far), model.starts[3])
    pair = Pair(replace(model, starts=starts), tmp_path)
    said = []
    for instance in (pair.numpy, pair.compiled):
        instance.setup(0.0)
        instance.enter_initialization()
        said.append(instance.exit_initialization())
    assert said[0] == said[1] and "where the tables were measured" in str(said[0])


def test_no_equilibrium_to_expand_about_is_said():
    with pytest.raises(StaticsError, match="cannot be expanded about the static deflection.*leave out `about`"):
        survey(corner((0.0, 1e9, 0.0), about="static"))


def test_without_stiff_directions_there_is_nothing_to_expand_about():
    m = load(ROOT / "integration" / "mechanisms" / "four_bar.toml")
    with pytest.raises(MechanismError, match='tables.about: "static" is a deflection, but no joint has a stiff'):
        replace(m, tables=replace(m.tables, about="static"))
