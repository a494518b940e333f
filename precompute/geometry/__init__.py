"""Rotations, poses and spatial velocities.  In: arrays of vectors and angles.  Out: arrays, over any batch axes."""
