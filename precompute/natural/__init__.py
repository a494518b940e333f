"""Natural coordinates: kinematics by points and unit vectors, independent of `kinematics`.

In: a mechanism; values, rates, accelerations and jerks of its independent coordinates.  Out: positions, velocities,
accelerations and jerks of all bodies and points.

    model = natural_model(mechanism)
    places = model.positions({"crank": angles})
    moved = model.motion(places, {"crank": rates})
    moved.point("slider", p).v

The level of the mechanism,

    Mechanism -> Drawing -> Drawn -> NaturalSystem -> Places -> Moved

    drawing.py      frames (bodies, massless ones inside joints) of points and vectors that they share
    joints.py       joints and rods: what they share, and their rows
    spins.py        links between two balls
    drivers.py      what is given
    measure_kinds.py  how each kind of measure is read and given
    system.py       all of it as columns and rows; where frames are, from the columns
    carrying.py     how a frame is turned
    following.py    positions by continuation
    freedoms.py     whether the drivers are as many as the freedoms
    moving.py       bodies, points and measures in motion
    measuring.py    points, directions and motions of joints
    jets.py         products and quotients with their derivatives
    names.py        coordinates by name
    model.py        what users of this package call

and that of equations,

    rows -> QuadraticSystem -> DrivenSystem -> Solution -> Tangent -> Rates

    expressions.py  polynomials of degree two in the coordinates
    rows.py         constraints between points and vectors
    quadratic.py    rows as a system: value, Jacobian, second derivatives
    newton.py       positions: Newton, modified Newton, with a predictor
    tangent.py      velocities, accelerations, jerks and partial velocities from one factorization
    wheels/         rows between velocities alone: wheels that roll or slide

Reference: Garcia de Jalon and Bayo, Kinematic and Dynamic Simulation of Multibody Systems, chapters 2 and 3.
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
