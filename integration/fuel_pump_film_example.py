"""The fuel injection pump with its roller on a film of oil, at 1000 rpm until it is periodic: draws docs/cams_film.png.

python integration/fuel_pump_film_example.py [PICTURE]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from fmpy import simulate_fmu
from matplotlib.figure import Figure

import kinetab as kt

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "integration" / "mechanisms" / "fuel_pump_film.toml"
SPEED = 1000.0 * np.pi / 30.0
STEP, TURNS, PER_TURN = 1e-4, 4, 600
CLEARANCE = 6.0  # [um]
SHOWN = (
    "q.film.x", "q.film.z", "element.film.thickness", "element.film.force_y", "element.film.force_z",
    "joint.cam.normal", "element.film.loss",
)  # fmt: skip


def main(picture: Path) -> None:
    """Bake, run, print, draw."""
    with tempfile.TemporaryDirectory() as folder:
        fmu = kt.build(kt.bake(kt.load(FILE)), Path(folder) / "FuelPumpFilm.fmu")
        t = STEP * np.arange(TURNS * PER_TURN + 1)
        given = np.array(
            list(zip(t, SPEED * t, np.full_like(t, SPEED), 0.0 * t, strict=True)),
            dtype=[("time", float), ("drive.shaft.q", float), ("drive.shaft.qd", float), ("drive.shaft.qdd", float)],
        )
        run = simulate_fmu(fmu, stop_time=t[-1], output_interval=STEP, input=given, output=list(SHOWN))
    before, last = run[-2 * PER_TURN : -PER_TURN], run[-PER_TURN:]
    x, z = 1e6 * last["q.film.x"], 1e6 * last["q.film.z"]
    angle = 360.0 / PER_TURN * np.arange(1, PER_TURN + 1)
    apart = 1e6 * max(np.abs(last[name] - before[name]).max() for name in ("q.film.x", "q.film.z"))
    thinnest, loss = 1e6 * last["element.film.thickness"].min(), last["element.film.loss"].mean()
    print(f"thinnest film {thinnest:.3f} um, loss {loss:.3f} W")
    print(f"the last two turns differ by {apart:.2g} um")
    figure = Figure(figsize=(11.0, 3.6), layout="constrained")
    orbit, thickness, force = figure.subplots(1, 3)
    turn = np.linspace(0.0, 2.0 * np.pi, 200)
    orbit.plot(CLEARANCE * np.cos(turn), CLEARANCE * np.sin(turn), color="0.5", linewidth=1.0)
    orbit.plot(x, z, linewidth=1.2)
    orbit.set_aspect("equal")
    thickness.plot(angle, 1e6 * last["element.film.thickness"], linewidth=1.2)
    force.plot(angle, last["joint.cam.normal"], linewidth=1.2, label="cam on roller")
    film = np.hypot(last["element.film.force_y"], last["element.film.force_z"])
    force.plot(angle, film, linewidth=1.2, label="roller's film")
    force.legend(fontsize=8, frameon=False)
    titles = "centre of the roller in its clearance [um]", "thinnest film [um]", "forces [N]"
    for axes, title in zip((orbit, thickness, force), titles, strict=True):
        axes.set_title(title, fontsize=10)
        axes.grid(alpha=0.3)
    for axes in (thickness, force):
        axes.set_xlabel("cam angle [deg]", fontsize=8)
        axes.set_ylim(bottom=0.0)
    figure.savefig(picture, dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "cams_film.png")
