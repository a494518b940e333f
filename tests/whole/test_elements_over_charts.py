"""States of elements go on where one chart hands over to the next: the same motion in one chart, by the crank."""

import numpy as np
from helpers import MECHANISMS
from helpers_kernel import Pair

from precompute.mechanism_file import loads
from precompute.pipeline import bake

FILE = (
    (MECHANISMS / "crank_slider_charts.toml")
    .read_text(encoding="utf-8")
    .replace("tolerance = 1e-8", "tolerance = 1e-6")
)
SPRING = FILE[FILE.index("[springs.slider]") : FILE.index("[markers.crank_pin]")]
FREE = FILE[FILE.index("[coordinates.free.slider]") : FILE.index("[tables]")]
ELEMENT = """
[elements.series]
on = { s = "joint.slide" }
parameters = { k = 20, c = 5 }
states = { F = { rate = "k*(s_rate - F/c)", start = 3 }, way = { rate = "abs(s_rate)" } }
unknowns = { u = "u + 0.2*u^3 - F" }
forces = { s = "-F - 0.1*u" }
"""
SINE, COSINE = np.sin(np.pi / 3.0), np.cos(np.pi / 3.0)
CRANK = f"""[coordinates.free.crank]
of = "joint.crank"
from = -180
to = 180
periodic = true
rate = {np.degrees(2.0 / (SINE + SINE * COSINE / np.sqrt(4.0 - SINE**2))):.17g}
"""
NAMES = ("element.series.s", "element.series.s_rate", "element.series.F", "element.series.way", "element.series.u")
STEP, STEPS, EVERY = 2e-3, 2500, 50
SOME = 700
"""Steps for NumPy, over the first dead centre and the charts there."""


def moved(pair, instance, steps=STEPS):
    """Rows of values over time."""
    places, rows = [pair.names.index(name) for name in NAMES], []
    for i in range(1, steps + 1):
        instance.step((i - 1) * STEP, STEP)
        if i % EVERY == 0:
            rows.append(instance.get(places))
    return np.array(rows)


def test_states_are_handed_over(tmp_path):
    """A turn and a half, over all charts and back into the first."""
    text = FILE.replace(SPRING, "") + ELEMENT
    covered, whole = bake(loads(text)), bake(loads(text.replace(FREE, CRANK)))
    assert len(covered.charts) > 2 and len(whole.charts) == 1
    both, one = Pair(covered, tmp_path).start(), Pair(whole, tmp_path).start()
    numpy, kernel, exact = moved(both, both.numpy, SOME), moved(both, both.compiled), moved(one, one.compiled)
    scale = np.abs(exact).max(axis=0)
    assert (np.abs(kernel[: len(numpy)] - numpy) < 1e-12 * scale).all()
    assert (np.abs(kernel - exact) < 1e-6 * scale).all()
    assert exact[-1, 3] > 6.0 and np.ptp(exact[:, 0]) > 1.98
