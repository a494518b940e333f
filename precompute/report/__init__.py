"""What the commands say and draw: text, plots, the mechanism's picture.

In: a `Mechanism`, a `ReducedModel`, a `Run` or a `Verification`.  Out: `Report`, text, pictures.
"""
