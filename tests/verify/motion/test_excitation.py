"""Inputs that lead mechanisms through their range; the motions here are of the reduced model alone, in NumPy."""

from dataclasses import replace

import numpy as np
from helpers import MECHANISMS
from helpers_baked import baked as baked_model
from helpers_corner import corner

from precompute.mechanism_file import load
from precompute.running.simulation import SimulationError
from precompute.verify.motion.excitation import excitation, start_values
from precompute.verify.motion.rig import Rig


def short(name):
    return baked_model(load(MECHANISMS / "short" / f"{name}.toml"))


def replay(model, found, values=None):
    """(n, nz) states of the model under an excitation, leg after leg, each from its own start."""
    states = []
    for leg in found.legs:
        rig = Rig(model, {**(values or {}), **leg.starts})
        instance, rows = rig.started(), rig.inputs.copy()
        states.append(instance.state.z)
        for i in range(len(leg.inputs) // 2):
            for name in leg.inputs.dtype.names[1:]:
                rows[rig.names.index(name)] = leg.inputs[name][2 * i]
            rig.stepped(instance, i * found.step, found.step, rows)
            states.append(instance.state.z)
    return np.array(states)


def test_a_force_leads_a_coordinate_to_both_ends():
    model = short("trailing_arm")
    found = excitation(model, {})
    axis, z = model.charts[0].axes[0], replay(model, found)[:, 0]
    assert len(found.legs) == 1 and not found.limited
    assert 0.85 < np.ptp(z) / (axis.upper - axis.lower) < 0.95
    assert list(found.legs[0].inputs.dtype.names) == ["time", f"Q.{axis.name}"]
    jumps = np.abs(np.diff(found.legs[0].inputs[f"Q.{axis.name}"]))  # smooth, but for being held
    assert jumps.max() < 0.25 * np.ptp(found.legs[0].inputs[f"Q.{axis.name}"])


def test_a_crank_that_turns_is_kept_turning(baked):
    model = baked("rssr")
    z = replay(model, excitation(model, {}))[:, 0]
    assert np.ptp(z) > 2.0 * np.pi and np.all(np.diff(z) > 0.0)


def test_rubber_a_moving_chassis_and_a_drive_at_once():
    model = corner().model
    found = excitation(model, {})
    z = replay(model, found)
    for k, axis in enumerate(model.charts[0].axes):
        assert np.ptp(z[:, k]) > 0.85 * (axis.upper - axis.lower)
    assert all(np.abs(z[:, 2 + k]).max() < stiff.radius for k, stiff in enumerate(model.stiff))
    names = set(found.legs[0].inputs.dtype.names)
    assert {"Q.arm", "drive.rack.q", "drive.rack.qd", "drive.rack.qdd", "chassis.w[1]", "chassis.vd[3]"} <= names
    table = found.legs[0].inputs
    for value, rate in (("drive.rack.qd", "drive.rack.qdd"), ("chassis.w[2]", "chassis.wd[2]")):
        ends = table[value][::2] + found.step * table[rate][::2]  # pieces join without a jump
        np.testing.assert_allclose(ends[:-1], table[value][2::2], atol=1e-9)


def test_what_is_set_is_not_led():
    model = corner().model
    values = {"Q.arm": 10.0, "chassis.w[3]": 0.2}
    names = excitation(model, values, stop=0.1).legs[0].inputs.dtype.names
    assert "Q.arm" not in names and "drive.rack.q" in names and not any(n.startswith("chassis") for n in names)


def test_an_unstable_motion_is_cut_into_legs():
    """The turret's arm goes through upright; a leg begins in a state of the one before, by start values of the FMU."""
    model = baked_model(load(MECHANISMS.parent.parent / "tests" / "mechanisms" / "turret.toml"))
    found = excitation(model, {})
    assert len(found.legs) > 1 and found.legs[0].starts == {}
    starts = {"q_start.turn", "q_start.arm", "qd_start.turn", "qd_start.arm", "solver.static"}
    assert set(found.legs[1].starts) == starts and found.legs[1].starts["solver.static"] == 0.0
    for k, axis in enumerate(model.charts[0].axes):
        assert np.ptp(replay(model, found)[:, k]) > 0.85 * (axis.upper - axis.lower)


def test_start_values_lead_to_a_state():
    model = corner().model
    rig = Rig(model, {})
    state = replace(rig.started().state, z=rig.z + 1e-4, zd=rig.zd + 1e-3)
    values = start_values(rig, state)
    again = Rig(model, {**values, "drive.rack.q": state.z[1], "drive.rack.qd": state.zd[1]}).started().state
    np.testing.assert_allclose(again.z, state.z, atol=1e-15)
    np.testing.assert_allclose(again.zd, state.zd, atol=1e-15)


def test_deflections_end_a_path_at_their_radius():
    """A corner whose tables hold for a tenth of the deflections: the path is shorter, and says why."""
    model = corner().model
    small = replace(model, stiff=tuple(replace(s, radius=0.02 * s.radius) for s in model.stiff))
    try:
        found = excitation(small, {"chassis.w[1]": 0.0})
    except SimulationError as error:
        assert "its tables are valid up to" in str(error)
    else:
        assert "its tables are valid up to" in found.limited["arm"]
