"""Mechanism files to begin with, each a suspension or linkage that bakes as it is.

In: the name of a template.  Out: the text of its file, with comments, under the name that the mechanism is to have.
"""
