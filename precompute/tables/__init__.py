"""The sweep over the whole motion, and the tables with their certificate.

In: `Coordinates` and a `Configuration`.  Out: `Tabulated`: blocks of splines, the errors measured between the nodes,
and how far stiff directions may deflect.
"""
