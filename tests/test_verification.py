import pytest

from precompute.simulation import SimulationError
from precompute.verification import read_model, verify


@pytest.mark.fmu
@pytest.mark.parametrize("name", ["crank_slider", "four_bar", "spatial_slider_crank", "rssr", "double_wishbone"])
def test_every_mechanism_agrees_with_the_full_model(fmu, name):
    result = verify(fmu(name), stop=0.3)
    assert result.worst("mm").error < 1e-3
    assert result.worst("deg").error < 1e-4
    assert result.residual < 1e-10
    for unit in ("N", "N m"):
        if worst := result.worst(unit):
            assert worst.error < 1e-3


@pytest.mark.fmu
def test_loads_and_parameters_act_on_both(fmu):
    values = {"port.contact.F[3]": 6500.0, "port.wheel.M[1]": -80.0, "spring.shock.k": 1.4e5, "Q.pitman": 60.0}
    result = verify(fmu("double_wishbone"), stop=0.2, values=values)
    assert result.worst("mm").error < 1e-3 and result.worst("mm").span > 1.0
    with pytest.raises(SimulationError, match="cannot be set here"):
        verify(fmu("double_wishbone"), stop=0.1, values={"spring.shock.bump_stop.at": 0.3})


@pytest.mark.fmu
def test_a_wrong_model_is_caught(fmu, monkeypatch):
    """The comparison can fail: a full model with a stiffer spring differs."""
    from precompute import verification

    original = verification.tuned
    monkeypatch.setattr(verification, "tuned", lambda m, v: original(m, {**v, "spring.slider.k": 110.0}))
    assert verify(fmu("crank_slider"), stop=0.5).worst("mm").error > 1.0


def test_a_foreign_file_is_refused(tmp_path):
    path = tmp_path / "x.fmu"
    path.write_bytes(b"no archive")
    with pytest.raises(SimulationError, match="cannot be opened"):
        read_model(path)
