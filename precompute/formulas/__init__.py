"""Formulas of elements: texts -> trees -> programs of the FMU.

In: `model.devices.Device`, as the file has it.  Out: `fmu_src.model.devices.Device`, or every mistake of every formula,
with its place.  `syntax` reads a text, `dimensions` follows its units, `linking` finds what each name stands for and in
which order formulas are evaluated, `compiling` writes the programs.
"""
