"""The FMI variables of a model as one table: name, causality, unit, text, what each depends on.

In: `ReducedModel`.  Out: `Variable`s, the layout of their values, the model description.
"""
