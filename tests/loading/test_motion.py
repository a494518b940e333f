"""Motions from columns: names, what is left out, ranges, smoothness."""

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_loading import csv_text, pendulum, swing

from precompute.errors import PrecomputeError
from precompute.loading.motion import given_motion, read_motion
from precompute.mechanism_file import load

T = np.linspace(0.0, 1.0, 101)
SINE = np.sin(2 * np.pi * T)


@pytest.fixture(scope="module")
def strut():
    return load(MECHANISMS / "macpherson_rigid.toml")


def problems(mechanism, **columns):
    with pytest.raises(PrecomputeError) as error:
        given_motion({name.replace("__", "."): values for name, values in columns.items()}, mechanism)
    return str(error.value)


def test_names_of_solve_and_of_drives_are_the_same():
    t, a, ad, add = swing()
    one = given_motion({"time": t, "angle": a, "angle.rate": ad, "angle.acceleration": add}, pendulum())
    other = given_motion({"time": t, "drive.angle.q": a, "drive.angle.qd": ad, "drive.angle.qdd": add}, pendulum())
    for k in range(3):
        np.testing.assert_array_equal(one.coordinates.motions["angle"][k], other.coordinates.motions["angle"][k])


def test_what_is_left_out_is_as_an_fmu_starts(strut):
    motion = given_motion({"time": T, "rack": 0 * T, "strut": 0 * T}, strut)
    np.testing.assert_array_equal(motion.vectors("port.contact.F"), np.tile([0.0, 0.0, 4500.0], (101, 1)))
    np.testing.assert_array_equal(motion.vectors("wheel.left.road.n"), np.tile([0.0, 0.0, 1.0], (101, 1)))
    assert motion.given == () and motion.warnings == ()


def test_rates_of_the_chassis_come_from_splines():
    columns = {"time": T, "angle": 0 * T, "chassis.w[3]": SINE, "chassis.v[1]": T, "chassis.vd[1]": 0 * T + 9.0}
    motion = given_motion(columns, pendulum('chassis = "moving"'))
    np.testing.assert_allclose(motion.inputs["chassis.wd[3]"], 2 * np.pi * np.cos(2 * np.pi * T), atol=1e-3)
    assert (motion.inputs["chassis.vd[1]"] == 9.0).all()
    step = columns | {"chassis.w[3]": np.where(T > 0.5, 1.0, 0.0)}
    with pytest.raises(PrecomputeError, match=r"'chassis.w\[3\]' is not smooth enough .* Give 'chassis.wd\[3\]' too"):
        given_motion(step, pendulum('chassis = "moving"'))


def test_all_wrong_names_at_once(strut):
    text = problems(strut, time=T, rac=T, strut=0 * T, drive__strut__q=T, **{"port__contakt__F[3]": T})
    assert text.startswith("the motion has 4 problems:")
    assert "'rac' is no coordinate or input of 'MacPhersonRigid'; did you mean 'rack'?" in text
    assert "did you mean 'port.contact.F[3]'?" in text
    assert "'drive.strut.q' and 'strut' are the same; leave one out" in text
    assert "there is no column 'rack'" in text


def test_a_rate_needs_its_values(strut):
    assert "'rack.rate' needs a column 'rack'" in problems(strut, time=T, rack__rate=T, strut=T)


def test_stiff_directions_are_not_given():
    text = problems(load(MECHANISMS / "macpherson.toml"), time=T, rack=0 * T, strut=0 * T, top_mount__x=T)
    assert "'top_mount.x' is no coordinate or input" in text


def test_all_coordinates_that_leave_their_ranges_at_once(strut):
    text = problems(strut, time=T, rack=0.08 * SINE, strut=-0.1 * SINE)
    assert "'rack' leaves its range, -70 mm to 70 mm, with 70.1045 mm at 0.17 s and goes to 80 mm at 0.25 s" in text
    assert "'strut' leaves its range, -80 mm to 80 mm, with -80.9017 mm at 0.15 s and goes to -100 mm at 0.25 s" in text
    assert "widen `from` and `to` of [coordinates.free.strut]" in text


def test_motions_that_are_not_smooth_are_told_with_time_and_size_in_the_units_of_the_file(strut):
    text = problems(strut, time=T, rack=np.where(T > 0.5, 0.02, 0.0), strut=np.round(0.02 * SINE, 4))
    assert "the motion has 2 problems" in text
    assert "'rack' is not smooth enough to have accelerations: at 0.5" in text and "mm/s2, every second row" in text
    assert "Give 'rack.rate' and 'rack.acceleration' too, finer samples, or a filtered motion" in text
    rate = np.where(T > 0.5, 0.02, 0.0)
    text = problems(strut, time=T, rack=np.maximum(T - 0.5, 0) * 0.02, rack__rate=rate, strut=0 * T)
    assert "'rack.rate' is not smooth enough" in text and "Give 'rack.acceleration' too" in text


def test_accelerations_that_are_given_are_taken_as_they_are(strut):
    step = np.where(T > 0.5, 0.02, 0.0)
    motion = given_motion({"time": T, "rack": step, "rack.rate": T, "rack.acceleration": 3 * T, "strut": 0 * T}, strut)
    np.testing.assert_array_equal(motion.coordinates.motions["rack"][2], 3 * T)


def test_a_rough_motion_is_a_warning(strut):
    bump = np.where((T > 0.3) & (T < 0.5), 0.01 * (1 - np.cos(2 * np.pi * (T - 0.3) / 0.2)), 0.0)
    (warning,) = given_motion({"time": T, "rack": 0 * T, "strut": bump}, strut).warnings
    assert "'strut' tells its accelerations only roughly: at 0.3" in warning


@pytest.mark.parametrize(
    "columns, words",
    [
        ({"rack": T}, 'no "time"'),
        ({"time": T, "rack": T[:5], "strut": T}, "rack"),
        ({"time": T, "rack": 0 * T + np.nan, "strut": 0 * T}, "finite"),
        ({"time": T[::-1], "rack": 0 * T, "strut": 0 * T}, "ascend"),
    ],
)
def test_arrays_that_are_no_motion(strut, columns, words):
    with pytest.raises(PrecomputeError, match=words):
        given_motion(columns, strut)


def test_a_file_is_read_as_other_tables_are(strut, tmp_path):
    path = tmp_path / "motion.csv"
    path.write_text("time;rack;strut;port.contact.F[3]\n0;0;0,001;5000\n0,1;0;0,002;5100\n")
    motion = read_motion(path, strut, "strut.toml")
    assert motion.coordinates.motions["strut"][0].tolist() == [0.001, 0.002]
    assert motion.inputs["port.contact.F[3]"].tolist() == [5000.0, 5100.0]
    path.write_text(csv_text({"time": T, "rac": T, "strut": T}))
    with pytest.raises(PrecomputeError, match=r"line 1, column 2: 'rac' is no coordinate or input of strut.toml"):
        read_motion(path, strut, "strut.toml")
