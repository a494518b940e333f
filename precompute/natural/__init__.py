"""Natural coordinates: kinematics by points and unit vectors, independent of `kinematics`.

    rows -> QuadraticSystem -> DrivenSystem -> Solution -> Tangent -> Rates

    expressions.py  polynomials of degree two in the coordinates
    rows.py         constraints between points and vectors
    quadratic.py    rows as a system: value, Jacobian, second derivatives
    newton.py       positions: Newton, modified Newton, with a predictor
    tangent.py      velocities, accelerations, jerks and partial velocities from one factorization

Reference: Garcia de Jalon and Bayo, Kinematic and Dynamic Simulation of Multibody Systems, chapter 3.
"""
