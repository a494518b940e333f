"""Pictures of the full car's manoeuvres and of the error of the coupling."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from convergence import Convergence
from corners.car import CHASSIS, CORNERS, GRAVITY
from coupling.system import Record
from energy import attitudes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from precompute.report.picture_file import save

Array = NDArray[np.floating]
LINES = {
    "front_left": {"color": "C0", "label": "front left"},
    "front_right": {"color": "navy", "label": "front right", "linestyle": "--"},
    "rear_left": {"color": "C1", "label": "rear left"},
    "rear_right": {"color": "saddlebrown", "label": "rear right", "linestyle": "--"},
}


def angles(record: Record) -> tuple[Array, Array]:
    """Roll (left side up) and pitch (nose down), [deg]."""
    R = attitudes(record)
    return np.degrees(np.arctan2(R[:, 2, 1], R[:, 2, 2])), np.degrees(np.arcsin(-R[:, 2, 0]))


def accelerations(record: Record) -> tuple[Array, Array]:
    """Forward and to the left, of the centre of mass of the chassis [g]."""
    v, w, vd, wd = (np.array([record[f"chassis.{x}[{i}]"] for i in (1, 2, 3)]).T for x in ("v", "w", "vd", "wd"))
    a = vd + np.cross(w, v) + np.cross(wd, CHASSIS.com)
    return a[:, 0] / GRAVITY, a[:, 1] / GRAVITY


def plot_manoeuvre(name: str, record: Record, path: Path) -> None:
    """Motion of the chassis, attitude, wheel loads and wheel travel over time."""
    figure = Figure(figsize=(11.0, 6.5), layout="constrained")
    (motion, loads), (attitude, travel) = figure.subplots(2, 2, sharex=True)
    forward, left = accelerations(record)
    motion.plot(record.time, forward, label="forward")
    motion.plot(record.time, left, label="to the left")
    motion.set(ylabel="acceleration [g]", title="Centre of mass of the chassis")
    roll, pitch = angles(record)
    attitude.plot(record.time, roll, label="roll, left side up")
    attitude.plot(record.time, pitch, label="pitch, nose down")
    if name == "sine steer":
        steer = -record["front_left.wheel.front_left.toe"]
        attitude.plot(record.time, np.degrees(steer), "k:", label="steer of the front left wheel")
    attitude.set(ylabel="angle [deg]", xlabel="time [s]", title="Attitude")
    for corner in CORNERS:
        loads.plot(record.time, 1e-3 * record[f"tyre_{corner}.N"], **LINES[corner])
        height = record[f"{corner}.wheel.{corner}.travel"]
        travel.plot(record.time, 1e3 * (height - height[0]), **LINES[corner])
    loads.set(ylabel="load [kN]", title="Tyres")
    travel.set(ylabel="travel, up [mm]", xlabel="time [s]", title="Wheels relative to the chassis")
    finish(figure, f"Full car, {name}: four suspension FMUs on rubber bushings, communication step 1 ms", path)


def plot_convergence(found: Mapping[str, Convergence], path: Path) -> None:
    """Error over communication step, with a line of first order."""
    figure = Figure(figsize=(6.0, 4.5), layout="constrained")
    ax = figure.subplots()
    for name, one in found.items():
        ax.loglog(1e3 * one.steps, one.errors, "o-", label=name)
    first = next(iter(found.values()))
    ax.loglog(1e3 * first.steps, 0.5 * first.errors[-1] * first.steps / first.steps[-1], "k:", label="first order")
    ax.set(xlabel="communication step [ms]", ylabel="largest error, relative to the range", ylim=(1e-3, 1e-1))
    ax.set_xticks(1e3 * first.steps, [f"{1e3 * step:g}" for step in first.steps], minor=False)
    ax.minorticks_off()
    finish(figure, "Error of the coupling", path)


def finish(figure: Any, title: str, path: Path) -> None:
    """Grids, legends, title; written to a file."""
    for ax in figure.axes:
        ax.grid(alpha=0.3)
        if ax.get_legend_handles_labels()[0]:
            ax.legend(fontsize=8, framealpha=0.7)
    figure.suptitle(title)
    save(figure, path)
