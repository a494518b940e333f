"""Mechanisms exported to MuJoCo against our models: how markers converge as steps go down.

python benchmarks/mujoco_export.py

The damper of the double wishbone, a table, is taken as linear in both, since MJCF has no tables.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np

import kinetab as kt
from precompute.arrays import Array
from precompute.exporting import mjcf
from precompute.model.mechanism import Mechanism

MECHANISMS = Path(__file__).parents[1] / "integration" / "mechanisms"
STEPS = (5e-4, 2.5e-4, 1.25e-4)
RUNS = {"four_bar": 0.3, "rssr": 0.2, "double_wishbone_rigid": 0.3}
LINEAR = 1500.0  # [N s/m]


def comparable(name: str) -> Mechanism:
    """A shipped mechanism without what MJCF cannot have."""
    found = kt.load(MECHANISMS / f"{name}.toml")
    linear = tuple(replace(d, table=None, damping=d.damping or LINEAR) for d in found.dampers)
    return replace(found, dampers=linear)


def in_mujoco(mechanism: Mechanism, stop: float, step: float) -> Array:
    """Places of all markers at the end, (n, 3)."""
    model = mujoco.MjModel.from_xml_string(mjcf(mechanism, step).text)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    for _ in range(round(stop / step)):
        push(mechanism, model, data)
        mujoco.mj_step(model, data)
    mujoco.mj_kinematics(model, data)
    return np.array([data.site(marker.name).xpos for marker in mechanism.markers])


def push(mechanism: Mechanism, model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """The loads of ports, where their markers are now."""
    loaded = [port for port in mechanism.ports if any(port.force) or any(port.moment)]
    if not loaded:
        return
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    data.qfrc_applied[:] = 0.0
    for port in loaded:
        site = model.site(port.marker).id
        force, moment = np.array(port.force, dtype=float), np.array(port.moment, dtype=float)
        at = data.site_xpos[site].copy()
        mujoco.mj_applyFT(model, data, force, moment, at, model.site_bodyid[site], data.qfrc_applied)


def ours(mechanism: Mechanism, stop: float) -> tuple[Array, float]:
    """The same by our tables, and how far a marker moves."""
    run = kt.bake(mechanism).simulate(stop=stop)
    names = [[f"marker.{marker.name}.r[{i}]" for i in (1, 2, 3)] for marker in mechanism.markers]
    last = np.array([[run.outputs[name][-1] for name in three] for three in names])
    return last, max(float(np.ptp(run.outputs[name])) for three in names for name in three)


def errors(name: str) -> tuple[float, list[float]]:
    """How far it moves, and by how much MuJoCo is off at each step [m]."""
    mujoco.set_mju_user_warning(lambda _: None)
    mechanism = comparable(name)
    exact, span = ours(mechanism, RUNS[name])
    found = [in_mujoco(mechanism, RUNS[name], step) for step in STEPS]
    return span, [float(np.linalg.norm(x - exact, axis=-1).max()) for x in found]


def main() -> int:
    """Print the table."""
    found = {name: errors(name) for name in RUNS}
    heads = [f"{name}, moves {1e3 * span:.3g} mm" for name, (span, _) in found.items()]
    print("| step | " + " | ".join(heads) + " |")
    print("|---" * (len(found) + 1) + "|")
    for k, step in enumerate(STEPS):
        cells = [f"{1e3 * each[k]:.2g} mm" for _, each in found.values()]
        print(f"| {1e3 * step:g} ms | " + " | ".join(cells) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
