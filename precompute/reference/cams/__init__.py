"""Cam joints of the full model: followers on the outline itself, in place of the tracks that tables are made from.

In: a mechanism's cams.  Out: constraints between measures of the model, with those of its couplings, and what is read.
"""
