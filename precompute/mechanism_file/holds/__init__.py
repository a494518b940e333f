"""Couplings and constraints of a mechanism file.

In: their checked entries.  Out: parts of the mechanism; and what their entries should say when it is drawn anew.
"""
