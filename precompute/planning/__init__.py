"""Structure apart from numbers: what is decided before the sweep, and whether other numbers allow it.

In: `Atlas`; `Survey`, what is found of a mechanism before its sweep.  Out: whether its ranges can be swept; `Plan`; and
surveys of other numbers that keep to it.
"""
