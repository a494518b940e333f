"""Which way of a measure presses, or winds up, what acts on it."""

from __future__ import annotations

from precompute.measures.measure import Measure


def pressed_by(on: Measure, role: str, slope: float) -> float:
    """-1 where a smaller value of a measure is pressed, 1 where a greater one is.

    A distance gets shorter.  Whether a joint's coordinate, an angle or a sum grows then is up to the file, and a bar
    is wound up by either wheel: it is what bump does, by the slope of the measure over travel at design.
    """
    if role != "anti_roll_bar" and on.segment is not None:
        return -1.0
    return 1.0 if slope > 0.0 else -1.0
