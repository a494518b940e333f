"""The mechanism as data: bodies, joints, springs, bushings, markers; every object that exists is valid.

In: numbers in SI, from a file or from Python.  Out: `Mechanism`.  No algorithms.
"""
