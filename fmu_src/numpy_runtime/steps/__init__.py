"""Steps of a motion: the methods, what a step ends with, how long it may be and what it costs in accuracy.

In: a chart and a state, `advance` takes it on.  Out: the state at the end of a step, its error, its sensible length.
"""
