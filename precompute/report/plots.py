"""A picture of a run: coordinates, marker motion, forces and energy over time."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from matplotlib.backend_bases import FigureCanvasBase
from matplotlib.figure import Figure

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.files import write_file
from precompute.verify.simulation import Run

DISPLAY = {"rad": ("deg", 180.0 / np.pi), "m": ("mm", 1e3), "rad/s": ("deg/s", 180.0 / np.pi), "m/s": ("m/s", 1.0)}
MAX_LINES = 6


def plot_run(run: Run, path: Path) -> None:
    """Draw the run as a PNG (or whatever the name's ending says)."""
    panels = [(title, names) for title, names in groups(run) if names]
    columns = 1 if len(panels) < 4 else 2
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(6.5 * columns, 2.3 * rows + 0.5), layout="constrained")
    axes = figure.subplots(rows, columns, sharex=True, squeeze=False).T.ravel()
    for ax, (title, names) in zip(axes, panels, strict=False):
        for name in names[:MAX_LINES]:
            unit, values = displayed(run, name)
            ax.plot(run.time, values, label=name, linewidth=1.4)
        ax.set_ylabel(f"{title} [{unit}]")
        ax.grid(alpha=0.3)
        ax.legend(fontsize=7, framealpha=0.7)
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    for i in range(columns):
        axes[min((i + 1) * rows, len(panels)) - 1].set_xlabel("time [s]")
        axes[min((i + 1) * rows, len(panels)) - 1].tick_params(labelbottom=True)
    figure.suptitle(run.name)
    save(figure, path)


def picture_format(path: Path) -> str:
    """What the name's ending says, PNG without one.

    Raises:
        PrecomputeError: pictures of that kind cannot be drawn.
    """
    ending, known = path.suffix.lstrip(".").lower() or "png", sorted(FigureCanvasBase.get_supported_filetypes())
    if ending not in known:
        raise PrecomputeError(f"cannot draw '{path}': no picture ends in '.{ending}'; choose one of {', '.join(known)}")
    return ending


def save(figure: Figure, path: Path) -> None:
    """Write the picture in the format that the name's ending says."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format=picture_format(path), dpi=120)
    write_file(path, buffer.getvalue())


def groups(run: Run) -> list[tuple[str, list[str]]]:
    """Outputs by kind; angles and lengths never share a panel."""
    names = list(run.outputs)
    q = [n for n in names if n.startswith("q.") and n[2:].isidentifier()]
    deflections = [n for n in names if n.startswith("q.") and n not in q]  # of joint directions: q.lca_mount.x
    forces = [n for n in names if n.endswith(".force")]  # of springs, dampers, drives
    wheel = [n for n in names if n.endswith((".steer", ".camber"))]
    positions = [n for n in names if n.startswith("marker.") and ".r[" in n and moves(run, n)]
    return [
        ("coordinates", [n for n in q if run.units[n] == "rad"]),
        ("coordinates", [n for n in q if run.units[n] == "m"]),
        ("deflection", [n for n in deflections if run.units[n] == "rad"]),
        ("deflection", [n for n in deflections if run.units[n] == "m"]),
        ("wheel", wheel),
        ("displacement", positions),
        ("force", [n for n in forces if run.units[n] == "N"]),
        ("moment", [n for n in forces if run.units[n] == "N.m"]),
        ("energy", [n for n in names if n.startswith("energy.")]),
    ]


def moves(run: Run, name: str) -> bool:
    """Whether an output changes at all."""
    return float(np.ptp(run.outputs[name])) > 1e-9


def displayed(run: Run, name: str) -> tuple[str, Array]:
    """Unit and values as an engineer reads them; marker positions as displacements from the start."""
    unit, factor = DISPLAY.get(run.units[name], (run.units[name].replace(".", " "), 1.0))
    values = run.outputs[name]
    return unit, factor * (values - values[0] if ".r[" in name else values)
