"""The fuel injection pump over a turn at 1000 rpm, with a roller that rolls and with one that slips on a film of oil.

Bakes both, runs their FMUs and draws docs/cams.png and docs/cams_slip.png.

python integration/fuel_pump_example.py [FOLDER]
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from fmpy import simulate_fmu
from matplotlib.figure import Figure

import kinetab as kt

ROOT = Path(__file__).resolve().parents[1]
MECHANISMS = ROOT / "integration" / "mechanisms"
SPEED = 1000.0 * np.pi / 30.0
STEP, TURN = 2e-4, 2.0 * np.pi / SPEED
PICTURES = {
    "cams.png": (
        "fuel_pump.toml",
        ("marker.plunger.r[3]", "lift [mm]", 1e3, 60.0),
        ("joint.cam.normal", "normal force [N]", 1.0, 0.0),
        ("drive.shaft.force", "torque of the shaft [N m]", 1.0, 0.0),
        ("joint.cam.rolled.rate", "roller against cam [rad/s]", 1.0, 0.0),
    ),
    "cams_slip.png": (
        "fuel_pump_traction.toml",
        ("element.film.pull", "traction [N]", 1.0, 0.0),
        ("element.film.slipping", "slip [mm/s]", 1e3, 0.0),
        ("element.film.thickness", "thickness of the film [µm]", 1e6, 0.0),
        ("element.film.pressure", "largest pressure [MPa]", 1e-6, 0.0),
    ),
}
"""Picture -> file, and what is shown of its last turn: output, label, factor, zero."""


def way(mechanism: kt.Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """The path of the roller's centre [mm]."""
    angle = np.linspace(0.0, 2.0 * np.pi, 721)
    r = 1e3 * mechanism.cams[0].follower.track.jet(angle)[0]
    return r * np.cos(angle), r * np.sin(angle)


def surface(mechanism: kt.Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """The cam, one radius of the roller inside of that [mm]."""
    angle = np.linspace(0.0, 2.0 * np.pi, 721)
    r, slope, *_ = mechanism.cams[0].follower.track.jet(angle)
    normal = angle - np.arctan2(slope, r)
    return tuple(1e3 * (r * f(angle) - 12e-3 * f(normal)) for f in (np.cos, np.sin))


def turned(mechanism: kt.Mechanism, names: list[str]) -> np.ndarray:
    """Outputs over the second turn."""
    with tempfile.TemporaryDirectory() as folder:
        fmu = kt.build(kt.bake(mechanism), Path(folder) / "FuelPump.fmu")
        t = np.arange(0.0, 2.0 * TURN, STEP)
        given = np.array(
            list(zip(t, SPEED * t, np.full_like(t, SPEED), 0.0 * t, strict=True)),
            dtype=[("time", float), ("drive.shaft.q", float), ("drive.shaft.qd", float), ("drive.shaft.qdd", float)],
        )
        run = simulate_fmu(fmu, stop_time=t[-1], output_interval=STEP, input=given, output=["q.shaft", *names])
    return run[run["time"] >= TURN]


def draw(picture: Path, mechanism: kt.Mechanism, shown: Sequence[tuple[str, str, float, float]]) -> None:
    """The cam, and four outputs over its angle."""
    run = turned(mechanism, [name for name, *_ in shown])
    figure = Figure(figsize=(11.0, 5.5), layout="constrained")
    axes = figure.subplot_mosaic([["cam", 0, 1], ["cam", 2, 3]], width_ratios=[1.1, 1.0, 1.0])
    axes["cam"].plot(*way(mechanism), "--", color="0.5", linewidth=1.0, label="roller's centre")
    axes["cam"].fill(*surface(mechanism), color="0.85", zorder=0)
    axes["cam"].set_aspect("equal")
    axes["cam"].legend(loc="lower right", fontsize=8, frameon=False)
    axes["cam"].set_title("cam [mm]", fontsize=10)
    for number, (name, label, factor, zero) in enumerate(shown):
        axes[number].plot(np.degrees(run["q.shaft"]) - 360.0, factor * run[name] - zero, linewidth=1.2)
        axes[number].set_title(label, fontsize=10)
        axes[number].set_xlabel("cam angle [deg]", fontsize=8)
        axes[number].grid(alpha=0.3)
    figure.savefig(picture, dpi=110, metadata={"Software": None})


def main(folder: Path) -> None:
    """Bake, run, draw."""
    for picture, (file, *shown) in PICTURES.items():
        draw(folder / picture, kt.load(MECHANISMS / file), shown)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs")
