from dataclasses import replace

import pytest
from helpers import MECHANISMS
from helpers_verify import motion

from fmu_src.build.python_fmu import build_fmu
from precompute.mechanism_file import load
from precompute.model.mechanism import TableSettings
from precompute.pipeline import bake
from precompute.running.model_reader import read_model
from precompute.running.simulation import SimulationError
from precompute.verify import dynamic_check
from precompute.verify.motion.tuning import tuned


@pytest.mark.fmu
@pytest.mark.parametrize("name", ["crank_slider", "four_bar", "spatial_slider_crank", "rssr", "double_wishbone_rigid"])
def test_every_mechanism_agrees_with_the_full_model(fmu, name):
    result = motion(fmu(name), stop=0.3)
    assert result.worst("mm").error < 1e-3
    assert result.worst("deg").error < 1e-4
    assert result.residual < 1e-10
    for unit in ("N", "N m"):
        if worst := result.worst(unit):
            assert worst.error < 1e-3


@pytest.mark.fmu
def test_loads_and_parameters_act_on_both(fmu):
    values = {"port.contact.F[3]": 6500.0, "port.wheel.M[1]": -80.0, "spring.shock.k": 1.4e5, "Q.pitman": 60.0}
    result = motion(fmu("double_wishbone_rigid"), stop=0.2, values=values)
    assert result.worst("mm").error < 1e-3 and result.worst("mm").span > 1.0


@pytest.mark.fmu
def test_every_kind_of_law_parameter_acts_on_both(fmu):
    """The wheel is thrown into the bump stop; stop and table entries are tuned."""
    values = {
        "port.contact.F[3]": 12000.0,
        "spring.shock.bump_stop.at": 0.33,
        "spring.shock.bump_stop.table.f[3]": 9000.0,
        "spring.shock.rebound_stop.k": 1e6,
        "damper.shock.table.f[2]": -2500.0,
        "damper.steering.c": 300.0,
        "gravity[3]": -5.0,
    }
    result = motion(fmu("double_wishbone_rigid"), stop=0.25, values=values)
    assert result.worst("mm").error < 1e-2 and result.worst("mm").span > 50.0


@pytest.mark.fmu
def test_a_wrong_model_is_caught(fmu, monkeypatch):
    """The comparison can fail: a full model with a stiffer spring differs."""
    monkeypatch.setattr(dynamic_check, "tuned", lambda m, v: tuned(m, {**v, "spring.slider.k": 110.0}))
    assert motion(fmu("crank_slider"), stop=0.5).worst("mm").error > 1.0


def test_a_foreign_file_is_refused(tmp_path):
    path = tmp_path / "x.fmu"
    path.write_bytes(b"no archive")
    with pytest.raises(SimulationError, match="cannot be opened"):
        read_model(path)


@pytest.mark.fmu
def test_a_link_held_against_twist_moves_as_with_a_universal_joint(tmp_path):
    """An off-line coupler: the FMU is no worse than the twist that it holds, and verify says what it compares."""
    m = load(MECHANISMS / "rssr.toml")
    coupler = replace(m.bodies[1], com=m.bodies[1].com + [0.0, 0.0, -0.001])
    cranked = replace(m, bodies=(m.bodies[0], coupler, m.bodies[2]), tables=TableSettings(1e-5))
    path = build_fmu(bake(cranked), tmp_path / "cranked.fmu")
    result = motion(path, stop=0.1)
    assert "coupler is held against twist in the FMU but free to spin in the full model" in result.notes[0]
