"""Files of loads: one table, one file per joint, histograms."""

import csv

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_loading import led, pendulum, swing

from precompute.errors import PrecomputeError
from precompute.mechanism_file import load


@pytest.fixture(scope="module")
def found():
    t, a, _, _ = swing()
    return led(pendulum(), time=t, angle=a)


def rows(path):
    with path.open() as file:
        head, *body = csv.reader(file)
    return head, np.array(body, dtype=float)


def test_a_file_per_joint_has_time_and_six_columns_with_units(found, tmp_path):
    files = found.to_folder(tmp_path / "new")
    assert [path.name for path in files] == ["pivot.csv", "drive.angle.csv"]
    head, body = rows(files[0])
    assert head == ["time [s]", "Fx [N]", "Fy [N]", "Fz [N]", "Mx [N m]", "My [N m]", "Mz [N m]"]
    np.testing.assert_array_equal(body[:, 0], found.time)
    np.testing.assert_array_equal(body[:, 1], found.outputs["joint.pivot.F[1]"])
    assert (body[:, 4] == 0.0).all() and "joint.pivot.M[1]" not in found.outputs  # free in its own axes
    np.testing.assert_array_equal(body[:, 6], found.outputs["joint.pivot.M[3]"])
    head, body = rows(files[1])
    assert head == ["time [s]", "moment [N m]"]
    np.testing.assert_array_equal(body[:, 1], found.outputs["drive.angle.force"])


def test_what_is_not_defined_has_no_column(tmp_path):
    files = led(load(MECHANISMS / "four_bar.toml"), time=[0.0, 1.0], crank=[0.0, 0.1]).to_folder(tmp_path)
    head, _ = rows(next(path for path in files if path.name == "crank.csv"))
    assert head == ["time [s]", "Fy [N]", "Fz [N]", "Mx [N m]"]  # the axis is x there


def test_rods_have_their_force_and_its_vector(tmp_path):
    mechanism = load(MECHANISMS / "macpherson_rigid.toml")
    for axes, expected in ((None, ["force [N]"]), ("ground", ["force [N]", "Fx [N]", "Fy [N]", "Fz [N]"])):
        folder = tmp_path / str(axes)
        led(mechanism, axes, time=[0.0], rack=[0.0], strut=[0.0]).to_folder(folder)
        assert rows(folder / "tie_rod.csv")[0] == ["time [s]", *expected]


def test_all_in_one_table(found, tmp_path):
    found.to_csv(tmp_path / "loads.csv")
    head, body = rows(tmp_path / "loads.csv")
    assert head == ["time", *found.outputs, *found.inputs]
    assert head[-3:] == ["q.angle", "qd.angle", "qdd.angle"]
    np.testing.assert_array_equal(body[:, 1], found.outputs["drive.angle.force"])


def test_histograms_of_all_loads(found, tmp_path):
    found.to_rainflow(tmp_path / "pairs.csv")
    with (tmp_path / "pairs.csv").open() as file:
        table = list(csv.DictReader(file))
    assert list(table[0]) == ["load", "unit", "range_from", "range_to", "mean", "cycles"]
    assert {row["load"] for row in table} <= set(found.loads)
    own = [float(row["cycles"]) for row in table if row["load"] == "drive.angle.force"]
    assert sum(own) == found.cycles("drive.angle.force")[:, 2].sum() > 0.0
    assert table[0]["unit"] == "N.m"


def test_a_file_of_a_joint_never_takes_the_place_of_what_was_read(found, tmp_path):
    motion = tmp_path / "pivot.csv"
    motion.write_text("kept")
    with pytest.raises(PrecomputeError, match="reads or writes that file itself"):
        found.to_folder(tmp_path, (motion,))
    assert motion.read_text() == "kept" and not (tmp_path / "drive.angle.csv").exists()


def test_the_free_direction_of_a_joint_on_bushings_has_no_column_in_its_own_axes(tmp_path):
    rubber = '\n[bushings.pivot]\nparent = "ground"\nchild = "arm"\nat = [0, 0, 0]\naxis = "y"\n'
    rubber += "stiffness = [500, 500, 500, 100, 1e6, 1e6]\n"
    mechanism = pendulum(joint='stiff = ["y", "z"]', more=rubber)
    head, _ = rows(led(mechanism, time=[0.0], angle=[0.1]).to_folder(tmp_path / "own")[0])
    assert "Mx [N m]" not in head and len(head) == 6
    ground = led(mechanism, "ground", time=[0.0], angle=[0.1])
    assert rows(ground.to_folder(tmp_path / "ground")[0])[0][5] == "My [N m]"
    torsion = np.degrees(0.1) * 0.1  # 100 N mm/deg at 0.1 rad, about -y, and the drive against it and the weight
    assert ground.outputs["joint.pivot.M[2]"][0] == pytest.approx(torsion - ground.outputs["drive.angle.force"][0])
