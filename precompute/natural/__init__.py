"""Natural coordinates: kinematics by points and unit vectors, independent of `kinematics`.

In: a mechanism; values, rates, accelerations and jerks of its independent coordinates.  Out: positions, velocities,
accelerations and jerks of all bodies and points.

    model = natural_model(mechanism)
    places = model.positions({"crank": angles})
    moved = model.motion(places, {"crank": rates})
    moved.point("slider", p).v

The level of equations,

    rows -> QuadraticSystem -> DrivenSystem -> Solution -> Tangent -> Rates

    expressions.py  polynomials of degree two in the coordinates
    rows.py         constraints between points and vectors
    quadratic.py    rows as a system: value, Jacobian, second derivatives
    newton.py       positions: Newton, modified Newton, with a predictor
    tangent.py      velocities, accelerations, jerks and partial velocities from one factorization

Reference: Garcia de Jalon and Bayo, Kinematic and Dynamic Simulation of Multibody Systems, chapter 3.
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
