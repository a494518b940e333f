"""A mechanism whose design variables are found from curves that it is to have, or that were measured of it.

In: a mechanism, curves over cases of the rig, variables with their bounds.  Out: the changes that come nearest.

    bounds.py      which variables, and how far each may go
    targets.py     the curves, in SI, with what one counts against another
    curves.py      the same curves of a changed mechanism: residuals
    slopes.py      their derivatives
    search.py      -> bounded least squares
    certainty.py   what the data determine, and how well
    fitted.py      what was found; text.py says it
    solving.py     all of it
"""

from precompute.fitting.solving import Fit, fit

__all__ = ["Fit", "fit"]
