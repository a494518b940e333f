"""`kinetab verify` of FMUs with bushings, a moving chassis and driven coordinates."""

import numpy as np
import pytest
from helpers_corner import corner, document
from helpers_verify import motion

from fmu_src.build.python_fmu import build_fmu
from precompute.cli import main
from precompute.mechanism_file import from_document
from precompute.running.simulation import SimulationError
from precompute.verify import dynamic_check
from precompute.verify.motion.tuning import tuned

pytestmark = pytest.mark.fmu


@pytest.fixture(scope="module")
def direct(tmp_path_factory):
    """Bushings, a moving chassis, a rack that is driven directly."""
    return build_fmu(corner().model, tmp_path_factory.mktemp("fmus") / "direct.fmu")


def test_a_resting_chassis_and_the_static_start(direct):
    """Statics holds the stiff directions only; the arm moves from design."""
    result = motion(direct, stop=0.005, step=2.5e-4)
    found = {d.quantity: d for d in result.differences}
    assert found["bushing.rear.deflection[1-3]"].unit == "mm"
    assert found["marker.wheel.r"].span > 0.01
    assert result.worst("mm").error < 1e-4 and result.worst("deg").error < 1e-4
    assert result.worst("N").error < 1.0 and result.worst("N m").error < 1.0
    assert {"drive.rack.force", "chassis.F", "chassis.M", "bushing.front.force[4-6]"} <= found.keys()


def test_a_turning_chassis_with_other_rubber(direct):
    """Gravity and loads stay in chassis axes, whatever the chassis does."""
    values = {
        "chassis.w[1]": 0.6, "chassis.w[2]": -0.4, "chassis.w[3]": 0.9, "chassis.v[1]": 20.0, "chassis.v[3]": -0.5,
        "gravity[1]": 2.0, "gravity[3]": -9.0, "drive.rack.q": 4e-3, "q_start.arm": 0.02, "qd_start.arm": 0.5,
        "bushing.front.k[1]": 5e5, "bushing.rear.c[2]": 2000.0, "bushing.rear.preload[1]": -300.0,
        "port.wheel.F[1]": 600.0, "port.wheel.M[3]": 40.0, "q_start.arm_mount.x": 3e-4, "qd_start.arm_mount.y": 0.01,
    }  # fmt: skip
    result = motion(direct, stop=0.005, step=1.25e-4, values=values)
    assert result.worst("mm").error < 1e-4 and result.worst("mm").span > 0.1
    assert result.worst("deg").error < 1e-4
    assert result.worst("N").error < 0.5 and result.worst("N").span > 100.0
    assert result.worst("N m").error < 1.0


def test_other_rubber_in_the_full_model_is_caught(direct, monkeypatch):
    """The comparison can fail: one rate of the full model is a tenth higher."""
    monkeypatch.setattr(dynamic_check, "tuned", lambda m, v: tuned(m, {**v, "bushing.front.k[1]": 8.8e5}))
    result = motion(direct, stop=0.005, step=2.5e-4)
    found = {d.quantity: d for d in result.differences}
    assert found["bushing.front.force[1-3]"].error > 10.0 and found["chassis.F"].error > 10.0


def test_a_warning_of_the_fmu_is_shown_and_is_no_error(direct, capsys):
    assert main(["run", str(direct), "--set", "port.wheel.F[1]=20000", "--stop", "0.02"]) == 0
    assert "warning" in (said := capsys.readouterr().err) and "beyond" in said
    assert main(["run", str(direct), "--set", "port.wheel.F[1]=20000", "--stop", "1"]) == 1
    assert "outside its table" in capsys.readouterr().err


def test_the_command_line_prints_bushings_and_the_chassis(direct, capsys):
    asked = ["--free", "--stop", "0.002", "--step", "0.0002", "--set", "chassis.w[3]=0.5"]
    code = main(["verify", str(direct), *asked])
    words, said = capsys.readouterr()
    assert code == 1 and "the motion covered nothing" in said, words
    assert words.endswith("FAIL\n") and "ABOVE" not in words
    for quantity in ("bushing.front.deflection[1-3]", "bushing.rear.force[4-6]", "drive.rack.force", "chassis.M"):
        assert quantity in words


def test_a_filtered_drive(tmp_path):
    path = build_fmu(corner(driven="filtered").model, tmp_path / "filtered.fmu")
    result = motion(path, stop=0.005, step=1.25e-4, values={"drive.rack.q": 3e-3, "qd_start.rack": 0.05})
    found = {d.quantity: d for d in result.differences}
    assert found["q.rack"].error < 1e-4 and found["q.rack"].span > 0.2
    assert found["drive.rack.force"].error < 0.5 and found["drive.rack.force"].span > 200.0


def test_a_twist_that_leaps_back_is_followed_step_by_step(direct):
    """The FMU goes on with chassis.wd in a step and back to chassis.w at its end, and so does the full model."""
    result = motion(direct, stop=0.002, values={"chassis.wd[3]": 1.0})
    assert result.worst("mm").error < 1e-4 and result.worst("N").error < 0.5


def test_a_drive_that_leaps_is_refused(direct):
    with pytest.raises(SimulationError, match=r"'drive.rack.q' leaps by -1 mm at 0.001 s, .* smooth drives only"):
        motion(direct, stop=0.002, values={"drive.rack.qd": 1.0})


def test_every_parameter_of_a_bushing_is_tuned():
    with_table = document(rack=False)
    rows = np.diag([800.0, 9000, 9000, 1500, 15000, 0])
    rows[0, 4] = rows[4, 0] = 100.0
    table = {"rz": [[-1, -15000], [0, 0], [1, 15000]]}
    with_table["bushings"]["front"].update(stiffness=rows.tolist(), tables=table)
    changes = {"k[2]": 1e6, "k15": 7.0, "c[3]": 9.0, "c12": 2.0, "preload[6]": 5.0, "table[6].f[3]": 900.0}
    m = tuned(from_document(with_table), {f"bushing.front.{field}": value for field, value in changes.items()})
    front = m.bushing("front")
    assert front.stiffness[1, 1] == 1e6 and front.stiffness[0, 4] == front.stiffness[4, 0] == 7.0
    assert front.damping[2, 2] == 9.0 and front.damping[1, 0] == 2.0 and front.preload[5] == 5.0
    assert front.tables[5].force[2] == 900.0
    with pytest.raises(SimulationError, match="bushing 'front' with the values set: stiffness is indefinite"):
        tuned(m, {"bushing.front.k15": 1e9})
