"""The tables of a model beside natural coordinates, number by number.

In: a chart of a model, configurations of it, a model in natural coordinates.  Out: `Compared`, numbers of both sides
with the largest error that passes.
"""
