"""Inverse dynamics of a MacPherson corner: a sine of rack travel over a bumpy road, rack force and loads of balls.

    python integration/loads_example.py      writes mechanisms/macpherson_rigid_motion.csv and docs/loads.png

Rack and strut are given over time, a lateral force of the tyre that follows the steering, and the push of each bump
against the wheel, which comes a little before its top.  The wheel load that goes with the motion is the one that leaves
nothing to be supplied along the strut: the force of its drive is linear in it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import kinetab as kt
from precompute.arrays import Array

ROOT = Path(__file__).parents[1]
MECHANISM = ROOT / "integration" / "mechanisms" / "macpherson_rigid.toml"
MOTION = MECHANISM.with_name("macpherson_rigid_motion.csv")
PICTURE = ROOT / "docs" / "loads.png"

STEP, STOP = 0.004, 3.0
BUMPS = ((0.5, 0.14, 0.030), (1.1, 0.10, 0.018), (1.45, 0.10, -0.022), (2.1, 0.20, 0.040))
"""Middle [s], width [s] and height [m] of each, in strut travel."""

PUSH, SIDE_FORCE, WHEEL_LOAD = (f"port.contact.F[{i}]" for i in (1, 2, 3))
PUSHED, EARLIER = -40e3, 0.03  # [N/m] of strut travel, [s]


def motion() -> dict[str, Array]:
    """Rack and strut over time, and the lateral force; smooth, and nearly at rest at the start."""
    t = np.linspace(0.0, STOP, round(STOP / STEP) + 1)
    grown = 1.0 / (1.0 + np.exp(-(t - 0.4) / 0.06))
    return {
        "time": t,
        "rack": 0.025 * grown * np.sin(2.0 * np.pi * 0.8 * (t - 0.4)),
        "strut": road(t),
        PUSH: PUSHED * road(t + EARLIER),
        SIDE_FORCE: 1800.0 * grown * np.sin(2.0 * np.pi * 0.8 * (t - 0.46)),
    }


def road(t: Array) -> Array:
    """Strut travel over the bumps [m]."""
    found = np.zeros(len(t))
    for middle, width, height in BUMPS:
        found += height * np.exp(-(((t - middle) / (0.5 * width)) ** 2))
    return found


def with_wheel_load(mechanism: kt.Mechanism, given: dict[str, Array]) -> dict[str, Array]:
    """The motion with the wheel load that it takes."""
    loads = [4500.0 * np.ones(len(given["time"])), 5500.0 * np.ones(len(given["time"]))]
    left = [mechanism.loads(given | {WHEEL_LOAD: load}).outputs["drive.strut.force"] for load in loads]
    return given | {WHEEL_LOAD: loads[0] + (loads[1] - loads[0]) * left[0] / (left[0] - left[1])}


def picture(found: kt.JointLoads) -> Figure:
    """What is given, the forces of rack and tie rod, and the loads of the balls."""
    figure = Figure(figsize=(9.0, 9.0), layout="constrained")
    axes = figure.subplots(4, 1, sharex=True)
    t, out, given = found.time, found.outputs, found.inputs
    axes[0].plot(t, 1e3 * given["q.rack"], label="rack travel")
    axes[0].plot(t, 1e3 * given["q.strut"], label="strut travel")
    axes[0].set_ylabel("given [mm]")
    axes[1].plot(t, 1e-3 * given[WHEEL_LOAD], label="wheel load")
    axes[1].plot(t, 1e-3 * given[SIDE_FORCE], label="lateral")
    axes[1].plot(t, 1e-3 * given[PUSH], label="longitudinal")
    axes[1].set_ylabel("at the contact [kN]")
    axes[2].plot(t, 1e-3 * out["drive.rack.force"], label="rack force")
    axes[2].plot(t, 1e-3 * out["rod.tie_rod.force"], "--", label="tie rod, tension")
    axes[2].set_ylabel("steering [kN]")
    for joint, style in (("lower_ball", "-"), ("arm_front", "--"), ("arm_rear", ":")):
        size = np.sqrt(sum(out[f"joint.{joint}.F[{i}]"] ** 2 for i in (1, 2, 3)))
        axes[3].plot(t, 1e-3 * size, style, label=f"{joint}, |F|")
    axes[3].set_ylabel("balls [kN]")
    axes[3].set_xlabel("time [s]")
    for ax in axes:
        ax.grid(alpha=0.3)
        ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.03), fontsize=9)
    figure.suptitle("MacPherson corner: loads along a given motion, from exact kinematics")
    return figure


def write(given: dict[str, Array], path: Path) -> None:
    """The motion as a CSV file, with digits enough for accelerations."""
    rows = np.column_stack(list(given.values())).tolist()
    lines = [",".join(given), *(",".join(f"{x:.10g}" for x in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Write both files."""
    mechanism = kt.load(MECHANISM)
    write(with_wheel_load(mechanism, motion()), MOTION)
    picture(mechanism.loads(MOTION, axes="ground")).savefig(PICTURE, dpi=110)


if __name__ == "__main__":
    main()
