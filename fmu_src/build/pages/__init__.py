"""The page in every FMU, and pieces of HTML that other pages are made of as well.

In: a reduced model, its variables, what is known about its mechanism.  Out: HTML.
"""
