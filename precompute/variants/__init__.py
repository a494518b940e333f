"""Design parameters of the FMU: the mechanism with its hardpoints elsewhere, and what its tables are more there.

In: a mechanism that was surveyed, and its tables.  Out: the same tables with what design parameters change in them.

    polynomials.py    designs at which a polynomial of second order is known, and its coefficients
    surveys.py        the mechanism at each of these, kept to the plan of the base
    moved_tables.py   its columns on the grids of the base, and their changes
    numbers.py        what design parameters change besides tables
    telling.py        all of it in words
"""
