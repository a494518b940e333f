"""Wheels that roll or slide on a track: rows between velocities that no row between positions gives.

In: solved places, and what is given of a motion.  Out: velocities and accelerations.

    A(x) xd = 0,   A(x) xdd = -dA/dt xd                                                               (1)

Where a wheel is must be solved without these rows; then they are rows of the tangent as all others are.

    rows.py     what rows (1) are; velocity and acceleration of a system that has some
    planar.py   a wheel on a circle in its plane; Euler and Savary
    spatial.py  a wheel on a floor

Reference: Garcia de Jalon and Bayo, Kinematic and Dynamic Simulation of Multibody Systems, 3.6.
"""
