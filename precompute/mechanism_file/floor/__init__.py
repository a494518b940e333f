"""Discs on the floor.

In: checked entries.  Out: the disc, and the body and joints that the reader makes for it; the same written again.
"""
