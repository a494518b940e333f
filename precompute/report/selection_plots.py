"""Weights, condition numbers and ||B|| of the ranked sets over the range: the figures of section 4.6."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from precompute.arrays import Array
from precompute.coordinates.candidates import Candidate, weighted_rows
from precompute.coordinates.exploration import allowed
from precompute.coordinates.independent import Coordinates
from precompute.coordinates.selection import MAX_AMPLIFICATION, Selection
from precompute.kinematics.assembly import Configuration
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.continuation import follow
from precompute.report.picture_file import save

POINTS = 90
"""Steps each way from design to the ends of a range."""

LINES = 4
"""Sets that are drawn."""


def plot_selection(coordinates: Coordinates, design: Configuration, selection: Selection, path: Path) -> None:
    """A column of panels per coordinate, followed over its range with the others at design."""
    n, units = len(coordinates.free), coordinates.closure.mechanism.units
    figure = Figure(figsize=(6.5 * n, 7.0), layout="constrained")
    axes = figure.subplots(3, n, sharex="col", squeeze=False)
    drawn = sets_to_draw(coordinates, selection)
    for k, (c, (z, q)) in enumerate(zip(coordinates.free, walk_ranges(coordinates, design.q), strict=True)):
        angle = c.of.is_angle(coordinates.closure.mechanism)
        x = units.measure(angle).back(z)
        for members in drawn:
            weight, condition = curves(coordinates.closure, q, members)
            amplification = 1.0 / np.maximum(weight, 1.0 / (10.0 * MAX_AMPLIFICATION))
            for ax, y in zip(axes[:, k], (weight, condition, amplification), strict=True):
                ax.plot(x, y, label=" + ".join(c.label for c in members), linewidth=1.4)
        axes[2, k].set_xlabel(f"{c.name} [{units.angle if angle else units.length}]")
    for row, title in zip(axes, ("weight 1/||B||", "condition number", "||B||"), strict=True):
        for ax in row:
            ax.set_ylabel(title)
            ax.grid(alpha=0.3)
            if title != "weight 1/||B||":
                ax.set_yscale("log")
    axes[0, 0].legend(fontsize=7, framealpha=0.7)
    length = units.shown(coordinates.closure.length, digits=4)
    figure.suptitle(f"{coordinates.closure.mechanism.name}; angles times the reference length {length}")
    save(figure, path)


def sets_to_draw(coordinates: Coordinates, selection: Selection) -> list[tuple[Candidate, ...]]:
    """The set that is used, then the best others."""
    used = {c.of for c in coordinates.free}
    pairs = zip(selection.ranking, selection.members, strict=True)
    regular = [(not used.issuperset(c.coordinate.of for c in m), m) for r, m in pairs if np.isfinite(r.score)]
    return [m for _, m in sorted(regular, key=lambda item: item[0])][:LINES]


def walk_ranges(coordinates: Coordinates, q: Array) -> list[tuple[Array, Array]]:
    """Per coordinate: values over its range (n,), ascending, and the configurations there (n, nq).

    All coordinates are walked from design to both ends of their ranges at the same time, as one batch.
    """
    design, nz = coordinates.design, len(coordinates.free)
    ends = np.array([(c.lower, c.upper) for c in coordinates.free], dtype=float)
    which = np.repeat(np.arange(nz), 2)
    at_q, at_z = np.repeat(q[None], 2 * nz, 0), np.repeat(design[None], 2 * nz, 0)
    found = [[(float(design[k]), q)] for k in range(nz)]
    alive = np.ones(2 * nz, dtype=bool)
    for share in np.linspace(0.0, 1.0, POINTS + 1)[1:]:
        to = np.repeat(design[None], 2 * nz, 0)
        to[np.arange(2 * nz), which] += share * (ends.ravel() - design[which])
        step = follow(coordinates.closure, at_q[alive], at_z[alive], to[alive])
        at_q[alive], at_z[alive] = step.q, step.z
        alive[np.flatnonzero(alive)[~step.reached]] = False
        for i in np.flatnonzero(alive):
            found[which[i]].append((float(at_z[i, which[i]]), at_q[i].copy()))
        if not alive.any():
            break
    ordered = [sorted(rows, key=lambda row: row[0]) for rows in found]
    return [(np.array([z for z, _ in rows]), np.array([x for _, x in rows])) for rows in ordered]


def curves(closure: Closure, q: Array, members: tuple[Candidate, ...]) -> tuple[Array, Array]:
    """Weight and condition number of a set at configurations q (n, nq)."""
    bare = Closure(closure.mechanism, closure.topology)
    P = bare.poses(q)
    A, N, *_ = allowed(bare, P, len(members))
    rows = weighted_rows(bare, P, members)
    weight: Array = np.linalg.svd(rows @ N, compute_uv=False)[:, -1].astype(float)
    s = np.linalg.svd(np.concatenate([A, rows], axis=1), compute_uv=False)
    return weight, s[:, 0] / np.maximum(s[:, -1], 1e-6 * s[:, 0])
