"""What pythonfmu talks to inside a Python FMU: glue, and the choice between kernel and NumPy.

In: the resources of an FMU.  Out: a subclass of `Fmi2Slave`.  With the kernel it needs only the standard library.
"""
