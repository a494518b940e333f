"""Design variables: which numbers make a mechanism, what it is with others, and how its motion depends on them.

In: a mechanism, variables by name, changes; constraints.  Out: the mechanism with these changed; derivatives of all
that is read of its motion; a design after what a change asks of the rest.

    variables.py       a mechanism -> its design variables, with units and present values
    moved.py           changes of variables -> the mechanism as if its file had been edited
    places.py          where its points and axes came from: as functions of variables (drawing, part_places, jets)
    dimensions.py      the mechanism with what these move as joints
    configurations.py  values of any coordinates -> closed configurations
    derivatives.py     closed configurations -> the motion along coordinates and variables, to second order
    derived.py         the same of measures, markers, wheels, steer and camber; derived_inertia.py of M
    constraints.py     constraints between two bodies and how they vary with poses and dimensions
    propagation.py     a design that constraints do not hold -> the nearest that they do
"""

from precompute.design.derivatives import Dimensioned
from precompute.design.derived import Derivatives, Derived
from precompute.design.moved import Design, moved
from precompute.design.variables import Variable

__all__ = ["Derivatives", "Derived", "Design", "Dimensioned", "Variable", "moved"]
