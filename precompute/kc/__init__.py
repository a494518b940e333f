"""Kinematics and compliance: what a suspension engineer reads of one wheel and of an axle.

In: records (places, velocities, forces of a wheel, over a batch of points).  Out: metrics, by name, in SI units.
"""
