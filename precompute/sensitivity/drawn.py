"""What the drawing of a mechanism has, and how it changes with design variables: held coordinates, wheels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from precompute.arrays import Array
from precompute.design import Dimensioned
from precompute.design.places import Places
from precompute.kc.analytic import cross, unit
from precompute.kc.record import WheelData, wheel_data
from precompute.kc.registry import STEP
from precompute.kinematics.poses import design_configuration
from precompute.rig.records import mirrored_data
from precompute.rig.stand import Place, Stand

UP = np.array([0.0, 0.0, 1.0])


def drawn_values(stand: Stand, made: Dimensioned) -> Array:
    """(nh, np) how the values change that held coordinates have in the drawing."""
    mechanism, topology = made.closure.mechanism, made.closure.topology
    P = made.closure.poses(design_configuration(mechanism, topology)[None])
    jets = [(topology.scalars[of.joint, of.index][1], jet.first) for of, jet in made.dimensions.motions]
    out = np.zeros((len(stand.rig.bench.held), made.dimensions.places.n))
    for row, number in zip(out, stand.rig.bench.held, strict=True):
        of = stand.rig.bench.closure.coordinates[number]
        along = made.dimensions.measure(of).row(P)[0]
        row += sum((along[rate] * first for rate, first in jets), np.zeros(row.shape))
        row -= made.dimensions.datum(of).first
    return out


def drawn_wheels(stand: Stand, side: Place, places: Places) -> tuple[WheelData, ...]:
    """The wheel of a side a complex step along each variable, in axes of ISO 8855."""
    wheel, axes = stand.rig.bench.wheels[side.wheel], stand.mechanism.axes
    data, at = wheel_data(wheel, axes), places.wheels[wheel.name]
    assert at.spin_axis is not None and at.radius is not None, "wheels have both"
    out = []
    for k in range(places.n):
        centre = data.centre + 1j * STEP * (axes.R @ at.p.first[k])
        spin = data.spin + 1j * STEP * (axes.R @ at.spin_axis.first[k])
        radius = data.radius + 1j * STEP * at.radius.first[k]
        forward = unit(cross(spin, UP))
        contact = centre - radius * unit(cross(forward, spin))
        moved = replace(data, centre=centre, spin=spin, radius=radius, contact=contact)
        out.append(mirrored_data(moved) if side.mirrored else moved)
    return tuple(out)
