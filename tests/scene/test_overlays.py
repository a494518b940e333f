"""Axes and centres that are drawn, against the metrics of the same names."""

import numpy as np
from helpers_rig import mechanism

from precompute.rig.stand import stand
from precompute.scene.motion import CASE_NODES, case_motions
from precompute.sheets.result import kc


def test_they_are_where_the_metrics_say():
    strut = mechanism("macpherson")
    motion = next(m for m in case_motions(stand(strut), []) if m.name == "bump")
    bump = kc(strut, cases=["bump"])["bump"]
    found = {own.name: 1e3 * own.points for own in motion.overlays}
    assert all(len(points) == CASE_NODES for points in found.values())
    foot, top = np.moveaxis(found["steering axis of left"], 1, 0)
    e = top - foot
    np.testing.assert_allclose(np.degrees(np.arctan2(-e[:, 0], e[:, 2])), bump["caster"].values, atol=1e-9)
    np.testing.assert_allclose(np.degrees(np.arctan2(-e[:, 1], e[:, 2])), bump["kingpin_inclination"].values, atol=1e-9)
    left, centre, right = np.moveaxis(found["roll centre"], 1, 0)
    near = np.isfinite(centre).all(axis=1)
    height = centre[:, 2] - 0.5 * (left + right)[:, 2]
    assert near.sum() > 30
    np.testing.assert_allclose(height[near], bump["roll_centre_height"].values[near], atol=1e-9)
    patch, side = np.moveaxis(found["side-view centre of left"], 1, 0)
    near = np.isfinite(side).all(axis=1)
    assert near.any()
    np.testing.assert_allclose((side - patch)[near, 0], bump["side_view_ic_x"].values[near], rtol=1e-9)
    front = found["front-view centre of left"][:, 1]
    near = np.isfinite(front).all(axis=1)
    np.testing.assert_allclose((front - patch)[near, 2], bump["front_view_ic_z"].values[near], rtol=1e-9)


def test_what_is_not_steered_has_no_steering_axis():
    motions = case_motions(stand(mechanism("five_link")), [])
    names = {own.name for motion in motions for own in motion.overlays}
    assert "roll centre" in names and not any(name.startswith("steering axis") for name in names)
