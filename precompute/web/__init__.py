"""Pages that open from disk: a mechanism in 3D, and the report.

In: scenes, motions, curves and texts.  Out: one HTML file, all scripts inside, nothing of a file's names unescaped.
"""
