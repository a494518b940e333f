"""The 3D part of pages: a scene and its motions as data, and the HTML around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.model.mechanism import Mechanism
from precompute.rig.stand import Stand, stand
from precompute.running.simulation import Run
from precompute.scene import Motion, Scene, case_motions, free_motion, scene
from precompute.scene.recorded import recorded_motion
from precompute.units import SCALES
from precompute.web.document import packed, page, running

COARSE = {1: 65, 2: 13, 3: 5}
"""Nodes per axis, by number of axes, where a page should stay small."""

VIEWER = ("view.js", "start.js")

STILL = 1e-8
"""Of quaternions and origins [m]: what changes less along an axis does not depend on it."""

LABELS = {
    "body": "bodies",
    "rod": "rods",
    "cam": "cams",
    "coupling": "couplings",
    "constraint": "constraints",
    "spring": "springs",
    "damper": "dampers",
    "element": "elements",
    "force": "forces",
    "bushing": "bushings",
    "joint": "joints",
    "ground": "ground",
    "wheel": "wheels",
    "marker": "markers",
}
"""Kinds that can be switched off, as the page calls them."""


def view_page(mechanism: Mechanism) -> str:
    """The mechanism in 3D, moved by sliders; from kinematics alone."""
    on = stand(mechanism) if mechanism.wheels else None
    data = view_data(mechanism, on)
    body = f"<main><h1>{escape(mechanism.name)}</h1>\n{view_html(data)}</main>"
    return page(mechanism.name, body, {"view": data}, VIEWER)


def run_page(mechanism: Mechanism, run: Run) -> str:
    """The mechanism in 3D as it moved in a run.

    Raises:
        PrecomputeError: it cannot be followed.
    """
    seen = scene(mechanism)
    motion = recorded_motion(mechanism, run.time, run.outputs, watched(seen))
    if motion is None:
        raise PrecomputeError(
            f"the motion of '{mechanism.name}' cannot be drawn: it goes over several charts, or has too few samples"
        )
    data = scene_data(seen, [motion])
    body = f"<main><h1>{escape(mechanism.name)}</h1>\n{view_html(data)}</main>"
    return page(mechanism.name, body, {"view": data}, VIEWER)


def view_part(mechanism: Mechanism) -> str:
    """The mechanism in 3D as a part of another page, with all that it needs; over its free coordinates, coarsely.

    Raises:
        PrecomputeError: it cannot be moved through its ranges.
    """
    seen = scene(mechanism)
    motion = free_motion(mechanism, watched(seen), COARSE)
    data = scene_data(seen, [motion] if motion else [])
    return view_html(data) + running({"view": data}, VIEWER)


def view_data(mechanism: Mechanism, on: Stand | None, si: bool = False) -> dict[str, Any]:
    """What `view.js` reads; with coordinates in SI besides, as an FMU has them."""
    seen = scene(mechanism)
    look = watched(seen)
    free = free_motion(mechanism, look)
    data = scene_data(seen, [motion for motion in (free, *(case_motions(on, look) if on else ())) if motion])
    if si and free is not None:
        for axis in data["motions"][0]["axes"]:
            unit = "rad" if axis["unit"] in SCALES["angle"] else "m"
            axis |= {"si": unit} if unit != axis["unit"] else {}
    return data


def scene_data(seen: Scene, motions: Sequence[Motion]) -> dict[str, Any]:
    """A scene and its motions."""
    return {
        "name": seen.name,
        "bodies": list(seen.bodies),
        "up": seen.up.tolist(),
        "forward": seen.forward.tolist(),
        "items": list(items(seen)),
        "motions": [moving(motion) for motion in motions],
    }


def items(seen: Scene) -> Iterator[dict[str, Any]]:
    """Items, their bodies by number."""
    number = {name: i for i, name in enumerate(seen.bodies)}
    for item in seen.items:
        found: dict[str, Any] = {
            "kind": item.kind,
            "name": item.name,
            "on": [number[body] for body in item.on],
            "points": np.round(item.points, 9).tolist(),
        }
        yield found | ({"faces": [list(face) for face in item.faces]} if item.faces else {})


def moving(motion: Motion) -> dict[str, Any]:
    """Sliders and splines; see `precompute.scene.motion` (1)."""
    axes = [
        {key: getattr(a, key) for key in ("name", "unit", "first", "last", "design", "factor")} for a in motion.axes
    ]
    return {
        "name": motion.name,
        "title": motion.title,
        "axes": axes,
        "nodes": [a.nodes for a in motion.axes],
        "bodies": [[list(along), packed(c)] for along, c in map(depending, np.moveaxis(motion.coefficients, -2, 0))],
        "error": 1e3 * motion.error,
        "overlays": [
            {"name": own.name, "count": own.points.shape[1], "points": packed(own.points)} for own in motion.overlays
        ],
    }


def depending(c: Array) -> tuple[tuple[int, ...], Array]:
    """Axes on which the pose of a body depends, and its coefficients (n_1 + 2, ..., 7) along these alone."""
    along = [k for k in range(c.ndim - 1) if float(np.ptp(c, axis=k).max()) > STILL]
    return tuple(along), c[tuple(slice(None) if k in along else 0 for k in range(c.ndim - 1))]


def watched(seen: Scene) -> list[tuple[int, Array]]:
    """Points of each body by whose places poses are judged."""
    number = {name: i for i, name in enumerate(seen.bodies)}
    return [(number[item.on[0]], item.points) for item in seen.items if item.kind in ("body", "wheel", "marker")]


def view_html(data: dict[str, Any]) -> str:
    """The elements that `view.js` fills."""
    kinds = dict.fromkeys(item["kind"] for item in data["items"])
    boxes = "\n".join(box(kind) for kind in kinds)
    keys = "arrow keys turn it, plus and minus scale it, space plays"
    axle = any(motion["overlays"] for motion in data["motions"])
    centres = '<label><input type="checkbox" id="centres"> axes and centres</label>\n' * axle
    views = (("iso", "3D"), ("front", "Front"), ("side", "Side"), ("top", "Top"))
    looks = "".join(f'<button type="button" data-view="{name}">{text}</button>' for name, text in views)
    return f"""<section class="view" aria-label="The mechanism in 3D">
<canvas id="scene" tabindex="0" role="img" aria-label="{escape(data["name"])}; {keys}"></canvas>
<div class="controls">
<div class="sliders" id="sliders"></div>
<div class="buttons">
<button id="play" type="button">Play</button>
<button id="home" type="button">Design position</button>
<span class="views">{looks}</span>
</div>
<fieldset class="kinds"><legend>Show</legend>
{boxes}
<label><input type="checkbox" id="names"> names</label>
{centres}</fieldset>
<p class="note" id="said" role="status"></p>
</div>
</section>
"""


def box(kind: str) -> str:
    """Switches a kind on and off."""
    state = "" if kind == "marker" else " checked"
    return f'<label><input type="checkbox" data-kind="{kind}"{state}> {LABELS[kind]}</label>'
