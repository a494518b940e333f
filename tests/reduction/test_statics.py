"""Static equilibrium of baked models: start values, and preloads that hold the design position."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS

from fmu_src.interface.variables import layout, variables
from fmu_src.numpy_runtime.dynamics import energies, generalized_force, mechanics, prepare
from precompute.mechanism_file import load
from precompute.pipeline import bake
from precompute.reduction.statics import StaticsError


def suspension(**spring):
    """The rigid double wishbone in a narrow range, quick to bake."""
    m = load(MECHANISMS / "double_wishbone_rigid.toml")
    narrow = {"pitman": (-0.2, 0.2), "shock": (-0.03, 0.03)}
    coordinates = tuple(replace(c, lower=narrow[c.name][0], upper=narrow[c.name][1], start=None) for c in m.coordinates)
    springs = tuple(replace(s, **spring) if s.name == "shock" else s for s in m.springs)
    tables = replace(m.tables, tolerance=1e-4)
    return replace(m, coordinates=coordinates, springs=springs, tables=tables)


def static(m, **changes):
    return replace(m, experiment=replace(m.experiment, static=True), **changes)


def left_over(model):
    """Generalized forces at the start."""
    z, runtime = np.array([s.value for s in model.starts]), prepare(model)[0]
    inputs = np.array([v.start or 0.0 for v in variables(model)[layout(model).inputs]])
    parameters = [p.value for p in model.parameters]
    return generalized_force(runtime, mechanics(runtime, z), np.zeros(z.size), parameters, inputs)


def test_the_motion_starts_at_rest():
    rest = bake(static(suspension()))
    assert max(abs(s.value) for s in rest.starts) > 1e-4
    assert np.abs(left_over(rest)).max() < 1e-5  # of 5 kN
    assert rest.mechanism["coordinates"]["free"]["shock"]["start"] == rest.starts[1].value


def test_a_start_of_its_own_is_kept():
    m = static(suspension())
    held = replace(m, coordinates=(m.coordinates[0], replace(m.coordinates[1], start=0.01)))
    model = bake(held)
    assert model.starts[1].value == 0.01
    assert abs(left_over(model)[1]) > 1e-3  # held off its own equilibrium


def test_a_static_preload_holds_the_design_position():
    model = bake(suspension(preload=None, free_length=None, static_preload=True))
    z = np.array([s.value for s in model.starts])
    np.testing.assert_allclose(z, [0.0, 0.0], atol=1e-15)
    assert abs(left_over(model)[1]) < 1e-6
    found = next(p.value for p in model.parameters if p.name == "spring.shock.preload")
    assert model.mechanism["springs"]["shock"]["preload"] == found > 1e3


def test_no_equilibrium_is_said_in_words():
    m = static(suspension())
    weak = replace(
        m,
        springs=tuple(replace(s, stiffness=1.0, free_length=0.5, preload=None, bump_stop=None, rebound_stop=None)
                      if s.name == "shock" else s for s in m.springs),
    )  # fmt: skip
    with pytest.raises(StaticsError, match=r"no static equilibrium was found: .* is left on 'shock'"):
        bake(weak)


def test_stiff_coordinates_start_in_equilibrium():
    m = load(MECHANISMS / "five_link.toml")
    model = bake(replace(m, tables=replace(m.tables, tolerance=1e-3)))
    assert max(abs(s.value) for s in model.starts[1:]) > 1e-5
    assert np.abs(left_over(model)[1:]).max() < 1e-5


UPRIGHT = """
schema = 1
name = "Upright"
units = { length = "mm", mass = "kg", angle = "deg", force = "N" }
gravity = [0, 0, -9.81]
bodies.arm = { mass = 2, com = [0, 0, 300], inertia = [1e4, 1e4, 1e4] }
joints.pivot = { type = "revolute", parent = "ground", child = "arm", at = [0, 0, 0], axis = "y" }
coordinates.free.pivot = { of = "joint.pivot", from = -50, to = 50 }
experiment.static = true
"""


def test_an_equilibrium_that_nobody_means_is_refused(tmp_path):
    (tmp_path / "upright.toml").write_text(UPRIGHT)
    with pytest.raises(StaticsError, match="not stable"):
        bake(load(tmp_path / "upright.toml"))


def test_the_way_leads_downhill():
    """From where Newton's method alone finds the equilibrium that is not stable."""
    m = load(MECHANISMS / "four_bar.toml")
    model = bake(static(replace(m, coordinates=tuple(replace(c, start_rate=0.0) for c in m.coordinates))))
    runtime, parameters = prepare(model)[0], [p.value for p in model.parameters]
    z = np.array([model.starts[0].value])
    energy = [energies(runtime, z + x, 0 * z, parameters).total for x in (-1e-2, 0.0, 1e-2)]
    assert energy[1] < min(energy[0], energy[2]) and abs(left_over(model)[0]) < 1e-9
