"""Motions of an FMU and of the full model of `reference`: what moves both, and how they differ.

In: an FMU, its model, inputs.  Out: traces of differences, coverage.

    paths, leading   how far and how fast coordinates are led
    rig, pushing     the reduced model in NumPy, and inputs that push it along
    excitation       such inputs as a table over time, in legs
    pieces           inputs of a run as the full model takes them
    full_motion      the full model that follows a run
    comparison       differences, quantity by quantity
    coverage         how much of the tables was visited
"""
