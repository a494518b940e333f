"""Which design variable does what to a metric of an axle, over a case of the rig.

In: a mechanism, a metric, a case.  Out: derivatives of the metric, and of its slope along the case, by every variable.

    naming.py        names of metrics and cases
    variables.py     which variables, how far they are changed, what derivatives are per
    drawn.py         how the drawing changes: held coordinates, wheels
    partials.py      how heights and forces change while coordinates stay
    laws.py          how force laws and masses change
    states.py        so how states of rest change
    stepped.py       so how records change, and what metrics become
    analytic.py      derivatives of metrics by that
    differences.py   and by differences, where that does not give them
    effects.py       in units that are shown; text.py, tables.py, picture.py show them
    result.py        all of it
"""

from precompute.sensitivity.effects import Effect
from precompute.sensitivity.result import Sensitivity, sensitivity

__all__ = ["Effect", "Sensitivity", "sensitivity"]
