"""Changes of a design, and what must change with them.

In: a mechanism, changes, what may absorb them, what is to stay.  Out: the design that has them.

    closing.py      the loops as constraints on variables and on how joints stand
    holding.py      metrics that are to stay, on the rig
    problem.py      both together
    changing.py     -> the design with the least change, or with that of increments
    unabsorbed.py   what is missing where there is none, and what else could absorb the change
    asking.py       the same, of names in words
    amending.py     the text of a file with other numbers, comments and layout as they were
"""
