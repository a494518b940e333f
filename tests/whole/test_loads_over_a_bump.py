"""Loads of whole suspensions over a bump, with steering, against the multipliers of the full model; power, momentum."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_baked import baked
from helpers_fmu import Host
from loads import CASES, rigid, run, share, watched

from fmu_src.build.native_fmu import build_native_fmu
from precompute.mechanism_file import load

pytestmark = pytest.mark.fmu

RIGID, BUSHED = 1e-5, 2e-3  # of the range of a joint's force or moment
SMALL = {
    "macpherson": {"joint.top_mount.M": 0.02},  # of 1.6 N m about the strut
    "double_wishbone": {"joint.shock_upper.F": 0.3, "joint.shock_lower.F": 0.3},  # what the shock's own mass takes
}
"""Loads that are small differences of large ones: how far off they may be with tables of second order [N, N m]."""

slow = pytest.mark.slow


@pytest.mark.parametrize(
    "name",
    [
        "five_link, rigid",
        pytest.param("macpherson, rigid", marks=slow),
        pytest.param("double_wishbone_rigid", marks=slow),
    ],
)
def test_without_rubber(name, tmp_path):
    found = run(CASES[name], tmp_path)
    assert len(found.loads) > 8
    assert max(map(share, found.loads)) < RIGID


@pytest.mark.slow
@pytest.mark.parametrize("name", ["five_link", "macpherson", "macpherson, taylor = 3, inertia = 2", "double_wishbone"])
def test_on_bushings(name, tmp_path):
    """All within 0.2 %, but for some that are next to nothing."""
    found = {d.quantity: d for d in run(CASES[name], tmp_path).loads}
    for small, most in SMALL.get(name, {}).items():
        assert found.pop(small).error < most
    assert len(found) > 7
    assert max(map(share, found.values())) < BUSHED


def history(mechanism, path, step, stop):
    """Outputs over time of a strut whose rack is driven in a sine, over a bump; and the port's work in each step."""
    host = Host(build_native_fmu(baked(mechanism), path)).start()
    names = ["drive.rack.force", "qd.rack", "energy.total"]
    names += [f"damper.{damper}.{what}" for damper in ("strut", "steering") for what in ("force", "rate")]
    names += [f"marker.contact.r[{i}]" for i in (1, 2, 3)]
    port, rows, forces = np.array([mechanism.ports[0].force]), [], []
    for k in range(round(stop / step)):
        t = k * step
        moved = {"q": 0.02 * np.sin(10 * t) ** 2, "qd": 0.2 * np.sin(20 * t), "qdd": 4.0 * np.cos(20 * t)}
        for symbol, value in moved.items():
            host.set(f"drive.rack.{symbol}", value)
        bump = 3000.0 * np.sin(np.pi * np.clip((t - 0.03) / 0.1, 0.0, 1.0)) ** 2
        host.set("port.contact.F[3]", port[0, 2] + bump)
        rows.append(host.get(*names))
        forces.append(port[0, 2] + bump)
        host.step(t, step)
    host.close()
    return {name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}, np.array(
        forces
    )


def test_power_of_rack_and_wheel_is_change_of_energy_and_what_the_damper_takes(tmp_path):
    """A rigid MacPherson strut: rack force times rack speed and the power at the contact patch."""
    mechanism = rigid(load(MECHANISMS / "macpherson.toml"))
    coordinates = tuple(replace(c, driven=c.name == "rack", start_rate=0.0) for c in mechanism.coordinates)
    mechanism = watched(replace(mechanism, coordinates=coordinates))
    step = 1e-4
    found, force = history(mechanism, tmp_path / "strut.fmu", step, 0.2)
    given = found["drive.rack.force"] * found["qd.rack"]
    given += sum(found[f"damper.{damper}.force"] * found[f"damper.{damper}.rate"] for damper in ("strut", "steering"))
    work = np.concatenate([[0.0], np.cumsum(0.5 * step * (given[1:] + given[:-1]))])
    z = found["marker.contact.r[3]"]
    at_port = np.concatenate([[0.0], np.cumsum(force[:-1] * np.diff(z))])  # held from step to step
    energy = found["energy.total"] - found["energy.total"][0]
    assert np.ptp(found["drive.rack.force"]) > 100.0 and np.ptp(z) > 0.02
    assert np.abs(work + at_port - energy).max() < 1e-5 * np.ptp(at_port)
