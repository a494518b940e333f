"""Natural modes on the page: a table, and shapes that the 3D view swings."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from fmu_src.build.pages.html import paragraph, section
from precompute.modes import Linear, Mode
from precompute.modes.text import SHOWN, moving
from precompute.report.run_text import significant

FAR = 0.05
"""The largest motion of a point that is shown, over the size of the mechanism."""


def modes_data(linear: Linear, modes: Sequence[Mode]) -> list[dict[str, Any]]:
    """Twists of bodies about the origin of G, [w; v], real and imaginary; 1 is as large as it is shown."""
    places = np.array([p for j in linear.at.mechanism.connections for p in (j.p_P, j.p_C)])
    size = float(np.linalg.norm(np.ptp(places, axis=0))) or 1.0
    X = linear.parts.motion.places.X
    bodies = np.array([np.broadcast_to(own.p, (1, 3))[0] for own in X[1:]])
    rotations = np.array([np.broadcast_to(own.R, (1, 3, 3))[0] for own in X[1:]])
    coms = np.einsum("bij,bj->bi", rotations, [b.com for b in linear.at.mechanism.bodies]) + bodies
    found = []
    for mode in modes[:SHOWN]:
        moved = mode.twists[:, 3:] + np.cross(mode.twists[:, :3], coms)
        scale = (
            FAR * size / max(float(np.abs(moved).max()), float(np.abs(mode.twists[:, :3]).max()) * 0.2 * size, 1e-30)
        )
        twists = scale * mode.twists
        found.append({"real": np.round(twists.real, 8).tolist(), "imaginary": np.round(twists.imag, 8).tolist()})
    return found


def modes_html(linear: Linear, modes: Sequence[Mode]) -> str:
    """A row per mode, with a button that shows it."""
    rows = "".join(row(k, mode) for k, mode in enumerate(modes[:SHOWN]))
    head = "<tr><th></th><th class='n'>Hz</th><th class='n'>damping</th><th>what moves, by kinetic energy</th></tr>"
    body = paragraph(f"About the state of rest: {linear.at.text}. Press a number to see it swing, slowed down.", "note")
    return section(
        "Natural modes", f"{body}<table id='modes'><thead>{head}</thead><tbody>{rows}</tbody></table>\n", "modes-part"
    )


def row(k: int, mode: Mode) -> str:
    """Its numbers, and a button."""
    swings = significant(mode.natural_frequency, 4) if mode.eigenvalue.imag else "–"
    damping = f"{100.0 * mode.damping:.2f} %" if mode.eigenvalue else "–"
    button = f"<button type='button' data-mode='{k}'>{k + 1}</button>"
    return (
        f"<tr><td>{button}</td><td class='n'>{swings}</td><td class='n'>{damping}</td>"
        f"<td>{escape(moving(mode))}</td></tr>\n"
    )
