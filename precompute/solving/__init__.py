"""A motion that is prescribed, solved exactly: no tables, no bake.

In: a mechanism, and its independent coordinates over time.  Out: positions, velocities, accelerations and jerks of its
markers, and all measures, as samples.

    prescribed.py  coordinates over time with three derivatives, from arrays or a CSV file
    solution.py    natural coordinates along them; what cannot be reached
    outputs.py     samples by the names that an FMU gives its outputs
"""
