"""Forces on the rig: K against differences of Q, heights of the contact against their gradients."""

import numpy as np
import pytest
from helpers_rig import at, document, richardson, strut

from precompute.kinematics.correcting import correct
from precompute.mechanism_file import from_document
from precompute.rig.balance import flat
from precompute.rig.mechanics import WheelLoads, load_forces
from precompute.rig.stand import stand

EXACT = 1e-8


def beside(rig, here, q, z, direction, h):
    """Mechanics at z + h direction."""
    closure = rig.bench.closure
    guess = closure.move(q, h * here.B @ direction)
    return rig.at(correct(closure, guess, z + h * direction).q[:, None])


def on_cardan_bushings():
    """The strut with a bushing of every kind of law about its axes: straight, coupled, bent, with a preload."""
    found = document()
    for bushing in found["bushings"].values():
        bushing["law"] = "cardan"
    one, other, *_ = found["bushings"].values()
    K = np.diag(one["stiffness"])
    K[1, 4] = K[4, 1] = 0.1 * np.sqrt(K[1, 1] * K[4, 4])
    K[3, 5] = K[5, 3] = 0.3 * np.sqrt(K[3, 3] * K[5, 5])
    one["stiffness"], one["preload"] = K.tolist(), [100, 0, 0, 1e4, -2e4, 3e4]
    slope = other["stiffness"][4]
    other["stiffness"][4] = 0
    other["tables"] = {"ry": [[-1, -slope], [-0.3, 0], [1, 2 * slope]]}
    return stand(from_document(found))


@pytest.mark.parametrize("made", [strut, lambda: strut(contact="fixed"), on_cardan_bushings])
def test_stiffness_is_the_derivative_of_the_forces(made):
    on = made()
    rest, setting = at(on, "bump", [0.06])  # the bump stop works, rubber is deflected
    rng, rig = np.random.default_rng(1), on.rig
    q, z = rest.q[:, 0], rest.z[:, 0]
    here = rig.at(q[:, None])
    loads = WheelLoads(*(1000.0 * rng.standard_normal((1, 1, 3)) for _ in range(3)))
    pads = np.array([[4000.0]])
    K = here.K + load_forces(here, loads, pads)[1]
    for i in range(z.shape[-1]):
        direction = np.eye(z.shape[-1])[i]

        def force(h, direction=direction):
            there = beside(rig, here, q, z, direction, h)
            return there.Q + load_forces(there, loads, pads)[0]

        np.testing.assert_allclose(-K[..., i], richardson(force, 5e-5), atol=EXACT * np.abs(K).max())
    assert setting.b.shape == (1, 2) and flat(setting.loads).patch.shape == (2, 1, 3)


def test_the_contact_rises_as_its_material_point_does():
    on = strut()
    rest, _ = at(on, "steering", [0.05])
    rig, q, z = on.rig, rest.q[:, 0], rest.z[:, 0]
    here = rig.at(q[:, None])
    for i in (0, 1, 2, 5):
        direction = np.eye(z.shape[-1])[i]
        found = richardson(lambda h, d=direction: beside(rig, here, q, z, d, h).corners[0].height, 1e-4)
        assert found == pytest.approx(here.corners[0].rise[:, i], abs=1e-9)
        moved = richardson(lambda h, d=direction: beside(rig, here, q, z, d, h).corners[0].contact, 1e-4)
        own = here.corners[0]
        material = own.twist[0, 3:, i] + np.cross(own.twist[0, :3, i], own.contact[0])
        np.testing.assert_allclose(moved[0], material + own.slide[0, :, i], atol=1e-8)
