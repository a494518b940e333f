"""Elements of the mechanism file: what is below `[elements]`.

In: checked entries, or `model.devices.Device`.  Out: that, or entries again; mistakes of formulas with their places.

    objects.py     checked entries -> devices: numbers in SI, measures; ready types become formulas
    mistakes.py    what is wrong with the formulas of all elements, those too that could not be built
    writing.py     devices -> entries
"""
