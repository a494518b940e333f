"""Design variables: which numbers make a mechanism, what it is with others, what a change asks of the rest.

In: a mechanism, changes of its variables; constraints with derivatives.  Out: the mechanism or design after them.

    variables.py      a mechanism -> its design variables, with units and present values
    moved.py          changes of variables -> the mechanism as if its file had been edited
    constraints.py    constraints between two bodies and how they vary with poses and dimensions
    propagation.py    a design that constraints do not hold -> the nearest that they do
"""

from precompute.design.moved import Design, moved
from precompute.design.variables import Variable

__all__ = ["Design", "Variable", "moved"]
