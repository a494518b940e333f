"""Cam joints of a mechanism file.

In: checked entries.  Out: cams, in SI units; and the other way round, for files that are written.
"""
