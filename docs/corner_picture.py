"""Draws docs/double_wishbone.png from what `make demo` left in build/: the corner, its inputs, and what it does."""

import csv
import zipfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / "build"
PANELS = {
    "inputs [kN]": {"wheel load": ("port.contact_left.F[3]", 1e-3), "force on the rack": ("port.rack.F[2]", 1e-3)},
    "free coordinates [mm]": {"travel": ("q.travel_left", 1e3), "rack": ("q.rack", 1e3)},
    "wheel [deg]": {"toe": ("wheel.left.toe", 57.29578), "camber": ("wheel.left.camber", 57.29578)},
    "lower arm on its bushings [mm]": {"along": ("q.lower_arm_left.x", 1e3), "across": ("q.lower_arm_left.y", 1e3)},
}
"""Title -> curve -> column of the run in SI and its factor."""


def columns(path):
    """Name -> values of a CSV file."""
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return {name: [float(row[k]) for row in rows] for k, name in enumerate(header)}


def main():
    """Draw it."""
    run = columns(BUILD / "corner.csv")
    with zipfile.ZipFile(BUILD / "Corner.fmu") as fmu, fmu.open("model.png") as picture:
        corner = plt.imread(picture)
    figure = plt.figure(figsize=(13, 6.2), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1.25, 1])
    view = left.subplots()
    view.imshow(corner)
    view.axis("off")
    axes = right.subplots(len(PANELS), 1, sharex=True)
    for ax, (title, curves) in zip(axes, PANELS.items(), strict=True):
        for name, (column, factor) in curves.items():
            ax.plot(run["time"], [factor * value for value in run[column]], label=name)
        ax.set_title(title, fontsize=9, loc="left")
        ax.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
        ax.grid(alpha=0.3)
        ax.tick_params(labelsize=8)
    axes[-1].set_xlabel("time [s]", fontsize=9)
    figure.savefig(HERE / "double_wishbone.png", dpi=110)


if __name__ == "__main__":
    main()
