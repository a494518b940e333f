"""What `kinetab modes` prints and writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from precompute.modes.linearization import Linear
from precompute.modes.natural import Mode
from precompute.report.run_text import significant

SHOWN = 20
"""Modes that are printed."""

PART = 0.05
"""Least share of the kinetic energy of a body that is named."""

MOST = 3
"""Bodies that are named."""


def summary(linear: Linear, modes: Sequence[Mode], everything: bool = False) -> str:
    """A line per mode: frequency, damping, and which bodies move."""
    mechanism, at = linear.at.mechanism, linear.at
    held = f"; held: {', '.join(at.names[k] for k in at.held)}" if at.held else ""
    lines = [f"Small motions of '{mechanism.name}', {at.text}{held}", ""]
    lines += ["       Hz  damping   decay  what moves (shares of kinetic energy)"]
    shown = modes if everything else modes[:SHOWN]
    lines += [f"{line(mode)}  {moving(mode)}" for mode in shown]
    if len(shown) < len(modes):
        lines.append(f"  ... and {len(modes) - len(shown)} more, up to {modes[-1].natural_frequency:.4g} Hz: --all")
    if any(mode.eigenvalue.real > 0.0 for mode in modes):
        lines.append("What has a negative damping grows: the state of rest is not stable.")
    return "\n".join(lines)


def line(mode: Mode) -> str:
    """Its numbers; what does not swing has a decay only."""
    if not mode.eigenvalue:
        return f"{0:9.4g}        -       -"
    decay = abs(mode.decay)
    shown = f"{significant(1e3 * decay)} ms" if decay < 1.0 else f"{significant(decay)} s"
    frequency = f"{significant(mode.natural_frequency, 4):>9}" if mode.eigenvalue.imag else f"{'-':>9}"
    return f"{frequency}{100.0 * mode.damping:8.2f}%{shown:>9}"


def moving(mode: Mode) -> str:
    """The bodies that move most."""
    parts = [f"{body} {100.0 * share:.0f} %" for body, share in mode.shares.items() if share > PART]
    return ", ".join(parts[:MOST])


def as_dict(linear: Linear, modes: Sequence[Mode]) -> dict[str, Any]:
    """Modes and the linear system, as plain numbers in SI; null for what has no value."""
    at = linear.at
    return {
        "name": at.mechanism.name,
        "state": at.text,
        "held": [at.names[k] for k in at.held],
        "modes": [
            {
                "eigenvalue": [mode.eigenvalue.real, mode.eigenvalue.imag],
                "frequency": mode.frequency,
                "natural_frequency": mode.natural_frequency,
                "damping": mode.damping,
                "shape": {name: [z.real, z.imag] for name, z in zip(at.names, mode.shape.tolist(), strict=True)},
                "energy": mode.shares,
            }
            for mode in modes
        ],
        "states": list(linear.states),
        "inputs": list(linear.inputs),
        "outputs": list(linear.outputs),
        "units": linear.units,
        **{name: getattr(linear, name).tolist() for name in "ABCD"},
    }
