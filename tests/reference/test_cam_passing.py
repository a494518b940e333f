"""The full model over the borders of a cam: it stops at each, and goes on along the next part of the outline."""

import numpy as np
import pytest
from helpers_cam_files import MACHINES

from precompute.cams.profile import Side
from precompute.mechanism_file import loads
from precompute.reference import assemble, full_model, initial_velocity, simulate, simulation
from precompute.reference.cams import passing
from precompute.reference.cams.outlines import SideOutline

PARTS = SideOutline.of(
    (
        Side(np.array([0.0, -20.0]), np.array([0.0, 20.0]), np.array([0.0, 0.0])),
        Side(np.array([0.0, 20.0]), np.array([-30.0, 10.0])),
        Side(np.array([-30.0, 10.0]), np.array([0.0, -20.0])),
    )
)


@pytest.mark.parametrize("held", range(PARTS.count))
def test_a_part_that_is_held_goes_on_beyond_its_ends(held):
    """Gap and way change along normal and tangent there too; where it is the nearest nothing changes."""
    for p in np.array([[25.0, 3.0], [-12.0, 21.0], [-25.0, -3.0], [3.0, -25.0], [4.0, 24.0]]):
        own, free = PARTS.nearest(p, held), PARTS.nearest(p)
        assert (max(own.beyond) <= 0.0) or free.part != held
        if free.part == held:
            assert (own.gap, own.length) == (free.gap, free.length)
        h = 1e-6
        for along, wanted in ((own.normal, 1.0), (own.tangent, 0.0)):
            beside = [PARTS.nearest(p + s * h * along, held).gap for s in (1.0, -1.0)]
            assert (beside[0] - beside[1]) / (2.0 * h) == pytest.approx(wanted, abs=1e-8)
        ends = [PARTS.nearest(p + s * h * own.tangent, held).beyond[1] for s in (1.0, -1.0)]
        assert ends[0] > ends[1]


@pytest.mark.parametrize("name", ["roller on egg", "face on egg"])
def test_steps_stop_where_the_follower_passes_from_part_to_part(name, monkeypatch):
    """At each border of the profile once, and energy is kept as between them."""
    mechanism = loads(MACHINES[name])
    full = full_model(mechanism)
    state = initial_velocity(full, assemble(full, {"shaft": 0.1}), {"shaft": 40.0})
    places = []

    def seen(model, solver, unpack):
        found = passing.passed(model, solver, unpack)
        if found is not None:
            time, there, after = found
            places.append(float(passing.beyond(after, there).max()))
            assert solver.t_old < time <= solver.t
            assert passing.beyond(model, there).max() == pytest.approx(0.0, abs=1e-11)
        return found

    monkeypatch.setattr(simulation, "passed", seen)
    motion = simulate(full, state, np.linspace(0.0, 0.2, 6))
    turned = motion.coordinates["shaft"].value[-1] - 0.1
    borders = mechanism.cams[0].follower.track.borders
    assert len(places) == pytest.approx(turned / (2.0 * np.pi) * len(borders), abs=len(borders) / 2.0)
    assert places == pytest.approx(np.zeros(len(places)), abs=1e-11)  # it ends on the next part, at its beginning
    assert np.ptp(motion.energy) < 1e-10 * motion.energy[0]
