"""Kinematics in natural coordinates: a second witness that shares nothing with `kinematics`.

In: a mechanism; values, rates, accelerations and jerks of its independent coordinates.  Out: positions, velocities,
accelerations and jerks of all bodies and points.

    model = natural_model(mechanism)
    places = model.positions({"crank": angles})
    moved = model.motion(places, {"crank": rates})
    moved.point("slider", p).v
"""

from precompute.natural.model import NaturalModel, natural_model
from precompute.natural.moving import BodyMotion, Columns, Moved, PointMotion, Scalars
from precompute.natural.places import Places

__all__ = [
    "BodyMotion",
    "Columns",
    "Moved",
    "NaturalModel",
    "Places",
    "PointMotion",
    "Scalars",
    "natural_model",
]
