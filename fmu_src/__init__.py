"""What runs inside the FMU, and the builder of the FMU.  Imports nothing of `precompute`."""

__version__ = "0.1.0"
