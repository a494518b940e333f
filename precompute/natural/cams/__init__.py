"""Cam joints in natural coordinates.

In: a mechanism's cams.  Out: columns and rows of the place of each follower; what cams measure, read off frames.
"""
