"""What the rig measured, as people read it.

In: curves of metrics.  Out: columns with units and signs, tables in the terminal and in files, a page of plots; beside
them curves of other origin.
"""
