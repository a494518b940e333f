"""Elements with formulas in the full model: what they do to their measures, how their states change.

In: `model.devices.Device`, as the file has it.  Out: forces on measures, rates of states, everything else by name.

Nothing is compiled and nothing put in order: a formula is a tree, and a walk through it looks up what it names, other
formulas among them.  The only thing that is shared with the run-time is how a text becomes a tree.

    formulas.py    the value of a tree
    reading.py     all numbers of all elements at one instant; unknowns
    attached.py    measures that elements are connected to, as sums of what the full model measures
    response.py    forces, rates, and all numbers by the names that an FMU gives them
    rest.py        states at rest
"""
