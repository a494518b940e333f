"""What both halves share: the reduced model, its rows, laws and units, and the file that holds it.

In: the bytes of a model file.  Out: `ReducedModel`.
"""
