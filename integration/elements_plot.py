"""Picture of what elements make of the full car: roll, a tyre on the kerb, the loop of a damper."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from coupling.system import Record
from matplotlib.figure import Figure
from numpy.typing import NDArray
from vehicle_plots import angles, finish

Array = NDArray[np.floating]
STYLES: Mapping[bool, dict[str, Any]] = {
    False: {"color": "0.45", "linestyle": "--", "label": "without elements"},
    True: {"color": "C0", "label": "with elements"},
}
OVER_KERB = (0.2, 1.0)  # [s] in which the front left wheel goes over it


def damper_loop(record: Record, corner: str, elements: bool) -> tuple[Array, Array]:
    """Lengthening rate [m/s] and tension [N] of a damper, without the force of its gas at rest."""
    damper = f"{corner}.element.damper" if elements else f"{corner}.damper.shock"
    rate, force = ("s_rate", "force.s") if elements else ("rate", "force")
    pushing = record[f"{damper}.{force}"]
    return record[f"{damper}.{rate}"], pushing[0] - pushing


def plot_elements(records: Mapping[tuple[str, bool], Record], path: Path) -> None:
    """Of manoeuvres by name, with and without elements; what is not there is left out."""
    figure = Figure(figsize=(13.0, 4.3), layout="constrained")
    roll, load, loop = figure.subplots(1, 3)
    for elements, style in STYLES.items():
        if steered := records.get(("sine steer", elements)):
            roll.plot(steered.time, angles(steered)[0], **style)
        if kerb := records.get(("kerb strike", elements)):
            over = (kerb.time >= OVER_KERB[0]) & (kerb.time <= OVER_KERB[1])
            load.plot(kerb.time[over], 1e-3 * kerb["tyre_front_left.N"][over], **style)
            rate, force = damper_loop(kerb, "front_left", elements)
            loop.plot(rate[over], 1e-3 * force[over], **style)
    roll.set(xlabel="time [s]", ylabel="roll, left side up [deg]", title="Body in the sine steer")
    load.set(xlabel="time [s]", ylabel="load [kN]", title="Front left tyre over the kerb")
    loop.set(xlabel="lengthening rate [m/s]", ylabel="tension [kN]", title="Front left damper over the kerb")
    finish(figure, "Full car: monotubes on top mounts, friction, active anti-roll bars", path)
