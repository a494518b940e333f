"""What stages of a bake have made before: results in the user's cache, by all that a stage is given and by our sources.

In: a stage and what it is given, frozen data.  Out: what it makes, as it is made now or as it was made once from the
same by the same program.
"""
